//! `cargo xtask access`: tries to reach other owners' resources by every reference of the API, and prints the result.

use crate::run::run;

/// Runs the walk, which is a part of `cargo xtask test`, and shows its table.
pub(crate) fn run_all() -> Result<(), String> {
    run("cargo", &["build", "--workspace", "--bin", "kontor"])?;
    let test = ["test", "--workspace", "--test", "reference_access", "--quiet", "--", "--nocapture"];
    run("cargo", &test)
}
