//! Actions that set the Customer of an Order and the Customer's email address.
//!
//! Source: reference types `OrderSetCustomerIdAction`, `OrderSetCustomerEmailAction`,
//! `OrderCustomerSetMessage`, `OrderCustomerEmailSetMessage`.

use kontor_engine::document::{fields, reference, set, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};

/// `setCustomerEmail`: the message calls it `email`.
pub(super) fn set_email(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (old, new) = (context.document.get("customerEmail").cloned(), arguments.get("email").cloned());
    if old == new {
        return Ok(());
    }
    set(context.document, &["customerEmail"], new.clone());
    context.emit("OrderCustomerEmailSet", fields([("email", new), ("oldEmail", old)]))
}

/// `setCustomerId`: also sets the Customer's group.
pub(super) fn set_id(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = text(arguments, &["customerId"]);
    if text(context.document, &["customerId"]) == new {
        return Ok(());
    }
    let group = match new {
        Some(id) => {
            let missing = || ApiError::referenced_resource_not_found("customer", Some(id), None);
            let customer = context.rules.peek_named("customer", id)?.ok_or_else(missing)?;
            customer.get("customerGroup").cloned()
        }
        None => None,
    };
    let of = |id: Option<&str>| id.map(|id| reference("customer", id));
    let message_fields = fields([
        ("customer", of(new)),
        ("customerGroup", group.clone()),
        ("oldCustomer", of(text(context.document, &["customerId"]))),
        ("oldCustomerGroup", context.document.get("customerGroup").cloned()),
    ]);
    set(context.document, &["customerId"], new.map(Into::into));
    set(context.document, &["customerGroup"], group);
    context.emit("OrderCustomerSet", message_fields)
}
