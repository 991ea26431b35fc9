//! `cargo xtask check`: what must hold of the tree before anything is run.

use crate::run::{is_there, root, run};
use crate::tidy;

/// Formatting, lints, order, generated files, licences and sources of dependencies.
pub(crate) fn run_all() -> Result<(), String> {
    run("cargo", &["fmt", "--all", "--check"])?;
    run("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    tidy::run_all(&[])?;
    dependencies()
}

/// Licences, bans and sources by `deny.toml`. Advisories need the network and have a command of their own.
fn dependencies() -> Result<(), String> {
    let tools = root().join("target/tools");
    let tool = tools.join("bin/cargo-deny");
    let name = tool.to_string_lossy().into_owned();
    if !is_there(&name, &["--version"]) {
        let folder = tools.to_string_lossy().into_owned();
        run(
            "cargo",
            &[
                "install",
                "cargo-deny",
                "--locked",
                "--quiet",
                "--root",
                &folder,
                "--target-dir",
                &format!("{folder}/build"),
            ],
        )?;
    }
    run(&name, &["check", "--hide-inclusion-graph", "licenses", "bans", "sources"])
}
