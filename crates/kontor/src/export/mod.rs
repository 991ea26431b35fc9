//! `kontor export`: the resources of a project as drafts that can be imported, here or elsewhere.
//!
//! Kinds are written in the sequence in which they are imported, the settings of the project first. What the
//! authorization service holds (clients, secrets) is never exported.

mod draft_of;

use crate::arguments::ExportArguments;
use crate::import::{embedded_model, sequence, settings};
use crate::operator::{self, Operator};
use crate::resource::{encoded, id_path, kind_path, unit_field, unit_path};
use anyhow::{Context as _, anyhow};
use axum::http::Method;
use draft_of::{DraftOf, Keys};
use kontor_model::{Kind, KindId, Listing, Model, Operation, Shape};
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Resources that are read at a time.
const PAGE: usize = 500;
/// Settings that hold a secret, which is shown in part only and would be wrong anywhere.
const SECRET_SETTINGS: &[&str] = &["externalOAuth"];

/// Writes an export.
pub(crate) fn run(arguments: ExportArguments) -> anyhow::Result<()> {
    let model = embedded_model()?;
    let kinds = kinds_of(&model, &arguments.kind)?;
    operator::run(async {
        let operator = Operator::reach(&arguments.place.data, false).await?;
        let mut export = Export {
            operator: &operator,
            model: &model,
            project: &arguments.place.project,
            as_stored: arguments.documents,
            keys: Keys::default(),
            resources: 0,
            by_id: 0,
        };
        let project = operator.send(Method::GET, &format!("/{}", encoded(export.project)), None).await?;
        project.accepted().with_context(|| format!("project '{}'", export.project))?;
        let to = &arguments.to;
        if to.is_dir() {
            export.write_folder(&kinds, to).await?;
        } else if to == Path::new("-") {
            export.write_lines(&kinds, &mut BufWriter::new(io::stdout())).await?;
        } else {
            let mut partial = to.clone().into_os_string();
            partial.push(".partial");
            let partial = PathBuf::from(partial);
            export.write_lines(&kinds, &mut BufWriter::new(create(&partial)?)).await?;
            fs::rename(&partial, to)?;
        }
        export.print_summary();
        Ok(())
    })
}

/// What is exported: the kinds of these names, or all that can be.
fn kinds_of(model: &Model, names: &[String]) -> anyhow::Result<Vec<KindId>> {
    let mut kinds: Vec<KindId> =
        sequence::of_kinds(model).into_iter().filter(|kind| can_be_exported(model.kind(*kind))).collect();
    if !names.is_empty() {
        let mut wanted = Vec::new();
        for name in names {
            let kind = model.kind_by_type_id(name).filter(|kind| kinds.contains(kind));
            wanted.push(
                kind.ok_or_else(|| anyhow!("there is no kind of resource '{name}' that can be exported"))?,
            );
        }
        kinds.retain(|kind| wanted.contains(kind));
    }
    Ok(kinds)
}

fn can_be_exported(kind: &Kind) -> bool {
    let can_be_imported =
        kind.draft.is_some() && kind.allows(Operation::Create) && kind.allows(Operation::Query);
    kind.is_served
        && kind.held.is_none()
        && (can_be_imported || !kind.made_by.is_empty() || settings::is_settings(kind))
}

struct Export<'a> {
    operator: &'a Operator,
    model: &'a Model,
    project: &'a str,
    as_stored: bool,
    keys: Keys,
    resources: usize,
    /// References whose target has no key.
    by_id: usize,
}

impl Export<'_> {
    /// One line a resource.
    async fn write_lines(&mut self, kinds: &[KindId], out: &mut impl Write) -> anyhow::Result<()> {
        for kind in kinds {
            let type_id = &self.model.kind(*kind).type_id;
            let name = if self.as_stored { "resource" } else { "draft" };
            self.each(*kind, &mut |value| Ok(writeln!(out, "{}", json!({"kind": type_id, name: value}))?))
                .await?;
        }
        Ok(out.flush()?)
    }

    /// One file a kind.
    async fn write_folder(&mut self, kinds: &[KindId], folder: &Path) -> anyhow::Result<()> {
        for kind in kinds {
            let entry = self.model.kind(*kind);
            let is_settings = settings::is_settings(entry);
            let name = if is_settings || !entry.has_path { &entry.type_id } else { &entry.path };
            let path = folder.join(format!("{name}.json"));
            let mut out = BufWriter::new(create(&path)?);
            let mut count = 0;
            self.each(*kind, &mut |value| {
                let before = if count > 0 {
                    ",\n"
                } else if is_settings {
                    ""
                } else {
                    "[\n"
                };
                count += 1;
                Ok(write!(out, "{before}{value:#}")?)
            })
            .await?;
            match (count, is_settings) {
                (0, _) => fs::remove_file(&path)?,
                (_, true) => writeln!(out)?,
                (_, false) => writeln!(out, "\n]")?,
            }
            out.flush()?;
        }
        Ok(())
    }

    /// Hands over each resource of a kind, by id.
    async fn each(
        &mut self,
        kind: KindId,
        write: &mut dyn FnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let entry = self.model.kind(kind);
        if settings::is_settings(entry) {
            let path = format!("/{}", encoded(self.project));
            let found = self.operator.send(Method::GET, &path, None).await?.accepted()?;
            let value = if self.as_stored { found } else { settings_of(self.model, entry, &found) };
            self.resources += 1;
            return write(value);
        }
        // Where its documents are: in one place, or in one of each document of another kind.
        if unit_field(entry).is_some() {
            let unit = self.model.unit_kind().ok_or_else(|| anyhow!("the model has no units"))?;
            return self.each_below(self.model.kind(unit), entry, None, write).await;
        }
        if let Some(list) = entry.lists.first().filter(|_| !entry.has_path) {
            return self.each_below(self.model.kind(list.parent), entry, Some(list), write).await;
        }
        let path = kind_path(self.project, entry);
        self.each_at(entry, &path, "id", None, write).await
    }

    /// Hands over each resource that is found below documents of another kind.
    async fn each_below(
        &mut self,
        parent: &Kind,
        kind: &Kind,
        list: Option<&Listing>,
        write: &mut dyn FnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let above = kind_path(self.project, parent);
        let mut after = None;
        loop {
            let page = self.page(&above, "id", after.as_deref()).await?;
            for document in &page {
                let id = document["id"].as_str().unwrap_or_default();
                match list {
                    Some(list) => {
                        let path = format!("{above}/{}/{}", encoded(id), list.path);
                        let by = (list.by.as_str(), json!({"typeId": parent.type_id, "id": id}));
                        // One document refers to another once at most.
                        let field = self.first_reference(list).unwrap_or_else(|| "id".to_owned());
                        self.each_at(kind, &path, &field, Some(by), write).await?;
                    }
                    None => {
                        let unit = document["key"].as_str().unwrap_or_default();
                        if let Some(path) = unit_path(self.project, kind, unit) {
                            self.each_at(kind, &path, "id", None, write).await?;
                        }
                    }
                }
            }
            after = page.last().and_then(|last| last["id"].as_str()).map(str::to_owned);
            if page.len() < PAGE || after.is_none() {
                return Ok(());
            }
        }
    }

    /// The id by which documents of a list are told apart: that of the first reference that is shown.
    fn first_reference(&self, list: &Listing) -> Option<String> {
        let shown = &self.model.object(list.shows).fields;
        let reference = shown.iter().find(|field| matches!(field.shape, Shape::Reference(_)))?;
        Some(format!("{}.id", reference.name))
    }

    /// Hands over each resource at a path, by a field that tells them apart; with what the path alone says about it.
    async fn each_at(
        &mut self,
        kind: &Kind,
        path: &str,
        field: &str,
        said: Option<(&str, Value)>,
        write: &mut dyn FnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let pointer = format!("/{}", field.replace('.', "/"));
        let mut after = None;
        loop {
            let mut page = self.page(path, field, after.as_deref()).await?;
            after = page.last().and_then(|last| last.pointer(&pointer)?.as_str()).map(str::to_owned);
            for document in &mut page {
                if let (Some((name, value)), Some(fields)) = (&said, document.as_object_mut()) {
                    fields.insert((*name).to_owned(), value.clone());
                }
                let value =
                    if self.as_stored { document.clone() } else { self.draft(kind, document).await? };
                self.resources += 1;
                write(value)?;
            }
            if page.len() < PAGE || after.is_none() {
                return Ok(());
            }
        }
    }

    async fn page(&self, path: &str, field: &str, after: Option<&str>) -> anyhow::Result<Vec<Value>> {
        let sort = encoded(&format!("{field} asc"));
        let mut path = format!("{path}?sort={sort}&limit={PAGE}&withTotal=false");
        if let Some(after) = after {
            let condition = match field.rsplit_once('.') {
                None => format!("{field} > \"{after}\""),
                Some((outside, inside)) => format!("{outside}({inside} > \"{after}\")"),
            };
            path.push_str(&format!("&where={}", encoded(&condition)));
        }
        match self.operator.send(Method::GET, &path, None).await?.accepted()?["results"].take() {
            Value::Array(page) => Ok(page),
            _ => Err(anyhow!("the server sent no results")),
        }
    }

    /// The draft of a document. Looks up the keys that it needs.
    async fn draft(&mut self, kind: &Kind, document: &Value) -> anyhow::Result<Value> {
        loop {
            let mut conversion = DraftOf::new(self.model, &self.keys);
            let draft = conversion.of(kind, document);
            let DraftOf { unknown, by_id, .. } = conversion;
            if unknown.is_empty() {
                self.by_id += by_id;
                return Ok(draft);
            }
            for (type_id, id) in unknown {
                let key = self.key_of(&type_id, &id).await?;
                self.keys.insert((type_id, id), key);
            }
        }
    }

    /// The key of a resource, where it has one by which it can be referred to.
    async fn key_of(&self, type_id: &str, id: &str) -> anyhow::Result<Option<String>> {
        let Some(kind) = self.model.kind_by_type_id(type_id).map(|kind| self.model.kind(kind)) else {
            return Ok(None);
        };
        if !kind.is_served || kind.addressing != (kontor_model::Addressing::Id { by_key: true }) {
            return Ok(None);
        }
        let found = self.operator.send(Method::GET, &id_path(self.project, kind, id), None).await?;
        Ok(found.body["key"].as_str().map(str::to_owned))
    }

    fn print_summary(&self) {
        eprintln!("{} resources of '{}' exported", self.resources, self.project);
        if self.by_id > 0 {
            eprintln!(
                "{} references are by id because their targets have no key: they can be imported here only",
                self.by_id
            );
        }
    }
}

/// The settings that an import can set.
fn settings_of(model: &Model, kind: &Kind, document: &Value) -> Value {
    let mut draft = Map::new();
    for (name, value) in document.as_object().into_iter().flatten() {
        if !SECRET_SETTINGS.contains(&name.as_str()) && settings::action_for(model, kind, name).is_some() {
            draft.insert(name.clone(), value.clone());
        }
    }
    Value::Object(draft)
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("{} cannot be written", path.display()))
}
