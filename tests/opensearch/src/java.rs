//! A Java that can run the server.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest release that runs it.
const RELEASE_MIN: u32 = 21;
/// Where systems keep several.
const INSTALLED: &str = "/usr/lib/jvm";

/// A Java of a release that is new enough.
#[derive(Debug, Clone)]
pub(crate) struct Java(PathBuf);

impl Java {
    pub(crate) fn program(&self) -> &Path {
        &self.0
    }

    /// The folder that `JAVA_HOME` names, for other programs; none where it is found by its name alone.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.0.parent()?.parent().filter(|home| !home.as_os_str().is_empty())
    }
}

/// That of `JAVA_HOME`, of the path, or one that is installed.
pub(crate) fn find() -> Option<Java> {
    let of_home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    let installed = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let installed = installed.map(|entry| entry.path().join("bin/java")).filter(|java| java.exists());
    let mut all = of_home.into_iter().chain([PathBuf::from("java")]).chain(installed);
    all.find(|java| release(java).is_some_and(|release| release >= RELEASE_MIN)).map(Java)
}

/// The first number of `openjdk version "21.0.2"`.
fn release(java: &Path) -> Option<u32> {
    let said = Command::new(java).arg("-version").output().ok()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let version = said.split('"').nth(1)?;
    version.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
