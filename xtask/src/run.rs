//! Running other programs, and saying what went wrong with them.

use std::path::Path;
use std::process::Command;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    // xtask lies directly below the root.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Runs a program in the root and shows what it prints.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    run_in(root(), program, arguments)
}

/// Runs a program in a folder.
pub(crate) fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    eprintln!("> {program} {}", arguments.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .status()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program} {} failed ({status})", arguments.join(" ")))
    }
}

/// True where a program can be started.
pub(crate) fn is_there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}
