//! The old place of a move: blocks its writers, and marks it as moved.
//!
//! A database stores the mark itself, for all servers. A data folder has a file for it: the running server is notified
//! in its own process, and the next one reads the file.

use super::following_copy::FollowingCopy;
use crate::data_folder::DataFolder;
use crate::platform::Platform;
use crate::synced_folders::sync_folder_of;
use anyhow::{Context as _, bail};
use kontor_auth::{Project, store::ProjectRow};
use kontor_engine::Shop;
use kontor_postgres::{Database, WriteFreeze};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Handle;

/// The file in a data folder that names the place its projects have moved to.
const MOVED_FILE: &str = "moved.json";

/// The contents of that file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MovedMark {
    /// The name of the new place, without secrets.
    pub(crate) to: String,
}

/// Returns the place that the projects of a folder have moved to; `None` if they have not moved.
fn moved_from(folder: &Path) -> anyhow::Result<Option<MovedMark>> {
    let file = folder.join(MOVED_FILE);
    match fs::read(&file) {
        Ok(bytes) => {
            Ok(Some(kontor_json::from_slice(&bytes).with_context(|| format!("{}", file.display()))?))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{}", file.display())),
    }
}

/// Returns the name of the place that the projects of a database, or else of a folder, have moved to.
pub(crate) fn moved_to(folder: &DataFolder, database: Option<&Database>) -> anyhow::Result<Option<String>> {
    match database {
        Some(database) => Ok(database.moved_to()?),
        None => Ok(moved_from(folder.path())?.map(|moved| moved.to)),
    }
}

/// Fails if the projects have moved to another place.
pub(crate) fn must_not_have_moved(folder: &DataFolder, database: Option<&Database>) -> anyhow::Result<()> {
    let Some(to) = moved_to(folder, database)? else { return Ok(()) };
    let from = place_name(folder, database);
    bail!(
        "the projects of {from} have moved to {to}: name that place with --database-url or --data. The data here \
         is that of the time of the move, and can be removed"
    )
}

/// Returns the name of the place for messages, without secrets.
pub(crate) fn place_name(folder: &DataFolder, database: Option<&Database>) -> String {
    database.map_or_else(|| folder.path().display().to_string(), Database::name)
}

/// A place whose writers are blocked. They continue when it is dropped.
pub(crate) enum BlockedSource<'h> {
    /// Blocks the writers of all processes that share a database.
    Database(WriteFreeze),
    /// Blocks the writers of this process, which alone owns the folder.
    Folder(BlockedFolder<'h>),
}

/// A folder whose writers are blocked.
pub(crate) struct BlockedFolder<'h> {
    platform: &'h Platform,
    shops: Vec<Arc<Shop>>,
    handle: &'h Handle,
    /// Whether writers continue when this is dropped.
    goes_on: bool,
}

impl<'h> BlockedSource<'h> {
    /// Blocks all writers to these projects and to the system data. Returns when earlier writes are on disk.
    pub(crate) fn take<'f>(
        platform: &'h Platform,
        projects: impl Iterator<Item = &'f FollowingCopy>,
        to: &str,
        handle: &'h Handle,
    ) -> anyhow::Result<Self> {
        if let Some(database) = platform.database() {
            return Ok(BlockedSource::Database(database.freeze_writes()?));
        }
        let shops = projects.map(|following| Arc::clone(&following.shop)).collect();
        let held = BlockedFolder { platform, shops, handle, goes_on: true };
        held.refuse_writes(Some(to))?;
        Ok(BlockedSource::Folder(held))
    }

    /// Marks the place as moved, permanently: from now on it serves no requests.
    pub(crate) fn end_moved(self, to: &str) -> anyhow::Result<()> {
        match self {
            BlockedSource::Database(hold) => hold.finish_moved(to)?,
            BlockedSource::Folder(mut held) => {
                // On disk before the other place serves.
                write_mark(held.platform.folder.path(), &MovedMark { to: to.to_owned() })?;
                held.goes_on = false;
                held.platform.auth.mark_as_moved();
            }
        }
        Ok(())
    }
}

impl BlockedFolder<'_> {
    fn refuse_writes(&self, to: Option<&str>) -> anyhow::Result<()> {
        self.handle.block_on(self.platform.auth.refuse_changes(to))?;
        for shop in &self.shops {
            shop.storage().refuse_commits(to)?;
        }
        Ok(())
    }
}

impl Drop for BlockedFolder<'_> {
    fn drop(&mut self) {
        if self.goes_on
            && let Err(error) = self.refuse_writes(None)
        {
            tracing::error!("writes cannot be resumed: restart the server: {error:#}");
        }
    }
}

fn write_mark(folder: &Path, moved: &MovedMark) -> anyhow::Result<()> {
    let (file, partial) = (folder.join(MOVED_FILE), folder.join("moved.json.partial"));
    fs::write(&partial, kontor_json::to_vec_pretty(moved)?)?;
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, &file)?;
    Ok(sync_folder_of(&file)?)
}

/// Returns the rows of the listed projects.
pub(crate) fn project_rows(platform: &Platform) -> Vec<ProjectRow> {
    let row = |project: &Arc<Project>| ProjectRow {
        key: project.key().to_owned(),
        name: project.name().to_owned(),
        created_at_ms: project.created_at_ms(),
    };
    platform.auth.projects().iter().map(row).collect()
}
