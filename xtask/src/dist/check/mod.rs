//! `cargo xtask dist --check`: installs each artifact from its file into an empty environment, and uses it once.

mod images;
mod installer;
mod linux_packages;
mod npm;
mod projects;
mod repeated;
mod server;

use super::step::{Step, StepReport};
use super::{Release, recreate_folder};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An artifact under test, in an own folder.
struct Installation<'a> {
    release: &'a Release,
    folder: PathBuf,
}

impl Installation<'_> {
    /// An artifact, which may have been skipped.
    fn find_artifact(&self, name: &str) -> Option<PathBuf> {
        let path = self.release.out.join(name);
        path.exists().then_some(path)
    }

    /// A program without the variables of this run: only the installed artifact may be found.
    fn new_command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KONTOR_"))
        {
            command.env_remove(name);
        }
        command
    }
}

/// An artifact, and the function that installs and uses it.
type Check = (&'static str, fn(&Installation) -> Result<Step, String>);

const CHECKS: &[Check] = &[
    ("tar.gz and install.sh", installer::check),
    ("npm packages, vitest, jest, Playwright", npm::check),
    ("Python wheel, pytest", projects::check_python),
    ("Maven repository, JUnit", projects::check_java),
    ("Go module, go test", projects::check_go),
    ("container image", images::check),
    (".deb", linux_packages::check_deb),
    (".rpm", linux_packages::check_rpm),
    ("the same bytes when packed again", repeated::check),
];

/// Runs all checks, also after one that failed.
pub(super) fn run_all(release: &Release) -> Result<(), String> {
    let folder = release.work.with_file_name("dist-check");
    let (mut reports, mut failures) = (Vec::new(), Vec::new());
    for (number, (name, check)) in CHECKS.iter().enumerate() {
        let folder = folder.join(number.to_string());
        recreate_folder(&folder)?;
        match check(&Installation { release, folder }) {
            Ok(outcome) => {
                if matches!(outcome, Step::Done) {
                    eprintln!("installed and used: {name}");
                }
                reports.push(StepReport { name, outcome });
            }
            Err(error) => {
                eprintln!("failed: {name}: {error}");
                failures.push(*name);
            }
        }
    }
    reports.iter().for_each(StepReport::print_skipped);
    if failures.is_empty() {
        Ok(())
    } else {
        Err(format!("these artifacts cannot be used: {}", failures.join(", ")))
    }
}

/// The outcome of the check of an artifact that was not made.
fn skip_unmade() -> Step {
    Step::Skipped("it was not made".to_owned())
}

/// The path of a folder that is created.
fn create_subfolder(parent: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = parent.join(name);
    super::create_folder(&folder)?;
    Ok(folder)
}
