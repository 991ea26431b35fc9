//! `.deb` and `.rpm`: the binary, the systemd unit, a user and its folder.

use super::step::Step;
use super::{Release, create_folder, read, recreate_folder, write};
use crate::run::{root, run_quietly};
use std::process::Command;

/// The place of the binary in `deploy/kontor.service`, and in packages, which own no files below `/usr/local`.
const UNIT_BINARY: [&str; 2] = ["/usr/local/bin/kontor", "/usr/bin/kontor"];

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    let Some(architecture) = release.platform.linux else {
        return Ok(Step::Skipped("these packages are for Linux".to_owned()));
    };
    if !release.is_portable {
        return Ok(Step::Skipped("this binary needs the C library of this machine".to_owned()));
    }
    let nfpm = match release.tools.install_nfpm() {
        Ok(program) => program,
        Err(error) => return Ok(Step::Skipped(error)),
    };
    let work = release.work.join("linux");
    recreate_folder(&work)?;
    let [from, to] = UNIT_BINARY;
    let unit = read(&root().join("deploy/kontor.service"))?;
    if !unit.contains(from) {
        return Err(format!("expected {from} in deploy/kontor.service"));
    }
    write(&work.join("kontor.service"), unit.replace(from, to).as_bytes())?;
    let sbom = work.join("kontor.cdx.json");
    match &release.sbom {
        Some(made) => super::copy(made, &sbom)?,
        None => write(&sbom, b"{}\n")?,
    }
    create_folder(&release.out)?;
    for kind in ["deb", "rpm"] {
        let mut packed = Command::new(&nfpm);
        packed.args(["package", "--config", "packages/linux/nfpm.yaml", "--packager", kind, "--target"]);
        packed.arg(&release.out).current_dir(root());
        packed.env("KONTOR_BIN", &release.binary).env("KONTOR_WORK", &work);
        packed.env("KONTOR_VERSION", &release.version).env("KONTOR_ARCHITECTURE", architecture);
        packed.env("SOURCE_DATE_EPOCH", release.epoch.to_string());
        run_quietly(&mut packed)?;
    }
    Ok(Step::Done)
}
