//! Writes the archive of a backup: all files of a data folder as of one moment, and the uploaded images.
//!
//! It is a tar archive with `projects/{key}.db` and `system.db`, each one consistent snapshot of its database, then
//! `images/{project}/{name}`, and at the end `backup.json` with the SHA-256 of each file. An archive without
//! `backup.json` is incomplete. Images are read after the documents that reference them, so that no referenced image is
//! missing. Start at [`stream_archive`]; [`crate::restore`] reads the archive.

use crate::data_folder::{IMAGES, PROJECTS, SYSTEM_FILE};
use crate::platform::Platform;
use crate::private_files::OWNER_ONLY;
use axum::body::Body;
use bytes::Bytes;
use kontor_auth::verify_system_file;
use kontor_engine::{Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_http::Server;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::mpsc::{Sender, channel};

/// The last entry of a backup.
pub(crate) const CONTENTS_FILE: &str = "backup.json";
/// The format that this release writes. Format 1, which had no images, can still be restored.
pub(crate) const FORMAT: u32 = 2;
/// The response header with the URL of the bucket of uploaded images, when the archive does not contain them.
pub(crate) const IMAGES_ELSEWHERE: &str = "x-kontor-images-elsewhere";
/// Size of a chunk of the response body, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;
/// How many chunks may be queued for a slow client before writing blocks (backpressure).
const CHUNKS_WAITING_MAX: usize = 4;
/// How many times the backup starts over when projects are created or removed meanwhile.
const ATTEMPTS_MAX: usize = 10;

/// The contents of `backup.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BackupManifest {
    pub(crate) format: u32,
    /// The Kontor release that wrote the backup.
    pub(crate) version: String,
    pub(crate) created_at: String,
    /// SHA-256 of each file, in hexadecimal digits.
    pub(crate) files: BTreeMap<String, String>,
}

/// Returns the archive as a response body that is written while it is sent.
///
/// Calls `failed` with the reason when writing fails later, because the body itself can only end early.
pub(crate) async fn stream_archive(
    platform: &Arc<Platform>,
    server: &Server,
    failed: impl FnOnce(String) + Send + 'static,
) -> ApiResult<Body> {
    let parts = platform.folder.create_backup_parts().map_err(|error| internal_error(&error))?;
    let keys = copy_system_file(platform, parts.path()).await?;
    let mut shops = Vec::with_capacity(keys.len());
    for key in keys {
        shops.push(server.shop(&key).await?);
    }
    let images = platform.folder.path().join(IMAGES);
    let (sender, mut receiver) = channel(CHUNKS_WAITING_MAX);
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(CHUNK_BYTES, ChunkWriter(sender.clone()));
        let written = write_archive(&mut out, &parts, &shops, &images).and_then(|()| out.flush());
        if let Err(error) = written {
            tracing::error!(%error, "a backup could not be written");
            failed(error.to_string());
            // The client must not take the partial archive for a complete one. It may be gone already.
            let _ = sender.blocking_send(Err(io::Error::other("the backup failed")));
        }
    });
    Ok(Body::from_stream(futures_util::stream::poll_fn(move |context| receiver.poll_recv(context))))
}

/// Copies the system file and returns the keys of its projects. Retries while the list of projects changes.
async fn copy_system_file(platform: &Arc<Platform>, parts: &Path) -> ApiResult<Vec<String>> {
    let to = parts.join(SYSTEM_FILE);
    for _ in 0..ATTEMPTS_MAX {
        let before = platform.auth.projects();
        let (auth, path) = (Arc::clone(&platform.auth), to.clone());
        tokio::task::spawn_blocking(move || auth.backup(&path))
            .await
            .map_err(|error| internal_error(&error.into()))??;
        if platform.auth.projects() == before {
            return Ok(before.iter().map(|project| project.key().to_owned()).collect());
        }
        fs::remove_file(&to).map_err(|error| internal_error(&error))?;
    }
    Err(ApiError::invalid_operation("Projects were created or removed during each attempt. Try again."))
}

fn write_archive(
    out: &mut impl Write,
    parts: &TempDir,
    shops: &[Arc<Shop>],
    images: &Path,
) -> io::Result<()> {
    let mut archive = tar::Builder::new(out);
    let mut files = BTreeMap::new();
    let mut add = |name: String, path: &Path| -> io::Result<()> {
        let digest = append_path(&mut archive, &name, path)?;
        files.insert(name, digest);
        fs::remove_file(path)
    };
    for shop in shops {
        let path = parts.path().join("project.db");
        let copied = shop.storage().backup(&path);
        copied.map_err(|error| {
            let why = if error.is_damage() {
                error.to_string()
            } else {
                storage_failure(error).message().to_owned()
            };
            io::Error::other(format!("project '{}': {why}", shop.key))
        })?;
        add(format!("{PROJECTS}/{}.db", shop.key), &path)?;
    }
    let whole = verify_system_file(&parts.path().join(SYSTEM_FILE)).map_err(io::Error::other)?;
    whole.ensure_undamaged(Path::new(SYSTEM_FILE)).map_err(io::Error::other)?;
    add(SYSTEM_FILE.to_owned(), &parts.path().join(SYSTEM_FILE))?;
    for shop in shops {
        append_images(&mut archive, &images.join(&shop.key), &shop.key, &mut files)?;
    }
    let contents = BackupManifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: kontor_engine::format_time(jiff::Timestamp::now()),
        files,
    };
    let contents = kontor_json::to_vec_pretty(&contents)?;
    archive.append_data(&mut file_header(contents.len() as u64), CONTENTS_FILE, contents.as_slice())?;
    archive.finish()
}

/// Adds the images of a project. An image that is removed meanwhile is skipped; a new one may be missing.
fn append_images(
    archive: &mut tar::Builder<impl Write>,
    folder: &Path,
    project: &str,
    files: &mut BTreeMap<String, String>,
) -> io::Result<()> {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let entries = match fs::read_dir(folder) {
        Err(error) if is_gone(&error) => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{IMAGES}/{project}/{}", entry.file_name().to_string_lossy());
        // Temporary files of unfinished uploads have a `#` in their names.
        if name.contains('#') || !entry.file_type()?.is_file() {
            continue;
        }
        match File::open(entry.path()) {
            Err(error) if is_gone(&error) => {}
            file => {
                let digest = append_file(archive, &name, file?)?;
                files.insert(name, digest);
            }
        }
    }
    Ok(())
}

/// Adds a file and returns its SHA-256.
fn append_path(archive: &mut tar::Builder<impl Write>, name: &str, path: &Path) -> io::Result<String> {
    append_file(archive, name, File::open(path)?)
}

fn append_file(archive: &mut tar::Builder<impl Write>, name: &str, file: File) -> io::Result<String> {
    let mut header = file_header(file.metadata()?.len());
    let mut hashed = HashingReader { inner: file, hash: Sha256::new() };
    archive.append_data(&mut header, name, &mut hashed)?;
    Ok(hashed.digest())
}

fn file_header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(OWNER_ONLY);
    header.set_mtime(jiff::Timestamp::now().as_second().unsigned_abs());
    header
}

/// A reader that computes the SHA-256 of the bytes read through it.
pub(crate) struct HashingReader<T> {
    pub(crate) inner: T,
    pub(crate) hash: Sha256,
}

impl<T> HashingReader<T> {
    /// Returns the SHA-256 of the bytes so far, in hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        self.hash.clone().finalize().iter().fold(String::new(), |mut text, byte| {
            // Writing to a String does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl<T: Read> Read for HashingReader<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}

/// A writer that sends chunks to the response body, and blocks while its queue is full.
struct ChunkWriter(Sender<io::Result<Bytes>>);

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let chunk = Bytes::copy_from_slice(bytes);
        self.0.blocking_send(Ok(chunk)).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn internal_error(error: &io::Error) -> ApiError {
    tracing::error!(%error, "a backup could not be made");
    ApiError::internal()
}
