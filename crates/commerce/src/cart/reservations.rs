//! Stock reservations of line items with the inventory mode `ReserveOnCart`. Start at [`settle`].
//!
//! Each such line item has a Reservation that follows it: its quantity changes, or it is released with the
//! item. If stock cannot be reserved, the reservation is undone and the response contains a warning.
//!
//! Source: reference types `InventoryMode`, `CartChangeLineItemQuantityAction`,
//! `CartSetLineItemInventoryModeAction`, `CartSetReservationExpirationInMinutesAction`,
//! `CannotCreateReservationWarning` and its companions; operation "Create Cart".

use super::items::{self, LINES};
use crate::reservation::{self, NewReservation, RESERVATION};
use kontor_engine::document::{
    list, must_integer, must_text, reference, set, text, text_or_empty, text_or_log,
};
use kontor_engine::{ActionContext, Document, Effects, Rules};
use kontor_enums::{CartState, InventoryMode};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashMap;

const MODE: &str = "inventoryMode";
const FIELD: &str = "reservation";
const RESERVING: &str = InventoryMode::ReserveOnCart.as_str();

/// Updates the Reservations of a Cart's line items.
///
/// 400 `InvalidOperation`: none of a new Cart's line items can be reserved, or the Project does not configure for how
/// long.
pub(super) fn settle(
    before: Option<&Document>,
    cart: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    let of_cart = text_or_empty(cart, &[MODE]).to_owned();
    let state = must_text(cart, &["cartState"])?.to_owned();
    let is_untouched = |cart: &Document| {
        lines(cart).all(|line| !is_reserving(line, &of_cart) && reservation_id(line).is_none())
    };
    if state == CartState::Ordered.as_str() || (is_untouched(cart) && before.is_none_or(is_untouched)) {
        return Ok(());
    }
    let known: HashMap<&str, &Document> =
        before.into_iter().flat_map(lines).filter_map(|line| Some((text(line, &["id"])?, line))).collect();
    let id = must_text(cart, &["id"])?.to_owned();
    let mut kept = Vec::new();
    let (mut wanted, mut reserved) = (0, 0);
    for line in std::mem::take(LINES.all_mut(cart)?) {
        let Value::Object(mut line) = line else { continue };
        let before = text(&line, &["id"]).and_then(|id| known.get(id)).copied();
        if state == CartState::Merged.as_str() || !is_reserving(&line, &of_cart) {
            give_up(&mut line, rules, effects)?;
            kept.push(Value::Object(line));
            continue;
        }
        wanted += 1;
        if follow(&mut line, before, &id, rules, effects)? {
            reserved += 1;
            kept.push(Value::Object(line));
        }
    }
    if before.is_none() && wanted > 0 && reserved == 0 {
        return Err(ApiError::invalid_operation("None of the line items could be reserved."));
    }
    let is_there = |id: &str| kept.iter().any(|line| line["id"] == id);
    for (_, gone) in known.into_iter().filter(|(id, _)| !is_there(id)) {
        if let Some(id) = reservation_id(gone) {
            reservation::release(id, rules, effects)?;
        }
    }
    *LINES.all_mut(cart)? = kept;
    Ok(())
}

/// Releases all Reservations of a Cart that is deleted.
pub(super) fn release_all(cart: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    lines(cart).filter_map(reservation_id).try_for_each(|id| reservation::release(id, rules, effects))
}

/// `setReservationExpirationInMinutes`.
pub(super) fn set_expiration(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let minutes = must_integer(arguments, &["reservationExpirationInMinutes"])?;
    let (rules, effects) = (context.rules, &mut *context.effects);
    for line in lines(context.document) {
        let Some(id) = reservation_id(line) else { continue };
        match reservation::active_reservation(id, rules, effects)? {
            Some(active) => reservation::end_in(active, minutes, rules, effects)?,
            None => {
                let line = must_text(line, &["id"])?;
                effects.warn(json!({
                    "code": "CannotChangeReservationExpiry",
                    "message": format!("The reservation expiration for line item {line} cannot be changed."),
                    "lineItemId": line,
                }));
            }
        }
    }
    Ok(())
}

/// Updates the Reservation of a line item; returns false if a new item cannot be reserved and so cannot stay.
fn follow(
    line: &mut Document,
    before: Option<&Document>,
    cart: &str,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<bool> {
    let quantity = items::quantity(line);
    let active = match reservation_id(line) {
        Some(id) => reservation::active_reservation(id, rules, effects)?,
        None => None,
    };
    match (active, before) {
        (Some(active), Some(before)) if sku_and_channel(before) == sku_and_channel(line) => {
            let kept = items::quantity(&active);
            if kept != quantity && !reservation::become_quantity(active, quantity, rules, effects)? {
                effects.warn(cannot_update(line, kept));
                line.insert("quantity", json!(kept));
            }
            return Ok(true);
        }
        // An expired reservation stays expired until the quantity changes.
        (None, Some(before))
            if reservation_id(before).is_some()
                && items::quantity(before) == quantity
                && sku_and_channel(before) == sku_and_channel(line) =>
        {
            return Ok(true);
        }
        (Some(_), _) => give_up(line, rules, effects)?,
        (None, _) => {}
    }
    if create(line, cart, rules, effects)? {
        return Ok(true);
    }
    effects.warn(cannot_create(line));
    let Some(before) = before else { return Ok(false) };
    for name in [MODE, "quantity", "supplyChannel"] {
        set(line, &[name], before.get(name).cloned());
    }
    line.shift_remove(FIELD);
    Ok(true)
}

/// Creates the Reservation of a line item; returns false if the stock does not suffice.
fn create(line: &mut Document, cart: &str, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<bool> {
    let (Some(sku), channel) = sku_and_channel(line) else { return Ok(false) };
    let Some(entry) = reservation::entry_of((sku, channel), rules, effects)? else { return Ok(false) };
    let wanted = NewReservation { cart, line: must_text(line, &["id"])?, quantity: items::quantity(line) };
    reservation::expiry_time(&entry, rules)?;
    if !reservation::reduce_available(entry.clone(), wanted.quantity, effects) {
        return Ok(false);
    }
    let id = reservation::create_reservation(&wanted, &entry, rules, effects)?;
    line.insert(FIELD, reference(RESERVATION, &id));
    Ok(true)
}

fn give_up(line: &mut Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    if let Some(id) = reservation_id(line) {
        reservation::release(id, rules, effects)?;
        line.shift_remove(FIELD);
    }
    Ok(())
}

fn lines(cart: &Document) -> impl Iterator<Item = &Document> {
    list(cart, &[LINES.field]).iter().filter_map(Value::as_object)
}

fn is_reserving(line: &Document, of_cart: &str) -> bool {
    text(line, &[MODE]).unwrap_or(of_cart) == RESERVING && !items::is_gift(line)
}

/// The id of the Reservation of a Line Item.
fn reservation_id(line: &Document) -> Option<&str> {
    text(line, &[FIELD, "id"])
}

/// Returns the SKU and the supply Channel, which determine the InventoryEntry.
fn sku_and_channel(line: &Document) -> (Option<&str>, Option<&str>) {
    (text(line, &["variant", "sku"]), text(line, &["supplyChannel", "id"]))
}

fn cannot_create(line: &Document) -> Value {
    let (sku, channel) = sku_and_channel(line);
    let (product, quantity) = (text_or_log(line, &["productId"]), items::quantity(line));
    without_empty_fields(json!({
        "code": "CannotCreateReservation",
        "message": format!(
            "Failed to create a reservation for product {product} (SKU: {}, Supply Channel: {}) with quantity {quantity}.",
            sku.unwrap_or("none"),
            channel.unwrap_or("none"),
        ),
        "productId": product,
        "sku": sku,
        "supplyChannel": channel,
        "quantity": quantity,
    }))
}

fn cannot_update(line: &Document, kept: i64) -> Value {
    let (sku, channel) = sku_and_channel(line);
    let (product, quantity) = (text_or_log(line, &["productId"]), items::quantity(line));
    let id = text_or_log(line, &["id"]);
    without_empty_fields(json!({
        "code": "CannotUpdateReservation",
        "message": format!(
            "Failed to update the reservation for line item {id} (Product ID: {product}, SKU: {}, Supply Channel: {}) to a \
             quantity of {quantity}. The reserved amount is still {kept}.",
            sku.unwrap_or("none"),
            channel.unwrap_or("none"),
        ),
        "lineItemId": id,
        "requestedQuantity": quantity,
        "reservedQuantity": kept,
        "productId": product,
        "sku": sku,
        "supplyChannel": channel,
    }))
}

/// Returns the warning without empty fields.
fn without_empty_fields(mut warning: Value) -> Value {
    if let Value::Object(fields) = &mut warning {
        fields.retain(|_, value| !value.is_null());
    }
    warning
}
