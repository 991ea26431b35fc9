//! Work items: their content, and the dependents of their source document. Start at [`WorkItem`].

use super::CHUNK_STEPS;
use crate::derivation::{Dependents, Derivation, Hop};
use crate::derivation_queue::WORK;
use crate::document::{self, Document, read_stored};
use crate::rules::Rules;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_storage::{IndexPage, IndexRange, PageStart, Precondition, Put, ScanDirection, StoredDocumentRef};
use std::ops::ControlFlow;

/// Maximum number of work items that are read at once.
pub(super) const ITEMS_READ: usize = 1024;
/// Number of documents that an item for all documents of a kind updates before other items get their turn:
/// several commits, so that one is prepared while another is written.
const ALL_STEPS: usize = 4 * CHUNK_STEPS;

/// A work item: the dependents of one document must be updated.
pub(super) struct WorkItem {
    pub(super) id: String,
    pub(super) revision: i64,
    /// The kind with the derived fields, and the derivation; `None` if this release does not know it.
    derivation: Option<(KindId, &'static Derivation)>,
    /// The id of the source document.
    source: String,
    /// The values by which dependents are found.
    values: Vec<String>,
    /// The id of the last updated document, for an item for all documents.
    last_updated: Option<String>,
}

impl WorkItem {
    /// Returns the item that continues after a document; `body` is that of this item.
    pub(super) fn gone_on(&self, body: &Bytes, behind: &str) -> ApiResult<Put> {
        let mut work = document::read(body)?;
        work.insert("behind", behind.into());
        let body = Value::Object(work).to_string().into();
        Ok(Put { kind: WORK.to_owned(), id: self.id.clone(), version: 1, body, ..Put::default() })
    }
}

impl Shop {
    pub(super) fn work_items(&self) -> ApiResult<Vec<WorkItem>> {
        let mut found = Vec::new();
        self.storage
            .scan(WORK, ScanDirection::Ascending, None, &mut |stored: StoredDocumentRef<'_>| {
                found.push(stored.to_stored());
                if found.len() < ITEMS_READ { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .map_err(storage_failure)?;
        found.iter().map(|stored| self.work_item(&stored.id, stored.revision, &stored.body)).collect()
    }

    fn work_item(&self, id: &str, revision: i64, body: &Bytes) -> ApiResult<WorkItem> {
        let work = document::read(body)?;
        let derivation = self.derivation_of(&work).map(|joined| (joined.holder, joined.derivation));
        let source = document::text_or_log(&work, &["id"]).to_owned();
        let values = document::list(&work, &["values"]).iter().filter_map(Value::as_str);
        let values = values.map(str::to_owned).collect();
        let last_updated = document::text(&work, &["behind"]).map(str::to_owned);
        Ok(WorkItem { id: id.to_owned(), revision, derivation, source, values, last_updated })
    }

    /// Visits the ids of the dependents of an item's source. Returns the id after which the work continues
    /// later.
    pub(super) fn each_dependent(
        &self,
        item: &WorkItem,
        visit: &mut dyn FnMut(KindId, &'static Derivation, String) -> ApiResult<()>,
    ) -> ApiResult<Option<String>> {
        let Some((kind, derivation)) = item.derivation else { return Ok(None) };
        match derivation.dependents {
            Dependents::ReferredAt { .. } => visit(kind, derivation, item.source.clone())?,
            Dependents::ReferringAt { path, .. } => {
                self.each_holding(kind, path, &item.source, &mut |id| visit(kind, derivation, id))?;
            }
            // A document with the value at several paths is collected several times, and updated once.
            Dependents::Sharing { paths, .. } => {
                for path in paths {
                    self.each_holding(kind, path, &item.source, &mut |id| visit(kind, derivation, id))?;
                }
            }
            Dependents::WithCustomFields { .. } => {
                for path in &self.model.kind(kind).custom_fields {
                    let path = path.join(".");
                    self.each_holding(kind, &path, &item.source, &mut |id| visit(kind, derivation, id))?;
                }
            }
            Dependents::Holding { path, .. } => {
                for value in &item.values {
                    self.each_holding(kind, path, value, &mut |id| visit(kind, derivation, id))?;
                }
            }
            Dependents::Through { hops, values, path, .. } => {
                self.each_at_the_end(hops, &item.source, &mut |document| {
                    values(document).iter().try_for_each(|value| {
                        self.each_holding(kind, path, value, &mut |id| visit(kind, derivation, id))
                    })
                })?;
            }
            Dependents::All { .. } => {
                let mut ids = Vec::with_capacity(ALL_STEPS);
                let type_id = &self.model.kind(kind).type_id;
                self.storage
                    .scan(type_id, ScanDirection::Ascending, item.last_updated.as_deref(), &mut |stored| {
                        ids.push(stored.id.to_owned());
                        if ids.len() < ALL_STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                    })
                    .map_err(storage_failure)?;
                let behind = ids.last().filter(|_| ids.len() == ALL_STEPS).cloned();
                for id in ids {
                    visit(kind, derivation, id)?;
                }
                return Ok(behind);
            }
        }
        Ok(None)
    }

    /// Visits the documents of the last hop that lead to a source. A document is visited once for each way to
    /// it; the second update finds nothing to change.
    fn each_at_the_end(
        &self,
        hops: &[Hop],
        source: &str,
        visit: &mut dyn FnMut(&Document) -> ApiResult<()>,
    ) -> ApiResult<()> {
        let Some((hop, further)) = hops.split_first() else { return Ok(()) };
        let kind = self.model.kind_by_name(hop.kind);
        let kind =
            kind.ok_or_else(|| ApiError::bug("a derivation goes through a kind that the model has not"))?;
        let entry = self.model.kind(kind);
        self.each_holding(kind, hop.at, source, &mut |id| {
            if !further.is_empty() {
                return self.each_at_the_end(further, &id, visit);
            }
            match self.storage.get(&entry.type_id, &id).map_err(storage_failure)? {
                Some(stored) => visit(&read_stored(&stored)?),
                None => Ok(()),
            }
        })
    }

    /// Visits the ids of the documents that have a value at an indexed path.
    fn each_holding(
        &self,
        kind: KindId,
        path: &str,
        value: &str,
        visit: &mut dyn FnMut(String) -> ApiResult<()>,
    ) -> ApiResult<()> {
        let mut after = None;
        loop {
            let page = IndexPage { after: after.take(), ..IndexPage::first(CHUNK_STEPS) };
            let ids = self.ids_referring(kind, path, value, &page)?;
            let Some(last) = ids.last() else { return Ok(()) };
            let is_last_page = ids.len() < CHUNK_STEPS;
            after = Some(PageStart::Id(last.clone()));
            ids.into_iter().try_for_each(&mut *visit)?;
            if is_last_page {
                return Ok(());
            }
        }
    }

    fn ids_referring(
        &self,
        kind: KindId,
        path: &str,
        source: &str,
        page: &IndexPage,
    ) -> ApiResult<Vec<String>> {
        let type_id = &self.model.kind(kind).type_id;
        self.storage.find_indexed(type_id, path, &IndexRange::equal(source), page).map_err(storage_failure)
    }

    /// Keeps the items with at least one dependent. For the others, the absence of dependents becomes a
    /// precondition.
    pub(super) fn keep_with_dependents(&self, work: &mut Vec<Put>, rules: &Rules<'_>) -> ApiResult<()> {
        let mut left = Vec::with_capacity(work.len());
        for item in work.drain(..) {
            match self.without_dependents(&item)? {
                // A precondition is cheaper than an item without dependents.
                Some(precondition) => rules.require_another(precondition),
                None => left.push(item),
            }
        }
        *work = left;
        Ok(())
    }

    /// Returns the precondition that the source of an item has no dependents, if that is the case now.
    fn without_dependents(&self, work: &Put) -> ApiResult<Option<Precondition>> {
        let item = self.work_item(&work.id, 0, &work.body)?;
        let Some((kind, Derivation { dependents: Dependents::ReferringAt { path, .. }, .. })) =
            item.derivation
        else {
            return Ok(None);
        };
        let nobody = self.ids_referring(kind, path, &item.source, &IndexPage::first(1))?.is_empty();
        Ok(nobody.then(|| Precondition::NotReferenced {
            kind: self.model.kind(kind).type_id.clone(),
            path: (*path).to_owned(),
            value: item.source.into(),
        }))
    }
}
