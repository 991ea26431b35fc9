//! Where everything moves to: an empty database, or an empty folder.

use crate::data_folder::{ARRIVING, IMAGES, PROJECTS, RESTORING, SYSTEM_FILE};
use crate::database;
use crate::private;
use crate::synced_folders::{make_to_stay, sync_folder_of};
use anyhow::bail;
use kontor_auth::store::{ProjectRow, SystemContents};
use kontor_images::Images;
use kontor_postgres::{Copy, Database, DatabaseOptions};
use kontor_storage::{BackupReader, Change, CopyFile, Delta, Error, FolderLock, Seq};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// In the folder of a move: everything is there, and only has to be put in its place when the other one is marked.
const READY_FILE: &str = "ready.json";

/// For how long a database that is gone is asked to take over, when the other place has been marked as moved.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(30);
const ARRIVAL_RETRY: Duration = Duration::from_millis(100);

/// A place to move to.
pub(crate) enum MoveTarget {
    /// A database.
    Database {
        /// The database.
        database: Database,
        /// Which move it is.
        id: String,
    },
    /// A data folder to be.
    Folder {
        /// Where it is.
        path: PathBuf,
        /// Held, so that no server takes it.
        _lock: FolderLock,
    },
}

/// A copy of one project.
pub(crate) enum Copying {
    /// In a database.
    Database(Copy),
    /// In a file.
    File(Box<CopyFile>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    /// Where it came from, for people.
    from: String,
}

impl MoveTarget {
    /// The place that is meant. Nothing is changed there yet.
    pub(crate) fn open(to: &str) -> anyhow::Result<Self> {
        if DatabaseOptions::is_url(to) {
            let database = database::open(to.parse()?)?;
            return Ok(MoveTarget::Database { database, id: Uuid::new_v4().to_string() });
        }
        let path = PathBuf::from(to);
        let _lock = private::take(&path)?;
        Ok(MoveTarget::Folder { path, _lock })
    }

    /// What it is called, without secrets.
    pub(crate) fn name(&self) -> String {
        match self {
            MoveTarget::Database { database, .. } => database.name(),
            MoveTarget::Folder { path, .. } => path.display().to_string(),
        }
    }

    /// Makes room for a move. Fails where there is something already.
    pub(crate) fn begin(&self) -> anyhow::Result<()> {
        match self {
            MoveTarget::Database { database, id } => Ok(database.arrive(id)?),
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

    /// The file that a project is copied into, where it is a file.
    pub(crate) fn file_of(&self, project: &str) -> Option<PathBuf> {
        match self {
            MoveTarget::Database { .. } => None,
            MoveTarget::Folder { path, .. } => {
                Some(path.join(ARRIVING).join(PROJECTS).join(format!("{project}.db")))
            }
        }
    }

    /// Begins the copy of a project with a backup of it.
    pub(crate) fn copy(
        &self,
        project: &str,
        file: &Path,
        backup: &BackupReader,
        epoch: u64,
        base: Seq,
    ) -> anyhow::Result<Copying> {
        Ok(match self {
            MoveTarget::Database { database, .. } => {
                Copying::Database(database.copy(project, backup, epoch, base)?)
            }
            MoveTarget::Folder { .. } => Copying::File(Box::new(CopyFile::open(file, epoch, base)?)),
        })
    }

    /// Forgets the copy of a project that is gone.
    pub(crate) fn forget(&self, project: &str) -> anyhow::Result<()> {
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

    /// Brings clients and tokens up to date, as far as that is done before the end.
    pub(crate) fn follow_system(&self, before: &SystemContents, now: &SystemContents) -> anyhow::Result<()> {
        if let MoveTarget::Database { database, .. } = self {
            database.system().follow(before, now)?;
        }
        Ok(())
    }

    /// Everything is copied: whatever goes down from here on, [`arrive`](Self::arrive) is enough.
    pub(crate) fn is_ready(&self, from: &str, system: &SystemContents) -> anyhow::Result<()> {
        let MoveTarget::Folder { path, .. } = self else { return Ok(()) };
        let arriving = path.join(ARRIVING);
        let file = arriving.join(SYSTEM_FILE);
        if file.exists() {
            fs::remove_file(&file)?;
        }
        system.write_file(&file)?;
        let ready = arriving.join(READY_FILE);
        fs::write(&ready, kontor_json::to_vec(&Ready { from: from.to_owned() })?)?;
        for path in [&file, &ready, &arriving.join(PROJECTS), &arriving] {
            File::open(path)?.sync_all()?;
        }
        Ok(())
    }

    /// Serves the projects from now on. Done once, also where it is asked for again.
    pub(crate) fn arrive(&self, projects: &[ProjectRow]) -> anyhow::Result<()> {
        match self {
            MoveTarget::Database { database, id } => {
                let begun = Instant::now();
                loop {
                    match database.arrived(id, projects) {
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
                    // What an earlier attempt has put there is there.
                    if arriving.join(name).exists() {
                        fs::rename(arriving.join(name), path.join(name))?;
                    }
                }
                sync_folder_of(&path.join(SYSTEM_FILE))?;
                Ok(fs::remove_dir_all(&arriving)?)
            }
        }
    }

    /// The same place for a move that was cut off when everything was there; `None` where there is none to be ended.
    pub(crate) fn left_by_another(self) -> anyhow::Result<Option<Self>> {
        Ok(match self {
            MoveTarget::Database { database, .. } => {
                database.arriving()?.map(|id| MoveTarget::Database { database, id })
            }
            MoveTarget::Folder { ref path, .. } => {
                path.join(ARRIVING).join(READY_FILE).exists().then_some(self)
            }
        })
    }

    /// Where uploaded images go; `None`: they stay where they are.
    pub(crate) fn images(&self, bucket: Option<&str>) -> anyhow::Result<Option<Images>> {
        match (bucket, self) {
            (Some(url), _) => Ok(Some(Images::in_bucket(url)?)),
            (None, MoveTarget::Database { .. }) => Ok(None),
            (None, MoveTarget::Folder { path, .. }) => {
                let folder = path.join(IMAGES);
                make_to_stay(&folder)?;
                Ok(Some(Images::in_folder(&folder)?))
            }
        }
    }
}

impl Copying {
    /// Adds entries of the change log.
    pub(crate) fn log(&mut self, changes: &[Change]) -> anyhow::Result<()> {
        match self {
            Copying::Database(copy) => copy.log(changes)?,
            Copying::File(copy) => copy.log(changes)?,
        }
        Ok(())
    }

    /// Takes what became of the project.
    pub(crate) fn take(&mut self, delta: &Delta) -> anyhow::Result<()> {
        match self {
            Copying::Database(copy) => copy.take(delta)?,
            Copying::File(copy) => copy.take(delta)?,
        }
        Ok(())
    }

    /// Ends with the copy on disk.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Copying::Database(_) => {}
            Copying::File(copy) => copy.finish()?,
        }
        Ok(())
    }
}
