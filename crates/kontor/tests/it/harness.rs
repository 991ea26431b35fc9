//! The test harness: runs the binary's commands, and starts servers and sends requests to them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kontor_json::{Value, json};
use std::io::{BufRead, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// The timeout of everything, long enough for a slow machine.
const WAIT_MAX: std::time::Duration = std::time::Duration::from_secs(120);

/// The longest response to read.
const RESPONSE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Returns a command over a data folder.
pub(crate) fn kontor(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kontor"));
    // Variables in the environment of the tests must not change their results.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KONTOR_")) {
        command.env_remove(name);
    }
    command.env("KONTOR_DATA", data).stdin(Stdio::null());
    command
}

/// Runs a command and waits for its end.
pub(crate) fn run(data: &Path, arguments: &[&str]) -> CommandResult {
    CommandResult::of(kontor(data).args(arguments).output().unwrap())
}

/// Returns a command that serves the project `shop` with the API client `id`:`secret`.
pub(crate) fn serve(data: &Path) -> Command {
    let mut command = kontor(data);
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command
}

/// The result of a command: status and output.
#[derive(Debug)]
pub(crate) struct CommandResult {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CommandResult {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: output.status, out: text(output.stdout), err: text(output.stderr) }
    }

    /// Asserts success and returns the standard output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert!(self.status.success(), "{self:#?}");
        self.out
    }

    /// Asserts failure and returns the whole output.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert_eq!(self.status.code(), Some(1), "{self:#?}");
        self.out + &self.err
    }
}

/// A server over a data folder. Killed when dropped, as by a crash.
pub(crate) struct ServerUnderTest {
    process: Child,
    pub(crate) url: String,
}

impl ServerUnderTest {
    /// Starts a server with the project `shop` and the API client `id`:`secret`.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(serve(data), Stdio::null())
    }

    /// Starts a command that serves, on a free port, and waits until it listens.
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

    /// Sends a signal, e.g. `STOP` or `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let script = format!("kill -{name} {}", self.process.id());
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
    }

    /// Resets the memory peak of the process. Returns its current memory in bytes, or a huge number if the system
    /// cannot measure peaks.
    pub(crate) fn reset_memory_peak(&self) -> usize {
        match std::fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5") {
            Ok(()) => self.memory_bytes("VmRSS:"),
            Err(_) => usize::MAX,
        }
    }

    /// Returns the memory peak of the process, in bytes.
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

    /// Returns the listen address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.url.strip_prefix("http://").unwrap().parse().unwrap()
    }

    /// Returns a caller with a token of an API client.
    pub(crate) fn caller(&self, id: &str, secret: &str) -> ApiCaller {
        let mut caller = ApiCaller {
            agent: agent(),
            url: self.url.clone(),
            authorization: basic(id, secret),
            header: None,
        };
        let (status, token) = caller.post("/oauth/token?grant_type=client_credentials", &json!({}));
        assert_eq!(status, 200, "{token}");
        caller.authorization = format!("Bearer {}", token["access_token"].as_str().unwrap());
        caller
    }

    /// Returns a caller with a token of the client `id`.
    pub(crate) fn client(&self) -> ApiCaller {
        self.caller("id", "secret")
    }

    /// Returns a caller with this token.
    pub(crate) fn with_token(&self, token: &str) -> ApiCaller {
        self.with_authorization(&format!("Bearer {token}"))
    }

    /// Returns a caller with this `Authorization` header.
    pub(crate) fn with_authorization(&self, authorization: &str) -> ApiCaller {
        ApiCaller { authorization: authorization.to_owned(), ..self.nobody() }
    }

    /// Returns a caller without a token.
    pub(crate) fn nobody(&self) -> ApiCaller {
        ApiCaller { agent: agent(), url: self.url.clone(), authorization: String::new(), header: None }
    }
}

impl Drop for ServerUnderTest {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Ends the threads of a test when dropped, also after a panic; the test would wait for them otherwise.
pub(crate) struct StopGuard<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopGuard<'_> {
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

/// An HTTP client that sends requests with a token.
#[derive(Clone)]
pub(crate) struct ApiCaller {
    agent: ureq::Agent,
    url: String,
    authorization: String,
    header: Option<(&'static str, &'static str)>,
}

impl ApiCaller {
    /// Adds a header to each POST.
    pub(crate) fn with_header(self, header: (&'static str, &'static str)) -> Self {
        Self { header: Some(header), ..self }
    }

    pub(crate) fn token(&self) -> &str {
        self.authorization.strip_prefix("Bearer ").unwrap()
    }

    /// Returns the same caller for another address.
    pub(crate) fn at_address(&self, address: SocketAddr) -> Self {
        Self { agent: agent(), url: format!("http://{address}"), ..self.clone() }
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.try_get(path).unwrap()
    }

    /// Sends a GET. Returns `None` if the connection breaks.
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

    /// Sends a GET and returns the body as text.
    pub(crate) fn get_text(&self, path: &str) -> String {
        let mut response = self.agent.get(format!("{}{path}", self.url)).call().unwrap();
        response.body_mut().read_to_string().unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.try_post(path, body).unwrap()
    }

    /// Sends a POST. Returns `None` if the connection breaks.
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

    /// Returns the total number of resources at a path.
    pub(crate) fn total(&self, path: &str) -> u64 {
        let (status, found) = self.get(&format!("{path}?limit=0"));
        assert_eq!(status, 200, "{found}");
        found["total"].as_u64().unwrap()
    }
}

fn read(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Option<(u16, Value)> {
    let mut response = response.ok()?;
    let text = response.body_mut().with_config().limit(RESPONSE_BYTES_MAX).read_to_string().ok()?;
    Some((response.status().as_u16(), kontor_json::from_str(&text).unwrap_or_default()))
}

/// Creates a temporary folder, removed when dropped.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Returns the path of a fixture of this crate.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Returns a path as a command line argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the drafts of a project, one per line, sorted. Without the ids of resources that have keys, because ids
/// differ between projects.
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

/// Waits until a condition is true. Fails after [`WAIT_MAX`].
#[track_caller]
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !is_so() {
        if started.elapsed() > WAIT_MAX {
            // Other threads of the test may wait for this one, so that its panic and captured output would never
            // appear. Writing directly to standard error is not captured.
            let _ = writeln!(std::io::stderr(), "waited in vain at {}", std::panic::Location::caller());
            std::process::abort();
        }
        std::thread::yield_now();
    }
}
