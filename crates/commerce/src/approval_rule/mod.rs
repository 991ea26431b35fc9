//! Approval Rule: selects the Orders of a Business Unit that need approval, by a predicate and by the roles of the
//! Associates who place them.
//!
//! Only Associates create and change rules; the model has the permissions they need.
//!
//! Source: reference types `ApprovalRule`, `ApprovalRuleDraft`, `ApprovalRule…Action`, `ApprovalRule…Message`.
//! Conversations: `tests/api/approval-rules/`.

mod predicate;

use kontor_engine::document::{list, must_text};
use kontor_engine::{Behaviour, Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult};

pub(crate) struct ApprovalRule;

impl Behaviour for ApprovalRule {
    fn resource(&self) -> &'static str {
        "ApprovalRule"
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
        if is_new("predicate") {
            predicate::ORDERS.read(must_text(after, &["predicate"])?, rules.model)?;
        }
        if is_new("requesters") {
            admit_requesters(after)?;
        }
        Ok(())
    }
}

/// Whether an Order matches the predicate of a rule.
pub(crate) fn is_met(rule: &Document, order: &Document, rules: &Rules<'_>) -> ApiResult<bool> {
    let predicate = predicate::ORDERS.read(must_text(rule, &["predicate"])?, rules.model)?;
    predicate.matches(order, &|type_id, id| rules.peek_type(type_id, id))
}

/// Refuses duplicate requesters (reference type `ApprovalRule`, `uniqueItems`).
fn admit_requesters(rule: &Document) -> ApiResult<()> {
    let requesters = list(rule, &["requesters"]);
    let twice = requesters.iter().enumerate().find(|(index, one)| requesters[..*index].contains(one));
    match twice {
        Some((_, twice)) => Err(ApiError::duplicate_field("requesters", twice.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;
    use kontor_json::json;

    #[test]
    fn each_requester_is_named_once() {
        let rule = |roles: &[&str]| {
            let requesters: Vec<_> = roles
                .iter()
                .map(|key| json!({"associateRole": {"typeId": "associate-role", "key": key}}))
                .collect();
            json!({"requesters": requesters}).as_object().cloned().unwrap()
        };
        admit_requesters(&rule(&["buyer", "boss"])).unwrap();
        let error = admit_requesters(&rule(&["buyer", "boss", "buyer"])).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
    }
}
