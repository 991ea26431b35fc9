//! Assigns the other open Carts of an anonymous session to the Customer who signs in.
//!
//! Source: reference types `CustomerSignin`, `MergeCartDraft` (`anonymousId`).

use super::{cart_state, customer, prices, reprice_flags};
use crate::kinds;
use kontor_engine::{Document, Effects, Rules};
use kontor_errors::ApiResult;
use std::sync::Arc;

/// Assigns all open Carts of a session, except the `chosen` one, to the Customer, without merging them.
pub(super) fn give_others(
    of_session: &[Arc<Document>],
    chosen: Option<&Document>,
    customer: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    for other in of_session {
        let is_open = cart_state::can_be_ordered(other);
        let is_chosen = chosen.is_some_and(|chosen| chosen.get("id") == other.get("id"));
        if is_open && !is_chosen {
            let mut other = Document::clone(other);
            customer::assign_customer(&mut other, customer);
            reprice_flags::choose_prices(&mut other)?;
            prices::choose_or_drop(&mut other, rules)?;
            effects.change(kinds::CART, other);
        }
    }
    Ok(())
}
