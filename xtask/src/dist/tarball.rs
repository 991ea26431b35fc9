//! `kontor-VERSION-PLATFORM.tar.gz`, its debug information, and `install.sh`, which verifies and installs it.

use super::archive::Archive;
use super::step::Step;
use super::{Release, copy};
use crate::run::root;

/// Files of the repository that go with the binary.
const DOCUMENTS: [&str; 3] = ["LICENSE", "README.md", "CHANGELOG.md"];
const INSTALLER: &str = "packages/install.sh";

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    let name = format!("kontor-{}-{}", release.version, release.platform.name);
    let mut archive = Archive::begin(&release.out.join(format!("{name}.tar")), release.epoch)?;
    archive.folder(&name, 0o755, 0)?;
    archive.file(&format!("{name}/kontor"), 0o755, &release.binary)?;
    for document in DOCUMENTS {
        archive.file(&format!("{name}/{document}"), 0o644, &root().join(document))?;
    }
    archive.file(&format!("{name}/kontor.service"), 0o644, &root().join("deploy/kontor.service"))?;
    if let Some(sbom) = &release.sbom {
        archive.file(&format!("{name}/kontor.cdx.json"), 0o644, sbom)?;
    }
    archive.finish_gzip()?;
    if let Some(debug) = &release.debug {
        let mut archive = Archive::begin(&release.out.join(format!("{name}-debug.tar")), release.epoch)?;
        archive.file("kontor.debug", 0o644, debug)?;
        archive.finish_gzip()?;
    }
    copy(&root().join(INSTALLER), &release.out.join("install.sh"))?;
    Ok(Step::Done)
}
