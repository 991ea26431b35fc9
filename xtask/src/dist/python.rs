//! The Python wheel `kontor-server`: the binary as a command, and the pytest plugin.

use super::step::Step;
use super::{Release, copy_folder, recreate_folder};
use crate::run::{root, run_quietly};
use std::process::Command;

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    let programs = match release.tools.install_python_packages() {
        Ok(programs) => programs,
        Err(error) => return Ok(Step::Skipped(error)),
    };
    let work = release.work.join("python");
    recreate_folder(&work)?;
    copy_folder(&root().join("packages/python"), &work)?;
    // pip installs a wheel with the tag of portable binaries everywhere, so other binaries must not have it.
    let tag = if release.is_portable { release.platform.wheel } else { "py3-none-linux_x86_64" };
    let mut pip = Command::new(programs.join("pip"));
    pip.args(["wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir"])
        .arg(&release.out)
        .arg(".");
    pip.current_dir(&work).env("KONTOR_BIN", &release.binary).env("KONTOR_WHEEL_TAG", tag);
    pip.env("SOURCE_DATE_EPOCH", release.epoch.to_string()).env("PYTHONHASHSEED", "0");
    run_quietly(&mut pip)?;
    let expected = release.out.join(format!("kontor_server-{}-{tag}.whl", release.version));
    if expected.exists() { Ok(Step::Done) } else { Err(format!("expected {}", expected.display())) }
}
