//! `cargo xtask check`: what must hold of the tree before anything is run.

use crate::run::run;
use crate::{codegen, dependencies, tidy};

/// What makes Cargo lint the packages of the workspace while it builds them, which `cargo clippy` compiles once more for itself: the
/// lints' driver is a compiler, and is handed what `cargo clippy -- -D warnings` hands it.
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

/// What is seen without compiling.
pub(crate) fn read_all() -> Result<(), String> {
    run("cargo", &["fmt", "--all", "--check"])?;
    tidy::run_all(&[])?;
    dependencies::check()
}
