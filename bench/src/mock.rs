//! The npm package `@labdigital/commercetools-mock`, the in-memory mock that tests use today.

use crate::machine::Cores;
use crate::process::Server;
use anyhow::{Context as _, ensure};
use std::path::Path;

/// Installs the mock from the npm registry into its folder, unless it is there.
pub(crate) fn install(cores: Cores) -> anyhow::Result<()> {
    let folder = crate::folder().join("peers/mock");
    if folder.join("node_modules/@labdigital/commercetools-mock/package.json").exists() {
        return Ok(());
    }
    let status = cores
        .free_command("npm")
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&folder)
        .status()
        .context("npm cannot be started; --no-mock measures without it")?;
    ensure!(status.success(), "npm ci failed ({status}); --no-mock measures without the mock");
    Ok(())
}

/// Starts the mock with nothing in it.
pub(crate) fn start(cores: Cores) -> anyhow::Result<Server> {
    let script = crate::folder().join("peers/mock/server.mjs");
    Server::start(cores, Path::new("node"), &[script])
}
