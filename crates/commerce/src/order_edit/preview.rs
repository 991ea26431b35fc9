//! Calculates the Order that would result from applying an Order Edit now.
//!
//! Source: reference types `OrderEditPreviewSuccess`, `OrderEditPreviewFailure`.

use super::staged::{CALCULATED, SET};
use super::{ACTIONS, APPLIED, ORDER, ORDER_EDIT, admit_inventory, messages};
use crate::cart;
use crate::kinds;
use kontor_engine::document::{field_or_log, list, must_integer, must_text, reference};
use kontor_engine::{Document, Effects, Rules, StagedResult};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// The result of an Order Edit that is not applied.
pub(super) fn result_of(edit: &Document, rules: &Rules<'_>) -> ApiResult<Value> {
    let staged = order_of(edit, rules).and_then(|order| {
        // The effects of a preview are dropped.
        staged_of(edit, &order, rules, &mut Effects::default())
    });
    match staged {
        Ok((staged, applied)) => {
            let mut preview = staged.document.clone();
            preview.insert("version", applied["excerptAfterEdit"]["version"].clone());
            let payloads = staged.payloads(rules.model);
            Ok(json!({"type": "PreviewSuccess", "preview": preview, "messagePayloads": payloads}))
        }
        Err(refused) if refused.status() < 500 => {
            Ok(json!({"type": "PreviewFailure", "errors": refused.body()["errors"]}))
        }
        Err(error) => Err(error),
    }
}

/// The Order that is edited.
pub(super) fn order_of(edit: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = must_text(edit, &["resource", "id"])?;
    let gone = || ApiError::referenced_resource_not_found(ORDER, Some(id), None);
    rules.find(kinds::ORDER, id)?.ok_or_else(gone)
}

/// Returns the Order after the staged actions with its messages, and the result for an Order Edit that is
/// applied now.
pub(super) fn staged_of(
    edit: &Document,
    order: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<(StagedResult, Value)> {
    admit_inventory(order)?;
    let actions = list(edit, &[ACTIONS]);
    let mut staged = rules.apply_staged_actions(SET, order, actions, effects)?;
    if actions.iter().any(|action| is_calculated(action, rules)) {
        let after = &mut staged.document;
        keep_deliveries(order, after);
        cart::calculate(order, after, rules)?;
        as_order(after, rules)?;
        cart::count_added_codes(order, after, rules, effects)?;
    }
    admit_inventory(&staged.document)?;
    if let Some(behaviour) = rules.behaviours.get(kinds::ORDER) {
        behaviour.settle(Some(order), &mut staged.document, rules, effects)?;
    }
    staged.add_messages(messages::messages_of_change(order, &staged.document), rules.model)?;
    let applied = applied(order, &staged.document, rules)?;
    let edit = reference(ORDER_EDIT, must_text(edit, &["id"])?);
    let message_fields =
        kontor_engine::document::fields([("edit", Some(edit)), ("result", Some(applied.clone()))]);
    staged.add_messages(vec![("OrderEditApplied", message_fields)], rules.model)?;
    Ok((staged, applied))
}

/// Returns whether an action causes a recalculation of the Order: it is an action of Carts, or it changes the
/// shipping address.
fn is_calculated(action: &Value, rules: &Rules<'_>) -> bool {
    let name = field_or_log(action, "action");
    let Some(set) = rules.model.staged_by_name(SET) else { return true };
    let is_of_orders = rules.model.kind(set.of).action(name).is_some() && set.origin(name) == set.of;
    !is_of_orders || CALCULATED.contains(&name)
}

/// Keeps the deliveries when the shipping method changes.
fn keep_deliveries(order: &Document, after: &mut Document) {
    let sent = list(order, &["shippingInfo", "deliveries"]);
    if let Some(Value::Object(info)) = after.get_mut("shippingInfo")
        && list(info, &["deliveries"]).is_empty()
        && !sent.is_empty()
    {
        info.insert("deliveries", json!(sent));
    }
}

/// Removes the fields that Carts have and Orders do not have.
fn as_order(document: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let missing = || ApiError::bug("the model lacks a shape that rules name");
    let shape = rules.model.object(rules.model.object_by_name("Order").ok_or_else(missing)?);
    document.retain(|name, _| shape.field(name).is_some());
    Ok(())
}

fn applied(before: &Document, after: &Document, rules: &Rules<'_>) -> ApiResult<Value> {
    let version = must_integer(before, &["version"])?;
    Ok(json!({
        "type": APPLIED,
        "appliedAt": rules.time(),
        "excerptBeforeEdit": excerpt(before, version),
        "excerptAfterEdit": excerpt(after, version + 1),
    }))
}

fn excerpt(order: &Document, version: i64) -> Value {
    let mut excerpt = Document::new();
    for name in ["totalPrice", "taxedPrice"] {
        excerpt.extend(order.get(name).map(|value| (name, value.clone())));
    }
    excerpt.insert("version", json!(version));
    Value::Object(excerpt)
}

/// 409 `ConcurrentModification`: the Order has another version than the caller has seen.
pub(super) fn admit_version(given: i64, order: &Document) -> ApiResult<()> {
    let current = must_integer(order, &["version"])?;
    if given == current {
        return Ok(());
    }
    Err(ApiError::concurrent_modification(must_text(order, &["id"])?, given, current))
}
