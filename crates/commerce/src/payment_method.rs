//! Payment Method: a stored way to pay, and the default of its owner.
//!
//! Source: reference types `PaymentMethod`, `PaymentMethodDraft`, `PaymentMethod…Action`,
//! `PaymentMethod…Message`. Conversations: `tests/api/payment-methods/`.

use crate::kinds;
use kontor_engine::document::{fields, has_enum, list, set, text};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, IndexValue, Rules};
use kontor_enums::PaymentMethodStatus;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The computed index row of default methods; its value is the owner.
const DEFAULT_OF: &str = "default of";
/// The separator between Customer and Business Unit in the value. No id contains it.
const OWNER_SEPARATOR: char = '/';

pub(crate) struct PaymentMethod;

impl Behaviour for PaymentMethod {
    fn resource(&self) -> &'static str {
        "PaymentMethod"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("setPaymentMethodStatus", set_status)]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        if before.is_none() {
            admit_associate(after, rules)?;
        }
        if !is_default(after) {
            return Ok(());
        }
        if has_enum(after, &["paymentMethodStatus"], PaymentMethodStatus::Inactive) {
            return Err(ApiError::invalid_operation(
                "A Payment Method that is the default cannot be Inactive, and one that is Inactive cannot be the default.",
            ));
        }
        if before.is_none_or(|before| !is_default(before)) {
            take_from_others(after, rules, effects)?;
        }
        Ok(())
    }

    fn index_rows(&self, method: &Document, _: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        let owner = is_default(method).then(|| owner(method)).flatten();
        Ok(owner.map(|owner| (DEFAULT_OF.to_owned(), IndexValue::from(owner.as_str()))).into_iter().collect())
    }

    /// Emits a Message for a method that is no longer the default because another one became it.
    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        let (old, new) = (before.get("default").cloned(), after.get("default").cloned());
        match old == new {
            true => Vec::new(),
            false => vec![("PaymentMethodDefaultSet", fields([("default", new), ("oldDefault", old)]))],
        }
    }
}

fn is_default(method: &Document) -> bool {
    method.get("default") == Some(&json!(true))
}

/// Returns the owner of a method as text; `None`: it has no owner, and so needs no default.
fn owner(method: &Document) -> Option<String> {
    let (customer, unit) = (text(method, &["customer", "id"]), text(method, &["businessUnit", "key"]));
    if customer.is_none() && unit.is_none() {
        return None;
    }
    Some(format!("{}{OWNER_SEPARATOR}{}", customer.unwrap_or(""), unit.unwrap_or("")))
}

/// Resets `default` of the owner's other methods.
fn take_from_others(method: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let Some(owner) = owner(method) else { return Ok(()) };
    for other in rules.find_others(kinds::PAYMENT_METHOD, DEFAULT_OF, &owner, text(method, &["id"]))? {
        let mut other = (*other).clone();
        set(&mut other, &["default"], Some(json!(false)));
        effects.change(kinds::PAYMENT_METHOD, other);
    }
    Ok(())
}

/// Checks that the Customer of a method is an Associate of its Business Unit.
fn admit_associate(method: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(customer) = text(method, &["customer", "id"]) else { return Ok(()) };
    let Some(key) = text(method, &["businessUnit", "key"]) else { return Ok(()) };
    let Some(unit) = rules.peek_key(kinds::BUSINESS_UNIT, key)? else { return Ok(()) };
    let is_associate = |field: &str| {
        list(&unit, &[field]).iter().any(|associate| associate["customer"]["id"].as_str() == Some(customer))
    };
    if is_associate("associates") || is_associate("inheritedAssociates") {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "The Customer with ID '{customer}' is not an Associate of the Business Unit with key '{key}'."
    )))
}

/// `setPaymentMethodStatus`. The Message has another name for the status than the field.
fn set_status(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (old, new) =
        (context.document.get("paymentMethodStatus").cloned(), arguments.get("paymentMethodStatus"));
    if old.as_ref() == new {
        return Ok(());
    }
    let new: Option<Value> = new.cloned();
    set(context.document, &["paymentMethodStatus"], new.clone());
    context.emit("PaymentMethodPaymentMethodStatusSet", fields([("status", new), ("oldStatus", old)]))
}
