//! `cargo xtask test`: the one command that passes all tests.

use crate::check::{self, LINTING};
use crate::examples;
use crate::run::{root, run_in, run_in_with, run_with, target};

/// Folders with tests of clients that are not ours: the official SDK, and a client generated from the schema.
const CLIENT_TESTS: &[&str] = &["tests/sdk", "tests/graphql-client"];
/// The example of tests in CI.
const EXAMPLE: &str = "examples/ci-tests";

/// Check, Rust tests, conversations, clients, the example. Lints are those of what is built for the tests.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let is_checked = !arguments.iter().any(|argument| argument == "--no-check");
    if is_checked {
        check::read_all()?;
    }
    let cargo = |arguments: &[&str]| run_with(if is_checked { LINTING } else { &[] }, "cargo", arguments);
    // For all packages: built for its own sake the binary would have fewer features of a few dependencies, and everything above
    // them would be compiled once more for the tests.
    cargo(&["build", "--workspace", "--bin", "kontor", "--examples"])?;
    // Generated files that are out of date are told among the other tests, too.
    cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--quiet"])?;
    for package in examples::packages()? {
        cargo(&["test", "--doc", "--quiet", "--package", &package])?;
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
