//! Transfers or merges Carts when a Customer signs up or in.
//!
//! Source: reference types `CustomerSignin`, `CustomerDraft`, `MyCustomerSignin`, `AnonymousCartSignInMode`,
//! `CustomerSignInResult` (`cart`); operations "Authenticate (sign in) Customer", "Authenticate (sign in) My
//! Customer".

use super::{CART, active, customer, line_items, merge, prices, reprice_flags, session};
use crate::kinds;
use crate::shipped_by::admit_methods_of;
use crate::sold_in_store;
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::AnonymousCartSignInMode;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::Value;
use std::sync::Arc;

/// The input of a sign-up or sign-in.
pub(crate) struct SignInInput<'a> {
    /// The Customer; not stored yet during a sign-up.
    pub(crate) customer: &'a Document,
    pub(crate) is_new: bool,
    /// The request body.
    pub(crate) input: &'a Document,
    /// The anonymous session that they had.
    pub(crate) session: Option<&'a str>,
}

/// Transfers the anonymous Carts to the Customer, and returns the active Cart, brought up to date.
///
/// 400 `ReferencedResourceNotFound`: the named Cart does not exist; `InvalidOperation`: it is not active,
/// belongs to a Customer, to another session, or to no Store of the Customer. Also errors of price and tax selection.
pub(crate) fn sign_in(who: &SignInInput<'_>, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let mut of_session = match who.session {
        Some(session) => rules.find_others(kinds::CART, "anonymousId", session, None)?,
        None => Vec::new(),
    };
    // Carts of Stores that are not those of the Customer stay with the session.
    of_session.retain(|cart| {
        sold_in_store::is_in_store_of_request(cart, rules)
            && customer::admit_store_of(who.customer, cart).is_ok()
    });
    let named = find_anonymous_cart(who.input, rules)?;
    if let Some(cart) = &named {
        admit_store(cart, rules)?;
        customer::admit_store_of(who.customer, cart)?;
    }
    let anonymous = named.or_else(|| active::last_modified(of_session.iter().cloned(), rules));
    let own = match who.is_new {
        true => None,
        false => active::active_cart_of_customer(must_text(who.customer, &["id"])?, rules)?
            .map(|found| found.document),
    };
    let own = own.filter(|own| !own.contains_key("lock"));
    let is_alone = mode(who.input) == Some(AnonymousCartSignInMode::UseAsNewActiveCustomerCart.as_str());
    let cart = match (own, &anonymous) {
        (None, None) => None,
        // A Cart with an unavailable shipping method stays separate.
        (Some(own), Some(anonymous)) if !is_alone && !can_be_shipped([&own, anonymous], rules)? => {
            Some(Document::clone(&own))
        }
        (Some(own), Some(anonymous)) if !is_alone => {
            let mut cart = Document::clone(&own);
            merge::merge_items(&mut cart, anonymous, rules, effects)?;
            Some(cart)
        }
        (_, Some(anonymous)) => {
            let mut cart = Document::clone(anonymous);
            customer::assign_customer(&mut cart, who.customer);
            Some(cart)
        }
        (Some(own), None) => Some(Document::clone(&own)),
    };
    session::give_others(&of_session, anonymous.as_deref(), who.customer, rules, effects)?;
    let Some(mut cart) = cart else { return Ok(()) };
    if who.input.get("updateProductData") == Some(&Value::Bool(true)) {
        line_items::update_product_data(&mut cart, rules)?;
    }
    reprice_flags::choose_prices(&mut cart)?;
    reprice_flags::choose_tax_rates(&mut cart)?;
    prices::choose_or_drop(&mut cart, rules)?;
    effects.return_additional(kinds::CART, must_text(&cart, &["id"])?);
    effects.change(kinds::CART, cart);
    Ok(())
}

/// Whether Carts are shipped by Shipping Methods that are active and of their Stores, if by any (reference:
/// "Authenticate (sign in) Customer").
fn can_be_shipped(carts: [&Document; 2], rules: &Rules<'_>) -> ApiResult<bool> {
    for cart in carts {
        match admit_methods_of(cart, rules) {
            Err(refused) if refused.code() == Code::InvalidOperation => return Ok(false),
            admitted => admitted?,
        }
    }
    Ok(true)
}

/// Refuses a Cart of another Store, or of none, if the Customer signs up or in in a Store (reference: "Create (sign up)
/// Customer in Store").
///
/// 400 `InvalidOperation`.
fn admit_store(cart: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(store) = rules.bounds.store.as_deref() else { return Ok(()) };
    let other = match text(cart, &["store", "key"]) {
        Some(other) if other == store => return Ok(()),
        Some(other) => format!("of the Store '{other}'"),
        None => "of no Store".to_owned(),
    };
    let message = format!("anonymousCart: the Cart is {other}, expected one of '{store}'.");
    Err(ApiError::invalid_operation(message))
}

/// Returns the merge mode of the anonymous Cart; the reference has two names for it.
fn mode(input: &Document) -> Option<&str> {
    text(input, &["anonymousCartSignInMode"]).or_else(|| text(input, &["activeCartSignInMode"]))
}

/// The Cart of a visitor that is named.
fn find_anonymous_cart(input: &Document, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    let found = match (input.get("anonymousCart"), text(input, &["anonymousCartId"])) {
        (Some(Value::Object(identifier)), _) => rules.resolve(identifier)?.document,
        (_, Some(id)) => {
            let missing = || ApiError::referenced_resource_not_found(CART, Some(id), None);
            rules.peek_named(CART, id)?.ok_or_else(missing)?
        }
        _ => return Ok(None),
    };
    merge::admit_anonymous(&found, text(input, &["anonymousId"]))?;
    Ok(Some(found))
}
