//! What an anonymous session left becomes a Customer's who signs up or in.
//!
//! Source: reference types `CustomerDraft`, `CustomerSignin` (field `anonymousId`). Carts and Orders join when
//! they are served.

use kontor_engine::document::{must_text, reference, text};
use kontor_engine::{Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult};

/// The anonymous session that signs up or in below `/me`.
pub(super) fn asking<'r>(rules: &'r Rules<'_>) -> Option<&'r str> {
    rules.bounds.mine.as_ref()?.session()
}

/// Kinds whose documents an anonymous session may have.
const KINDS: [&str; 2] = ["payment", "shopping-list"];

/// Gives what an anonymous session has to a Customer.
pub(super) fn take_over(
    customer: &Document,
    session: &str,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let id = must_text(customer, &["id"])?;
    for kind in KINDS.iter().filter_map(|type_id| rules.model.kind_by_type_id(type_id)) {
        for left in rules.others_with(kind, "anonymousId", session, None)? {
            let mut taken = (*left).clone();
            taken.shift_remove("anonymousId");
            taken.insert("customer".into(), reference("customer", id));
            effects.change(kind, taken);
        }
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
