//! `cargo xtask check`: formatting, lints, licences, and the rules of `tidy`.

use crate::run::run;
use crate::{codegen, dependencies, tidy};

/// Makes Cargo lint the packages of the workspace while it builds them, which `cargo clippy` compiles once
/// more: clippy's driver is a compiler, and gets the arguments of `cargo clippy -- -D warnings`.
pub(crate) const LINTING: &[(&str, &str)] = &[
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
    ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
];

/// Formatting, order, licences and sources of dependencies, lints, generated files: what takes longest comes last.
pub(crate) fn run_all() -> Result<(), String> {
    read_all()?;
    run("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    codegen::run_all(&["--check".to_owned()])
}

/// Runs the checks that need no compilation.
pub(crate) fn read_all() -> Result<(), String> {
    run("cargo", &["fmt", "--all", "--check"])?;
    tidy::run_all(&[])?;
    dependencies::check()
}
