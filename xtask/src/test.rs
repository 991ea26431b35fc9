//! `cargo xtask test`: the one command that passes all tests.

use crate::check;
use crate::run::{root, run, run_in, run_in_with, target};

/// Folders with tests of clients that are not ours: the official SDK, and a client generated from the schema.
const CLIENT_TESTS: &[&str] = &["tests/sdk", "tests/graphql-client"];
/// The example of tests in CI.
const EXAMPLE: &str = "examples/ci-tests";

/// Check, Rust tests, conversations, clients, the example.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    if !arguments.iter().any(|argument| argument == "--no-check") {
        check::run_all()?;
    }
    run("cargo", &["build", "--package", "kontor"])?;
    run("cargo", &["test", "--workspace", "--quiet"])?;
    for folder in CLIENT_TESTS {
        let folder = root().join(folder);
        run_in(&folder, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
        run_in(&folder, "npm", &["test"])?;
    }
    // What people copy must work; it has no dependencies.
    let binary = target()?.join("debug/kontor");
    run_in_with(&root().join(EXAMPLE), &[("KONTOR_BIN", &binary)], "node", &["--test"])
}
