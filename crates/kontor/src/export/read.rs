//! Reading the documents of a project, page by page, over the API.

use super::draft_of::{DraftOf, Made, Target, Targets};
use crate::importable::is_settings;
use crate::operator::Operator;
use crate::resource::{Addresses, encoded, unit_field};
use anyhow::anyhow;
use axum::http::Method;
use kontor_json::{Value, json};
use kontor_model::{Addressing, Kind, KindId, Listing, Model, Shape};

/// Resources that are read at a time.
const PAGE: usize = 500;
/// Values of discounts whose effect on prices the platform works out; those that are `external` are set price by price.
const APPLIED: &[&str] = &["relative", "absolute"];

/// Reads a project.
pub(super) struct Reader<'a> {
    pub(super) operator: &'a Operator,
    pub(super) model: &'a Model,
    pub(super) project: &'a str,
    /// What the API does not give comes along.
    pub(super) with_secrets: bool,
}

impl Reader<'_> {
    /// Hands over each document of a kind, by id.
    pub(super) async fn each(
        &self,
        kind: KindId,
        take: &mut impl AsyncFnMut(Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let entry = self.model.kind(kind);
        if is_settings(entry) {
            let path = format!("/{}", encoded(self.project));
            return take(self.operator.send(Method::GET, &path, None).await?.accepted()?).await;
        }
        // Where its documents are: in one place, or in one of each document of another kind.
        if unit_field(entry).is_some() {
            let unit = self.model.unit_kind().ok_or_else(|| anyhow!("the model has no units"))?;
            return self.each_below(self.model.kind(unit), entry, None, take).await;
        }
        if let Some(list) = entry.lists.first().filter(|_| !entry.has_path) {
            return self.each_below(self.model.kind(list.parent), entry, Some(list), take).await;
        }
        self.each_at(&self.addresses().all(entry)?, "id", None, take).await
    }

    fn addresses(&self) -> Addresses<'_> {
        Addresses { model: self.model, project: self.project }
    }

    /// Hands over each document that is found below documents of another kind.
    async fn each_below(
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
                        let path = format!("{above}/{}/{}", encoded(id), list.path);
                        let by = (list.by.as_str(), json!({"typeId": parent.type_id, "id": id}));
                        // One document refers to another once at most.
                        let field = self.first_reference(list).unwrap_or_else(|| "id".to_owned());
                        self.each_at(&path, &field, Some(by), take).await?;
                    }
                    None => {
                        let unit = document["key"].as_str().unwrap_or_default();
                        if let Some(path) = self.addresses().in_unit(kind, unit) {
                            self.each_at(&path, "id", None, take).await?;
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

    /// Hands over each document at a path, by a field that tells them apart; with what the path alone says about it.
    async fn each_at(
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

    /// What makes a document again. Looks up the keys that it needs.
    pub(super) async fn made(
        &self,
        kind: &Kind,
        document: &Value,
        targets: &mut Targets,
    ) -> anyhow::Result<Converted> {
        loop {
            let mut conversion = DraftOf::new(self.model, targets);
            conversion.with_ids = self.with_secrets;
            let made = conversion.of(kind, document);
            let DraftOf { unknown, by_id, untold, .. } = conversion;
            if unknown.is_empty() {
                let kept = if self.with_secrets { self.kept(kind, document).await? } else { None };
                return Ok(Converted { made, kept, by_id, untold });
            }
            for (type_id, id) in unknown {
                let target = self.target(&type_id, &id).await?;
                targets.insert((type_id, id), target);
            }
        }
    }

    /// What a document keeps when it comes back: id, version, and the hashes of its secrets.
    async fn kept(&self, kind: &Kind, document: &Value) -> anyhow::Result<Option<Value>> {
        let (Some(id), Some(_)) = (document["id"].as_str(), kind.draft) else { return Ok(None) };
        let mut kept = json!({"id": id, "version": document["version"]});
        let has_secrets =
            kind.draft.is_some_and(|draft| self.model.object(draft).fields.iter().any(|field| field.secret));
        if has_secrets {
            let place = format!("/_operator/projects/{}/secrets", encoded(self.project));
            let path = format!("{place}/{}/{}", kind.type_id, encoded(id));
            kept["secrets"] = self.operator.send(Method::GET, &path, None).await?.accepted()?;
        }
        Ok(Some(kept))
    }

    /// What a document refers to: its key, where it has one by which it can be referred to.
    async fn target(&self, type_id: &str, id: &str) -> anyhow::Result<Target> {
        let kind = self.model.kind_by_type_id(type_id).map(|kind| self.model.kind(kind));
        let Some(kind) =
            kind.filter(|kind| kind.is_served && kind.addressing == (Addressing::Id { by_key: true }))
        else {
            return Ok(Target::default());
        };
        let Some(path) = self.addresses().by_id(kind, id) else { return Ok(Target::default()) };
        let found = self.operator.send(Method::GET, &path, None).await?;
        Ok(Target {
            key: found.body["key"].as_str().map(str::to_owned),
            is_applied: found.body["value"]["type"].as_str().is_some_and(|value| APPLIED.contains(&value)),
        })
    }
}

/// What makes a document again, and what it cannot say.
pub(super) struct Converted {
    pub(super) made: Made,
    /// What it keeps, where that comes along.
    pub(super) kept: Option<Value>,
    /// References whose target has no key.
    pub(super) by_id: usize,
    /// Differences between two sides that no action can make.
    pub(super) untold: usize,
}
