//! `cargo xtask fuzz-api`: sends requests allowed and forbidden by our own API description to a server, and
//! checks that there is no internal error and that responses fit the description.
//!
//! Schemathesis makes the requests, with `fuzz/schemathesis.toml` and `fuzz/hooks.py`. Further arguments are
//! passed to it, e.g. `--include-path-regex states` or `--max-examples 200`.

use crate::run::{is_there, root, run, target};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The version that the configuration file is written for.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
/// Random requests an operation, on top of those that cover the bounds of each value.
const EXAMPLES: &str = "15";
const PROJECT: &str = "fuzzed";
const CLIENT_ID: &str = "fuzzing-client";
const CLIENT_SECRET: &str = "fuzzing-secret";
/// The line that the server prints when it is ready.
const READY: &str = "kontor listening on ";

/// Builds and starts a server, and fuzzes it.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let tool = schemathesis()?;
    run("cargo", &["build", "--package", "kontor"])?;
    let server = Server::start(&target()?.join("debug/kontor"))?;
    let status = Command::new(tool)
        .arg("--config-file")
        .arg(root().join("fuzz/schemathesis.toml"))
        .args(["run", &format!("{}/openapi.json", server.url)])
        .args(["--checks", CHECKS, "--max-examples", EXAMPLES, "--continue-on-failure"])
        .args(arguments)
        .env("KONTOR_FUZZED_PROJECT", PROJECT)
        .env("KONTOR_FUZZED_CREDENTIALS", credentials())
        .env("KONTOR_FUZZED_TOKEN", server.token()?)
        .env("SCHEMATHESIS_HOOKS", root().join("fuzz/hooks.py"))
        // It leaves files of its own where it runs.
        .current_dir(target()?)
        .status()
        .map_err(|error| format!("schemathesis cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("schemathesis found something ({status})")) }
}

/// The program, installed where cargo writes when it is not there.
fn schemathesis() -> Result<PathBuf, String> {
    let folder = target()?.join("tools/schemathesis");
    let program = |name: &str| folder.join("bin").join(name);
    let pip = program("pip").to_string_lossy().into_owned();
    if !is_there(&program("st").to_string_lossy(), &["--version"]) {
        run("python3", &["-m", "venv", &folder.to_string_lossy()])?;
    }
    // Does nothing where this version is there already.
    run(&pip, &["install", "--quiet", "--disable-pip-version-check", SCHEMATHESIS])?;
    Ok(program("st"))
}

/// The first client's, as HTTP Basic takes them.
fn credentials() -> String {
    BASE64_STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}"))
}

/// A server in memory on a free port. It ends with this value.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(binary: &Path) -> Result<Self, String> {
        let mut process = Command::new(binary)
            .args(["serve", "--in-memory", "--listen", "127.0.0.1:0", "--log", "warn"])
            .args(["--project", PROJECT, "--client-id", CLIENT_ID, "--client-secret", CLIENT_SECRET])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", binary.display()))?;
        let output = process.stdout.take();
        let mut server = Self { process, url: String::new() };
        let mut lines =
            output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok);
        let url = lines.find_map(|line| Some(line.strip_prefix(READY)?.trim().to_owned()));
        server.url = url.ok_or("the server ended before it was ready")?;
        Ok(server)
    }

    fn token(&self) -> Result<String, String> {
        let answer = ureq::post(format!("{}/oauth/token", self.url))
            .header("Authorization", format!("Basic {}", credentials()))
            .content_type("application/x-www-form-urlencoded")
            .send("grant_type=client_credentials")
            .and_then(|mut answer| answer.body_mut().read_to_string())
            .map_err(|error| format!("no token: {error}"))?;
        let answer: kontor_json::Value =
            kontor_json::from_str(&answer).map_err(|error| format!("no token: {error}"))?;
        answer["access_token"].as_str().map(str::to_owned).ok_or_else(|| "no token in the answer".to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
