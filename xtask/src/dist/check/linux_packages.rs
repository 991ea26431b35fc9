//! Checks `.deb` and `.rpm` in the file system of a small Debian: installed, used as the user of the service, removed.

use super::images::is_root;
use super::{Installation, server, skip_unmade};
use crate::dist::step::{Step, is_installed, skip_without};
use crate::run::run_quietly;
use std::path::{Path, PathBuf};
use std::process::Command;

const RELEASE: &str = "bookworm";

pub(super) fn check_deb(installation: &Installation) -> Result<Step, String> {
    let Some(architecture) = installation.release.platform.linux else { return Ok(skip_unmade()) };
    let name = format!("kontor_{}_{architecture}.deb", installation.release.version);
    let Some(package) = installation.find_artifact(&name) else { return Ok(skip_unmade()) };
    let system = match copy_debian(installation)? {
        Ok(system) => system,
        Err(reason) => return Ok(reason),
    };
    crate::dist::copy(&package, &system.join("tmp").join(&name))?;
    run_inside(&system, &["dpkg", "-i", &format!("/tmp/{name}")])?;
    exercise_service(installation, &system)?;
    run_inside(&system, &["dpkg", "--remove", "kontor"])?;
    check_removed(&system)
}

pub(super) fn check_rpm(installation: &Installation) -> Result<Step, String> {
    let is_rpm = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rpm");
    let artifacts = crate::dist::sums::list_files(&installation.release.out)?;
    let Some(package) = artifacts.into_iter().find(is_rpm) else { return Ok(skip_unmade()) };
    if !is_installed("rpm") {
        return Ok(skip_without("rpm"));
    }
    let system = match copy_debian(installation)? {
        Ok(system) => system,
        Err(reason) => return Ok(reason),
    };
    // The database of that system knows no packages, so the shell that scripts need counts as missing.
    let rpm = |arguments: &[&str], last: &Path| {
        let mut rpm = installation.new_command("rpm");
        rpm.arg("--root").arg(&system).args(arguments).arg(last);
        run_quietly(&mut rpm)
    };
    rpm(&["-i", "--nodeps"], &installation.release.out.join(package))?;
    exercise_service(installation, &system)?;
    rpm(&["-e"], Path::new("kontor"))?;
    check_removed(&system)
}

/// An own copy of a file system of Debian, which is downloaded once; or the reason why there is none.
fn copy_debian(installation: &Installation) -> Result<Result<PathBuf, Step>, String> {
    if !is_root() {
        return Ok(Err(Step::Skipped("only root can enter another file system".to_owned())));
    }
    if !is_installed("debootstrap") {
        return Ok(Err(skip_without("debootstrap")));
    }
    let cached = installation.release.work.with_file_name("dist-check-debian");
    if !cached.join("etc/debian_version").exists() || cached.join("debootstrap").exists() {
        let mut bootstrap = installation.new_command("debootstrap");
        run_quietly(bootstrap.args(["--variant=minbase", RELEASE]).arg(&cached))?;
    }
    let system = installation.folder.join("debian");
    run_quietly(installation.new_command("cp").arg("-a").arg(&cached).arg(&system))?;
    Ok(Ok(system))
}

/// Runs the installed server as the user of the service, and checks what the service needs.
fn exercise_service(installation: &Installation, system: &Path) -> Result<(), String> {
    let enter = || {
        let mut command = installation.new_command("chroot");
        command.arg("--userspec=kontor:kontor").arg(system).arg("/usr/bin/kontor");
        command
    };
    server::exercise_server(enter(), enter())?;
    run_quietly(enter().args(["project", "create", "shop", "--data", "/var/lib/kontor/data"]))?;
    let owner = run_inside(system, &["stat", "--format=%U:%G:%a", "/var/lib/kontor"])?;
    if owner.trim() != "kontor:kontor:700" {
        return Err(format!("expected kontor:kontor:700 for /var/lib/kontor, not {owner}"));
    }
    let unit = crate::dist::read(&system.join("usr/lib/systemd/system/kontor.service"))?;
    if !unit.contains("ExecStart=/usr/bin/kontor") || !system.join("etc/kontor.env").exists() {
        return Err("expected the unit and its settings".to_owned());
    }
    Ok(())
}

/// A removed package leaves the data.
fn check_removed(system: &Path) -> Result<Step, String> {
    if system.join("usr/bin/kontor").exists() {
        return Err("the removed package leaves its binary".to_owned());
    }
    if !system.join("var/lib/kontor/data/system.db").exists() {
        return Err("the removed package has deleted the data".to_owned());
    }
    Ok(Step::Done)
}

fn run_inside(system: &Path, command: &[&str]) -> Result<String, String> {
    let mut enter = Command::new("chroot");
    // The variables of this machine name folders that are not there.
    enter.arg(system).args(command).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    run_quietly(&mut enter)
}
