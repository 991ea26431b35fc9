//! Order Edit: staged changes of a placed Order.
//!
//! The actions are stored unchanged. The resulting Order is calculated when an Order Edit is read
//! ([`preview`]), from the current Order, and once more when the edit is applied ([`apply`]). For actions
//! that affect prices the Order is treated as a Cart: the handlers of Carts change it, and it is calculated
//! as Carts are.
//!
//! Source: reference types `OrderEdit`, `OrderEditDraft`, `OrderEditResult`, `OrderEdit…Action`,
//! `StagedOrder…Action`; "Create OrderEdit" (inventory modes), "Apply OrderEdit". Conversations:
//! `tests/api/order-edits/`.

mod apply;
mod messages;
mod preview;
mod staged;

use kontor_engine::document::{list, must_text, text};
use kontor_engine::{ActionHandler, Behaviour, Document, Effects, EndpointHandler, Rules, ViewOptions};
use kontor_enums::InventoryMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::limits::ACTIONS_MAX;

/// The `typeId`s of Orders and Order Edits.
const ORDER: &str = "order";
const ORDER_EDIT: &str = "order-edit";
/// The fields of an Order Edit.
const RESULT: &str = "result";
const ACTIONS: &str = "stagedActions";
/// The type of the result of an applied edit.
const APPLIED: &str = "Applied";

pub(crate) struct OrderEdit;

impl Behaviour for OrderEdit {
    fn resource(&self) -> &'static str {
        "OrderEdit"
    }

    fn staged_actions(&self) -> &'static [(&'static str, &'static str, ActionHandler)] {
        staged::ACTIONS
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[("apply", apply::APPLY)]
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        after.insert(RESULT, json!({"type": "NotProcessed"}));
        let order = must_text(after, &["resource", "id"])?;
        match rules.peek_type(ORDER, order)? {
            Some(order) => admit_inventory(&order),
            None => Ok(()),
        }
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if before.is_none_or(|before| before.get(ACTIONS) != after.get(ACTIONS)) {
            name_codes_by_id(after, rules)?;
        }
        let actions = list(after, &[ACTIONS]);
        if let Some(before) = before
            && is_applied(before)
            && list(before, &[ACTIONS]) != actions
        {
            return Err(ApiError::invalid_operation(
                "The Order Edit is applied, so that its staged actions stay.",
            ));
        }
        if actions.len() > ACTIONS_MAX {
            return Err(ApiError::invalid_input(format!(
                "{ACTIONS}: at most {ACTIONS_MAX} update actions are done together, found {}.",
                actions.len()
            )));
        }
        Ok(())
    }

    fn splices_one(&self) -> bool {
        true
    }

    fn splice(&self, edit: &mut Document, _asked: &ViewOptions, rules: &Rules<'_>) -> ApiResult<()> {
        if !is_applied(edit) {
            let result = preview::result_of(edit, rules)?;
            edit.insert(RESULT, result);
        }
        Ok(())
    }
}

/// Converts Discount Codes that actions remove into references by id, also if they were sent by key (reference types
/// `StagedOrderRemoveDiscountCodeAction`, `RemoveStagedOrderDiscountCodeOutput`).
fn name_codes_by_id(edit: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let actions = edit.get_mut(ACTIONS).and_then(Value::as_array_mut);
    for action in actions.into_iter().flatten().filter(|action| action["action"] == "removeDiscountCode") {
        let Some(code) = action.get_mut("discountCode").and_then(Value::as_object_mut) else { continue };
        if !code.contains_key("id") {
            let id = rules.resolve(code)?.id;
            code.shift_remove("key");
            code.insert("id", json!(id));
        }
    }
    Ok(())
}

fn is_applied(edit: &Document) -> bool {
    text(edit, &[RESULT, "type"]) == Some(APPLIED)
}

/// 400 `InvalidOperation`: an Order of which the stock is counted.
fn admit_inventory(order: &Document) -> ApiResult<()> {
    let is_free = |mode: Option<&str>| mode.is_none_or(|mode| mode == InventoryMode::None.as_str());
    let items = ["lineItems", "customLineItems"].into_iter().flat_map(|field| list(order, &[field]));
    let mut modes = items.map(|item| item["inventoryMode"].as_str());
    if is_free(text(order, &["inventoryMode"])) && modes.all(is_free) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(
        "An Order can be edited where its inventoryMode and that of each of its Line Items is 'None'.",
    ))
}
