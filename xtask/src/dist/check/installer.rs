//! Checks the archive and `install.sh`: it installs the binary, and refuses a damaged archive.

use super::{Installation, create_subfolder, server};
use crate::dist::step::Step;
use crate::dist::{copy, write};
use crate::run::run_quietly;

pub(super) fn check(installation: &Installation) -> Result<Step, String> {
    let release = installation.release;
    let archive = format!("kontor-{}-{}.tar.gz", release.version, release.platform.name);
    let prefix = installation.folder.join("installed");
    let install = |folder: &std::path::Path| {
        let mut shell = installation.new_command("sh");
        shell.arg(folder.join("install.sh")).env("KONTOR_PREFIX", &prefix);
        run_quietly(&mut shell)
    };
    install(&release.out)?;
    let binary = prefix.join("bin/kontor");
    server::exercise_server(installation.new_command(&binary), installation.new_command(&binary))?;
    // The same over HTTP's stand-in for files.
    let mut shell = installation.new_command("sh");
    shell.arg(release.out.join("install.sh")).env("KONTOR_PREFIX", &prefix);
    run_quietly(shell.env("KONTOR_URL_BASE", format!("file://{}", release.out.display())))?;

    let damaged = create_subfolder(&installation.folder, "damaged")?;
    for name in ["install.sh", "SHA256SUMS"] {
        copy(&release.out.join(name), &damaged.join(name))?;
    }
    write(&damaged.join(archive), b"something else")?;
    match install(&damaged) {
        Err(said) if said.contains("is damaged") => Ok(Step::Done),
        Err(said) => Err(format!("expected a refusal of a damaged archive, not {said}")),
        Ok(_) => Err("a damaged archive was installed".to_owned()),
    }
}
