//! Actions that distribute the quantity of an Order's item over shipping addresses.
//!
//! Source: reference types `OrderSetLineItemShippingDetailsAction`, `OrderSetCustomLineItemShippingDetailsAction`.

use super::item_states::{ItemStateFields, index};
use super::list_of;
use crate::item_shipping_details::{self, DETAILS, normalize_targets, set_targets};
use kontor_engine::document::{has_enum, list};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ShippingMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::collections::HashSet;

/// `setLineItemShippingDetails` and its like.
pub(super) fn set(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemStateFields,
) -> ApiResult<()> {
    let sent = arguments.get(DETAILS).and_then(Value::as_object);
    let targets = sent.map(|sent| normalize_targets(list(sent, &["targets"]), context.place)).transpose()?;
    let place = index(context, arguments, of)?;
    let item = list_of(context.document, of.field)?[place].as_object_mut();
    let item = item.ok_or_else(|| ApiError::bug("an item of an Order that is no object"))?;
    match targets {
        Some(targets) => set_targets(item, targets),
        None => {
            item.shift_remove(DETAILS);
        }
    }
    Ok(())
}

/// Sets for all items whether their targets cover their quantities.
///
/// 400 `InvalidOperation`: an address does not exist.
pub(super) fn settle(order: &mut Document) -> ApiResult<()> {
    let addresses: HashSet<String> = list(order, &["itemShippingAddresses"])
        .iter()
        .filter_map(|address| address["key"].as_str().map(str::to_owned))
        .collect();
    let is_multiple = has_enum(order, &["shippingMode"], ShippingMode::Multiple);
    for field in ["lineItems", "customLineItems"] {
        let items = order.get_mut(field).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten().filter_map(Value::as_object_mut) {
            item_shipping_details::settle(item, &addresses, is_multiple)?;
        }
    }
    Ok(())
}
