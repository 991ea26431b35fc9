//! Finds a Java installation that is new enough to run a server.

use anyhow::bail;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder in which Linux distributions install several releases of Java.
const INSTALLED: &str = "/usr/lib/jvm";

/// A Java installation of a release that is new enough.
#[derive(Debug, Clone)]
pub struct Java(PathBuf);

impl Java {
    /// Finds Java `release_min` or newer: in `JAVA_HOME`, in the `PATH`, or among the installed releases. Without one,
    /// prints that `what_for` needs it and returns `None`.
    ///
    /// # Errors
    /// There is none and `CI` is set.
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

    /// The path of the `java` program.
    pub fn program(&self) -> &Path {
        &self.0
    }

    /// The path of another program of the same installation, e.g. `keytool`.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.0.with_file_name(name)
    }

    /// The folder for `JAVA_HOME`; `None` if Java was found in the `PATH`.
    pub fn home(&self) -> Option<&Path> {
        self.0.parent()?.parent().filter(|home| !home.as_os_str().is_empty())
    }
}

/// The major release in the output of `java -version`: the first number of `openjdk version "21.0.2"`.
fn release(java: &Path) -> Option<u32> {
    let said = Command::new(java).arg("-version").output().ok()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let version = said.split('"').nth(1)?;
    version.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
