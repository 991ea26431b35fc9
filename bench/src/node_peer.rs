//! Peers from npm: servers to compare Kontor with, each with a folder below `bench/peers` that starts it.

use crate::machine::Cores;
use crate::process::MeasuredServer;
use anyhow::{Context as _, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A server that runs on Node.js.
pub(crate) struct NodePeer {
    /// The folder below `bench/peers`.
    folder: &'static str,
    /// The npm packages whose presence shows that it is installed.
    packages: &'static [&'static str],
}

/// The in-memory mock of the API.
pub(crate) const MOCK: NodePeer = NodePeer { folder: "mock", packages: &["@labdigital/commercetools-mock"] };

/// A shop server that calculates Carts and keeps them in SQLite or PostgreSQL.
pub(crate) const VENDURE: NodePeer = NodePeer { folder: "vendure", packages: &["@vendure/core", "pg"] };

impl NodePeer {
    fn folder(&self) -> PathBuf {
        crate::folder().join("peers").join(self.folder)
    }

    /// Runs `npm ci` in its folder unless it is installed.
    pub(crate) fn install(&self, cores: Cores) -> anyhow::Result<()> {
        let folder = self.folder();
        let is_there =
            |package: &&str| folder.join("node_modules").join(package).join("package.json").exists();
        if self.packages.iter().all(is_there) {
            return Ok(());
        }
        let status = cores
            .free_command("npm")
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&folder)
            .status()
            .context("npm cannot be started; --no-mock measures without it")?;
        let name = self.folder;
        ensure!(status.success(), "npm ci of {name} failed ({status}); --no-mock measures without it");
        Ok(())
    }

    /// Starts its `server.mjs`.
    pub(crate) fn start(&self, cores: Cores, arguments: &[OsString]) -> anyhow::Result<MeasuredServer> {
        let script = self.folder().join("server.mjs").into_os_string();
        let arguments: Vec<&OsString> = std::iter::once(&script).chain(arguments).collect();
        MeasuredServer::start(cores, Path::new("node"), &arguments)
    }
}
