//! Downloads the jars of a Java server: by Maven if it is installed, otherwise by the list of URLs; checks them, and
//! caches them.

use crate::Java;
use anyhow::{Context as _, ensure};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

const REGISTRY: &str = "https://repo1.maven.org/maven2";

/// The jars of one server: a folder in the download cache.
#[derive(Debug, Clone, Copy)]
pub struct Jars {
    /// The folder name in the download cache, with the release.
    pub name: &'static str,
    /// The Maven artifact to resolve: group, artifact, version. Its dependencies follow from it.
    pub artifact: [&'static str; 3],
    /// One line for each jar: its path in the Maven registry, and its SHA-256.
    pub list: &'static str,
}

impl Jars {
    /// Returns a folder with all jars; downloads them if they are not cached yet.
    ///
    /// # Errors
    /// A download failed, or a checksum differs from the list.
    pub fn folder(&self, java: &Java) -> anyhow::Result<PathBuf> {
        let cache = cache()?;
        let folder = cache.join(self.name);
        if folder.is_dir() {
            return Ok(folder);
        }
        fs_err::create_dir_all(&cache)?;
        let partial = tempfile::Builder::new().prefix("partial-").tempdir_in(&cache)?;
        let jars = partial.path().join("jars");
        fs_err::create_dir_all(&jars)?;
        if !self.by_maven(partial.path(), &jars, java) {
            self.by_list(&jars)?;
        }
        self.check(&jars)?;
        // Another process may have finished the same download first.
        let _ = fs_err::rename(&jars, &folder);
        Ok(folder)
    }

    /// Downloads the jars with Maven. Returns whether Maven is installed and succeeded.
    fn by_maven(&self, work: &Path, jars: &Path, java: &Java) -> bool {
        let [group, artifact, version] = self.artifact;
        let project = format!(
            "<project><modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>tests</artifactId><version>1</version>\
             <dependencies><dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>\
             </dependency></dependencies></project>"
        );
        if fs_err::write(work.join("pom.xml"), project).is_err() {
            return false;
        }
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]);
        maven.arg(format!("-DoutputDirectory={}", jars.display())).current_dir(work);
        if let Some(home) = java.home() {
            maven.env("JAVA_HOME", home);
        }
        maven.output().is_ok_and(|run| run.status.success())
    }

    fn by_list(&self, jars: &Path) -> anyhow::Result<()> {
        for (path, _) in self.all() {
            let name = path.rsplit('/').next().unwrap_or(path);
            let got = Command::new("curl")
                .args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", "--output"])
                .arg(jars.join(name))
                .arg(format!("{REGISTRY}/{path}"))
                .status()
                .context("curl cannot be run")?;
            ensure!(got.success(), "{path} cannot be downloaded");
        }
        Ok(())
    }

    fn check(&self, jars: &Path) -> anyhow::Result<()> {
        for (path, expected) in self.all() {
            let name = path.rsplit('/').next().unwrap_or(path);
            let digest = Sha256::digest(fs_err::read(jars.join(name))?);
            let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            ensure!(found == expected, "{name} is not what was expected: {found}");
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.list.lines().filter_map(|line| line.split_once(' '))
    }
}

/// The folder of the download cache.
fn cache() -> anyhow::Result<PathBuf> {
    let home = std::env::var_os("HOME").context("HOME is not set")?;
    Ok(PathBuf::from(home).join(".cache/kontor-tests"))
}
