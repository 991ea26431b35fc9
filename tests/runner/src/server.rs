//! Starts the server under test: the real binary, once, in memory, on a free port.

use std::{
    fs::File,
    io::{BufRead, BufReader, Lines},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
};

use kontor_tests_postgres::PostgresServer as Postgres;
use tempfile::TempDir;

/// A running server process. It ends when dropped.
#[derive(Debug)]
pub struct TestedServer {
    process: Child,
    /// Its data, if not in memory. Dropped after the process.
    _data: Option<ServerData>,
    /// `http://127.0.0.1:PORT`
    pub base_url: String,
    /// The log file of the server.
    pub log: PathBuf,
}

/// The places of a server's data, if not in memory.
#[derive(Debug)]
struct ServerData {
    postgres: Postgres,
    folder: TempDir,
    /// The URL of its search indexes, if they are not in the folder.
    search_url: Option<String>,
}

/// The beginning of the line that the server prints on standard output when it is ready.
const READY: &str = "kontor listening on ";

impl TestedServer {
    /// Builds the binary if needed, starts it in memory and waits until it is ready. `KONTOR_BIN` names a binary to use
    /// without building.
    pub fn start() -> Result<Self, String> {
        Self::start_with(None)
    }

    /// Like [`start`](Self::start), with a PostgreSQL database of its own.
    pub fn start_over_postgres() -> Result<Self, String> {
        Self::start_over_postgres_with(None)
    }

    /// Like [`start_over_postgres`](Self::start_over_postgres), with search indexes on an OpenSearch server. Returns
    /// `None` if OpenSearch cannot run here.
    pub fn start_over_postgres_and_opensearch() -> Result<Option<Self>, String> {
        let Some(url) = kontor_tests_opensearch::url() else { return Ok(None) };
        // A prefix of its own, since a shared server may still have the indexes of an earlier run.
        let search_url = format!("{url}?prefix=conversations-{}", std::process::id());
        Self::start_over_postgres_with(Some(search_url)).map(Some)
    }

    /// Starts `kontor demo`. Also returns the secret of `demo-client`.
    pub fn start_demo() -> Result<(Self, String), String> {
        let mut command = Command::new(binary()?);
        command.args(["demo", "--listen", "127.0.0.1:0"]);
        let (mut server, mut lines) = Self::spawn(command, None)?;
        let secret =
            lines.find_map(|line| Some(line.ok()?.strip_prefix("client secret:")?.trim().to_owned()));
        // Drains the output, or the server would block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        match secret {
            Some(secret) => Ok((server, secret)),
            None => {
                let _ = server.process.kill();
                Err("the demo does not tell the secret of its client".into())
            }
        }
    }

    fn start_over_postgres_with(search_url: Option<String>) -> Result<Self, String> {
        let postgres = Postgres::start().map_err(|error| format!("no PostgreSQL: {error:#}"))?;
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        Self::start_with(Some(ServerData { postgres, folder, search_url }))
    }

    fn start_with(data: Option<ServerData>) -> Result<Self, String> {
        let mut command = Command::new(binary()?);
        match &data {
            None => command.args(["serve", "--in-memory"]),
            Some(ServerData { postgres, folder, search_url }) => {
                command.args(["serve", "--database-url", &postgres.url(), "--data"]).arg(folder.path());
                command.args(search_url.iter().flat_map(|url| ["--search-url", url.as_str()]))
            }
        };
        command
            .args(["--listen", "127.0.0.1:0", "--test-controls"])
            .args(["--auth-alias-hosts", "auth.old.test"])
            .args(["--project", "first", "--client-id", "first-client", "--client-secret", "first-secret"]);
        let (server, lines) = Self::spawn(command, data)?;
        // Drains the output, or the server would block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }

    /// Starts a server and waits until it is ready. Also returns its further output.
    fn spawn(
        mut command: Command,
        data: Option<ServerData>,
    ) -> Result<(Self, Lines<BufReader<ChildStdout>>), String> {
        let binary = PathBuf::from(command.get_program());
        let log = std::env::temp_dir().join(format!("kontor-conversations-{}.log", std::process::id()));
        let log_file = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log_file)
            .spawn()
            .map_err(|error| format!("{}: {error}", binary.display()))?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("no standard output")?).lines();
        let address = lines.by_ref().find_map(|line| Some(line.ok()?.strip_prefix(READY)?.trim().to_owned()));
        let Some(base_url) = address else {
            let _ = process.kill();
            let _ = process.wait();
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            return Err(format!("{} ended before it was ready:\n{said}", binary.display()));
        };
        Ok((Self { process, _data: data, base_url, log }, lines))
    }
}

impl Drop for TestedServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the binary to start: the value of `KONTOR_BIN`, or the one next to the running test.
fn binary() -> Result<PathBuf, String> {
    match std::env::var_os("KONTOR_BIN") {
        Some(path) => Ok(PathBuf::from(path)),
        None => built(),
    }
}

/// Builds the binary next to the running test with cargo, and returns its path.
fn built() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    // target/<profile>/deps/<test>
    let folder = test.ancestors().nth(2).ok_or("the test does not lie in a target folder")?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "kontor"]);
    if folder.file_name() == Some("release".as_ref()) {
        cargo.arg("--release");
    }
    let status = cargo
        .current_dir(crate::package_folder())
        .status()
        .map_err(|error| format!("cargo build: {error}"))?;
    if status.success() { Ok(folder.join("kontor")) } else { Err("the server does not build".into()) }
}
