//! Runs the binary and speaks to it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kontor_json::{Value, json};
use std::io::{BufRead, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// The longest that anything here takes on a slow machine.
const WAIT_MAX: std::time::Duration = std::time::Duration::from_secs(120);

/// The longest response that is read.
const RESPONSE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// A command over a data folder.
pub(crate) fn kontor(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kontor"));
    // What is set around the tests must not change what they say.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KONTOR_")) {
        command.env_remove(name);
    }
    command.env("KONTOR_DATA", data).stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub(crate) fn run(data: &Path, arguments: &[&str]) -> Ran {
    Ran::of(kontor(data).args(arguments).output().unwrap())
}

/// Serves the project `shop` with the client `id`:`secret`.
pub(crate) fn serve(data: &Path) -> Command {
    let mut command = kontor(data);
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: output.status, out: text(output.stdout), err: text(output.stderr) }
    }

    /// The standard output of a command that succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert!(self.status.success(), "{self:#?}");
        self.out
    }

    /// Everything that a command said that failed.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert_eq!(self.status.code(), Some(1), "{self:#?}");
        self.out + &self.err
    }
}

/// A server over a data folder. Killed when dropped, as a crash would.
pub(crate) struct Server {
    process: Child,
    pub(crate) url: String,
}

impl Server {
    /// Starts a server with the project `shop` and the client `id`:`secret`.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(serve(data), Stdio::null())
    }

    /// Starts a command that serves, on a free port, and waits until it does.
    pub(crate) fn start_with(mut command: Command, log: Stdio) -> Self {
        let mut process =
            command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines.next().unwrap().unwrap().strip_prefix("kontor listening on ").unwrap().to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, url }
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Sends a signal: `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let script = format!("kill -{name} {}", self.process.id());
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }

    /// Lets the system measure the most memory of the process anew. Returns what the process has at present, in bytes; where the
    /// system cannot measure the peak, more than any peak.
    pub(crate) fn forget_memory_peak(&self) -> usize {
        match std::fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5") {
            Ok(()) => self.memory_bytes("VmRSS:"),
            Err(_) => usize::MAX,
        }
    }

    /// The most memory that the process had, in bytes.
    pub(crate) fn memory_peak_bytes(&self) -> usize {
        self.memory_bytes("VmHWM:")
    }

    fn memory_bytes(&self, name: &str) -> usize {
        let told = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = told.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
    }

    pub(crate) fn terminate(mut self) -> ExitStatus {
        self.signal("TERM");
        self.process.wait().unwrap()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.url.strip_prefix("http://").unwrap().parse().unwrap()
    }

    /// A caller with a token of a client.
    pub(crate) fn caller(&self, id: &str, secret: &str) -> Caller {
        let mut caller =
            Caller { agent: agent(), url: self.url.clone(), authorization: basic(id, secret), header: None };
        let (status, token) = caller.post("/oauth/token?grant_type=client_credentials", &json!({}));
        assert_eq!(status, 200, "{token}");
        caller.authorization = format!("Bearer {}", token["access_token"].as_str().unwrap());
        caller
    }

    /// A caller with the token of `id`:`secret`.
    pub(crate) fn client(&self) -> Caller {
        self.caller("id", "secret")
    }

    /// A caller with this token.
    pub(crate) fn with_token(&self, token: &str) -> Caller {
        self.with_authorization(&format!("Bearer {token}"))
    }

    /// A caller with this header.
    pub(crate) fn with_authorization(&self, authorization: &str) -> Caller {
        Caller { authorization: authorization.to_owned(), ..self.nobody() }
    }

    /// A caller without token.
    pub(crate) fn nobody(&self) -> Caller {
        Caller { agent: agent(), url: self.url.clone(), authorization: String::new(), header: None }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Tells threads of a test that it is over, also where it fails: it would wait for them.
pub(crate) struct Over<'a>(pub(crate) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

pub(crate) fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{id}:{secret}")))
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.timeout_global(Some(WAIT_MAX)).build().into()
}

/// Sends requests with a token.
#[derive(Clone)]
pub(crate) struct Caller {
    agent: ureq::Agent,
    url: String,
    authorization: String,
    header: Option<(&'static str, &'static str)>,
}

impl Caller {
    /// Sends one header more when it posts.
    pub(crate) fn with_header(self, header: (&'static str, &'static str)) -> Self {
        Self { header: Some(header), ..self }
    }

    pub(crate) fn token(&self) -> &str {
        self.authorization.strip_prefix("Bearer ").unwrap()
    }

    /// The same caller, who asks somewhere else.
    pub(crate) fn towards(&self, address: SocketAddr) -> Self {
        Self { agent: agent(), url: format!("http://{address}"), ..self.clone() }
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.try_get(path).unwrap()
    }

    /// `None` where the connection broke.
    pub(crate) fn try_get(&self, path: &str) -> Option<(u16, Value)> {
        let request =
            self.agent.get(format!("{}{path}", self.url)).header("Authorization", &self.authorization);
        read(request.call())
    }

    pub(crate) fn delete(&self, path: &str) -> (u16, Value) {
        let request =
            self.agent.delete(format!("{}{path}", self.url)).header("Authorization", &self.authorization);
        read(request.call()).unwrap()
    }

    /// The body as it is, whatever it is.
    pub(crate) fn get_text(&self, path: &str) -> String {
        let mut answer = self.agent.get(format!("{}{path}", self.url)).call().unwrap();
        answer.body_mut().read_to_string().unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.try_post(path, body).unwrap()
    }

    /// `None` where the connection broke.
    pub(crate) fn try_post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let is_form = path.starts_with("/oauth/");
        let content_type = if is_form { "application/x-www-form-urlencoded" } else { "application/json" };
        let request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("Authorization", &self.authorization)
            .header("Content-Type", content_type);
        let request = match self.header {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        read(request.send(if is_form { String::new() } else { body.to_string() }))
    }

    /// How many resources a kind has.
    pub(crate) fn total(&self, path: &str) -> u64 {
        let (status, found) = self.get(&format!("{path}?limit=0"));
        assert_eq!(status, 200, "{found}");
        found["total"].as_u64().unwrap()
    }
}

fn read(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Option<(u16, Value)> {
    let mut answer = answer.ok()?;
    let text = answer.body_mut().with_config().limit(RESPONSE_BYTES_MAX).read_to_string().ok()?;
    Some((answer.status().as_u16(), kontor_json::from_str(&text).unwrap_or_default()))
}

/// A folder that is gone at the end.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The fixtures of this crate.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The drafts of a project, one a line, in a sequence of their own. Without the ids of what has a key, which each project
/// makes itself.
pub(crate) fn drafts(data: &Path, project: &str) -> Vec<String> {
    let out = run(data, &["export", "--project", project]).ok();
    let without_id = |line: &str| {
        let mut line: Value = kontor_json::from_str(line).unwrap();
        if line["draft"]["key"].is_string() {
            line.as_object_mut().unwrap().shift_remove("id");
        }
        line.to_string()
    };
    let mut lines: Vec<String> = out.lines().map(without_id).collect();
    lines.sort();
    lines
}

/// Returns as soon as something is so. Fails where it never is.
#[track_caller]
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !is_so() {
        if started.elapsed() > WAIT_MAX {
            // Threads of the test may wait for this one, so that a panic would never be seen. Nor would what
            // is printed, which the test framework keeps until a test ends: this goes past it.
            let _ = writeln!(std::io::stderr(), "waited in vain at {}", std::panic::Location::caller());
            std::process::abort();
        }
        std::thread::yield_now();
    }
}
