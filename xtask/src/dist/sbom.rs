//! The list of dependencies of the binary as CycloneDX, read from the binary itself.

use super::step::Step;
use super::tools::AUDITABLE_TO_CYCLONEDX;
use super::{Release, write};
use crate::run::run_quietly;
use std::process::Command;

/// Writes the list, which later artifacts contain.
pub(crate) fn write_list(release: &mut Release) -> Result<Step, String> {
    let programs = match release.tools.install_cargo_command(AUDITABLE_TO_CYCLONEDX) {
        Ok(programs) => programs,
        Err(error) => return Ok(Step::Skipped(error)),
    };
    let list = match run_quietly(Command::new(programs.join(AUDITABLE_TO_CYCLONEDX.0)).arg(&release.binary)) {
        Ok(list) => list,
        Err(error) => {
            return Ok(Step::Skipped(format!("the binary has no list of its dependencies: {error}")));
        }
    };
    let file = release.out.join(format!("kontor-{}-{}.cdx.json", release.version, release.platform.name));
    write(&file, list.as_bytes())?;
    release.sbom = Some(file);
    Ok(Step::Done)
}
