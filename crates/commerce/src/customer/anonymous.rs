//! Transfers the documents of an anonymous session to a Customer who signs up or in.
//!
//! Source: reference types `CustomerDraft`, `CustomerSignin` (field `anonymousId`).

use crate::sold_in_store;
use kontor_engine::document::{must_text, reference};
use kontor_engine::{Document, Effects, Rules};
use kontor_errors::ApiResult;
use kontor_json::json;

/// The anonymous session that signs up or in below `/me`.
pub(super) fn anonymous_session<'r>(rules: &'r Rules<'_>) -> Option<&'r str> {
    rules.bounds.mine.as_ref()?.session()
}

/// Kinds other than Carts that an anonymous session may own, with the field of the owner.
const KINDS: [(&str, &str); 3] =
    [("payment", "customer"), ("shopping-list", "customer"), ("order", "customerId")];

/// Assigns the documents of an anonymous session to a Customer; in a request for a Store, only the documents of that
/// Store. Carts are handled separately (`cart/sign_in.rs`).
pub(super) fn take_over(
    customer: &Document,
    session: &str,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let id = must_text(customer, &["id"])?;
    for (type_id, owner) in KINDS {
        let Some(kind) = rules.model.kind_by_type_id(type_id) else { continue };
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
