//! `cargo xtask bench`: builds the server and the harness, and measures.

use crate::run::run;

/// Measures; arguments go to the harness.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    run("cargo", &["build", "--release", "--package", "kontor"])?;
    run("cargo", &["build", "--release", "--package", "kontor-bench"])?;
    let mut all = vec!["run"];
    all.extend(arguments.iter().map(String::as_str));
    run("target/release/kontor-bench", &all)
}
