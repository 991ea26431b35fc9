//! Values that are found by following references from document to document: definitions of named values, and ancestors.

use super::document_loader::{LevelDocuments, ReferenceTarget, ValueDependency};
use super::field_collector::RequestedField;
use super::response_tree::NodeId;
use super::{Execution, PendingValue};
use crate::borrowed_json::BorrowedJson;
use crate::exceptions::EntryDefinition;
use crate::limits::CHAIN_MAX;
use kontor_json::Value;
use std::rc::Rc;

impl<'q> Execution<'_, 'q> {
    /// Shows the definition of a named value, or schedules loading the document that leads to it.
    pub(super) fn resolve_definition(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        node: NodeId,
        document: Option<&BorrowedJson<'_>>,
        definition: &'static EntryDefinition,
        names: &[String],
    ) {
        let model = self.context.shop.model();
        let within = self.visible_references.clone();
        let wait = |of: ReferenceTarget, names: &[String]| {
            let wanted = ValueDependency::Definition { of, definition, names: names.to_vec() };
            PendingValue {
                node,
                field: Rc::clone(requested),
                wanted,
                view: None,
                visible_references: within.clone(),
            }
        };
        let (Some(document), Some((name, further))) = (document, names.split_first()) else {
            return self.resolve_absent(requested, node);
        };
        if let Some(of) =
            document.get(definition.reference).and_then(|of| ReferenceTarget::from_reference(of, model))
        {
            self.next.push(wait(of, names));
            return;
        }
        let is_it =
            |element: &&BorrowedJson<'_>| element.get("name").and_then(BorrowedJson::as_str) == Some(name);
        let elements = document.get(definition.list).and_then(BorrowedJson::as_list);
        let Some(found) = elements.and_then(|elements| elements.iter().find(is_it)) else {
            return self.resolve_absent(requested, node);
        };
        if further.is_empty() {
            return self.resolve_value(requested, requested.ty(), node, found);
        }
        let at = |path: &&[&str]| path.iter().try_fold(found, |value, step| value.get(step));
        match definition.nested.iter().find_map(at).and_then(|of| ReferenceTarget::from_reference(of, model))
        {
            Some(of) => self.next.push(wait(of, further)),
            None => self.resolve_absent(requested, node),
        }
    }

    /// Schedules loading the next document up a chain of references, or shows the chain if this was its end. Stops
    /// after [`CHAIN_MAX`] documents, because a chain may be a circle.
    pub(super) fn follow_chain(
        &mut self,
        requested: &Rc<RequestedField<'q>>,
        node: NodeId,
        next: &ReferenceTarget,
        by: &str,
        found: &[Value],
        level: &LevelDocuments<'_>,
    ) {
        let mut found = found.to_vec();
        let document = level.document(next, &self.visible_references);
        found.extend(document.map(|document| document.clone().into_value()));
        let model = self.context.shop.model();
        let further = document.and_then(|document| ReferenceTarget::from_reference(document.get(by)?, model));
        match further.filter(|_| found.len() < CHAIN_MAX) {
            Some(next) => {
                let wanted = ValueDependency::Chain { next, by: by.to_owned(), found };
                self.next.push(PendingValue {
                    node,
                    field: Rc::clone(requested),
                    wanted,
                    view: self.view.clone(),
                    visible_references: self.visible_references.clone(),
                });
            }
            None => {
                let found: Vec<BorrowedJson<'_>> = found.iter().rev().map(BorrowedJson::from).collect();
                self.resolve_documents(
                    requested,
                    node,
                    found.iter().map(|document| (document, next.kind)),
                    None,
                );
            }
        }
    }
}
