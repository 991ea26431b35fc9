//! The steps of the command: what each one did, and how the programs that it needs are run.

use std::process::Command;

/// The result of a step.
pub(crate) enum Step {
    Done,
    /// Not done, for this reason.
    Skipped(String),
}

/// A step and its outcome.
pub(crate) struct StepReport {
    pub(crate) name: &'static str,
    pub(crate) outcome: Step,
}

impl StepReport {
    /// Prints one line if the step was skipped.
    pub(crate) fn print_skipped(&self) {
        if let Step::Skipped(reason) = &self.outcome {
            eprintln!("skipped: {}: {reason}", self.name);
        }
    }
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

/// True if a program is in `PATH`.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The outcome of a step that needs a program that is not there.
pub(crate) fn skip_without(program: &str) -> Step {
    Step::Skipped(format!("{program} is not installed"))
}
