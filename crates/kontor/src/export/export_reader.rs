//! Reads the documents of a project page by page over the API, and converts them to drafts.

use super::draft_converter::{DraftConverter, DraftWithActions, ExportReference, ExportReferences};
use crate::import_rules::is_settings;
use crate::operator::OperatorConnection;
use crate::resource_paths::{ResourcePaths, percent_encoded, unit_field};
use anyhow::anyhow;
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::{Addressing, Kind, KindId, Listing, Model, Shape};

/// Number of resources per page.
const PAGE: usize = 500;
/// Discount value types whose discounted prices the platform calculates. Clients set the prices of `external` discounts.
const APPLIED: &[&str] = &["relative", "absolute"];

/// Reads documents of one project.
pub(super) struct ExportReader<'a> {
    pub(super) operator: &'a OperatorConnection,
    pub(super) model: &'a Model,
    pub(super) project: &'a str,
    /// Also read what the API does not return: ids, versions and secret hashes.
    pub(super) with_secrets: bool,
}

impl ExportReader<'_> {
    /// Calls `take` with each document of a resource type, in order of id.
    pub(super) async fn for_each_document(
        &self,
        kind: KindId,
        take: &mut impl AsyncFnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let entry = self.model.kind(kind);
        if is_settings(entry) {
            let path = format!("/{}", percent_encoded(self.project));
            return take(self.operator.send(Method::GET, &path, None).await?.accepted()?).await;
        }
        // Some resource types have no list of their own, but one below each document of another type.
        if unit_field(entry).is_some() {
            let unit = self.model.unit_kind().ok_or_else(|| anyhow!("the model has no units"))?;
            return self.for_each_below(self.model.kind(unit), entry, None, take).await;
        }
        if let Some(list) = entry.lists.first().filter(|_| !entry.has_path) {
            return self.for_each_below(self.model.kind(list.parent), entry, Some(list), take).await;
        }
        self.for_each_at(&self.addresses().all(entry)?, "id", None, take).await
    }

    fn addresses(&self) -> ResourcePaths<'_> {
        ResourcePaths { model: self.model, project: self.project }
    }

    /// Calls `take` with each document that is listed below documents of another resource type.
    async fn for_each_below(
        &self,
        parent: &Kind,
        kind: &Kind,
        list: Option<&Listing>,
        take: &mut impl AsyncFnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let above = self.addresses().all(parent)?;
        let mut after = None;
        loop {
            let page = self.page(&above, "id", after.as_deref()).await?;
            for document in &page {
                let id = document["id"].as_str().unwrap_or_default();
                match list {
                    Some(list) => {
                        let path = format!("{above}/{}/{}", percent_encoded(id), list.path);
                        let by = (list.by.as_str(), json!({"typeId": parent.type_id, "id": id}));
                        // The id of the reference is a valid cursor: a document refers to another at most once.
                        let field = self.first_reference(list).unwrap_or_else(|| "id".to_owned());
                        self.for_each_at(&path, &field, Some(by), take).await?;
                    }
                    None => {
                        let unit = document["key"].as_str().unwrap_or_default();
                        if let Some(path) = self.addresses().in_unit(kind, unit) {
                            self.for_each_at(&path, "id", None, take).await?;
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

    /// Returns the path that identifies the elements of a list: the id of their first reference.
    fn first_reference(&self, list: &Listing) -> Option<String> {
        let shown = &self.model.object(list.shows).fields;
        let reference = shown.iter().find(|field| matches!(field.shape, Shape::Reference(_)))?;
        Some(format!("{}.id", reference.name))
    }

    /// Calls `take` with each document at a path, sorted by a unique field. `said` is a field to add to each document,
    /// because only the path has its value.
    async fn for_each_at(
        &self,
        path: &str,
        field: &str,
        said: Option<(&str, Value)>,
        take: &mut impl AsyncFnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let pointer = format!("/{}", field.replace('.', "/"));
        let mut after = None;
        loop {
            let page = self.page(path, field, after.as_deref()).await?;
            let count = page.len();
            after = page.last().and_then(|last| last.pointer(&pointer)?.as_str()).map(str::to_owned);
            for mut document in page {
                if let (Some((name, value)), Some(fields)) = (&said, document.as_object_mut()) {
                    fields.insert((*name).to_owned(), value.clone());
                }
                take(document).await?;
            }
            if count < PAGE || after.is_none() {
                return Ok(());
            }
        }
    }

    async fn page(&self, path: &str, field: &str, after: Option<&str>) -> anyhow::Result<Vec<Value>> {
        let sort = percent_encoded(&format!("{field} asc"));
        let mut path = format!("{path}?sort={sort}&limit={PAGE}&withTotal=false");
        if let Some(after) = after {
            let condition = match field.rsplit_once('.') {
                None => format!("{field} > \"{after}\""),
                Some((outside, inside)) => format!("{outside}({inside} > \"{after}\")"),
            };
            path.push_str(&format!("&where={}", percent_encoded(&condition)));
        }
        match self.operator.send(Method::GET, &path, None).await?.accepted()?["results"].take() {
            Value::Array(page) => Ok(page),
            _ => Err(anyhow!("the server sent no results")),
        }
    }

    /// Converts a document to a draft. Looks up the keys of the resources that it refers to.
    pub(super) async fn convert_document(
        &self,
        kind: &Kind,
        document: &Value,
        targets: &mut ExportReferences,
    ) -> anyhow::Result<ConvertedDocument> {
        loop {
            let mut conversion = DraftConverter::new(self.model, targets);
            conversion.with_ids = self.with_secrets;
            let draft = conversion.convert(kind, document);
            let DraftConverter { unknown, by_id, unsupported, .. } = conversion;
            if unknown.is_empty() {
                let metadata =
                    if self.with_secrets { self.preserved_metadata(kind, document).await? } else { None };
                return Ok(ConvertedDocument { draft, metadata, by_id, unsupported });
            }
            for (type_id, id) in unknown {
                let target = self.target(&type_id, &id).await?;
                targets.insert((type_id, id), target);
            }
        }
    }

    /// Returns the preserved metadata of a document: id, version, and the hashes of its secrets.
    async fn preserved_metadata(&self, kind: &Kind, document: &Value) -> anyhow::Result<Option<Value>> {
        let (Some(id), Some(_)) = (document["id"].as_str(), kind.draft) else { return Ok(None) };
        let mut kept = json!({"id": id, "version": document["version"]});
        let has_secrets =
            kind.draft.is_some_and(|draft| self.model.object(draft).fields.iter().any(|field| field.secret));
        if has_secrets {
            let place = format!("/_operator/projects/{}/secrets", percent_encoded(self.project));
            let path = format!("{place}/{}/{}", kind.type_id, percent_encoded(id));
            kept["secrets"] = self.operator.send(Method::GET, &path, None).await?.accepted()?;
        }
        Ok(Some(kept))
    }

    /// Looks up a referenced resource: its key, if references by key are possible.
    async fn target(&self, type_id: &str, id: &str) -> anyhow::Result<ExportReference> {
        let kind = self.model.kind_by_type_id(type_id).map(|kind| self.model.kind(kind));
        let Some(kind) =
            kind.filter(|kind| kind.is_served && kind.addressing == (Addressing::Id { by_key: true }))
        else {
            return Ok(ExportReference::default());
        };
        let Some(path) = self.addresses().by_id(kind, id) else { return Ok(ExportReference::default()) };
        let found = self.operator.send(Method::GET, &path, None).await?;
        Ok(ExportReference {
            key: found.body["key"].as_str().map(str::to_owned),
            is_applied: found.body["value"]["type"].as_str().is_some_and(|value| APPLIED.contains(&value)),
        })
    }
}

/// A converted document, and how many parts of it the conversion could not express.
pub(super) struct ConvertedDocument {
    pub(super) draft: DraftWithActions,
    /// The preserved metadata, for an export with secrets.
    pub(super) metadata: Option<Value>,
    /// Number of references whose target has no key.
    pub(super) by_id: usize,
    /// Number of staged changes that no update action can express.
    pub(super) unsupported: usize,
}
