//! Transfers the documents of an anonymous session to a Customer who signs up or in.
//!
//! Source: reference types `CustomerDraft`, `CustomerSignin` (field `anonymousId`).

use crate::kinds;
use crate::sold_in_store;
use kontor_engine::document::{must_text, reference};
use kontor_engine::{Document, Effects, Rules};
use kontor_errors::ApiResult;
use kontor_json::json;
use kontor_model::KindId;

/// The anonymous session that signs up or in below `/me`.
pub(super) fn anonymous_session<'r>(rules: &'r Rules<'_>) -> Option<&'r str> {
    rules.bounds.mine.as_ref()?.session()
}

/// Kinds other than Carts that an anonymous session may own, with the field of the owner.
const KINDS: [(KindId, &str); 3] =
    [(kinds::PAYMENT, "customer"), (kinds::SHOPPING_LIST, "customer"), (kinds::ORDER, "customerId")];

/// Assigns the documents of an anonymous session to a Customer; in a request for a Store, only the documents of that
/// Store. Carts are handled separately (`cart/sign_in.rs`).
pub(super) fn take_over(
    customer: &Document,
    session: &str,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let id = must_text(customer, &["id"])?;
    for (kind, owner) in KINDS {
        let belongs_to_stores = rules.model.kind(kind).in_store.is_some();
        for left in rules.find_others(kind, "anonymousId", session, None)? {
            if belongs_to_stores && !sold_in_store::is_in_store_of_request(&left, rules) {
                continue;
            }
            let mut taken = (*left).clone();
            taken.shift_remove("anonymousId");
            let whose = if owner == "customerId" { json!(id) } else { reference("customer", id) };
            taken.insert(owner, whose);
            effects.change(kind, taken);
        }
    }
    Ok(())
}
