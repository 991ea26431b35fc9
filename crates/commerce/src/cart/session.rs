//! Assigns the other open Carts of an anonymous session to the Customer who signs in.
//!
//! Source: reference types `CustomerSignin`, `MergeCartDraft` (`anonymousId`).

use super::{CART, customer, prices, reprice_flags};
use kontor_engine::document::text;
use kontor_engine::{Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// Assigns all open Carts of a session, except the `chosen` one, to the Customer, without merging them.
pub(super) fn give_others(
    of_session: &[Arc<Document>],
    chosen: Option<&Document>,
    customer: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let kind = rules.model.kind_by_type_id(CART).ok_or_else(|| ApiError::bug("the model has no Cart"))?;
    for other in of_session {
        let is_open = matches!(text(other, &["cartState"]), Some("Active" | "Frozen"));
        let is_chosen = chosen.is_some_and(|chosen| chosen.get("id") == other.get("id"));
        if is_open && !is_chosen {
            let mut other = Document::clone(other);
            customer::assign_customer(&mut other, customer);
            reprice_flags::choose_prices(&mut other)?;
            prices::choose_or_drop(&mut other, rules)?;
            effects.change(kind, other);
        }
    }
    Ok(())
}
