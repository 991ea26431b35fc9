//! The data folder: `system.db`, one SQLite file per project, images and search indexes.
//!
//! One process owns a folder at a time ([`DataFolder`] holds its lock). [`SqliteStorages`] opens the files of projects.

use crate::index_folder::IndexFolder;
use crate::private_files::{self, OWNER_ONLY};
use crate::synced_folders::create_synced;
use crate::temporary_folder;
use anyhow::{Context as _, anyhow, bail};
use kontor_engine::document::MESSAGE;
use kontor_engine::{StorageProvider, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_images::Images;
use kontor_indexing::{IndexMemory, IndexStore};
use kontor_storage::{
    BytesLeft, DISK_BYTES_KEPT_DEFAULT, Durability, Error, FolderLock, SealKey, SealedValues, Sqlite,
    SqliteOptions, Storage, TransformedStorage, check_file,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use tempfile::TempDir;

/// The database of the authorization service, with the list of projects.
pub(crate) const SYSTEM_FILE: &str = "system.db";
/// The file with the key that encrypts secrets in Messages.
const SEAL_KEY_FILE: &str = "seal.key";
/// The folder with one file per project.
pub(crate) const PROJECTS: &str = "projects";
/// The folder of uploaded images, with one folder per project.
pub(crate) const IMAGES: &str = "images";
/// The folder of search indexes, with one folder per project. It may be deleted: indexes are rebuilt.
const SEARCH: &str = "search";
/// The folder of search indexes of projects in a database.
const SEARCH_OF_DATABASE: &str = "search-of-database";
/// The working folder of a restore. If it exists, the restore did not finish.
pub(crate) const RESTORING: &str = "restoring";
/// The working folder of a move. If it exists, the move did not finish.
pub(crate) const ARRIVING: &str = "arriving";
/// Number of threads that close project files at shutdown, because closing waits for the disk.
const CLOSING_THREADS_MAX: usize = 8;
/// The folder of temporary copies that a backup sends.
const BACKUP_PARTS: &str = "backup-parts";

/// A data folder that this process owns.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    durability: Durability,
    _lock: FolderLock,
    /// Deletes the folder when dropped, if it is a temporary one.
    _temporary: Option<TempDir>,
}

impl DataFolder {
    /// Opens and locks a folder, and creates it if missing. Fails when another process owns it, or a restore or move
    /// into it did not finish.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let lock = private_files::lock_and_protect(path)?;
        if path.join(RESTORING).exists() {
            bail!(
                "a restore into {} was not finished, or refused its backup: run `kontor restore` again, or remove \
                 {RESTORING} in it to start over",
                path.display()
            );
        }
        if path.join(ARRIVING).exists() {
            bail!(
                "a move into {} was not finished: run `kontor move` again, or remove {ARRIVING} in it to start over",
                path.display()
            );
        }
        // Left over from a process that was killed while it wrote a backup.
        let _ = fs::remove_dir_all(path.join(BACKUP_PARTS));
        Ok(Self { path: path.to_owned(), durability: Durability::Full, _lock: lock, _temporary: None })
    }

    /// Creates a folder that is deleted when it is dropped, and never synced to disk.
    pub(crate) fn temporary() -> anyhow::Result<Self> {
        let temporary = temporary_folder::create_for_process()?;
        let path = temporary.path().to_owned();
        let lock = FolderLock::acquire(&path)?;
        Ok(Self { path, durability: Durability::Off, _lock: lock, _temporary: Some(temporary) })
    }

    /// True if the path is a data folder, i.e. has a system file.
    pub(crate) fn is_data_folder(path: &Path) -> bool {
        path.join(SYSTEM_FILE).exists()
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True for a permanent folder, false for a temporary one.
    pub(crate) fn is_permanent(&self) -> bool {
        self._temporary.is_none()
    }

    /// Creates a temporary folder for the parts of a backup, on the same disk.
    pub(crate) fn create_backup_parts(&self) -> std::io::Result<TempDir> {
        let parts = self.path.join(BACKUP_PARTS);
        fs::create_dir_all(&parts)?;
        tempfile::Builder::new().tempdir_in(parts)
    }

    /// Returns the path of the system file.
    pub(crate) fn system_file(&self) -> PathBuf {
        self.path.join(SYSTEM_FILE)
    }

    /// Returns the key that encrypts secrets in Messages, and creates it if missing. It is in no backup: the secrets
    /// that it encrypts are valid for an hour at most.
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

    /// Returns a check whether the free disk space is down to the reserve for deletions.
    pub(crate) fn disk_is_nearly_full(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let (path, is_durable) = (self.path.clone(), self.is_durable());
        move || {
            is_durable && BytesLeft::measure(&path, DISK_BYTES_KEPT_DEFAULT).is_some_and(BytesLeft::is_low)
        }
    }

    /// True if every commit is synced to disk.
    pub(crate) fn is_durable(&self) -> bool {
        self.durability == Durability::Full
    }

    /// Returns the store of uploaded images: in the folder, or in memory for a temporary folder.
    pub(crate) fn images(&self) -> anyhow::Result<Images> {
        if !self.is_permanent() {
            return Ok(Images::in_memory());
        }
        let folder = self.path.join(IMAGES);
        create_synced(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Images::in_folder(&folder)?)
    }

    /// Returns the place of search indexes: in the folder, or in memory for a temporary folder. Projects in a database
    /// have a subfolder of their own, because projects in the folder may have the same keys.
    pub(crate) fn indexes(&self, of_database: bool) -> Arc<dyn IndexStore> {
        if self.is_permanent() {
            let name = if of_database { SEARCH_OF_DATABASE } else { SEARCH };
            Arc::new(IndexFolder::new(self.path.join(name)))
        } else {
            Arc::new(IndexMemory::default())
        }
    }

    /// Returns the folder of the snapshots of the test controls.
    pub(crate) fn snapshots(&self) -> PathBuf {
        self.path.join("snapshots")
    }

    /// Renames files of projects that the authorization service does not list: a process was killed while it removed
    /// them. A new project with the same key must not find them.
    pub(crate) fn set_aside_unlisted(&self, is_listed: impl Fn(&str) -> bool) -> std::io::Result<()> {
        let folder = self.path.join(PROJECTS);
        if !folder.exists() {
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // The write-ahead log must have the name of its database: `KEY.db`, `KEY.db-wal`.
            let Some((key, rest)) =
                name.split_once(".db").filter(|(_, rest)| matches!(*rest, "" | "-wal" | "-shm"))
            else {
                continue;
            };
            if !is_listed(key) {
                let aside = free_name(&path, key, rest);
                tracing::warn!(project = key, file = %aside.display(), "renamed the files of a removed project");
                fs::rename(&path, aside)?;
            }
        }
        Ok(())
    }

    /// Fails if the folder has projects but no system file: a server would treat it as a new folder.
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
            "{} is missing or empty, but there are projects: {}. Put it back, or restore a backup into another \
             folder; without it their API clients are unknown",
            file.display(),
            projects.join(", ")
        );
    }

    /// True if the file of a project exists and is not empty.
    pub(crate) fn has_project_file(&self, key: &str) -> bool {
        fs::metadata(self.project_file(key)).is_ok_and(|file| file.len() > 0)
    }

    /// True if a process ended without closing the project: its write-ahead log is still there.
    pub(crate) fn was_interrupted(&self, key: &str) -> bool {
        let mut log = self.project_file(key).into_os_string();
        log.push("-wal");
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    }

    /// Returns the path of the file of a project.
    pub(crate) fn project_file(&self, key: &str) -> PathBuf {
        // Project keys are letters, digits, `-` and `_`, so they are valid file names everywhere.
        self.path.join(PROJECTS).join(format!("{key}.db"))
    }
}

/// Open storages with the keys of their projects.
pub(crate) type OpenedStorages = Vec<(String, Weak<Sqlite>)>;

/// Opens, creates and removes the SQLite storages in a data folder.
pub(crate) struct SqliteStorages {
    pub(crate) folder: Arc<DataFolder>,
    /// Indexed paths whose rows are written only when a query needs them.
    pub(crate) deferred_paths: Vec<String>,
    /// Resource type and path of rows that may be deferred because one document has many of them.
    pub(crate) gathered: Vec<(String, String)>,
    /// The storages to close at shutdown; `None` after that.
    pub(crate) opened: Mutex<Option<OpenedStorages>>,
    /// Projects whose files could not be opened, with the reason.
    pub(crate) unopened: Mutex<BTreeMap<String, String>>,
    /// The key that encrypts secrets in Messages.
    pub(crate) seal_key: Option<Arc<SealKey>>,
}

impl StorageProvider for SqliteStorages {
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        if !self.folder.has_project_file(key) {
            return Err(self.record_unopened(key, "its file is missing or empty"));
        }
        if let Err(error) = check_file(&self.folder.project_file(key)) {
            return Err(self.record_unopened(key, &error.to_string()));
        }
        self.open_or_create(key)
    }

    fn open_or_create(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        let path = self.folder.project_file(key);
        if let Some(folder) = path.parent() {
            create_synced(folder).map_err(|error| internal_error(&path, &error))?;
        }
        let options = SqliteOptions {
            durability: self.folder.durability,
            deferred_paths: self.deferred_paths.clone(),
            gathered: self.gathered.clone(),
            ..SqliteOptions::for_project(key)
        };
        let storage = match Sqlite::open(&path, options) {
            Ok(storage) => Arc::new(storage),
            // These pass by themselves; whatever else keeps a project from being opened is for the operator.
            Err(error @ (Error::Full | Error::Busy | Error::Closed | Error::Moved(_))) => {
                return Err(storage_failure(error));
            }
            Err(error) => return Err(self.record_unopened(key, &error.to_string())),
        };
        self.unopened.lock().remove(key);
        // Locked only now, because opening a file can take long and must not block shutdown.
        let mut opened = self.opened.lock();
        let Some(opened) = &mut *opened else { return Err(storage_failure(Error::Closed)) };
        opened.retain(|(_, storage)| storage.strong_count() > 0);
        opened.push((key.to_owned(), Arc::downgrade(&storage)));
        Ok(match &self.seal_key {
            Some(key) => Arc::new(TransformedStorage::new(
                storage,
                SealedValues { key: Arc::clone(key), kind: MESSAGE },
            )),
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
        for (key, storage) in self.open_storages() {
            troubles.extend(storage.faults().iter().map(|trouble| format!("project '{key}': {trouble}")));
        }
        troubles
    }

    fn full_projects(&self) -> Vec<String> {
        self.open_storages()
            .into_iter()
            .filter(|(_, storage)| storage.is_full())
            .map(|(key, _)| key)
            .collect()
    }

    fn remove(&self, key: &str) -> ApiResult<()> {
        self.unopened.lock().remove(key);
        for (_, storage) in self.open_storages().iter().filter(|(of, _)| of == key) {
            storage.expect_removal();
        }
        let path = self.folder.project_file(key);
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.clone().into_os_string();
            file.push(suffix);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(internal_error(&path, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl SqliteStorages {
    /// Records why a file cannot be opened, for the log and for `/health/ready`, and returns the error for the client.
    fn record_unopened(&self, key: &str, why: &str) -> ApiError {
        let path = self.folder.project_file(key);
        tracing::error!(project = key, path = %path.display(), why, "the file of a project cannot be used");
        self.unopened.lock().insert(key.to_owned(), why.to_owned());
        unusable_project(key)
    }

    /// Returns the open storages with the keys of their projects.
    fn open_storages(&self) -> Vec<(String, Arc<Sqlite>)> {
        let opened = self.opened.lock();
        let running = |(key, storage): &(String, Weak<Sqlite>)| Some((key.clone(), storage.upgrade()?));
        opened.iter().flatten().filter_map(running).collect()
    }
}

/// Returns an unused name in the same folder: `KEY.removed`, `KEY.removed-2` and so on.
fn free_name(path: &Path, key: &str, rest: &str) -> PathBuf {
    let named = |number: u32| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        path.with_file_name(format!("{key}.removed{number}{rest}"))
    };
    (1..).map(named).find(|name| !name.exists()).unwrap_or_else(|| path.to_owned())
}

/// The error for requests to a project whose file cannot be used. Operators find the reason at `/health/ready`.
fn unusable_project(key: &str) -> ApiError {
    ApiError::new(
        Code::OverCapacity,
        format!("The data of the project '{key}' cannot be used at the moment. GET /health/ready says why."),
    )
}

fn internal_error(path: &Path, error: &std::io::Error) -> ApiError {
    tracing::error!(path = %path.display(), %error, "the data folder cannot be used");
    ApiError::internal()
}
