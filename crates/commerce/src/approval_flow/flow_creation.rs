//! Creates an Approval Flow in the same change as the Order that matches Approval Rules.
//!
//! Source: reference types `ApprovalRule` (`predicate`, `requesters`, `status`),
//! `BusinessUnitApprovalRuleMode`; public documentation, "Buyer Approval Flows".

use super::{PENDING, show_progress};
use crate::kinds;
use crate::{approval_rule, business_unit, buyer};
use kontor_engine::document::{has_enum, list, must_text, reference, text};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::ApprovalRuleStatus;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::sync::Arc;

/// Creates an Approval Flow for a new Order of a Business Unit, if an Associate created the Order and active rules of
/// the unit match it.
pub(crate) fn create_flow(order: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let (Some(maker), Some(key)) = (buyer::acting_associate(rules), text(order, &["businessUnit", "key"]))
    else {
        return Ok(());
    };
    let requester = text(order, &["customerId"]).unwrap_or(maker);
    let Some(unit) = buyer::unit_of(key, rules)? else { return Ok(()) };
    let Some(roles) = business_unit::role_keys(&unit, requester, rules)? else { return Ok(()) };
    let mut met = Vec::new();
    for unit in business_unit::units_with_rules(&unit, rules)? {
        for rule in active_rules(must_text(&unit, &["key"])?, rules)? {
            if asks_for(&rule, &roles) && approval_rule::is_met(&rule, order, rules)? {
                met.push(Value::Object((*rule).clone()));
            }
        }
    }
    if met.is_empty() {
        return Ok(());
    }
    let mut flow = Document::new();
    flow.insert("id", json!(rules.new_id()));
    flow.insert("order", reference("order", must_text(order, &["id"])?));
    flow.insert("businessUnit", json!({"typeId": "business-unit", "key": key}));
    flow.insert("rules", Value::Array(met));
    flow.insert("status", json!(PENDING));
    flow.insert("approvals", json!([]));
    show_progress(&mut flow);
    effects.create(kinds::APPROVAL_FLOW, flow, None);
    Ok(())
}

/// Returns the active rules of one unit. The set of rules is a precondition of the commit.
fn active_rules(unit: &str, rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let all = rules.find_others(kinds::APPROVAL_RULE, "businessUnit.key", unit, None)?;
    let mut active: Vec<_> =
        all.into_iter().filter(|rule| has_enum(rule, &["status"], ApprovalRuleStatus::Active)).collect();
    active.sort_by(|one, other| text(one, &["createdAt"]).cmp(&text(other, &["createdAt"])));
    Ok(active)
}

/// Returns whether a rule applies to Orders of an Associate with these roles.
fn asks_for(rule: &Document, roles: &[String]) -> bool {
    let requesters = list(rule, &["requesters"]);
    let keys = requesters.iter().filter_map(|requester| requester["associateRole"]["key"].as_str());
    keys.into_iter().any(|key| roles.iter().any(|role| role == key))
}
