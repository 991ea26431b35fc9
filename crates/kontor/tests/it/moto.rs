//! Runs `moto`, an emulator of AWS, as a separate process. It is installed from PyPI into a virtual environment once.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The Python packages to install.
const REQUIREMENTS: &str = include_str!("../data/moto.txt");
/// The AWS region of all tests.
pub(crate) const REGION: &str = "eu-west-1";

/// A running moto. Killed when dropped.
pub(crate) struct AwsEmulator {
    process: Child,
    pub(crate) url: String,
    agent: ureq::Agent,
}

impl AwsEmulator {
    pub(crate) fn start() -> Self {
        let python = environment();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let mut process = Command::new(python)
            .args(["-u", "-m", "moto.server", "-H", "127.0.0.1", "-p", &port])
            // Keys and policies are not checked until the test says so.
            .env("INITIAL_NO_AUTH_ACTION_COUNT", "1000")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let is_up =
            |line: &std::io::Result<String>| line.as_ref().is_ok_and(|line| line.contains("Running on"));
        assert!(lines.any(|line| is_up(&line)), "moto did not start");
        std::thread::spawn(move || lines.for_each(drop));
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Self { process, url: format!("http://127.0.0.1:{port}"), agent }
    }

    /// Calls an AWS operation as the administrator.
    pub(crate) fn call(&self, service: &str, target: Option<&str>, body: &str) -> String {
        let scope = format!("AWS4-HMAC-SHA256 Credential=test/20260101/{REGION}/{service}/aws4_request");
        let mut request = self
            .agent
            .post(&self.url)
            .header("Authorization", format!("{scope}, SignedHeaders=host, Signature=test"))
            .header(
                "Content-Type",
                if target.is_some() {
                    "application/x-amz-json-1.0"
                } else {
                    "application/x-www-form-urlencoded"
                },
            );
        if let Some(target) = target {
            request = request.header("X-Amz-Target", target);
        }
        let mut response = request.send(body).unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        assert_eq!(response.status().as_u16(), 200, "{service}: {text}");
        text
    }

    /// Switches the check of keys, signatures and policies on or off.
    pub(crate) fn check_keys(&self, looks: bool) {
        let count = if looks { "0" } else { "1000" };
        let response = self.agent.post(format!("{}/moto-api/reset-auth", self.url)).send(count).unwrap();
        assert_eq!(response.status().as_u16(), 200);
    }
}

impl Drop for AwsEmulator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The lock for creating the environment, because tests run in parallel.
static MAKING: Mutex<()> = Mutex::new(());

/// Returns the Python of an environment with moto. Creates it if missing.
fn environment() -> PathBuf {
    // A poisoned lock is fine: a failed installation does not write the file that marks it as complete.
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("moto");
    let (python, done) = (folder.join("bin/python"), folder.join("requirements.txt"));
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == REQUIREMENTS) {
        return python;
    }
    let run = |program: &Path, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).status();
        assert!(status.is_ok_and(|status| status.success()), "{} {arguments:?}", program.display());
    };
    run(Path::new("python3"), &["-m", "venv", "--clear", folder.to_str().unwrap()]);
    let given = folder.join("given.txt");
    std::fs::write(&given, REQUIREMENTS).unwrap();
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", given.to_str().unwrap()];
    run(&python, &install);
    std::fs::write(done, REQUIREMENTS).unwrap();
    python
}
