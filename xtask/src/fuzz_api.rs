//! `cargo xtask fuzz-api`: sends requests allowed and forbidden by our own API description to a server, and
//! checks that there is no internal error and that responses fit the description.
//!
//! Schemathesis makes the requests, with `fuzz/schemathesis.toml` and `fuzz/hooks.py`. Further arguments are
//! passed to it, e.g. `--include-path-regex states` or `--max-examples 200`.

use crate::run::{is_there, root, run, target};
use crate::server::{Server, ServerProject};
use std::path::PathBuf;
use std::process::Command;

/// The version that the configuration file is written for.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
/// Random requests an operation, on top of those that cover the bounds of each value.
const EXAMPLES: &str = "15";
const PROJECT: ServerProject =
    ServerProject { key: "fuzzed", client_id: "fuzzing-client", client_secret: "fuzzing-secret" };

/// Builds and starts a server, and fuzzes it.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let tool = schemathesis()?;
    run("cargo", &["build", "--package", "kontor"])?;
    let server = Server::start(Command::new(target()?.join("debug/kontor")), PROJECT)?;
    let status = Command::new(tool)
        .arg("--config-file")
        .arg(root().join("fuzz/schemathesis.toml"))
        .args(["run", &format!("{}/openapi.json", server.url)])
        .args(["--checks", CHECKS, "--max-examples", EXAMPLES, "--continue-on-failure"])
        .args(arguments)
        .env("KONTOR_FUZZED_PROJECT", PROJECT.key)
        .env("KONTOR_FUZZED_CREDENTIALS", PROJECT.credentials())
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
