//! `cargo xtask check`: what must hold of the tree before anything is run.

use crate::run::run;
use crate::{codegen, dependencies, tidy};

/// Formatting, order, licences and sources of dependencies, lints, generated files: what takes longest comes last.
pub(crate) fn run_all() -> Result<(), String> {
    run("cargo", &["fmt", "--all", "--check"])?;
    tidy::run_all(&[])?;
    dependencies::check()?;
    run("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    codegen::run_all(&["--check".to_owned()])
}
