//! Predicates about fields that a document shows of others (`@from`). They are run on the other documents first, and
//! then match the documents that refer to one of those found.

use super::ListRequest;
use crate::shop::Shop;
use crate::view_options::ViewOptions;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_query::{Condition, ConditionValue, QueryPlan, ValueCheck, plan};
use std::ops::ControlFlow;

/// Maximum number of documents that are looked up one by one. Above it, each document is tested for a reference to
/// one of them.
const LOOKED_UP_MAX: usize = 1_000;

/// Returns the condition that a document refers to one of these ids.
fn referring_to(ids: Vec<ConditionValue>, field: &str) -> Condition {
    if ids.is_empty() {
        return Condition::Constant(false);
    }
    let is_few = ids.len() <= LOOKED_UP_MAX;
    let condition =
        Condition::Check { path: vec![field.into(), "id".into()], check: ValueCheck::any_value_of(ids) };
    // A double negation keeps the condition from using an index.
    if is_few { condition } else { Condition::Not(Box::new(Condition::Not(Box::new(condition)))) }
}

impl Shop {
    /// Whether the predicates may be about other documents, which must be looked up first.
    pub(super) fn has_referenced_predicates(&self, kind: KindId, request: &ListRequest) -> bool {
        let object = self.model.object(self.model.kind(kind).object);
        !request.wheres.is_empty() && object.fields.iter().any(|field| field.from.is_some())
    }

    /// Returns the plan of a query, after looking up the other documents in its predicates.
    pub(super) fn plan_with_referenced(
        &self,
        kind: KindId,
        request: &ListRequest,
        scalars_only: bool,
    ) -> ApiResult<QueryPlan> {
        let object = self.model.object(self.model.kind(kind).object);
        let requested =
            self.predicate_condition(kind, request, scalars_only)?.replaced(&mut |name, condition| {
                let field = object.field(name);
                let Some((field, from)) = field.and_then(|field| Some((field, field.from.as_ref()?))) else {
                    return Ok(condition);
                };
                let ids = self.ids_matching(from.kind, condition.clone(), request)?;
                let elsewhere = referring_to(ids, &from.field);
                // A field that may also be stored in the document itself matches in either place.
                Ok(if field.spliced { elsewhere } else { Condition::any(vec![condition, elsewhere]) })
            })?;
        let condition = self.condition_within(kind, request, requested)?;
        Ok(plan(condition, self.indexed_paths(kind)))
    }

    /// Returns the ids of the documents of a kind that match a condition in the requested projection.
    fn ids_matching(
        &self,
        kind: KindId,
        condition: Condition,
        asked: &ListRequest,
    ) -> ApiResult<Vec<ConditionValue>> {
        let view_options = ViewOptions { staged: asked.view_options.staged, ..ViewOptions::default() };
        let request = ListRequest { view_options, ..ListRequest::default() };
        let condition = self.condition_within(kind, &request, condition)?;
        let plan = plan(condition, self.indexed_paths(kind));
        let mut ids = Vec::new();
        self.visit_matches(kind, &plan, (None, &asked.meter), &mut |id, _| {
            ids.push(ConditionValue::text(id));
            ControlFlow::Continue(())
        })?;
        Ok(ids)
    }
}
