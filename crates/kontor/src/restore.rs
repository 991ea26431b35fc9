//! `kontor restore`: creates a data folder from a backup, or fills a database.
//!
//! The files are unpacked into a subfolder and checked, and only then moved into place, the system file last. While the
//! subfolder exists, the restore is unfinished: other commands refuse the folder, and `kontor restore` starts over.

use crate::archive::{BackupManifest, CONTENTS_FILE, FORMAT, HashingReader};
use crate::arguments::RestoreArguments;
use crate::data_folder::{IMAGES, PROJECTS, RESTORING, SYSTEM_FILE};
use crate::database;
use crate::private_files;
use crate::synced_folders::{create_synced, sync_folder_of};
use crate::temporary_folder;
use anyhow::{Context as _, bail};
use kontor_auth::store::{SystemContents, SystemStore as _};
use kontor_auth::{AuthService, SystemDurability, check_project_key, verify_system_file};
use kontor_postgres::DatabaseOptions;
use kontor_storage::{Sqlite, SqliteOptions, Storage as _, verify_file};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path};

/// The resource type of the settings of a project, which every project has.
const PROJECT: &str = "project";
/// Maximum size of `backup.json`, in bytes.
const CONTENTS_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Restores a whole backup into an empty folder or database.
pub(crate) fn run(arguments: RestoreArguments) -> anyhow::Result<()> {
    if let Some(options) = &arguments.data.database_url {
        return into_database(&arguments, options);
    }
    let folder = &arguments.data.data;
    let _lock = private_files::lock_and_protect(folder)?;
    let restoring = folder.join(RESTORING);
    if restoring.exists() {
        // An earlier restore was interrupted. Nothing in the folder has been served.
        remove_unfinished(folder)?;
    }
    if [SYSTEM_FILE, PROJECTS, IMAGES].iter().any(|name| folder.join(name).exists()) {
        bail!("{} has data already: restore into an empty folder", folder.display());
    }
    fs::create_dir_all(restoring.join(PROJECTS))?;
    let restored = unpack(&arguments.file, &restoring).and_then(|contents| {
        // Opened once, to notice here whether it can be served.
        let auth = open_undamaged(&restoring.join(SYSTEM_FILE), SystemDurability::OnDisk)?;
        check_projects(&auth, &restoring)?;
        drop(auth);
        if restoring.join(IMAGES).exists() {
            fs::rename(restoring.join(IMAGES), folder.join(IMAGES))?;
        }
        fs::rename(restoring.join(PROJECTS), folder.join(PROJECTS))?;
        fs::rename(restoring.join(SYSTEM_FILE), folder.join(SYSTEM_FILE))?;
        Ok(contents)
    });
    let contents = match restored {
        Ok(contents) => contents,
        Err(error) => {
            // The error is reported in any case, and the next attempt removes the rest. The marker folder stays:
            // without it, `serve` would take the folder for a new one, and begin with an empty shop.
            let _ = remove_unfinished_contents(folder);
            return Err(error).with_context(|| {
                format!(
                    "{} cannot be restored. {} is marked as not restored, so that no server uses it: restore an \
                     undamaged backup into it, or remove it",
                    arguments.file.display(),
                    folder.display()
                )
            });
        }
    };
    sync_folder_of(&folder.join(SYSTEM_FILE))?;
    fs::remove_dir_all(&restoring)?;
    let count = |folder: &str| contents.files.keys().filter(|name| name.starts_with(folder)).count();
    let counted = |count: usize, name: &str| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
    writeln!(
        io::stdout(),
        "{} restored: {}, {}, as of {}",
        folder.display(),
        counted(count(PROJECTS), "project"),
        counted(count(IMAGES), "image file"),
        contents.created_at
    )?;
    Ok(())
}

/// Fills a database without projects. Projects are listed last, so that an interrupted restore can be repeated.
fn into_database(arguments: &RestoreArguments, options: &DatabaseOptions) -> anyhow::Result<()> {
    let database = database::open(options.clone())?;
    let name = database.name();
    let system_store = database.system_store();
    let (projects, _) = system_store.all()?;
    if let Some(project) = projects.first() {
        bail!("the database {name} has projects already, '{}' for one", project.key);
    }
    let parts = temporary_folder::create_private("kontor-restore-")?;
    let restored = unpack(&arguments.file, parts.path()).and_then(|contents| {
        let file = parts.path().join(SYSTEM_FILE);
        check_projects(&open_undamaged(&file, SystemDurability::InMemory)?, parts.path())?;
        let system_contents = SystemContents::from_file(&file)?;
        for project in &system_contents.projects {
            let file = parts.path().join(PROJECTS).join(format!("{}.db", project.key));
            database.open_or_create(&project.key)?.restore(&file)?;
        }
        let images = parts.path().join(IMAGES);
        if images.exists() {
            let folder = &arguments.data.data;
            private_files::create_protected(folder)?;
            fs::create_dir_all(folder.join(IMAGES))?;
            private_files::protect(folder)?;
            copy_images(&images, &folder.join(IMAGES))?;
        }
        system_store.fill(&system_contents)?;
        Ok((contents, system_contents.projects.len()))
    });
    let (contents, projects) =
        restored.with_context(|| format!("{} cannot be restored", arguments.file.display()))?;
    let images = contents.files.keys().filter(|name| name.starts_with(IMAGES)).count();
    let mut out = io::stdout();
    writeln!(out, "{name} filled: projects: {projects}, as of {}", contents.created_at)?;
    if images > 0 {
        let folder = arguments.data.data.join(IMAGES);
        writeln!(
            out,
            "{images} image files are in {}: several servers need them in a bucket",
            folder.display()
        )?;
    }
    Ok(())
}

fn copy_images(from: &Path, to: &Path) -> io::Result<()> {
    for project in fs::read_dir(from)? {
        let project = project?;
        let folder = to.join(project.file_name());
        fs::create_dir_all(&folder)?;
        for image in fs::read_dir(project.path())? {
            let image = image?;
            fs::copy(image.path(), folder.join(image.file_name()))?;
        }
    }
    Ok(())
}

/// Opens a system file. Fails if anything in it is damaged.
fn open_undamaged(path: &Path, durability: SystemDurability) -> anyhow::Result<AuthService> {
    let whole = verify_system_file(path).map_err(anyhow::Error::from);
    whole
        .and_then(|verified| Ok(verified.ensure_undamaged(Path::new(SYSTEM_FILE))?))
        .with_context(|| format!("its {SYSTEM_FILE} cannot be used"))?;
    Ok(AuthService::open(path, durability)?)
}

/// Opens the file of each listed project. Fails if one is missing or damaged.
fn check_projects(auth: &AuthService, restoring: &Path) -> anyhow::Result<()> {
    for project in auth.projects() {
        let key = project.key();
        let name = format!("{PROJECTS}/{key}.db");
        let path = restoring.join(&name);
        if !path.exists() {
            bail!("it lists the project '{key}' and has no {name}");
        }
        let whole = verify_file(&path).and_then(|verified| verified.ensure_undamaged(Path::new(&name)));
        whole.with_context(|| format!("its {name} cannot be used"))?;
        let storage = Sqlite::open(&path, SqliteOptions::for_project(key))
            .with_context(|| format!("its {name} cannot be opened"))?;
        let settings = storage.get(PROJECT, key).with_context(|| format!("its {name} cannot be read"))?;
        settings.with_context(|| format!("its {name} is not the file of the project '{key}'"))?;
    }
    Ok(())
}

/// Removes the results of an unfinished restore; the marker folder last.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    remove_unfinished_contents(folder)?;
    ignore_not_found(fs::remove_dir_all(folder.join(RESTORING)))
}

/// Removes the results of an unfinished restore, but not the marker folder.
fn remove_unfinished_contents(folder: &Path) -> io::Result<()> {
    ignore_not_found(fs::remove_file(folder.join(SYSTEM_FILE)))?;
    ignore_not_found(fs::remove_dir_all(folder.join(PROJECTS)))?;
    ignore_not_found(fs::remove_dir_all(folder.join(IMAGES)))?;
    let restoring = folder.join(RESTORING);
    ignore_not_found(fs::remove_dir_all(restoring.join(PROJECTS)))?;
    ignore_not_found(fs::remove_dir_all(restoring.join(IMAGES)))?;
    ignore_not_found(fs::remove_file(restoring.join(SYSTEM_FILE)))
}

fn ignore_not_found(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Unpacks a backup and verifies its checksums.
pub(crate) fn unpack(file: &Path, to: &Path) -> anyhow::Result<BackupManifest> {
    let mut archive = tar::Archive::new(io::BufReader::new(File::open(file)?));
    let mut digests = BTreeMap::new();
    let mut folders = BTreeSet::new();
    let mut contents: Option<BackupManifest> = None;
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let name = path.to_string_lossy().into_owned();
        if name == CONTENTS_FILE {
            let mut bytes = Vec::new();
            entry.by_ref().take(CONTENTS_BYTES_MAX).read_to_end(&mut bytes)?;
            contents = Some(
                kontor_json::from_slice(&bytes).with_context(|| format!("{CONTENTS_FILE} cannot be read"))?,
            );
            continue;
        }
        if !is_expected(&path) {
            bail!("it has '{name}', which is no part of a backup");
        }
        if !entry.header().entry_type().is_file() {
            bail!("its '{name}' is a link or something else that is no file");
        }
        let mut hashed = HashingReader { inner: entry, hash: Sha256::new() };
        if let Some(folder) = path.parent() {
            create_synced(&to.join(folder))?;
            folders.insert(to.join(folder));
        }
        let mut file = File::create_new(to.join(&path))?;
        io::copy(&mut hashed, &mut file)?;
        file.sync_all()?;
        digests.insert(name, hashed.digest());
    }
    for folder in folders {
        // Makes the names of the files durable; their contents are on disk already.
        File::open(folder)?.sync_all()?;
    }
    let Some(contents) = contents else {
        bail!("it has no {CONTENTS_FILE} at its end: it was never finished")
    };
    if !(1..=FORMAT).contains(&contents.format) {
        bail!(
            "it has format {}, this release reads 1 to {FORMAT}: written by Kontor {}",
            contents.format,
            contents.version
        );
    }
    if contents.files != digests || !digests.contains_key(SYSTEM_FILE) {
        bail!("its files are not those that {CONTENTS_FILE} lists: it is damaged");
    }
    // SQLite treats an empty file as a new database, and a server would start without data.
    if fs::metadata(to.join(SYSTEM_FILE))?.len() == 0 {
        bail!("its {SYSTEM_FILE} is empty");
    }
    Ok(contents)
}

/// True for `system.db`, `projects/{key}.db` and `images/{key}/{name}`; false for paths that leave the folder.
fn is_expected(path: &Path) -> bool {
    let parts: Vec<Component<'_>> = path.components().collect();
    match parts.as_slice() {
        [Component::Normal(file)] => *file == SYSTEM_FILE,
        [Component::Normal(folder), Component::Normal(file)] => {
            let key = file.to_str().and_then(|file| file.strip_suffix(".db"));
            *folder == PROJECTS && key.is_some_and(|key| check_project_key(key).is_ok())
        }
        [Component::Normal(folder), Component::Normal(project), Component::Normal(_)] => {
            *folder == IMAGES && project.to_str().is_some_and(|key| check_project_key(key).is_ok())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_data_folder_are_unpacked() {
        for path in ["system.db", "projects/shop.db", "images/shop/sofa-1.png"] {
            assert!(is_expected(Path::new(path)), "{path}");
        }
        for path in [
            "../system.db",
            "/system.db",
            "projects/../x.db",
            "projects/Shop.db",
            "other",
            "projects/a/b.db",
            "images/shop",
            "images/../system.db",
            "images/Shop/a.png",
            "images/shop/../a.png",
        ] {
            assert!(!is_expected(Path::new(path)), "{path}");
        }
    }
}
