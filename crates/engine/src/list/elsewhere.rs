//! Predicates about what documents show of others (`@from`): they hold of documents that refer to one of those that the
//! same predicate finds there.

use super::ListRequest;
use crate::shop::Shop;
use crate::sight::Sight;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_query::{Check, Condition, Plan, Value, plan};
use std::ops::ControlFlow;

/// Documents that are looked up one by one; of more, each document is asked whether it refers to one of them.
const LOOKED_UP_MAX: usize = 1_000;

/// That a document refers to one of others.
fn referring_to(ids: Vec<Value>, field: &str) -> Condition {
    if ids.is_empty() {
        return Condition::Constant(false);
    }
    let is_few = ids.len() <= LOOKED_UP_MAX;
    let condition = Condition::Check { path: vec![field.into(), "id".into()], check: Check::one_of(ids) };
    // No index answers what is negated.
    if is_few { condition } else { Condition::Not(Box::new(Condition::Not(Box::new(condition)))) }
}

impl Shop {
    /// Whether other documents have to be looked for before those that are asked for.
    pub(super) fn asks_elsewhere(&self, kind: KindId, request: &ListRequest) -> bool {
        let object = self.model.object(self.model.kind(kind).object);
        !request.wheres.is_empty() && object.fields.iter().any(|field| field.from.is_some())
    }

    /// The plan of a query, with what is asked of other documents looked for.
    pub(super) fn plan_with_others(
        &self,
        kind: KindId,
        request: &ListRequest,
        scalars_only: bool,
    ) -> ApiResult<Plan> {
        let object = self.model.object(self.model.kind(kind).object);
        let asked = self.asked(kind, request, scalars_only)?.replaced(&mut |name, condition| {
            let field = object.field(name);
            let Some((field, from)) = field.and_then(|field| Some((field, field.from.as_ref()?))) else {
                return Ok(condition);
            };
            let ids = self.ids_matching(from.kind, condition.clone(), request)?;
            let elsewhere = referring_to(ids, &from.field);
            // What stands in both is looked for in both.
            Ok(if field.spliced { elsewhere } else { Condition::any(vec![condition, elsewhere]) })
        })?;
        let condition = self.condition_within(kind, request, asked)?;
        Ok(plan(condition, self.indexed_paths(kind)))
    }

    /// The ids of the documents of a kind, as they are shown, of which a condition holds; on the side that is asked for.
    fn ids_matching(&self, kind: KindId, condition: Condition, asked: &ListRequest) -> ApiResult<Vec<Value>> {
        let sight = Sight { staged: asked.sight.staged, ..Sight::default() };
        let request = ListRequest { sight, ..ListRequest::default() };
        let condition = self.condition_within(kind, &request, condition)?;
        let plan = plan(condition, self.indexed_paths(kind));
        let mut ids = Vec::new();
        self.visit_matches(kind, &plan, (None, &asked.meter), &mut |id, _| {
            ids.push(Value::text(id));
            ControlFlow::Continue(())
        })?;
        Ok(ids)
    }
}
