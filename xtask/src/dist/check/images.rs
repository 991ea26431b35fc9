//! Checks the image: its root file system is unpacked and entered, as its user. A container runtime is used where there
//! is one.

use super::{Installation, create_subfolder, server, skip_unmade};
use crate::dist::read;
use crate::dist::step::{Step, is_installed};
use crate::run::run_quietly;
use kontor_json::Value;
use std::path::Path;
use std::process::Command;

/// As compressed layers, without this the image would be slow to pull.
const IMAGE_BYTES_MAX: u64 = 25_000_000;

pub(super) fn check(installation: &Installation) -> Result<Step, String> {
    let release = installation.release;
    let name = format!("kontor-{}-image-{}.tar", release.version, release.platform.name);
    let Some(image) = installation.find_artifact(&name) else { return Ok(skip_unmade()) };
    let bytes = std::fs::metadata(&image).map_err(|error| error.to_string())?.len();
    if bytes > IMAGE_BYTES_MAX {
        return Err(format!("expected at most {IMAGE_BYTES_MAX} bytes, not {bytes}"));
    }
    let unpacked = create_subfolder(&installation.folder, "unpacked")?;
    run_quietly(installation.new_command("tar").arg("-xf").arg(&image).arg("-C").arg(&unpacked))?;
    let blob =
        |described: &Value| unpacked.join("blobs").join(string(&described["digest"]).replace(':', "/"));
    let index = parse(&unpacked.join("index.json"))?;
    let manifest = parse(&blob(&index["manifests"][0]))?;
    let configuration = parse(&blob(&manifest["config"]))?;
    if is_installed("skopeo") {
        let named = format!("oci-archive:{}", image.display());
        let said = run_quietly(installation.new_command("skopeo").args(["inspect", "--config", &named]))?;
        if !said.contains("kontor") {
            return Err(format!("skopeo reads another image: {said}"));
        }
    } else {
        eprintln!("skipped: the image as skopeo reads it: skopeo is not installed");
    }
    if !is_root() {
        return Ok(Step::Skipped("only root can enter the image's file system".to_owned()));
    }
    let file_system = create_subfolder(&installation.folder, "root")?;
    let layer = blob(&manifest["layers"][0]);
    run_quietly(
        installation
            .new_command("tar")
            .args(["--numeric-owner", "-xpzf"])
            .arg(layer)
            .arg("-C")
            .arg(&file_system),
    )?;
    let configuration = &configuration["config"];
    let enter = || {
        let mut command = installation.new_command("chroot");
        command.arg(format!("--userspec={}", string(&configuration["User"]))).arg(&file_system);
        command.arg(string(&configuration["Entrypoint"][0]));
        command
    };
    server::exercise_server(enter(), enter())?;
    // As the image starts it: with its data folder. The flags of this check choose memory.
    let environment = configuration["Env"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut create = enter();
    create.envs(environment.iter().filter_map(|variable| variable.as_str()?.split_once('=')));
    run_quietly(create.args(["project", "create", "shop"]))?;
    if !file_system.join("var/lib/kontor/data/system.db").exists() {
        return Err("the image's user cannot write its data folder".to_owned());
    }
    Ok(Step::Done)
}

fn parse(file: &Path) -> Result<Value, String> {
    kontor_json::from_str(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// True if this process may change its root folder.
pub(super) fn is_root() -> bool {
    run_quietly(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0")
}
