//! `cargo xtask codegen [--check]`: writes the files that are derived from the model, or reports stale ones.
//!
//! They are committed so that a change of the model shows in reviews as a change of the API. A test of the
//! deriving crate writes and compares each, so that nothing is compiled for this that the tests do not need.

use crate::run::{run, run_with};

/// The tests, with the features of the whole workspace: with those of a few crates, half of everything
/// compiled for all tests would be compiled twice.
const TESTS: &[&str] =
    &["test", "--workspace", "--quiet", "--test", "document", "--test", "schema", "the_committed"];

/// Writes what is stale. With `--check` it writes nothing and fails instead.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => run_with(&[("UPDATE", "1")], "cargo", TESTS),
        [flag] if flag == "--check" => run("cargo", TESTS),
        _ => Err("expected no argument or --check".to_owned()),
    }
}
