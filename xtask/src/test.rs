//! `cargo xtask test`: the one command that passes all tests.

use crate::check::{self, LINTING};
use crate::run::{root, run_in, run_in_with, run_with, target};
use crate::{examples, parity};
use std::path::Path;

/// Folders with tests of foreign clients: the official SDK, and a client generated from the GraphQL schema.
const CLIENT_TESTS: &[&str] = &[SDK_TESTS, "tests/graphql-client"];
const SDK_TESTS: &str = "tests/sdk";
/// The source of the console, with its browser tests.
const CONSOLE: &str = "console";
/// The example of tests in CI.
const EXAMPLE: &str = "examples/ci-tests";

/// Runs the checks, the Rust tests, the conversations, the clients and the example. Cargo lints while it builds the tests.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let is_checked = !arguments.iter().any(|argument| argument == "--no-check");
    if is_checked {
        check::read_all()?;
    }
    let cargo = |arguments: &[&str]| run_with(if is_checked { LINTING } else { &[] }, "cargo", arguments);
    // With the whole workspace: a build of the binary alone would enable fewer features of some dependencies, and cargo
    // would compile everything above them a second time for the tests.
    cargo(&["build", "--workspace", "--bin", "kontor", "--examples"])?;
    // These tests also report generated files that are out of date.
    cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--quiet"])?;
    for package in examples::packages()? {
        cargo(&["test", "--doc", "--quiet", "--package", &package])?;
    }
    for folder in CLIENT_TESTS {
        let folder = root().join(folder);
        run_in(&folder, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
        run_in(&folder, "npm", &["test"])?;
    }
    parity::check_pinned(&root().join(SDK_TESTS))?;
    let binary = target()?.join("debug/kontor");
    test_console(&binary)?;
    // Readers copy the example, so it must work; it has no dependencies.
    run_in_with(&root().join(EXAMPLE), &[("KONTOR_BIN", &binary)], "node", &["--test"])
}

/// Builds the console, compares it with the committed build that the server embeds, and tests it in a browser.
fn test_console(binary: &Path) -> Result<(), String> {
    let folder = root().join(CONSOLE);
    run_in(&folder, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])?;
    run_in(&folder, "npm", &["run", "check"])?;
    run_in(&folder, "npm", &["run", "compare"])?;
    run_in_with(&folder, &[("KONTOR_BIN", binary)], "npm", &["test"])
}
