//! The active Cart of a Customer or a session: the one that was modified last.
//!
//! Source: operations "Get Cart by Customer ID" (a Cart with `origin` `Customer`), "Get MyActiveCart".

use super::CART;
use kontor_engine::document::{has_enum, must_text, text, text_or_log};
use kontor_engine::{
    Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, FoundDocument, Principal,
    Rules,
};
use kontor_enums::{CartOrigin, CartState};
use kontor_errors::{ApiError, ApiResult, Code};
use std::sync::Arc;

/// `GET /carts/customer-id={customerId}`.
pub(super) const OF_CUSTOMER: EndpointHandler = EndpointHandler { find: find_of_customer, act: show };
/// `GET /me/active-cart`.
pub(super) const MINE: EndpointHandler = EndpointHandler { find: find_mine, act: show };

fn find_of_customer(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let customer = must_text(input, &["customerId"])?;
    let found = active_cart_of_customer(customer, rules)?;
    let missing = || ApiError::not_found(&format!("active Cart of the Customer with ID '{customer}'"));
    endpoint_target(found, missing)
}

fn find_mine(_input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let found = match &rules.bounds.mine {
        Some(Principal::Customer(id)) => active_cart_of_customer(id, rules)?,
        Some(Principal::Session(id)) => active_cart_of_session(id, rules)?,
        _ => None,
    };
    endpoint_target(found, || ApiError::new(Code::ResourceNotFound, "There is no active Cart."))
}

fn show(_serving: &mut EndpointContext<'_, '_>, _input: &Document) -> ApiResult<EndpointReply> {
    Ok(EndpointReply::Document)
}

fn endpoint_target(
    document: Option<FoundDocument>,
    missing: impl FnOnce() -> ApiError,
) -> ApiResult<EndpointTarget> {
    let document = document.ok_or_else(missing)?;
    Ok(EndpointTarget { id: document.id, ..EndpointTarget::default() })
}

/// Returns the active Cart of a Customer, in the Store of the request.
pub(super) fn active_cart_of_customer(customer: &str, rules: &Rules<'_>) -> ApiResult<Option<FoundDocument>> {
    last_of("customerId", customer, rules)
}

/// The active Cart of an anonymous session.
pub(super) fn active_cart_of_session(session: &str, rules: &Rules<'_>) -> ApiResult<Option<FoundDocument>> {
    last_of("anonymousId", session, rules)
}

/// Returns the active Cart among some Carts: the one that was modified last.
pub(super) fn last_modified(
    carts: impl Iterator<Item = Arc<Document>>,
    rules: &Rules<'_>,
) -> Option<Arc<Document>> {
    let active = carts.filter(|cart| is_endpoint_target(cart, rules));
    active.max_by(|one, other| modified(one).cmp(modified(other)))
}

/// Returns the active Cart without a precondition: another Cart may be modified before the commit.
fn last_of(path: &str, value: &str, rules: &Rules<'_>) -> ApiResult<Option<FoundDocument>> {
    let found = rules.peek_by_value(CART, path, value)?;
    let active = found.into_iter().filter(|found| is_endpoint_target(&found.document, rules));
    // Carts with the same time are compared by revision.
    Ok(active.max_by_key(|found| (modified(&found.document).to_owned(), found.revision)))
}

fn is_endpoint_target(cart: &Document, rules: &Rules<'_>) -> bool {
    let store = rules.bounds.store.as_deref();
    has_enum(cart, &["cartState"], CartState::Active)
        && has_enum(cart, &["origin"], CartOrigin::Customer)
        && store.is_none_or(|store| text(cart, &["store", "key"]) == Some(store))
}

fn modified(cart: &Document) -> &str {
    text_or_log(cart, &["lastModifiedAt"])
}
