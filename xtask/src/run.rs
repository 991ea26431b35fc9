//! Runs other programs, and reports their failures.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    // xtask lies directly below the root.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Runs a program in the root and shows its output.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    run_command(&mut Command::new(program), program, arguments)
}

/// Like [`run`], with environment variables.
pub(crate) fn run_with(variables: &[(&str, &str)], program: &str, arguments: &[&str]) -> Result<(), String> {
    run_command(Command::new(program).envs(variables.iter().copied()), program, arguments)
}

/// Like [`run_with`], in another folder.
pub(crate) fn run_in_with(
    folder: &Path,
    variables: &[(&str, &Path)],
    program: &str,
    arguments: &[&str],
) -> Result<(), String> {
    let mut command = Command::new(program);
    run_command(command.current_dir(folder).envs(variables.iter().copied()), program, arguments)
}

/// Like [`run`], in another folder.
pub(crate) fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    run_command(Command::new(program).current_dir(folder), program, arguments)
}

fn run_command(command: &mut Command, program: &str, arguments: &[&str]) -> Result<(), String> {
    eprintln!("> {program} {}", arguments.join(" "));
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let status =
        command.args(arguments).status().map_err(|error| format!("{program} cannot be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program} {} failed ({status})", arguments.join(" ")))
    }
}

/// Runs a program in the root, and returns its standard output. Fails if the program does.
pub(crate) fn capture_output(program: &str, arguments: &[&str]) -> Result<String, String> {
    run_quietly(Command::new(program).args(arguments).current_dir(root()))
}

/// Runs a program, and returns its standard output. Shows what it printed only if it fails.
pub(crate) fn run_quietly(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program} cannot be started: {error}"))?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(out);
    }
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    let err = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} {} failed ({})\n{out}{err}", arguments.join(" "), output.status))
}

/// Where cargo writes, by `CARGO_TARGET_DIR`, the settings of cargo, or below the root.
pub(crate) fn target() -> Result<PathBuf, String> {
    let listed = capture_output("cargo", &["metadata", "--no-deps", "--format-version", "1"])?;
    let listed: kontor_json::Value =
        kontor_json::from_str(&listed).map_err(|error| format!("cargo metadata: {error}"))?;
    let folder = listed["target_directory"].as_str().ok_or("cargo metadata names no target_directory")?;
    Ok(PathBuf::from(folder))
}

/// True where a program can be started.
pub(crate) fn is_there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}
