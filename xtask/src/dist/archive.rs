//! Archives that are the same for the same content: entries in the order given, one time, owners by number.

use crate::run::run_quietly;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use tar::{Builder, EntryType, Header};

/// A tar file that is being written.
pub(crate) struct Archive {
    builder: Builder<File>,
    path: PathBuf,
    epoch: u64,
}

impl Archive {
    pub(crate) fn begin(path: &Path, epoch: u64) -> Result<Self, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Archive { builder: Builder::new(file), path: path.to_owned(), epoch })
    }

    /// Adds a folder; `owner` is the number of its user and group.
    pub(crate) fn folder(&mut self, name: &str, mode: u32, owner: u64) -> Result<(), String> {
        let mut header = self.header(EntryType::Directory, mode, owner, 0);
        let name = format!("{name}/");
        self.builder
            .append_data(&mut header, &name, std::io::empty())
            .map_err(|error| self.path_error(&error))
    }

    /// Adds a file with this content.
    pub(crate) fn text(&mut self, name: &str, mode: u32, content: &[u8]) -> Result<(), String> {
        let mut header = self.header(EntryType::Regular, mode, 0, content.len() as u64);
        self.builder.append_data(&mut header, name, content).map_err(|error| self.path_error(&error))
    }

    /// Adds a copy of a file.
    pub(crate) fn file(&mut self, name: &str, mode: u32, from: &Path) -> Result<(), String> {
        let failed = |error| format!("{}: {error}", from.display());
        let file = File::open(from).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut header = self.header(EntryType::Regular, mode, 0, length);
        self.builder.append_data(&mut header, name, file).map_err(|error| self.path_error(&error))
    }

    fn header(&self, kind: EntryType, mode: u32, owner: u64, length: u64) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_uid(owner);
        header.set_gid(owner);
        header.set_mtime(self.epoch);
        header.set_size(length);
        header
    }

    fn path_error(&self, error: &std::io::Error) -> String {
        format!("{}: {error}", self.path.display())
    }

    /// Ends the archive, and returns its path.
    pub(crate) fn finish(self) -> Result<PathBuf, String> {
        let Archive { builder, path, .. } = self;
        builder.into_inner().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Ends the archive and compresses it. Returns the path, which ends with `.gz`; the archive itself does not stay.
    pub(crate) fn finish_gzip(self) -> Result<PathBuf, String> {
        let path = self.finish()?;
        let compressed = compress_gzip(&path)?;
        std::fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(compressed)
    }
}

/// Compresses a file, without a name and a time. Returns the path of the compressed file, which ends with `.gz`.
pub(crate) fn compress_gzip(path: &Path) -> Result<PathBuf, String> {
    run_quietly(Command::new("gzip").args(["--force", "--keep", "--best", "--no-name"]).arg(path))?;
    let mut name = path.as_os_str().to_owned();
    name.push(".gz");
    Ok(name.into())
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(crate) fn sha256(path: &Path) -> Result<String, String> {
    // The program of the system: a debug build of the library would take seconds for each file.
    let printed = run_quietly(Command::new("sha256sum").arg("--").arg(path))?;
    let digits = printed.trim_start_matches('\\').split(' ').next().unwrap_or_default();
    if digits.len() == 64 { Ok(digits.to_owned()) } else { Err(format!("sha256sum printed {printed}")) }
}
