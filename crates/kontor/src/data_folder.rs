//! The data folder: one process owns it, one file a project.

use crate::index_folder::IndexFolder;
use anyhow::{Context as _, bail};
use kontor_engine::{Storages, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_images::Images;
use kontor_indexing::{IndexMemory, Place};
use kontor_storage::{Durability, FolderLock, Sqlite, SqliteOptions, Storage};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The file of the authorization service.
pub(crate) const SYSTEM_FILE: &str = "system.db";
/// The mode of files and sockets that lead to everything: only the owner may use them.
pub(crate) const OWNER_ONLY: u32 = 0o600;
/// The folder with a file a project.
pub(crate) const PROJECTS: &str = "projects";
/// The folder of uploaded images, with a folder a project.
pub(crate) const IMAGES: &str = "images";
/// The folder of search indexes, with a folder a project. It may be deleted: indexes are built again.
const SEARCH: &str = "search";
/// A restore works in here; what is found of it later was never finished.
pub(crate) const RESTORING: &str = "restoring";
/// Parts of a backup on their way out.
const BACKUP_PARTS: &str = "backup-parts";

/// An owned data folder.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    durability: Durability,
    _lock: FolderLock,
    /// Removed at the end, for data that is kept only as long.
    _temporary: Option<TempDir>,
}

impl DataFolder {
    /// Takes a folder, made when it is not there. A second process is refused.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("{} cannot be made", path.display()))?;
        let lock = FolderLock::take(path)?;
        if path.join(RESTORING).exists() {
            bail!("a restore into {} was not finished: run `kontor restore` again", path.display());
        }
        // Left over from a process that was killed while it wrote a backup.
        let _ = fs::remove_dir_all(path.join(BACKUP_PARTS));
        Ok(Self { path: path.to_owned(), durability: Durability::Full, _lock: lock, _temporary: None })
    }

    /// A folder that is gone when it is dropped and is never synced.
    pub(crate) fn temporary() -> anyhow::Result<Self> {
        let temporary = tempfile::Builder::new().prefix("kontor-").tempdir()?;
        let path = temporary.path().to_owned();
        let lock = FolderLock::take(&path)?;
        Ok(Self { path, durability: Durability::Off, _lock: lock, _temporary: Some(temporary) })
    }

    /// True where a folder has been used before.
    pub(crate) fn is_one(path: &Path) -> bool {
        path.join(SYSTEM_FILE).exists()
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True for a folder that others can find and that stays.
    pub(crate) fn stays(&self) -> bool {
        self._temporary.is_none()
    }

    /// A new folder for the parts of a backup, on the same disk.
    pub(crate) fn for_backup(&self) -> std::io::Result<TempDir> {
        let parts = self.path.join(BACKUP_PARTS);
        fs::create_dir_all(&parts)?;
        tempfile::Builder::new().tempdir_in(parts)
    }

    /// The file of the authorization service.
    pub(crate) fn system_file(&self) -> PathBuf {
        self.path.join(SYSTEM_FILE)
    }

    /// True where every commit waits for the disk.
    pub(crate) fn is_durable(&self) -> bool {
        self.durability == Durability::Full
    }

    /// The place for uploaded images: in memory where the folder does not stay.
    pub(crate) fn images(&self) -> anyhow::Result<Images> {
        if !self.stays() {
            return Ok(Images::in_memory());
        }
        let folder = self.path.join(IMAGES);
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Images::in_folder(&folder)?)
    }

    /// The place for search indexes: in memory where the folder does not stay.
    pub(crate) fn indexes(&self) -> Arc<dyn Place> {
        if self.stays() {
            Arc::new(IndexFolder::new(self.path.join(SEARCH)))
        } else {
            Arc::new(IndexMemory::default())
        }
    }

    /// Where snapshots of the test controls are kept.
    pub(crate) fn snapshots(&self) -> PathBuf {
        self.path.join("snapshots")
    }

    /// Sets the files of projects aside that the authorization service does not list: what a process left that was
    /// killed while it removed them. A new project with such a key must not find them.
    pub(crate) fn set_aside_unlisted(&self, is_listed: impl Fn(&str) -> bool) -> std::io::Result<()> {
        let folder = self.path.join(PROJECTS);
        if !folder.exists() {
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // The log of a database has to keep its name beside it: `KEY.db`, `KEY.db-wal`.
            let Some((key, rest)) =
                name.split_once(".db").filter(|(_, rest)| matches!(*rest, "" | "-wal" | "-shm"))
            else {
                continue;
            };
            if !is_listed(key) {
                tracing::warn!(project = key, "files of a removed project are set aside");
                fs::rename(&path, path.with_file_name(format!("{key}.removed{rest}")))?;
            }
        }
        Ok(())
    }

    /// True where a process went down that had a project open: the log of its file is still there.
    pub(crate) fn was_interrupted(&self, key: &str) -> bool {
        let mut log = self.project_file(key).into_os_string();
        log.push("-wal");
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    }

    fn project_file(&self, key: &str) -> PathBuf {
        // Project keys are letters, digits, `-` and `_`, so they are names of files everywhere.
        self.path.join(PROJECTS).join(format!("{key}.db"))
    }
}

/// The storages in a data folder.
pub(crate) struct SqliteStorages {
    pub(crate) folder: Arc<DataFolder>,
    /// Indexed paths whose rows may wait until somebody asks for them.
    pub(crate) late_paths: Vec<String>,
}

impl Storages for SqliteStorages {
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        let path = self.folder.project_file(key);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| failure(&path, &error))?;
        }
        let options = SqliteOptions {
            durability: self.folder.durability,
            late_paths: self.late_paths.clone(),
            ..SqliteOptions::for_project(key)
        };
        Ok(Arc::new(Sqlite::open(&path, options).map_err(storage_failure)?))
    }

    fn remove(&self, key: &str) -> ApiResult<()> {
        let path = self.folder.project_file(key);
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.clone().into_os_string();
            file.push(suffix);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(failure(&path, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn failure(path: &Path, error: &std::io::Error) -> ApiError {
    tracing::error!(path = %path.display(), %error, "the data folder cannot be used");
    ApiError::internal()
}
