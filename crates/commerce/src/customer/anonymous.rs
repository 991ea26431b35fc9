//! What an anonymous session left becomes a Customer's who signs up or in.
//!
//! Source: reference types `CustomerDraft`, `CustomerSignin` (field `anonymousId`). Carts, Orders and Shopping Lists
//! join when they are served.

use kontor_engine::document::{reference, text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};

/// The anonymous session that signs up or in below `/me`.
pub(super) fn asking<'r>(rules: &'r Rules<'_>) -> Option<&'r str> {
    rules.bounds.mine.as_ref()?.session()
}

/// Gives the Payments of an anonymous session to a Customer.
pub(super) fn take_over(customer: &Document, session: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(kind) = rules.model.kind_by_type_id("payment") else { return Ok(()) };
    let id = text(customer, &["id"]).unwrap_or_default();
    for payment in rules.others_with(kind, "anonymousId", session, None)? {
        let mut payment = (*payment).clone();
        payment.shift_remove("anonymousId");
        payment.insert("customer".into(), reference("customer", id));
        rules.change_too(kind, payment);
    }
    Ok(())
}

/// A Cart that a draft or a sign-in names must be there; none is while Carts are not served.
pub(super) fn refuse_carts(input: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if let Some(identifier) = input.get("anonymousCart").and_then(|cart| cart.as_object()) {
        rules.resolve(identifier)?;
    }
    match text(input, &["anonymousCartId"]) {
        Some(id) => Err(ApiError::referenced_resource_not_found("cart", Some(id), None)),
        None => Ok(()),
    }
}
