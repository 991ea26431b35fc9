//! Creates a Cart with the content of another one, or of an Order.
//!
//! Source: operation "Replicate Cart" (preserved fields, updated fields, and that unavailable items are
//! dropped), reference types `ReplicaCartDraft`, `ReplicaMyCartDraft`.

use super::items::{CUSTOM, LINES};
use super::{CART, DAYS, customer, days_of_project, items, prices, reprice_flags, shipping_holders, states};
use crate::copied_fields::content_of_cart;
use crate::kinds;
use crate::purchasable_variant::PurchasableVariant;
use crate::shipped_by::admit_methods_of;
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_enums::{CartState, LineItemMode};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `POST /carts/replicate`, `POST /me/carts/replicate`.
pub(super) const REPLICATE: EndpointHandler = EndpointHandler { find, act: replicate_cart };

/// Defaults of fields that the source lacks.
const WITHOUT: [(&str, &[&str]); 4] =
    [("itemShippingAddresses", &[]), ("discountCodes", &[]), ("directDiscounts", &[]), ("refusedGifts", &[])];
/// The `typeId` of Orders.
const ORDER: &str = "order";

fn find(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let type_id = must_text(input, &["reference", "typeId"])?;
    let Some(id) = text(input, &["reference", "id"]) else {
        // A Reference must have an id; its shape also admits a key.
        return Err(ApiError::invalid_json("reference.id: a value is required".to_owned()));
    };
    let is_known = matches!(type_id, CART | ORDER) && rules.peek_type(type_id, id)?.is_some();
    let missing = ApiError::referenced_resource_not_found(type_id, Some(id), None);
    if !is_known {
        return Err(missing);
    }
    let kind = rules.model.kind_by_type_id(type_id);
    Ok(EndpointTarget { id: id.to_owned(), kind, missing: Some(missing), ..EndpointTarget::default() })
}

fn replicate_cart(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let rules = context.rules;
    if rules.bounds.mine.is_some() {
        // A client that manages all Carts needs no check (reference: "Replicate MyCart" alone).
        admit_methods_of(context.document, rules)?;
    }
    let mut replica = content_of_cart(context.document, rules)?;
    replica.insert("cartState", json!(CartState::Active));
    for (name, without) in WITHOUT {
        replica.entry(name).or_insert_with(|| json!(without));
    }
    if !replica.contains_key(DAYS) {
        replica.extend(days_of_project(rules).map(|days| (DAYS.to_owned(), days)));
    }
    replica.extend(input.get("key").map(|key| ("key".to_owned(), key.clone())));
    customer::admit_store(&replica, rules)?;
    customer::take_group(&mut replica, rules)?;
    begin_items(&mut replica, rules)?;
    forget_deliveries(&mut replica)?;
    context.make_like(kinds::CART, replica)?;
    Ok(EndpointReply::Created)
}

/// Removes the deliveries of an Order, since the new Cart has none.
fn forget_deliveries(cart: &mut Document) -> ApiResult<()> {
    for holder in shipping_holders::holders(cart)? {
        if let Some(Value::Object(info)) = holder.get_mut("shippingInfo") {
            info.insert("deliveries", json!([]));
        }
    }
    Ok(())
}

/// Removes unpublished items, for which no price can be selected.
fn drop_unpublished(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let mut left = Vec::new();
    for line in std::mem::take(LINES.all_mut(cart)?) {
        let is_sold = match line.as_object().filter(|line| line.get("price").is_none_or(Value::is_null)) {
            Some(line) => PurchasableVariant::from_line_item(line, rules)?.is_some(),
            None => true,
        };
        if is_sold {
            left.push(line);
        }
    }
    *LINES.all_mut(cart)? = left;
    Ok(())
}

/// Creates the items as if they were added now. Gifts are added by their discounts.
fn begin_items(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let state = states::initial_state(rules)?;
    let store = text(cart, &["store", "key"]).map(str::to_owned);
    LINES.all_mut(cart)?.retain(|line| line["lineItemMode"] != LineItemMode::GiftLineItem.as_str());
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(cart)? {
            item.insert("id", json!(rules.new_id()));
            item.insert("state", states::all_in(&state, items::quantity(item)));
            item.insert("discountedPricePerQuantity", json!([]));
            item.shift_remove("reservation");
        }
    }
    for line in LINES.each_mut(cart)? {
        if let Some(sold) = PurchasableVariant::from_line_item(line, rules)? {
            sold.copy_fields_to(line, store.as_deref(), rules)?;
        }
    }
    reprice_flags::choose_prices(cart)?;
    reprice_flags::choose_tax_rates(cart)?;
    drop_unpublished(cart, rules)?;
    prices::choose_or_drop(cart, rules)
}
