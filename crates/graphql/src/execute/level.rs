//! Executes one level: loads the documents that its values wait for, and resolves the values.

use super::document_loader::{DocumentPage, LevelBytes, LevelDocuments, LoadedValue, ValueDependency};
use super::document_view::DocumentView;
use super::field_collector::RequestedField;
use super::object_source::ObjectSource;
use super::response_tree::NodeId;
use super::{Execution, PendingValue};
use crate::borrowed_json::BorrowedJson;
use kontor_errors::ApiResult;

/// Memory that a parsed document takes for each byte of its text, roughly. Strings are borrowed from the text.
const PARSED_BYTES_PER_BYTE: usize = 3;

impl<'q> Execution<'_, 'q> {
    /// Executes level after level until no value waits.
    pub(super) fn run_levels(&mut self, mut waiting: Vec<PendingValue<'q>>) {
        while !waiting.is_empty() && !self.is_too_long {
            if let Err(error) = self.run_level(&waiting) {
                for PendingValue { node, field: requested, .. } in &waiting {
                    self.report_error(requested, *node, &error);
                }
            }
            waiting = std::mem::take(&mut self.next);
        }
    }

    fn run_level(&mut self, waiting: &[PendingValue<'q>]) -> ApiResult<()> {
        let wanted = waiting.iter().map(|waiting| (&waiting.wanted, &waiting.visible_references));
        let level = LevelBytes::load(wanted, self.context)?;
        if let Err(error) = self.reads.add_level(&level) {
            self.is_too_long = true;
            if let Some(first) = waiting.first() {
                self.report_error(&first.field, first.node, &error);
            }
            return Ok(());
        }
        // Until the level is done, its documents are in memory as bytes and as parsed values.
        let read_bytes = level.bytes() * PARSED_BYTES_PER_BYTE;
        self.context.meter.charge(read_bytes)?;
        let documents = level.read(self.context.shop.model())?;
        for one in waiting {
            self.resolve_pending(one, &documents);
        }
        self.context.meter.refund(read_bytes + level.bytes());
        Ok(())
    }

    /// Resolves a value whose documents are loaded.
    fn resolve_pending(&mut self, waiting: &PendingValue<'q>, level: &LevelDocuments<'_>) {
        let PendingValue { node, field: requested, wanted, view, visible_references } = waiting;
        self.passed_fields.clear();
        self.view = view.as_ref().and_then(DocumentView::for_referenced);
        self.visible_references.clone_from(visible_references);
        match wanted {
            ValueDependency::Document(target) => match level.document(target, visible_references) {
                Some(document) => {
                    self.resolve_viewed(requested, *node, document, target.kind, view.as_deref())
                }
                None => self.resolve_absent(requested, *node),
            },
            ValueDependency::Definition { of, definition, names } => {
                self.resolve_definition(
                    requested,
                    *node,
                    level.document(of, visible_references),
                    definition,
                    names,
                );
            }
            // Targets that do not exist are left out: elements may not be null.
            ValueDependency::Documents(targets) => {
                let found = targets
                    .iter()
                    .filter_map(|target| Some((level.document(target, visible_references)?, target.kind)));
                self.resolve_documents(requested, *node, found, view.as_deref());
            }
            ValueDependency::Chain { next, by, found } => {
                self.follow_chain(requested, *node, next, by, found, level)
            }
            ValueDependency::Referrers(kind, path, id) => {
                let found = level.referring_documents(*kind, path, id).map(|document| (document, *kind));
                self.resolve_documents(requested, *node, found, None);
            }
            ValueDependency::CountOfReferrers(kind, path, id) => {
                self.tree.set_leaf(*node, &level.referring_documents(*kind, path, id).len());
            }
            ValueDependency::Loaded(loaded) => {
                let read_bytes = loaded.bytes() * PARSED_BYTES_PER_BYTE;
                let charged = self.context.meter.charge(read_bytes);
                match charged.and_then(|()| self.resolve_loaded(requested, *node, loaded)) {
                    Ok(()) => self.context.meter.refund(read_bytes),
                    Err(error) => self.report_error(requested, *node, &error),
                }
            }
        }
    }

    /// Resolves a value that a root field has read.
    fn resolve_loaded(
        &mut self,
        requested: &RequestedField<'q>,
        node: NodeId,
        loaded: &LoadedValue,
    ) -> ApiResult<()> {
        let name = requested.ty().inner_named_type();
        let Some(output) = self.query.schema.output(name) else { return Ok(()) };
        match loaded {
            LoadedValue::Document(body) => {
                let document = BorrowedJson::from_document(body)?;
                self.resolve_object(requested, node, name, output, ObjectSource::Json(&document));
            }
            LoadedValue::Built(document) => {
                self.resolve_object(requested, node, name, output, ObjectSource::Json(document))
            }
            LoadedValue::SearchResults { other_fields: response, results } => {
                let results = results.iter().map(|body| BorrowedJson::from_document(body));
                let results = BorrowedJson::List(results.collect::<ApiResult<_>>()?);
                let mut response = response.clone();
                response.push(("results".into(), results));
                self.resolve_object(
                    requested,
                    node,
                    name,
                    output,
                    ObjectSource::Json(&BorrowedJson::Object(response)),
                );
            }
            LoadedValue::Reach(reach) => {
                self.resolve_object(requested, node, name, output, ObjectSource::Reach(reach))
            }
            LoadedValue::List(bodies) => {
                self.tree.set_list(node);
                for body in bodies {
                    let document = BorrowedJson::from_document(body)?;
                    let element = self.tree.add_element(node, true);
                    self.resolve_object(requested, element, name, output, ObjectSource::Json(&document));
                }
            }
            LoadedValue::Page(page) => {
                let results = page.results.iter().map(|body| BorrowedJson::from_document(body));
                let page = DocumentPage {
                    limit: page.limit,
                    offset: page.offset,
                    count: page.count,
                    total: page.total,
                    exists: page.exists,
                    results: results.collect::<ApiResult<_>>()?,
                };
                self.resolve_object(requested, node, name, output, ObjectSource::Page(&page));
            }
        }
        Ok(())
    }
}
