//! How much of something is bought; nothing of it: it goes.
//!
//! Source: reference types `CartChangeLineItemQuantityAction`, `CartRemoveLineItemAction` (what becomes of prices from
//! outside), `CartChangeCustomLineItemQuantityAction`, `CartRemoveCustomLineItemAction`.

use super::items::{self, CUSTOM, Items, LINES};
use super::prices::Given;
use super::{gifts, shipping_details};
use crate::item_shipping_details::admit_item;
use kontor_engine::{Acting, Document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// `changeLineItemQuantity`.
pub(super) fn change(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    become_quantity(acting, arguments, items::quantity(arguments))
}

/// `removeLineItem`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let line = LINES.identified(acting, arguments)?;
    let left = match arguments.get("quantity").and_then(Value::as_i64) {
        Some(removed) => items::quantity(line).saturating_sub(removed).max(0),
        None => 0,
    };
    let details = arguments.get("shippingDetailsToRemove").and_then(Value::as_object).filter(|_| left > 0);
    if let Some(details) = details {
        shipping_details::take_away(line, details);
    }
    become_quantity(acting, arguments, left)?;
    match details {
        Some(_) => admit_item(LINES.shape, LINES.identified(acting, arguments)?),
        None => Ok(()),
    }
}

/// Without a price that is said with it, that of the Product counts again.
fn become_quantity(acting: &mut Acting<'_, '_>, arguments: &Document, quantity: i64) -> ApiResult<()> {
    let given = Given::read(arguments, items::currency(acting.document)?, acting.place)?;
    let rules = acting.rules;
    if items::is_gift(LINES.identified(acting, arguments)?) {
        return gifts::change(acting, arguments, quantity);
    }
    let Some(line) = left_over(acting, arguments, &LINES, quantity)? else { return Ok(()) };
    given.put(line, rules);
    Ok(())
}

/// `changeCustomLineItemQuantity`.
pub(super) fn change_custom(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    left_over(acting, arguments, &CUSTOM, items::quantity(arguments)).map(|_| ())
}

/// `removeCustomLineItem`.
pub(super) fn remove_custom(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    left_over(acting, arguments, &CUSTOM, 0).map(|_| ())
}

/// The item with its new quantity; `None` where nothing is left of it.
fn left_over<'d>(
    acting: &'d mut Acting<'_, '_>,
    arguments: &Document,
    of: &Items,
    quantity: i64,
) -> ApiResult<Option<&'d mut Document>> {
    let index = of.index(acting, arguments)?;
    let items = of.all_mut(acting.document)?;
    if quantity == 0 {
        items.remove(index);
        return Ok(None);
    }
    let item = items[index].as_object_mut();
    if let Some(item) = item {
        item.insert("quantity".into(), json!(quantity));
        return Ok(Some(item));
    }
    Ok(None)
}
