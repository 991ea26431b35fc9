//! Reads files of drafts.
//!
//! A file is a JSON array of drafts, drafts one after the other (JSON Lines), or tagged lines as `kontor export` writes
//! them: `{"kind": "state", "id": …, "draft": {…}, "actions": […]}`. A line without `draft` maps a key to an exported
//! id: `{"kind": "state", "id": …, "key": …}`. Resource types without drafts have the stored resource:
//! `{"kind": "order", "resource": {…}}`.

use super::ImportItem;
use super::draft_id::DraftIds;
use super::draft_secrets::ExportedMetadata;
use super::exported_ids::ExportedIds;
use crate::import_order;
use crate::import_rules::{NUMBER, creating_actions, is_settings};
use crate::resource_paths::ResourcePaths;
use crate::resource_type_name::{kind_by_full_name, kind_of};
use anyhow::{Context as _, bail};
use bytes::Bytes;
use indexmap::IndexMap;
use kontor_json::{Deserializer, Value};
use kontor_model::{Kind, KindId, Model, Operation};
use serde::Deserialize as _;
use serde::de::IgnoredAny;
use std::fs;
use std::path::{Path, PathBuf};

/// The extensions of files that are read.
const EXTENSIONS: &[&str] = &["json", "jsonl", "ndjson"];

/// The byte order mark that some editors write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The drafts of one resource type in one file.
#[derive(Debug)]
pub(crate) struct DraftBatch {
    /// The name of the file, without its folder.
    pub(crate) file: String,
    pub(crate) kind: KindId,
    pub(crate) items: Vec<ImportItem>,
}

/// All drafts to import, in import order.
#[derive(Debug, Default)]
pub(crate) struct DraftSources {
    pub(crate) batches: Vec<DraftBatch>,
    /// Skipped files, with the reason.
    pub(crate) notes: Vec<String>,
    /// The exported ids of resources.
    pub(crate) labels: ExportedIds,
    /// Files in folders that do not have drafts.
    foreign: Vec<String>,
}

/// Reads files and folders of files. `kind` is the resource type of all drafts, instead of the one in the file names.
pub(crate) fn read_drafts(
    model: &Model,
    paths: &[PathBuf],
    kind: Option<&str>,
) -> anyhow::Result<DraftSources> {
    let given =
        kind.map(|name| kind_by_full_name(model, name, |kind| refusal_of(kind).is_none())).transpose()?;
    let mut sources = DraftSources::default();
    for path in paths {
        if path.is_dir() {
            let mut files = Vec::new();
            for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
                files.push(entry?.path());
            }
            files.sort();
            for file in files.iter().filter(|file| file.is_file()) {
                sources.read_file(model, file, given, true)?;
            }
        } else {
            sources.read_file(model, path, given, false)?;
        }
    }
    if !sources.foreign.is_empty() {
        let ends = EXTENSIONS.join(", .");
        sources
            .notes
            .push(format!("{}: only files that end with .{ends} are read", sources.foreign.join(", ")));
    }
    let sequence = import_order::import_order_of_kinds(model);
    sources.batches.sort_by_key(|batch| sequence.iter().position(|kind| *kind == batch.kind));
    let labels = sources.labels.by_key();
    for (index, batch) in sources.batches.iter_mut().enumerate() {
        for item in &mut batch.items {
            item.batch = index;
            let key = item.draft.get("key").and_then(Value::as_str);
            if let (None, Some(key)) = (&item.label, key) {
                item.label = labels.get(&(item.kind, key.to_owned())).cloned();
            }
        }
    }
    Ok(sources)
}

impl DraftSources {
    /// Reads a file. A file without drafts is skipped if it was found in a folder, and an error if it was named.
    fn read_file(
        &mut self,
        model: &Model,
        path: &Path,
        given: Option<KindId>,
        in_folder: bool,
    ) -> anyhow::Result<()> {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        // `kontor export shop` writes a file without an extension.
        if !ending.map_or(!in_folder, |ending| EXTENSIONS.contains(&ending.as_str())) {
            if !in_folder {
                bail!(
                    "{file}: only files that end with .{}, or with nothing, are read",
                    EXTENSIONS.join(", .")
                );
            }
            self.foreign.push(file);
            return Ok(());
        }
        let values = values_of(path)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let named = given.or_else(|| kind_of(model, &stem));
        let mut by_kind: IndexMap<Option<KindId>, Vec<(usize, ParsedDraft)>> = IndexMap::new();
        for (index, value) in values.into_iter().enumerate() {
            let (kind, read) = parse_line(model, value, named).with_context(|| format!("{file}[{index}]"))?;
            match (kind, read) {
                (Some(kind), ParsedLine::Id { id, key }) => self.labels.add(&id, kind, Some(&key)),
                (_, ParsedLine::Id { .. }) => {}
                (kind, ParsedLine::Draft(read)) => by_kind.entry(kind).or_default().push((index, read)),
            }
        }
        for (kind, drafts) in by_kind {
            let count = drafts.len();
            let why = match kind {
                Some(kind) => match refusal_of(model.kind(kind)) {
                    None => {
                        self.add(model, &file, kind, drafts);
                        continue;
                    }
                    Some(why) => why,
                },
                None => "the file name contains no kind of resource; use --kind".to_owned(),
            };
            if !in_folder && kind.is_none() {
                bail!("{file}: {why}");
            }
            let drafts = if count == 1 { "draft" } else { "drafts" };
            self.notes.push(format!("{file} ({count} {drafts}): {why}"));
        }
        Ok(())
    }

    fn add(&mut self, model: &Model, file: &str, kind: KindId, drafts: Vec<(usize, ParsedDraft)>) {
        let entry = model.kind(kind);
        let mut ids = DraftIds::default();
        let mut items = Vec::with_capacity(drafts.len());
        for (index, ParsedDraft { draft, label, number, actions, metadata, is_whole }) in drafts {
            if let Some(label) = &label {
                self.labels.add(label, kind, draft.get("key").and_then(Value::as_str));
            }
            let has_name = ResourcePaths { model, project: "" }.by_name(entry, &draft).is_some();
            let new_id = || label.clone().unwrap_or_else(|| ids.next(&entry.type_id, &draft));
            let id = (!has_name && draft.is_object()).then(new_id);
            items.push(ImportItem {
                kind,
                batch: 0,
                index,
                draft,
                id,
                label,
                actions,
                number,
                is_whole,
                metadata,
            });
        }
        self.batches.push(DraftBatch { file: file.to_owned(), kind, items });
    }
}

/// Returns why drafts of a resource type are not imported; `None` if they are.
fn refusal_of(kind: &Kind) -> Option<String> {
    if !kind.is_served {
        return Some(format!("'{}' is not served yet", kind.type_id));
    }
    if kind.external_store.is_some() {
        return Some(format!("'{}' is not imported; `kontor client` creates API clients", kind.type_id));
    }
    let can_be = kind.exports_stored
        || is_settings(kind)
        || kind.allows(Operation::Create)
        || !creating_actions(kind).is_empty();
    (!can_be).then(|| format!("'{}' cannot be created", kind.type_id))
}

/// Returns the values of a file: the elements of its array, or one after the other. In the second case, which may be
/// very many, nested objects are parsed lazily: a parsed draft takes ten times the memory of its text.
fn values_of(path: &Path) -> anyhow::Result<Vec<Value>> {
    let bytes = Bytes::from(fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?);
    let text = bytes.slice(if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len().. } else { 0.. });
    let not_json = || format!("{} is not JSON", path.display());
    let mut each = Deserializer::from_slice(&text).into_iter::<IgnoredAny>();
    let (mut values, mut start) = (Vec::new(), 0);
    while let Some(value) = each.next() {
        value.with_context(not_json)?;
        let end = each.byte_offset();
        values.push(value_of(&text.slice(start..end)).with_context(not_json)?);
        start = end;
    }
    if let [Value::Array(items)] = values.as_mut_slice() {
        return Ok(std::mem::take(items));
    }
    Ok(values)
}

fn value_of(text: &Bytes) -> kontor_json::Result<Value> {
    match text.trim_ascii_start().first() {
        Some(b'{') => kontor_json::read(text).map(Value::Object),
        _ => kontor_json::from_slice(text),
    }
}

/// A draft with the metadata of its line.
struct ParsedDraft {
    draft: Value,
    label: Option<String>,
    number: Option<i64>,
    actions: Vec<Value>,
    metadata: Option<ExportedMetadata>,
    /// The draft is the stored resource itself.
    is_whole: bool,
}

impl ParsedDraft {
    fn new(draft: Value, label: Option<String>) -> Self {
        Self { draft, label, number: None, actions: Vec::new(), metadata: None, is_whole: false }
    }
}

enum ParsedLine {
    Draft(ParsedDraft),
    /// The exported id of a resource with a key.
    Id {
        id: String,
        key: String,
    },
}

/// Parses a tagged line, or a plain draft of the file's resource type.
fn parse_line(
    model: &Model,
    value: Value,
    named: Option<KindId>,
) -> anyhow::Result<(Option<KindId>, ParsedLine)> {
    let plain = |draft| (named, ParsedLine::Draft(ParsedDraft::new(draft, None)));
    let Some(type_id) = value.get("kind").and_then(Value::as_str) else { return Ok(plain(value)) };
    let kind = || {
        let kind = model.kind_by_type_id(type_id);
        kind.with_context(|| format!("there is no kind of resource '{type_id}'")).map(Some)
    };
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    match (value.get("draft"), value.get("resource")) {
        (Some(draft @ Value::Object(_)), None) => {
            let actions = value.get("actions").and_then(Value::as_array).cloned().unwrap_or_default();
            let metadata =
                value.get("kept").map(ExportedMetadata::deserialize).transpose().context("kept")?;
            let number = value.get(NUMBER).and_then(Value::as_i64);
            let read =
                ParsedDraft { number, actions, metadata, ..ParsedDraft::new(draft.clone(), text("id")) };
            Ok((kind()?, ParsedLine::Draft(read)))
        }
        (None, Some(resource @ Value::Object(_)))
            if kind()?.is_some_and(|kind| model.kind(kind).exports_stored) =>
        {
            let id = resource["id"].as_str().map(str::to_owned);
            Ok((
                kind()?,
                ParsedLine::Draft(ParsedDraft { is_whole: true, ..ParsedDraft::new(resource.clone(), id) }),
            ))
        }
        (None, Some(Value::Object(_))) => {
            bail!("this is a stored resource; export without --documents to import it again")
        }
        _ => match (text("id"), text("key"), value.as_object().map(|fields| fields.len())) {
            (Some(id), Some(key), Some(3)) => Ok((kind()?, ParsedLine::Id { id, key })),
            _ => Ok(plain(value)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn reads_arrays_and_json_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("states.jsonl");
        let read = |text: &str| {
            fs::write(&file, text).unwrap();
            values_of(&file)
        };
        let drafts =
            vec![json!({"key": "a", "name": {"en": "A \"b\"\n"}}), json!({"key": "b", "list": [{"x": 1e3}]})];
        let lines: Vec<String> = drafts.iter().map(Value::to_string).collect();
        for text in [
            lines.join("\n"),
            format!("\u{feff}{}\r\n\n  {}\n", lines[0], lines[1]),
            lines.concat(),
            format!("\u{feff} [{}]\n", lines.join(",\n")),
        ] {
            assert_eq!(read(&text).unwrap(), drafts, "{text}");
        }
        assert_eq!(read("").unwrap(), Vec::<Value>::new());
        assert_eq!(read("1 \"two\"").unwrap(), [json!(1), json!("two")]);
        for text in ["{\"key\": \"a\"}\n{\"key\": ", "{\"key\": \"a\"} x", "[1,]"] {
            let problem = format!("{:#}", read(text).unwrap_err());
            assert!(problem.contains("states.jsonl is not JSON: "), "{problem}");
        }
    }
}
