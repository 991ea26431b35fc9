//! The steps of the command: what each one did, and which programs are installed.

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

/// True if a program is in `PATH`.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The outcome of a step that needs a program that is not there.
pub(crate) fn skip_without(program: &str) -> Step {
    Step::Skipped(format!("{program} is not installed"))
}
