//! Actions that set the Customer of an Order and the Customer's email address.
//!
//! Source: reference types `OrderSetCustomerIdAction`, `OrderSetCustomerEmailAction`,
//! `OrderCustomerSetMessage`, `OrderCustomerEmailSetMessage`.

use kontor_engine::document::{fields, reference, set, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};

/// `setCustomerEmail`: the message calls it `email`.
pub(super) fn set_email(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (old, new) = (acting.document.get("customerEmail").cloned(), arguments.get("email").cloned());
    if old == new {
        return Ok(());
    }
    set(acting.document, &["customerEmail"], new.clone());
    acting.emit("OrderCustomerEmailSet", fields([("email", new), ("oldEmail", old)]))
}

/// `setCustomerId`: also sets the Customer's group.
pub(super) fn set_id(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = text(arguments, &["customerId"]);
    if text(acting.document, &["customerId"]) == new {
        return Ok(());
    }
    let group = match new {
        Some(id) => {
            let missing = || ApiError::referenced_resource_not_found("customer", Some(id), None);
            let customer = acting.rules.peek_named("customer", id)?.ok_or_else(missing)?;
            customer.get("customerGroup").cloned()
        }
        None => None,
    };
    let of = |id: Option<&str>| id.map(|id| reference("customer", id));
    let told = fields([
        ("customer", of(new)),
        ("customerGroup", group.clone()),
        ("oldCustomer", of(text(acting.document, &["customerId"]))),
        ("oldCustomerGroup", acting.document.get("customerGroup").cloned()),
    ]);
    set(acting.document, &["customerId"], new.map(Into::into));
    set(acting.document, &["customerGroup"], group);
    acting.emit("OrderCustomerSet", told)
}
