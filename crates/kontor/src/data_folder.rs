//! The data folder: one process owns it, one file a project.

use crate::index_folder::IndexFolder;
use crate::private::{self, OWNER_ONLY};
use crate::synced_folders::make_to_stay;
use crate::temporary_folder;
use anyhow::{Context as _, anyhow, bail};
use kontor_engine::document::MESSAGE;
use kontor_engine::{Storages, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_images::Images;
use kontor_indexing::{IndexMemory, Place};
use kontor_storage::{
    DISK_BYTES_KEPT_DEFAULT, Durability, Error, FolderLock, SealKey, SealedStorage, Sqlite, SqliteOptions,
    Storage, check_file, disk_bytes_free,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use tempfile::TempDir;

/// The file of the authorization service.
pub(crate) const SYSTEM_FILE: &str = "system.db";
/// The file of the key that secrets in Messages are encrypted with.
const SEAL_KEY_FILE: &str = "seal.key";
/// The folder with a file a project.
pub(crate) const PROJECTS: &str = "projects";
/// The folder of uploaded images, with a folder a project.
pub(crate) const IMAGES: &str = "images";
/// The folder of search indexes, with a folder a project. It may be deleted: indexes are built again.
const SEARCH: &str = "search";
/// The same for projects in a database.
const SEARCH_OF_DATABASE: &str = "search-of-database";
/// A restore works in here; what is found of it later was never finished.
pub(crate) const RESTORING: &str = "restoring";
/// A move works in here; what is found of it later was never finished.
pub(crate) const ARRIVING: &str = "arriving";
/// Threads that close the files of projects at the end, which waits for the disk.
const CLOSING_THREADS_MAX: usize = 8;
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
        let lock = private::take(path)?;
        if path.join(RESTORING).exists() {
            bail!(
                "a restore into {} was not finished, or refused its backup: run `kontor restore` again, or remove {RESTORING} in \
                 it to begin anew",
                path.display()
            );
        }
        if path.join(ARRIVING).exists() {
            bail!(
                "a move into {} was not finished: run `kontor move` again, or remove {ARRIVING} in it to begin anew",
                path.display()
            );
        }
        // Left over from a process that was killed while it wrote a backup.
        let _ = fs::remove_dir_all(path.join(BACKUP_PARTS));
        Ok(Self { path: path.to_owned(), durability: Durability::Full, _lock: lock, _temporary: None })
    }

    /// A folder that is gone when it is dropped and is never synced.
    pub(crate) fn temporary() -> anyhow::Result<Self> {
        let temporary = temporary_folder::of_process()?;
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

    /// The key that secrets in Messages are encrypted with, made where there is none. It is in no backup: what it encrypted is valid for
    /// an hour at most.
    pub(crate) fn seal_key(&self) -> anyhow::Result<SealKey> {
        let file = self.path.join(SEAL_KEY_FILE);
        let key = fs::read(&file).ok().and_then(|bytes| SealKey::new(&bytes));
        if let Some(key) = key {
            return Ok(key);
        }
        let make = || -> std::io::Result<SealKey> {
            let bytes = SealKey::random_bytes().ok_or_else(|| std::io::Error::other("no random bytes"))?;
            let partial = file.with_extension("partial");
            let _ = fs::remove_file(&partial);
            let mut made = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&partial)?;
            made.write_all(&bytes)?;
            made.sync_all()?;
            fs::rename(&partial, &file)?;
            SealKey::new(&bytes).ok_or_else(|| std::io::Error::other("no key"))
        };
        make().map_err(|error| match error.kind() {
            std::io::ErrorKind::StorageFull => anyhow!("the disk is full: {} cannot be made", file.display()),
            _ => anyhow!("{} cannot be made: {error}", file.display()),
        })
    }

    /// Tells whether what is left on the disk is kept for deletions.
    pub(crate) fn disk_is_nearly_full(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let (path, is_durable) = (self.path.clone(), self.is_durable());
        move || is_durable && disk_bytes_free(&path).is_some_and(|free| free < DISK_BYTES_KEPT_DEFAULT)
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
        make_to_stay(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Images::in_folder(&folder)?)
    }

    /// The place for search indexes: in memory where the folder does not stay. Those of projects in a database lie beside those of
    /// projects in the folder, which may have the same keys.
    pub(crate) fn indexes(&self, of_database: bool) -> Arc<dyn Place> {
        if self.stays() {
            let name = if of_database { SEARCH_OF_DATABASE } else { SEARCH };
            Arc::new(IndexFolder::new(self.path.join(name)))
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
                let aside = free_name(&path, key, rest);
                tracing::warn!(project = key, file = %aside.display(), "files of a removed project are set aside");
                fs::rename(&path, aside)?;
            }
        }
        Ok(())
    }

    /// Refuses a folder that has projects and no list of them: it would seem to be a new one.
    pub(crate) fn must_have_system_file(&self) -> anyhow::Result<()> {
        let file = self.system_file();
        if fs::metadata(&file).is_ok_and(|file| file.len() > 0) {
            return Ok(());
        }
        let Ok(entries) = fs::read_dir(self.path.join(PROJECTS)) else { return Ok(()) };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let projects: Vec<String> = names.filter(|name| name.ends_with(".db")).collect();
        if projects.is_empty() {
            return Ok(());
        }
        bail!(
            "{} is missing or empty, but there are projects: {}. Put it back, or restore a backup into another folder; \
             without it nobody knows their clients",
            file.display(),
            projects.join(", ")
        );
    }

    /// True where the file of a project is there, with something in it.
    pub(crate) fn has_project_file(&self, key: &str) -> bool {
        fs::metadata(self.project_file(key)).is_ok_and(|file| file.len() > 0)
    }

    /// True where a process went down that had a project open: the log of its file is still there.
    pub(crate) fn was_interrupted(&self, key: &str) -> bool {
        let mut log = self.project_file(key).into_os_string();
        log.push("-wal");
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    }

    /// The file of a project.
    pub(crate) fn project_file(&self, key: &str) -> PathBuf {
        // Project keys are letters, digits, `-` and `_`, so they are names of files everywhere.
        self.path.join(PROJECTS).join(format!("{key}.db"))
    }
}

/// Open storages, by the keys of their projects.
pub(crate) type OpenedStorages = Vec<(String, Weak<Sqlite>)>;

/// The storages in a data folder.
pub(crate) struct SqliteStorages {
    pub(crate) folder: Arc<DataFolder>,
    /// Indexed paths whose rows may wait until somebody asks for them.
    pub(crate) late_paths: Vec<String>,
    /// Kind and path of those that may wait because a document has many.
    pub(crate) gathered: Vec<(String, String)>,
    /// Those that were opened, to be closed at the end; `None` from then on.
    pub(crate) opened: Mutex<Option<OpenedStorages>>,
    /// Projects whose files could not be opened because they are damaged or gone, and why.
    pub(crate) unopened: Mutex<BTreeMap<String, String>>,
    /// What secrets in Messages are encrypted with.
    pub(crate) seal_key: Option<Arc<SealKey>>,
}

impl Storages for SqliteStorages {
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        if !self.folder.has_project_file(key) {
            return Err(self.cannot_open(key, "its file is missing or empty"));
        }
        if let Err(error) = check_file(&self.folder.project_file(key)) {
            return Err(self.cannot_open(key, &error.to_string()));
        }
        self.make(key)
    }

    fn make(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        let path = self.folder.project_file(key);
        if let Some(folder) = path.parent() {
            make_to_stay(folder).map_err(|error| failure(&path, &error))?;
        }
        let options = SqliteOptions {
            durability: self.folder.durability,
            late_paths: self.late_paths.clone(),
            gathered: self.gathered.clone(),
            ..SqliteOptions::for_project(key)
        };
        let storage = match Sqlite::open(&path, options) {
            Ok(storage) => Arc::new(storage),
            Err(error) if error.is_damage() => return Err(self.cannot_open(key, &error.to_string())),
            Err(error) => return Err(storage_failure(error)),
        };
        self.unopened.lock().remove(key);
        // Not held meanwhile: what takes long to open is not to hold up the end.
        let mut opened = self.opened.lock();
        let Some(opened) = &mut *opened else { return Err(storage_failure(Error::Closed)) };
        opened.retain(|(_, storage)| storage.strong_count() > 0);
        opened.push((key.to_owned(), Arc::downgrade(&storage)));
        Ok(match &self.seal_key {
            Some(key) => Arc::new(SealedStorage::new(storage, Arc::clone(key), MESSAGE)),
            None => storage,
        })
    }

    fn close(&self) {
        let opened = self.opened.lock().take().unwrap_or_default();
        let each = opened.len().div_ceil(CLOSING_THREADS_MAX).max(1);
        std::thread::scope(|scope| {
            for storages in opened.chunks(each) {
                scope.spawn(move || {
                    storages
                        .iter()
                        .filter_map(|(_, storage)| storage.upgrade())
                        .for_each(|storage| storage.close());
                });
            }
        });
    }

    fn troubles(&self) -> Vec<String> {
        let mut troubles: Vec<String> =
            self.unopened.lock().iter().map(|(key, error)| format!("project '{key}': {error}")).collect();
        for (key, storage) in self.running() {
            troubles.extend(storage.troubles().iter().map(|trouble| format!("project '{key}': {trouble}")));
        }
        troubles
    }

    fn full(&self) -> Vec<String> {
        self.running().into_iter().filter(|(_, storage)| storage.is_full()).map(|(key, _)| key).collect()
    }

    fn remove(&self, key: &str) -> ApiResult<()> {
        self.unopened.lock().remove(key);
        for (_, storage) in self.running().iter().filter(|(of, _)| of == key) {
            storage.expect_removal();
        }
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

impl SqliteStorages {
    /// Notes why a file cannot be opened, for the log and for `/health/ready`.
    fn cannot_open(&self, key: &str, why: &str) -> ApiError {
        let path = self.folder.project_file(key);
        tracing::error!(project = key, path = %path.display(), why, "the file of a project cannot be used");
        self.unopened.lock().insert(key.to_owned(), why.to_owned());
        unusable(key)
    }

    /// The storages that are open, by the keys of their projects.
    fn running(&self) -> Vec<(String, Arc<Sqlite>)> {
        let opened = self.opened.lock();
        let running = |(key, storage): &(String, Weak<Sqlite>)| Some((key.clone(), storage.upgrade()?));
        opened.iter().flatten().filter_map(running).collect()
    }
}

/// A name beside a file that nothing has yet: `KEY.removed`, `KEY.removed-2` and so on.
fn free_name(path: &Path, key: &str, rest: &str) -> PathBuf {
    let named = |number: u32| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        path.with_file_name(format!("{key}.removed{number}{rest}"))
    };
    (1..).map(named).find(|name| !name.exists()).unwrap_or_else(|| path.to_owned())
}

/// The answer to whatever is asked of a project whose file cannot be used; the server itself says why where operators look.
fn unusable(key: &str) -> ApiError {
    ApiError::new(
        Code::OverCapacity,
        format!("The data of the project '{key}' cannot be used at the moment. GET /health/ready says why."),
    )
}

fn failure(path: &Path, error: &std::io::Error) -> ApiError {
    tracing::error!(path = %path.display(), %error, "the data folder cannot be used");
    ApiError::internal()
}
