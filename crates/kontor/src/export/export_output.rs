//! Writes an export: JSON Lines that name their resource type, or a folder with one file per resource type.

use super::ExportLine;
use crate::import_rules;
use crate::private_files::OWNER_ONLY;
use anyhow::Context as _;
use kontor_json::{Value, json};
use kontor_model::Kind;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The file of a folder that maps keys of resources to their ids in the exported project.
pub(crate) const IDS_FILE: &str = "ids.jsonl";

/// The output of an export, one resource type after the other.
pub(super) trait ExportOutput {
    fn start_kind(&mut self, _kind: &Kind) -> anyhow::Result<()> {
        Ok(())
    }
    /// Writes a stored resource.
    fn document(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<()>;
    fn line(&mut self, kind: &Kind, line: &ExportLine) -> anyhow::Result<()>;
    /// Writes a stored resource that an import stores without a draft.
    fn stored_resource(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<()>;
    fn end(&mut self, _kind: &Kind) -> anyhow::Result<()> {
        Ok(())
    }
    fn finish(&mut self) -> anyhow::Result<()>;
}

/// JSON Lines: one line per resource.
pub(super) struct JsonLinesOutput<W: Write>(pub(super) W);

impl<W: Write> ExportOutput for JsonLinesOutput<W> {
    fn document(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<()> {
        Ok(writeln!(self.0, "{}", json!({"kind": kind.type_id, "resource": document}))?)
    }

    fn line(&mut self, kind: &Kind, line: &ExportLine) -> anyhow::Result<()> {
        Ok(writeln!(self.0, "{}", line.to_json(kind))?)
    }

    fn stored_resource(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<()> {
        self.document(kind, document)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        Ok(self.0.flush()?)
    }
}

/// One file with a JSON array per resource type. Elements are plain drafts where possible; ids are in [`IDS_FILE`].
pub(super) struct FolderOutput {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    count: usize,
    ids: Option<BufWriter<File>>,
}

impl FolderOutput {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None, count: 0, ids: None }
    }

    fn path_of(&self, kind: &Kind) -> PathBuf {
        let is_settings = import_rules::is_settings(kind);
        let is_file = kind.has_path && !kind.path.contains('/');
        let name = if is_settings || !is_file { &kind.type_id } else { &kind.path };
        self.path.join(format!("{name}.json"))
    }

    fn add(&mut self, kind: &Kind, value: &Value) -> anyhow::Result<()> {
        let before = match (self.count, import_rules::is_settings(kind)) {
            (0, true) => "",
            (0, false) => "[\n",
            _ => ",\n",
        };
        self.count += 1;
        if let Some(file) = &mut self.file {
            write!(file, "{before}{value:#}")?;
        }
        Ok(())
    }
}

impl ExportOutput for FolderOutput {
    fn start_kind(&mut self, kind: &Kind) -> anyhow::Result<()> {
        self.file = Some(BufWriter::new(create(&self.path_of(kind))?));
        self.count = 0;
        Ok(())
    }

    fn document(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<()> {
        self.add(kind, document)
    }

    fn line(&mut self, kind: &Kind, line: &ExportLine) -> anyhow::Result<()> {
        let ExportLine { id, key, draft, number, actions, metadata } = line;
        if id.is_none() && metadata.is_none() {
            return self.add(kind, draft);
        }
        let says_all = actions.is_empty() && metadata.is_none() && number.is_none();
        let (Some(id), Some(key), true) = (id, key, says_all) else {
            return self.add(kind, &line.to_json(kind));
        };
        if self.ids.is_none() {
            self.ids = Some(BufWriter::new(create(&self.path.join(IDS_FILE))?));
        }
        if let Some(ids) = &mut self.ids {
            writeln!(ids, "{}", json!({"kind": kind.type_id, "id": id, "key": key}))?;
        }
        self.add(kind, draft)
    }

    fn stored_resource(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<()> {
        self.add(kind, &json!({"kind": kind.type_id, "resource": document}))
    }

    fn end(&mut self, kind: &Kind) -> anyhow::Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        match (self.count, import_rules::is_settings(kind)) {
            (0, _) => return Ok(fs::remove_file(self.path_of(kind))?),
            (_, true) => writeln!(file)?,
            (_, false) => writeln!(file, "\n]")?,
        }
        Ok(file.flush()?)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        match &mut self.ids {
            Some(ids) => Ok(ids.flush()?),
            None => Ok(()),
        }
    }
}

/// Creates a new private file: an export has the addresses of customers, and maybe secrets.
pub(super) fn create(path: &Path) -> anyhow::Result<File> {
    let make = || -> io::Result<File> {
        match fs::symlink_metadata(path) {
            // E.g. a pipe: its creator has set the mode.
            Ok(found) if !found.is_file() && !found.is_symlink() => return File::create(path),
            // An existing file may have another mode, or be open in another process.
            Ok(_) => fs::remove_file(path)?,
            Err(_) => {}
        }
        OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)
    };
    make().with_context(|| format!("{} cannot be written", path.display()))
}
