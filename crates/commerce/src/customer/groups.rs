//! The Customer Groups that a Customer is assigned to: each once.

use super::one;
use kontor_engine::document::list;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

const ASSIGNMENTS: &str = "customerGroupAssignments";

/// A list of assignments is a set.
pub(super) fn each_once(customer: &mut Document) {
    if let Some(Value::Array(assignments)) = customer.get_mut(ASSIGNMENTS) {
        let mut seen = Vec::new();
        assignments.retain(|assignment| {
            let is_new = !seen.contains(assignment);
            if is_new {
                seen.push(assignment.clone());
            }
            is_new
        });
    }
}

/// `addCustomerGroupAssignment`: one that is there already changes nothing.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let Some(Value::Object(sent)) = arguments.get("customerGroupAssignment") else {
        return Err(ApiError::internal());
    };
    let Some(Value::Object(identifier)) = sent.get("customerGroup") else { return Err(ApiError::internal()) };
    let target = acting.rules.resolve(identifier)?;
    let assignment = json!({"customerGroup": {"typeId": "customer-group", "id": target.id}});
    if list(acting.document, &[ASSIGNMENTS]).contains(&assignment) {
        return Ok(());
    }
    match acting.document.entry(ASSIGNMENTS).or_insert_with(|| json!([])) {
        Value::Array(assignments) => assignments.push(assignment.clone()),
        _ => return Err(ApiError::internal()),
    }
    acting.emit("CustomerGroupAssignmentAdded", one("customerGroupAssignment", assignment))
}

/// `removeCustomerGroupAssignment`: one that is not there is InvalidOperation.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let group = arguments.get("customerGroup").cloned().unwrap_or_default();
    let Some(Value::Array(assignments)) = acting.document.get_mut(ASSIGNMENTS) else {
        return Err(ApiError::internal());
    };
    let Some(index) = assignments.iter().position(|assignment| assignment["customerGroup"] == group) else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Customer is not assigned to this Customer Group.",
            acting.place
        )));
    };
    let assignment = assignments.remove(index);
    acting.emit("CustomerGroupAssignmentRemoved", one("customerGroupAssignment", assignment))
}
