//! `cargo xtask test`: the one command that passes all tests.

use crate::check;
use crate::run::{root, run, run_in};

/// Folders with tests of clients that are not ours: the official SDK, and a client generated from the schema.
const CLIENT_TESTS: &[&str] = &["tests/sdk", "tests/graphql-client"];

/// Check, Rust tests, conversations, clients.
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
    Ok(())
}
