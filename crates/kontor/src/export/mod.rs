//! `kontor export`: writes the resources of a project as drafts, which `kontor import` reads.
//!
//! Start at [`Export::write_to`]. Resource types are written in import order, the project settings first. Data of the
//! authorization service (API clients and their secrets) is never exported.

mod draft_converter;
mod export_output;
mod export_reader;
mod hidden_secrets;

use crate::arguments::ExportArguments;
use crate::import_order;
use crate::import_rules::{NUMBER, are_numbered, can_be_set, creating_actions, embedded_model, is_settings};
use crate::operator::{self, OperatorConnection};
use crate::resource_paths::unit_field;
use crate::resource_type_name::kind_by_full_name;
use anyhow::bail;
use draft_converter::{DraftWithActions, ExportReferences};
use export_output::{ExportOutput, FolderOutput, JsonLinesOutput};
use export_reader::{ConvertedDocument, ExportReader};
use kontor_json::{Map, Value, json};
use kontor_model::{Addressing, Kind, KindId, Model, Operation};
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Settings with a secret. The API returns it masked, so these settings are not exported.
const SECRET_SETTINGS: &[&str] = &["externalOAuth"];

/// Runs the command.
pub(crate) fn run(arguments: ExportArguments) -> anyhow::Result<()> {
    let model = embedded_model()?;
    let kinds = exported_kinds(&model, &arguments.kind)?;
    operator::run_command(async {
        let operator = OperatorConnection::connect_to_project(&arguments.place).await?;
        let mut export = Export::new(&operator, &model, &arguments.place.project);
        export.as_stored = arguments.documents;
        export.reader.with_secrets = arguments.with_secrets;
        export.check().await?;
        export.write_to(&kinds, &arguments.to).await?;
        export.print_summary();
        Ok(())
    })
}

/// Returns the resource types with these names, or all that can be exported, in import order.
pub(crate) fn exported_kinds(model: &Model, names: &[String]) -> anyhow::Result<Vec<KindId>> {
    let mut kinds: Vec<KindId> = import_order::import_order_of_kinds(model)
        .into_iter()
        .filter(|kind| can_be_exported(model.kind(*kind)))
        .collect();
    if !names.is_empty() {
        let mut wanted = Vec::new();
        for name in names {
            wanted.push(kind_by_full_name(model, name, can_be_exported)?);
        }
        kinds.retain(|kind| wanted.contains(kind));
    }
    Ok(kinds)
}

fn can_be_exported(kind: &Kind) -> bool {
    let can_be_imported =
        kind.draft.is_some() && kind.allows(Operation::Create) && kind.allows(Operation::Query);
    kind.is_served
        && kind.external_store.is_none()
        && (kind.exports_stored || can_be_imported || !creating_actions(kind).is_empty() || is_settings(kind))
}

/// Writes the documents of a project and counts them.
pub(crate) struct Export<'a> {
    reader: ExportReader<'a>,
    /// Write stored resources instead of drafts.
    as_stored: bool,
    targets: ExportReferences,
    resources: usize,
    by_id: usize,
    unsupported: usize,
}

impl<'a> Export<'a> {
    /// Creates an export of a project, as drafts.
    pub(crate) fn new(operator: &'a OperatorConnection, model: &'a Model, project: &'a str) -> Self {
        let reader = ExportReader { operator, model, project, with_secrets: false };
        Self {
            reader,
            as_stored: false,
            targets: ExportReferences::default(),
            resources: 0,
            by_id: 0,
            unsupported: 0,
        }
    }

    /// Fails if the project does not exist.
    pub(crate) async fn check(&self) -> anyhow::Result<()> {
        self.reader.operator.check_project(self.reader.project).await
    }

    /// Writes to an existing folder, to standard output (`-`), or to a file, which appears only when it is complete.
    pub(crate) async fn write_to(&mut self, kinds: &[KindId], to: &Path) -> anyhow::Result<()> {
        let with_secrets = self.reader.with_secrets;
        if to.is_dir() {
            return self.write(kinds, &mut FolderOutput::new(to)).await;
        }
        if to == Path::new("-") && with_secrets {
            bail!("an export with secrets goes to a file or a folder, which only its owner may read");
        }
        if to == Path::new("-") {
            return self.write(kinds, &mut JsonLinesOutput(BufWriter::new(io::stdout()))).await;
        }
        let mut partial = to.to_owned().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        self.write(kinds, &mut JsonLinesOutput(BufWriter::new(export_output::create(&partial)?))).await?;
        Ok(fs::rename(&partial, to)?)
    }

    async fn write(&mut self, kinds: &[KindId], out: &mut impl ExportOutput) -> anyhow::Result<()> {
        let Self { reader, as_stored, targets, resources, by_id, unsupported } = self;
        for kind in kinds {
            let entry = reader.model.kind(*kind);
            if reader.operator.is_client() && unit_field(entry).is_some() {
                eprintln!("'{}' is left out: only associates of a business unit can read it", entry.type_id);
                continue;
            }
            out.start_kind(entry)?;
            reader
                .for_each_document(*kind, &mut async |document| {
                    if *as_stored {
                        *resources += 1;
                        return out.document(entry, &document);
                    }
                    if hidden_secrets::hides_secrets(&document) {
                        hidden_secrets::warn_skipped(entry, &document);
                        return Ok(());
                    }
                    *resources += 1;
                    if entry.exports_stored {
                        return out.stored_resource(entry, &document);
                    }
                    if is_settings(entry) {
                        let draft = settings_of(reader.model, entry, &document);
                        return out.line(entry, &ExportLine { draft, ..ExportLine::default() });
                    }
                    let converted = reader.convert_document(entry, &document, targets).await?;
                    *by_id += converted.by_id;
                    *unsupported += converted.unsupported;
                    out.line(entry, &ExportLine::new(reader.model, entry, &document, converted))
                })
                .await?;
            out.end(entry)?;
        }
        out.finish()
    }

    /// Prints a summary on standard error: what was exported, and what was not.
    pub(crate) fn print_summary(&self) {
        eprintln!("{} resources of '{}' exported", self.resources, self.reader.project);
        if self.by_id > 0 {
            eprintln!(
                "{} references are by id because their targets have no key: import those together with their targets",
                self.by_id
            );
        }
        if self.unsupported > 0 {
            eprintln!(
                "{} staged changes are left out: no update action can make them (assets without key)",
                self.unsupported
            );
        }
    }
}

/// Returns the drafts of all resources of a resource type that have no key, with their ids.
pub(crate) async fn drafts_without_key(
    operator: &OperatorConnection,
    model: &Model,
    project: &str,
    kind: KindId,
) -> anyhow::Result<Vec<(String, Value)>> {
    let reader = ExportReader { operator, model, project, with_secrets: false };
    let (mut targets, mut drafts) = (ExportReferences::default(), Vec::new());
    let each = &mut async |document: Value| {
        if let (Some(id), None) = (document["id"].as_str(), document.get("key")) {
            let converted = reader.convert_document(model.kind(kind), &document, &mut targets).await?;
            drafts.push((id.to_owned(), converted.draft.draft));
        }
        Ok(())
    };
    reader.for_each_document(kind, each).await?;
    Ok(drafts)
}

/// One resource of an export.
#[derive(Debug, Default)]
pub(crate) struct ExportLine {
    /// The id in the exported project. An import replaces it with the new id wherever other drafts mention it.
    id: Option<String>,
    /// The key, if a resource can be found by its key alone.
    key: Option<String>,
    draft: Value,
    /// For documents that are numbered within another: the number.
    number: Option<i64>,
    /// The update actions to send after creation.
    actions: Vec<Value>,
    /// Id, version and secret hashes, which only the operator can read and set.
    metadata: Option<Value>,
}

impl ExportLine {
    fn new(model: &Model, kind: &Kind, document: &Value, converted: ConvertedDocument) -> Self {
        let DraftWithActions { draft, actions } = converted.draft;
        let text = |name: &str| document[name].as_str().map(str::to_owned);
        // In a business unit, a key is unique only together with the key of the unit.
        let is_by_key = kind.addressing == (Addressing::Id { by_key: true }) && unit_field(kind).is_none();
        let key = text(&kind.key_field).filter(|_| is_by_key);
        let has_id = matches!(kind.addressing, Addressing::Id { .. }) && creating_actions(kind).is_empty();
        let number = document[NUMBER].as_i64().filter(|_| are_numbered(model, kind));
        Self { id: text("id").filter(|_| has_id), key, draft, number, actions, metadata: converted.metadata }
    }

    /// Returns the line as JSON, including the resource type.
    fn to_json(&self, kind: &Kind) -> Value {
        let mut line = json!({"kind": kind.type_id});
        if let Some(id) = &self.id {
            line["id"] = json!(id);
        }
        line["draft"] = self.draft.clone();
        if let Some(number) = self.number {
            line[NUMBER] = json!(number);
        }
        if !self.actions.is_empty() {
            line["actions"] = json!(self.actions);
        }
        if let Some(kept) = &self.metadata {
            line["kept"] = kept.clone();
        }
        line
    }
}

/// Returns the settings that an import can set.
fn settings_of(model: &Model, kind: &Kind, document: &Value) -> Value {
    let mut draft = Map::new();
    for (name, value) in document.as_object().into_iter().flatten() {
        if !SECRET_SETTINGS.contains(&name.as_str()) && can_be_set(model, kind, name) {
            draft.insert(name.clone(), without_modification_times(value));
        }
    }
    Value::Object(draft)
}

/// Removes `lastModifiedAt` and `lastModifiedBy` from the parts of a setting: they apply to this project only.
fn without_modification_times(setting: &Value) -> Value {
    let mut setting = setting.clone();
    for part in setting.as_object_mut().into_iter().flat_map(|parts| parts.values_mut()) {
        if let Some(part) = part.as_object_mut() {
            part.retain(|name, _| !matches!(name.as_str(), "lastModifiedAt" | "lastModifiedBy"));
        }
    }
    setting
}
