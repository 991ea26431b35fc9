//! `cargo xtask test`: the one command that passes all tests.

use crate::run::{root, run, run_in, run_in_with, target};
use crate::{check, examples};

/// Folders with tests of clients that are not ours: the official SDK, and a client generated from the schema.
const CLIENT_TESTS: &[&str] = &["tests/sdk", "tests/graphql-client"];
/// The example of tests in CI.
const EXAMPLE: &str = "examples/ci-tests";

/// Check, Rust tests, conversations, clients, the example.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    if !arguments.iter().any(|argument| argument == "--no-check") {
        check::run_all()?;
    }
    // For all packages: built for its own sake the binary would have fewer features of a few dependencies, and everything above
    // them would be compiled once more for the tests.
    run("cargo", &["build", "--workspace", "--bin", "kontor"])?;
    run("cargo", &["test", "--workspace", "--lib", "--bins", "--tests", "--quiet"])?;
    for package in examples::packages()? {
        run("cargo", &["test", "--doc", "--quiet", "--package", &package])?;
    }
    for folder in CLIENT_TESTS {
        let folder = root().join(folder);
        run_in(&folder, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
        run_in(&folder, "npm", &["test"])?;
    }
    // What people copy must work; it has no dependencies.
    let binary = target()?.join("debug/kontor");
    run_in_with(&root().join(EXAMPLE), &[("KONTOR_BIN", &binary)], "node", &["--test"])
}
