//! The Maven packages, as a repository in a folder: `maven/dev/kontor/…`.

use super::archive::sha256;
use super::step::{Step, is_installed, skip_without};
use super::{Release, copy, copy_folder, create_folder, recreate_folder, write};
use crate::run::{root, run_quietly};
use std::path::Path;
use std::process::Command;

const MODULES: [&str; 3] = ["kontor-junit", "kontor-linux-x64", "kontor-testcontainers"];

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    if !is_installed("mvn") {
        return Ok(skip_without("mvn"));
    }
    if release.platform.name != "linux-x64" {
        return Ok(Step::Skipped("the module with the binary is for linux-x64".to_owned()));
    }
    let work = release.work.join("java");
    recreate_folder(&work)?;
    copy_folder(&root().join("packages/java"), &work)?;
    let folder = release.binary.parent().unwrap_or(Path::new("/"));
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--no-transfer-progress", "--quiet", "-DskipTests", "package"]);
    maven.arg(format!("-Dkontor.binary.folder={}", folder.display()));
    maven.arg(format!("-Dproject.build.outputTimestamp={}", release.epoch));
    run_quietly(maven.current_dir(&work))?;
    let repository = release.out.join("maven");
    publish(release, &repository, "kontor-parent", &work.join("pom.xml"), "pom")?;
    for module in MODULES {
        let jar = work.join(module).join(format!("target/{module}-{}.jar", release.version));
        publish(release, &repository, module, &work.join(module).join("pom.xml"), "pom")?;
        publish(release, &repository, module, &jar, "jar")?;
    }
    Ok(Step::Done)
}

/// Copies a file to its place in the repository, with its checksum.
fn publish(
    release: &Release,
    repository: &Path,
    module: &str,
    file: &Path,
    kind: &str,
) -> Result<(), String> {
    let folder = repository.join("dev/kontor").join(module).join(&release.version);
    create_folder(&folder)?;
    let name = format!("{module}-{}.{kind}", release.version);
    copy(file, &folder.join(&name))?;
    // Maven 3.8 looks for SHA-1 only, and warns for each file without it. SHA-256 is for people.
    let sha1 = run_quietly(Command::new("sha1sum").arg(file))?;
    let sha1 = sha1.split_whitespace().next().unwrap_or_default();
    write(&folder.join(format!("{name}.sha1")), sha1.as_bytes())?;
    write(&folder.join(format!("{name}.sha256")), sha256(file)?.as_bytes())
}
