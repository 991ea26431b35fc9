//! Settles a Cart after all actions: validates it, selects prices and tax rates, calculates it.

use super::items::{CUSTOM, LINES, PreviousItems, in_model_order};
use super::{
    OWNED, cart_state, discounts, lock, prices, quantity_limits, reprice_flags, reservations,
    shipping_choice, states, tax, tax_choice,
};
use crate::business_unit_reference;
use crate::buyer;
use crate::item_shipping_details;
use crate::locale_of_project::admit_locale;
use crate::owner::admit_owner;
use kontor_engine::document::{has_enum, list};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::ShippingMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

pub(super) fn settle(
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    if let Some(before) = before {
        lock::admit_change(before, rules)?;
        cart_state::admit_change(before)?;
    }
    if cart_state::is_ordered(after) {
        // The handler that ordered the Cart has settled it.
        return Ok(());
    }
    admit_owner("A Cart", "customerId", before, after)?;
    business_unit_reference::check_unit(before, after, &OWNED, rules)?;
    if before.is_none_or(|before| before.get("businessUnit") != after.get("businessUnit")) {
        buyer::admit_unit(after, rules)?;
    }
    admit_locale(before, after, rules)?;
    // Reservations of removed line items are released.
    prices::choose_or_remove(after, rules)?;
    reservations::settle(before, after, rules, effects)?;
    work_out(before, after, rules)?;
    // A frozen Cart is about to be ordered.
    match reprice_flags::is_frozen(after) {
        true => item_shipping_details::admit_complete(after),
        false => Ok(()),
    }
}

/// Recalculates an Order that is edited like a Cart.
pub(crate) fn calculate(before: &Document, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    work_out(Some(before), after, rules)
}

/// Selects the marked prices and tax rates, and calculates.
fn work_out(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    settle_items(before, after, rules)?;
    quantity_limits::check_quantities(before, after, rules)?;
    prices::select_prices(after, rules)?;
    let new = shipping_choice::select_shipping_rates(after, rules)?;
    tax_choice::select_tax_rates(after, rules)?;
    discounts::settle(before, after, rules)?;
    if let Some(before) = before
        && tax::forget_amounts_of_other_prices(before, after)?
    {
        discounts::settle(Some(before), after, rules)?;
    }
    shipping_choice::match_predicates(after, &new, rules)?;
    shipping_choice::restore_field_order(after, rules)?;
    date_changes(before, after, rules)
}

/// Validates the items together, and sets their fields that follow from the Cart.
fn settle_items(before: Option<&Document>, cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    // Derived fields of an untouched item depend on these fields.
    let of_cart = ["itemShippingAddresses", "shippingMode"];
    let before = before.filter(|before| of_cart.iter().all(|name| before.get(*name) == cart.get(*name)));
    let addresses = item_shipping_details::address_keys(cart)?;
    let is_multiple = has_enum(cart, &["shippingMode"], ShippingMode::Multiple);
    let kind = rules.model.object_by_name("Cart").map(|object| rules.model.object(object));
    for of in [&LINES, &CUSTOM] {
        let most = kind.and_then(|kind| kind.field(of.field)).and_then(|field| field.limits.items_max);
        let items = list(cart, &[of.field]);
        if let Some(most) = most.filter(|most| items.len() > *most) {
            return Err(ApiError::invalid_operation(format!("A Cart holds at most {most} {}.", of.field)));
        }
        let mut keys = HashSet::new();
        if let Some(twice) = items.iter().filter_map(|item| item.get("key")).find(|key| !keys.insert(*key)) {
            return Err(ApiError::duplicate_field(&format!("{}.key", of.field), twice.clone()));
        }
        let before = PreviousItems::from_cart(of, before);
        for (place, item) in of.each_mut(cart)?.enumerate() {
            if !before.is_untouched(place, item) {
                states::follow_quantity(item);
                item_shipping_details::settle(item, &addresses, is_multiple)?;
            }
        }
    }
    Ok(())
}

/// Stamps `lastModifiedAt` on changed line items and restores the field order of the model.
fn date_changes(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let before = PreviousItems::from_cart(&LINES, before);
    for (place, line) in LINES.all_mut(after)?.iter_mut().enumerate() {
        let same = line.as_object().and_then(|line| before.find(place, line));
        if let Some(same) = same.filter(|same| **same == *line) {
            // A value that was removed and added again, e.g. a price that was selected again, keeps its
            // stored text.
            *line = Value::clone(same);
            continue;
        }
        if let Value::Object(line) = line {
            line.insert("lastModifiedAt", json!(rules.time()));
            *line = in_model_order(LINES.shape, std::mem::take(line), rules)?;
        }
    }
    Ok(())
}
