//! Merges an anonymous Cart into a Customer's Cart.
//!
//! Source: operation "Merge Cart", reference types `MergeCartDraft`, `CartMergeMode`, `CartState` (`Merged`);
//! public documentation, "Merge a Cart": an item in both Carts gets the larger quantity, with the shipping
//! details of that one.

use super::items::{CUSTOM, CartItemKind, LINES};
use super::{
    active, custom_line_items, customer, items, line_items, prices, reprice_flags, reservations, session, tax,
};
use crate::kinds;
use crate::shipped_by::admit_methods_of;
use kontor_engine::document::{enum_at, list, must_enum, must_text, text};
use kontor_engine::{
    Document, Effects, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, FoundDocument, Rules,
};
use kontor_enums::{CartMergeMode, CartState};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// `POST /carts/customer-id={customerId}/merge`.
pub(super) const MERGE: EndpointHandler = EndpointHandler { find, act: merge_carts };

fn find(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let anonymous = anonymous_cart(input, rules)?;
    let own = match enum_at(input, &["mergeMode"])? {
        Some(CartMergeMode::UseAsNewActiveCustomerCart) => None,
        Some(CartMergeMode::MergeWithExistingCustomerCart) | None => {
            active::active_cart_of_customer(must_text(input, &["customerId"])?, rules)?
        }
    };
    let id = match own {
        Some(FoundDocument { id, .. }) => id,
        None => must_text(&anonymous, &["id"])?.to_owned(),
    };
    Ok(EndpointTarget { id, ..EndpointTarget::default() })
}

/// Returns the anonymous Cart to merge. 400 `InvalidOperation`: it is not anonymous, or of another session;
/// `RequiredField`: the request names none; `ReferencedResourceNotFound`: it does not exist.
fn anonymous_cart(input: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let session = text(input, &["anonymousId"]);
    let found = match (input.get("anonymousCart"), session) {
        (Some(Value::Object(identifier)), _) => rules.resolve(identifier)?.document,
        (_, Some(session)) => {
            let found = active::active_cart_of_session(session, rules)?.map(|found| found.document);
            found.ok_or_else(|| ApiError::referenced_resource_not_found("cart", None, None))?
        }
        _ => return Err(ApiError::required_field("anonymousCart")),
    };
    admit_anonymous(&found, session)?;
    Ok(found)
}

/// 400 `InvalidOperation`: a Cart that is no visitor's, or not active, or of another session than was sent.
pub(super) fn admit_anonymous(cart: &Document, session: Option<&str>) -> ApiResult<()> {
    let refuse = |what: String| Err(ApiError::invalid_operation(format!("anonymousCart: {what}")));
    if cart.contains_key("customerId") {
        return refuse("the Cart belongs to a Customer.".into());
    }
    if let Some(session) = session
        && text(cart, &["anonymousId"]) != Some(session)
    {
        return refuse(format!("the Cart is not of the anonymous session '{session}'."));
    }
    match must_enum(cart, &["cartState"])? {
        CartState::Active => Ok(()),
        state @ (CartState::Merged | CartState::Ordered | CartState::Frozen) => {
            refuse(format!("the Cart is {state}, expected an active one."))
        }
    }
}

fn merge_carts(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let rules = context.rules;
    let anonymous = anonymous_cart(input, rules)?;
    give_the_others(input, &anonymous, rules, context.effects)?;
    let cart = &mut *context.document;
    for shipped in [&*cart, &*anonymous] {
        admit_methods_of(shipped, rules)?;
    }
    if cart.get("id") == anonymous.get("id") {
        let customer = must_text(input, &["customerId"])?;
        cart.insert("customerId", json!(customer));
        cart.shift_remove("anonymousId");
        customer::admit_store(cart, rules)?;
        customer::take_group(cart, rules)?;
    } else {
        merge_items(cart, &anonymous, rules, context.effects)?;
    }
    if input.get("updateProductData") == Some(&Value::Bool(true)) {
        line_items::update_product_data(cart, rules)?;
    }
    reprice_flags::choose_prices(cart)?;
    reprice_flags::choose_tax_rates(cart)?;
    prices::choose_or_drop(cart, rules)?;
    Ok(EndpointReply::Document)
}

/// Assigns all other Carts of the named session to the Customer (reference type `MergeCartDraft`, `anonymousId`); in a
/// request for a Store, those of that Store.
fn give_the_others(
    input: &Document,
    anonymous: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let Some(session) = text(input, &["anonymousId"]) else { return Ok(()) };
    let store = rules.bounds.store.as_deref();
    let mut others = rules.find_others(kinds::CART, "anonymousId", session, None)?;
    others.retain(|other| store.is_none_or(|store| text(other, &["store", "key"]) == Some(store)));
    let customer = customer::with_id(must_text(input, &["customerId"])?, rules)?;
    others.retain(|other| customer::admit_store_of(&customer, other).is_ok());
    session::give_others(&others, Some(anonymous), &customer, rules, effects)
}

/// Adds the items of an anonymous Cart to a Cart. Items in both get the larger quantity; all others are
/// added. The anonymous Cart then has the state `Merged`.
pub(super) fn merge_items(
    cart: &mut Document,
    other: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let mut merged = other.clone();
    merged.insert("cartState", json!(CartState::Merged));
    // The anonymous Cart releases its reservations before the other Cart reserves.
    reservations::release_all(other, rules, effects)?;
    for line in LINES.each_mut(&mut merged)? {
        line.shift_remove("reservation");
    }
    effects.change(kinds::CART, merged);
    let addresses: Vec<Value> = list(other, &["itemShippingAddresses"]).to_vec();
    if let Some(Value::Array(own)) = cart.get_mut("itemShippingAddresses") {
        let news = addresses.into_iter().filter(|new| own.iter().all(|own| own["key"] != new["key"]));
        let news: Vec<Value> = news.collect();
        own.extend(news);
    }
    // The rule of `addLineItem`: the lines of a Product Variant with other Custom Fields stay apart.
    take_items(&LINES, line_items::adds_up, cart, other, rules)?;
    take_items(&CUSTOM, custom_line_items::adds_up, cart, other, rules)
}

/// Adds items, or raises the quantity of the item that `is_same` finds for them. A new item whose key is used by
/// another item of the Cart stays in its own Cart (public documentation, "Line Item matching logic").
fn take_items(
    of: &CartItemKind,
    is_same: fn(&Document, &Document) -> bool,
    cart: &mut Document,
    other: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let is_shipped_alike = cart.get("shippingMode") == other.get("shippingMode");
    let is_taxed_alike = cart.get("taxMode") == other.get("taxMode");
    for item in list(other, &[of.field]).iter().filter_map(Value::as_object) {
        if items::is_gift(item) {
            continue;
        }
        let Some(own) = of.each_mut(cart)?.find(|own| is_same(own, item)) else {
            if item.contains_key("key") && of.each_mut(cart)?.any(|other| other.get("key") == item.get("key"))
            {
                continue;
            }
            let mut new = item.clone();
            new.insert("id", json!(rules.new_id()));
            new.shift_remove("reservation");
            if !is_shipped_alike {
                new.shift_remove("shippingDetails");
            }
            if !is_taxed_alike {
                tax::remove_tax_values(&mut new);
            }
            of.all_mut(cart)?.push(Value::Object(new));
            continue;
        };
        if items::quantity(own) < items::quantity(item) {
            let taken: &[&str] =
                if is_shipped_alike { &["quantity", "shippingDetails"] } else { &["quantity"] };
            for name in taken {
                own.extend(item.get(*name).map(|value| ((*name).to_owned(), value.clone())));
            }
        }
    }
    Ok(())
}
