//! Chains of references: the ancestors of a document.

use super::collect::Asked;
use super::load::{Documents, Target, Wanted};
use super::tree::NodeId;
use super::{Execution, WaitingObject};
use crate::json::Json;
use crate::limits::CHAIN_MAX;
use kontor_json::Value;
use std::rc::Rc;

impl<'q> Execution<'_, 'q> {
    /// Goes on up a chain of references, or shows those that were found. A chain without end stops.
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
