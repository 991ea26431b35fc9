//! `cargo xtask codegen [--check]`: writes the files that are derived from the model, or reports stale ones.
//!
//! Generated files are committed, so that reviews show a change of the model as a change of the API. Tests of the crates
//! that derive them write or compare the files, so this command compiles nothing that the tests do not need.

use crate::run::{run, run_with};

/// The tests that write Rust. The other tests are compiled with it.
const RUST: &[&str] =
    &["test", "--workspace", "--quiet", "--test", "generated", "--test", "kind_ids", "the_committed"];
/// The other tests, with the features of the whole workspace. With the features of a few crates only, cargo would compile
/// half of the dependencies twice.
const TESTS: &[&str] =
    &["test", "--workspace", "--quiet", "--test", "document", "--test", "schema", "the_committed"];

/// Writes the stale files. With `--check` it writes nothing and fails if a file is stale.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => [RUST, TESTS].into_iter().try_for_each(|tests| run_with(&[("UPDATE", "1")], "cargo", tests)),
        [flag] if flag == "--check" => [RUST, TESTS].into_iter().try_for_each(|tests| run("cargo", tests)),
        _ => Err("expected no argument or --check".to_owned()),
    }
}
