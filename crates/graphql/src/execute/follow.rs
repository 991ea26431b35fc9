//! Values that are found by following references from document to document: definitions of named values, and ancestors.

use super::collect::Asked;
use super::load::{Documents, Target, Wanted};
use super::tree::NodeId;
use super::{Execution, WaitingObject};
use crate::exceptions::EntryDefinition;
use crate::json::Json;
use crate::limits::CHAIN_MAX;
use kontor_json::Value;
use std::rc::Rc;

impl<'q> Execution<'_, 'q> {
    /// Shows the definition of a named value, or schedules loading the document that leads to it.
    pub(super) fn definition(
        &mut self,
        asked: &Rc<Asked<'q>>,
        node: NodeId,
        document: Option<&Json<'_>>,
        definition: &'static EntryDefinition,
        names: &[String],
    ) {
        let model = self.context.shop.model();
        let within = self.within.clone();
        let wait = |of: Target, names: &[String]| {
            let wanted = Wanted::Definition { of, definition, names: names.to_vec() };
            WaitingObject { node, asked: Rc::clone(asked), wanted, view: None, within: within.clone() }
        };
        let (Some(document), Some((name, further))) = (document, names.split_first()) else {
            return self.nothing(asked, node);
        };
        if let Some(of) = document.get(definition.reference).and_then(|of| Target::of(of, model)) {
            self.next.push(wait(of, names));
            return;
        }
        let is_it = |element: &&Json<'_>| element.get("name").and_then(Json::as_str) == Some(name);
        let elements = document.get(definition.list).and_then(Json::as_list);
        let Some(found) = elements.and_then(|elements| elements.iter().find(is_it)) else {
            return self.nothing(asked, node);
        };
        if further.is_empty() {
            return self.value(asked, asked.ty(), node, found);
        }
        let at = |path: &&[&str]| path.iter().try_fold(found, |value, step| value.get(step));
        match definition.nested.iter().find_map(at).and_then(|of| Target::of(of, model)) {
            Some(of) => self.next.push(wait(of, further)),
            None => self.nothing(asked, node),
        }
    }

    /// Schedules loading the next document up a chain of references, or shows the chain if this was its end. Stops
    /// after [`CHAIN_MAX`] documents, because a chain may be a circle.
    pub(super) fn climb(
        &mut self,
        asked: &Rc<Asked<'q>>,
        node: NodeId,
        next: &Target,
        by: &str,
        found: &[Value],
        level: &Documents<'_>,
    ) {
        let mut found = found.to_vec();
        let document = level.document(next, &self.within);
        found.extend(document.map(|document| document.clone().into_value()));
        let model = self.context.shop.model();
        let further = document.and_then(|document| Target::of(document.get(by)?, model));
        match further.filter(|_| found.len() < CHAIN_MAX) {
            Some(next) => {
                let wanted = Wanted::Chain { next, by: by.to_owned(), found };
                self.next.push(WaitingObject {
                    node,
                    asked: Rc::clone(asked),
                    wanted,
                    view: self.view.clone(),
                    within: self.within.clone(),
                });
            }
            None => {
                let found: Vec<Json<'_>> = found.iter().rev().map(Json::from).collect();
                self.documents(asked, node, found.iter().map(|document| (document, next.kind)), None);
            }
        }
    }
}
