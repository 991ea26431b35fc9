//! The new place of a move: an empty database, or an empty folder.

use crate::data_folder::{ARRIVING, IMAGES, PROJECTS, RESTORING, SYSTEM_FILE};
use crate::database;
use crate::private_files;
use crate::synced_folders::{create_synced, sync_folder_of};
use anyhow::bail;
use kontor_auth::store::{ProjectRow, SystemContents};
use kontor_images::Images;
use kontor_postgres::{Database, DatabaseOptions, ShopCopy};
use kontor_storage::{BackupReader, ChangeLogEntry, CopyFile, Delta, Error, FolderLock, Seq};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// A file in the working folder of a move. If it exists, the copy is complete and only has to be moved into place once
/// the old place is marked as moved.
const READY_FILE: &str = "ready.json";

/// How long the switch is retried while the new database is unreachable, after the old place was marked as moved.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(30);
const ARRIVAL_RETRY: Duration = Duration::from_millis(100);

/// The new place.
pub(crate) enum MoveTarget {
    /// A database.
    Database {
        database: Database,
        /// The id of the move.
        id: String,
    },
    /// A new data folder.
    Folder {
        path: PathBuf,
        /// Keeps servers from using the folder.
        _lock: FolderLock,
    },
}

/// The copy of one project.
pub(crate) enum ProjectCopy {
    /// In a database.
    Database(ShopCopy),
    /// In a file.
    File(Box<CopyFile>),
}

#[derive(Debug, Serialize, Deserialize)]
struct ReadyMark {
    /// The name of the old place, for people.
    from: String,
}

impl MoveTarget {
    /// Opens the place, a database URL or a folder. Changes no data in it.
    pub(crate) fn open(to: &str) -> anyhow::Result<Self> {
        if DatabaseOptions::is_url(to) {
            let database = database::open(to.parse()?)?;
            return Ok(MoveTarget::Database { database, id: Uuid::new_v4().to_string() });
        }
        let path = PathBuf::from(to);
        let _lock = private_files::lock_and_protect(&path)?;
        Ok(MoveTarget::Folder { path, _lock })
    }

    /// Returns the name of the place for messages, without secrets.
    pub(crate) fn name(&self) -> String {
        match self {
            MoveTarget::Database { database, .. } => database.name(),
            MoveTarget::Folder { path, .. } => path.display().to_string(),
        }
    }

    /// Prepares the place for a move. Fails if it has data.
    pub(crate) fn prepare(&self) -> anyhow::Result<()> {
        match self {
            MoveTarget::Database { database, id } => Ok(database.begin_move(id)?),
            MoveTarget::Folder { path, .. } => {
                if [SYSTEM_FILE, PROJECTS, RESTORING].iter().any(|name| path.join(name).exists()) {
                    bail!("{} has data already: move into an empty folder", path.display());
                }
                let arriving = path.join(ARRIVING);
                if arriving.exists() {
                    fs::remove_dir_all(&arriving)?;
                }
                Ok(fs::create_dir_all(arriving.join(PROJECTS))?)
            }
        }
    }

    /// Returns the file to copy a project into; `None` for a database.
    pub(crate) fn file_of(&self, project: &str) -> Option<PathBuf> {
        match self {
            MoveTarget::Database { .. } => None,
            MoveTarget::Folder { path, .. } => {
                Some(path.join(ARRIVING).join(PROJECTS).join(format!("{project}.db")))
            }
        }
    }

    /// Starts the copy of a project from a backup of it.
    pub(crate) fn start_copy(
        &self,
        project: &str,
        file: &Path,
        backup: &BackupReader,
        epoch: u64,
        base: Seq,
    ) -> anyhow::Result<ProjectCopy> {
        Ok(match self {
            MoveTarget::Database { database, .. } => {
                ProjectCopy::Database(database.copy(project, backup, epoch, base)?)
            }
            MoveTarget::Folder { .. } => ProjectCopy::File(Box::new(CopyFile::open(file, epoch, base)?)),
        })
    }

    /// Removes the copy of a project that was removed.
    pub(crate) fn remove_copy(&self, project: &str) -> anyhow::Result<()> {
        match self {
            MoveTarget::Database { database, .. } => database.remove(project)?,
            MoveTarget::Folder { .. } => {
                if let Some(file) = self.file_of(project).filter(|file| file.exists()) {
                    fs::remove_file(file)?;
                }
            }
        }
        Ok(())
    }

    /// Updates the copied API clients and tokens in a database. A folder gets them in [`mark_ready`](Self::mark_ready).
    pub(crate) fn follow_system(&self, before: &SystemContents, now: &SystemContents) -> anyhow::Result<()> {
        if let MoveTarget::Database { database, .. } = self {
            database.system_store().follow(before, now)?;
        }
        Ok(())
    }

    /// Records that the copy is complete: after a crash from here on, [`take_over`](Self::take_over) suffices.
    pub(crate) fn mark_ready(&self, from: &str, contents: &SystemContents) -> anyhow::Result<()> {
        let MoveTarget::Folder { path, .. } = self else { return Ok(()) };
        let arriving = path.join(ARRIVING);
        let file = arriving.join(SYSTEM_FILE);
        if file.exists() {
            fs::remove_file(&file)?;
        }
        contents.write_file(&file)?;
        let ready = arriving.join(READY_FILE);
        fs::write(&ready, kontor_json::to_vec(&ReadyMark { from: from.to_owned() })?)?;
        for path in [&file, &ready, &arriving.join(PROJECTS), &arriving] {
            File::open(path)?.sync_all()?;
        }
        Ok(())
    }

    /// Makes the place serve the projects. Idempotent.
    pub(crate) fn take_over(&self, projects: &[ProjectRow]) -> anyhow::Result<()> {
        match self {
            MoveTarget::Database { database, id } => {
                let begun = Instant::now();
                loop {
                    match database.finish_move(id, projects) {
                        Ok(true) => return Ok(()),
                        Ok(false) => bail!("the database {} has other projects meanwhile", database.name()),
                        Err(Error::Unavailable(_)) if begun.elapsed() < ARRIVAL_TIMEOUT => {
                            sleep(ARRIVAL_RETRY)
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            MoveTarget::Folder { path, .. } => {
                let arriving = path.join(ARRIVING);
                if !arriving.exists() {
                    return Ok(());
                }
                for name in [PROJECTS, SYSTEM_FILE] {
                    // An earlier attempt may have moved it already.
                    if arriving.join(name).exists() {
                        fs::rename(arriving.join(name), path.join(name))?;
                    }
                }
                sync_folder_of(&path.join(SYSTEM_FILE))?;
                Ok(fs::remove_dir_all(&arriving)?)
            }
        }
    }

    /// Returns the place with the id of an interrupted move whose copy is complete; `None` if there is none.
    pub(crate) fn interrupted_move(self) -> anyhow::Result<Option<Self>> {
        Ok(match self {
            MoveTarget::Database { database, .. } => {
                database.pending_move()?.map(|id| MoveTarget::Database { database, id })
            }
            MoveTarget::Folder { ref path, .. } => {
                path.join(ARRIVING).join(READY_FILE).exists().then_some(self)
            }
        })
    }

    /// Returns the place for uploaded images; `None` if they are not copied.
    pub(crate) fn images(&self, bucket: Option<&str>) -> anyhow::Result<Option<Images>> {
        match (bucket, self) {
            (Some(url), _) => Ok(Some(Images::in_bucket(url)?)),
            (None, MoveTarget::Database { .. }) => Ok(None),
            (None, MoveTarget::Folder { path, .. }) => {
                let folder = path.join(IMAGES);
                create_synced(&folder)?;
                Ok(Some(Images::in_folder(&folder)?))
            }
        }
    }
}

impl ProjectCopy {
    /// Adds entries to the change log of the copy.
    pub(crate) fn append_log(&mut self, changes: &[ChangeLogEntry]) -> anyhow::Result<()> {
        match self {
            ProjectCopy::Database(copy) => copy.append_log(changes)?,
            ProjectCopy::File(copy) => copy.append_log(changes)?,
        }
        Ok(())
    }

    /// Applies changes of the project to the copy.
    pub(crate) fn take(&mut self, delta: &Delta) -> anyhow::Result<()> {
        match self {
            ProjectCopy::Database(copy) => copy.take(delta)?,
            ProjectCopy::File(copy) => copy.apply(delta)?,
        }
        Ok(())
    }

    /// Completes the copy and syncs it to disk.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            ProjectCopy::Database(_) => {}
            ProjectCopy::File(copy) => copy.finish()?,
        }
        Ok(())
    }
}
