//! The npm packages: `kontor` with the command and the library, and `@kontor/PLATFORM` with the binary.

use super::step::{Step, is_installed, skip_without};
use super::{Release, copy, copy_folder, create_folder, read, recreate_folder, write};
use crate::run::{root, run_quietly};
use std::path::Path;
use std::process::Command;

/// The platform whose package is in the repository; the others are made from it.
const TEMPLATE: &str = "linux-x64";

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    if !is_installed("npm") {
        return Ok(skip_without("npm"));
    }
    let work = release.work.join("npm");
    recreate_folder(&work)?;
    let sources = root().join("packages/npm");
    let (library, binary) = (work.join("kontor"), work.join("binary"));
    copy_folder(&sources.join("kontor"), &library)?;
    copy_folder(&sources.join(TEMPLATE), &binary)?;
    name_platform(release, &binary.join("package.json"))?;
    name_platform(release, &binary.join("README.md"))?;
    create_folder(&binary.join("bin"))?;
    copy(&release.binary, &binary.join("bin/kontor"))?;
    for package in [&library, &binary] {
        let manifest = read(&package.join("package.json"))?;
        if !manifest.contains(&format!("\"version\": \"{}\"", release.version)) {
            return Err(format!("expected the version {} in packages/npm", release.version));
        }
        copy(&root().join("LICENSE"), &package.join("LICENSE"))?;
        // npm writes all entries with one time and in one order.
        let mut pack = Command::new("npm");
        run_quietly(
            pack.args(["pack", "--silent", "--pack-destination"]).arg(&release.out).current_dir(package),
        )?;
    }
    Ok(Step::Done)
}

/// Names the platform of the release in a file of the package.
fn name_platform(release: &Release, file: &Path) -> Result<(), String> {
    let [os, cpu] = release.platform.npm;
    let text = read(file)?.replace(TEMPLATE, release.platform.name);
    let text = text.replace("\"linux\"", &format!("\"{os}\"")).replace("\"x64\"", &format!("\"{cpu}\""));
    write(file, text.as_bytes())
}
