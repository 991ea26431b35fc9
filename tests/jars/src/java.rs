//! A Java that can run a server.

use anyhow::bail;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where systems keep several.
const INSTALLED: &str = "/usr/lib/jvm";

/// A Java of a release that is new enough.
#[derive(Debug, Clone)]
pub struct Java(PathBuf);

impl Java {
    /// That of `JAVA_HOME`, of the path, or one that is installed, of a release or a newer one; none where there is none, which is said.
    ///
    /// # Errors
    /// There is none where `CI` is set.
    pub fn find(release_min: u32, what_for: &str) -> anyhow::Result<Option<Self>> {
        let of_home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
        let installed = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
        let installed = installed.map(|entry| entry.path().join("bin/java")).filter(|java| java.exists());
        let mut all = of_home.into_iter().chain([PathBuf::from("java")]).chain(installed);
        if let Some(java) = all.find(|java| release(java).is_some_and(|release| release >= release_min)) {
            return Ok(Some(Self(java)));
        }
        let left_out = format!(
            "no Java {release_min} or newer was found (JAVA_HOME, PATH, /usr/lib/jvm): tests over {what_for} cannot run"
        );
        if std::env::var_os("CI").is_some() {
            bail!(left_out);
        }
        eprintln!("\n*** LEFT OUT: {left_out}. ***\n");
        Ok(None)
    }

    /// What is run.
    pub fn program(&self) -> &Path {
        &self.0
    }

    /// Another program of the same Java.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.0.with_file_name(name)
    }

    /// The folder that `JAVA_HOME` names, for other programs; none where it is found by its name alone.
    pub fn home(&self) -> Option<&Path> {
        self.0.parent()?.parent().filter(|home| !home.as_os_str().is_empty())
    }
}

/// The first number of `openjdk version "21.0.2"`.
fn release(java: &Path) -> Option<u32> {
    let said = Command::new(java).arg("-version").output().ok()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let version = said.split('"').nth(1)?;
    version.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
