//! Changes of quantities; a quantity of 0 removes the item.
//!
//! Source: reference types `CartChangeLineItemQuantityAction`, `CartRemoveLineItemAction` (external prices),
//! `MyCartChangeLineItemQuantityAction`, `CartChangeCustomLineItemQuantityAction`,
//! `CartRemoveCustomLineItemAction`.

use super::items::{self, CUSTOM, CartItemKind, LINES};
use super::prices::ExternalPrice;
use super::reprice_flags::{PRICE_MODE, choose_price_of_platform};
use super::{gifts, shipping_details};
use crate::item_shipping_details::admit_item;
use kontor_engine::document::has_enum;
use kontor_engine::{ActionContext, Document};
use kontor_enums::LineItemPriceMode;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// `changeLineItemQuantity`.
pub(super) fn change(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let quantity = items::quantity(arguments);
    if context.rules.bounds.mine.is_some() {
        return change_my_line_quantity(context, arguments, quantity);
    }
    change_line_quantity(context, arguments, quantity)
}

/// `removeLineItem`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let line = LINES.identified_item(context, arguments)?;
    let left = match arguments.get("quantity").and_then(Value::as_i64) {
        Some(removed) => items::quantity(line).saturating_sub(removed).max(0),
        None => 0,
    };
    let details = arguments.get("shippingDetailsToRemove").and_then(Value::as_object).filter(|_| left > 0);
    if let Some(details) = details {
        shipping_details::take_away(line, details);
    }
    let is_mine = context.rules.bounds.mine.is_some();
    if is_mine
        && has_enum(LINES.identified_item(context, arguments)?, &[PRICE_MODE], LineItemPriceMode::Platform)
    {
        // A buyer cannot set prices.
        change_my_line_quantity(context, arguments, left)?;
    } else {
        change_line_quantity(context, arguments, left)?;
    }
    match details {
        Some(_) => admit_item(LINES.shape, LINES.identified_item(context, arguments)?),
        None => Ok(()),
    }
}

/// Changes the quantity. Without an external price in the action, the price of the Product is selected again.
fn change_line_quantity(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    quantity: i64,
) -> ApiResult<()> {
    let given = ExternalPrice::read(arguments, items::currency(context.document)?, context.place)?;
    let rules = context.rules;
    if items::is_gift(LINES.identified_item(context, arguments)?) {
        return gifts::change(context, arguments, quantity);
    }
    let Some(line) = apply_quantity(context, arguments, &LINES, quantity)? else { return Ok(()) };
    given.apply_to(line, rules);
    Ok(())
}

/// Changes the quantity in the caller's own Cart: the external unit price stays, and the total is calculated
/// from it. Prices in the action are ignored.
fn change_my_line_quantity(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    quantity: i64,
) -> ApiResult<()> {
    if items::is_gift(LINES.identified_item(context, arguments)?) {
        return gifts::change(context, arguments, quantity);
    }
    let Some(line) = apply_quantity(context, arguments, &LINES, quantity)? else { return Ok(()) };
    if has_enum(line, &[PRICE_MODE], LineItemPriceMode::ExternalTotal) {
        line.insert(PRICE_MODE, json!(LineItemPriceMode::ExternalPrice));
    }
    choose_price_of_platform(line);
    Ok(())
}

/// `changeCustomLineItemQuantity`.
pub(super) fn change_custom(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    apply_quantity(context, arguments, &CUSTOM, items::quantity(arguments)).map(|_| ())
}

/// `removeCustomLineItem`.
pub(super) fn remove_custom(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    apply_quantity(context, arguments, &CUSTOM, 0).map(|_| ())
}

/// Returns the item with its new quantity; `None` if the quantity is 0.
fn apply_quantity<'d>(
    context: &'d mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &CartItemKind,
    quantity: i64,
) -> ApiResult<Option<&'d mut Document>> {
    let index = of.index(context, arguments)?;
    let items = of.all_mut(context.document)?;
    if quantity == 0 {
        items.remove(index);
        return Ok(None);
    }
    let item = items[index].as_object_mut();
    if let Some(item) = item {
        item.insert("quantity", json!(quantity));
        return Ok(Some(item));
    }
    Ok(None)
}
