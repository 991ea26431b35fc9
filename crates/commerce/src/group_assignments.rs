//! Customer Group assignments of Customers and Business Units: each Customer Group once.

use kontor_engine::document::{self, fields, list, must_get};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const ASSIGNMENTS: &str = "customerGroupAssignments";

/// A list of assignments is a set.
pub(crate) fn remove_duplicates(customer: &mut Document) {
    if let Some(Value::Array(assignments)) = customer.get_mut(ASSIGNMENTS) {
        *assignments = document::without_duplicates(std::mem::take(assignments));
    }
}

/// `addCustomerGroupAssignment`: emits `message`; adding an existing assignment changes nothing.
pub(crate) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document, message: &str) -> ApiResult<()> {
    let Some(Value::Object(sent)) = arguments.get("customerGroupAssignment") else {
        return Err(ApiError::bug("an action without its assignment"));
    };
    let Some(Value::Object(identifier)) = sent.get("customerGroup") else {
        return Err(ApiError::bug("an assignment without its Customer Group"));
    };
    let target = context.rules.resolve(identifier)?;
    let assignment = json!({"customerGroup": {"typeId": "customer-group", "id": target.id}});
    if list(context.document, &[ASSIGNMENTS]).contains(&assignment) {
        return Ok(());
    }
    match context.document.entry(ASSIGNMENTS).or_insert_with(|| json!([])) {
        Value::Array(assignments) => assignments.push(assignment.clone()),
        _ => return Err(ApiError::bug("assignments that are no list")),
    }
    context.emit(message, message_fields(assignment))
}

/// `removeCustomerGroupAssignment`: emits `message`; a missing assignment is `InvalidOperation`.
pub(crate) fn remove(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    message: &str,
) -> ApiResult<()> {
    let group = must_get(arguments, &["customerGroup"])?.clone();
    let missing = || {
        ApiError::invalid_operation(format!(
            "{}: there is no assignment to this Customer Group.",
            context.place
        ))
    };
    let Some(Value::Array(assignments)) = context.document.get_mut(ASSIGNMENTS) else {
        return Err(missing());
    };
    let index = assignments.iter().position(|assignment| assignment["customerGroup"] == group);
    let assignment = assignments.remove(index.ok_or_else(missing)?);
    context.emit(message, message_fields(assignment))
}

fn message_fields(assignment: Value) -> Document {
    fields([("customerGroupAssignment", Some(assignment))])
}
