//! Staged actions that behave differently from those of Orders and Carts.
//!
//! Source: reference types `StagedOrderSetShippingAddressAction`,
//! `StagedOrderSetShippingAddressAndShippingMethodAction`,
//! `StagedOrderSetShippingAddressAndCustomShippingMethodAction`, `StagedOrderSetOrderTotalTaxAction`.

use crate::cart;
use kontor_engine::document::fields;
use kontor_engine::{ActionContext, ActionHandler, Document};
use kontor_errors::ApiResult;

/// The name of the set in the model.
pub(super) const SET: &str = "StagedOrder";

pub(super) const ACTIONS: &[(&str, &str, ActionHandler)] = &[
    (SET, "setOrderTotalTax", cart::set_total_tax),
    (SET, "setShippingAddress", set_shipping_address),
    (SET, "setShippingAddressAndCustomShippingMethod", |context, arguments| {
        set_shipping_address(context, arguments)?;
        cart::set_custom_shipping_method(context, arguments)
    }),
    (SET, "setShippingAddressAndShippingMethod", |context, arguments| {
        set_shipping_address(context, arguments)?;
        cart::set_shipping_method(context, arguments)
    }),
];

/// Actions shared by Orders and Carts that cause a recalculation only in Order Edits.
pub(super) const CALCULATED: [&str; 6] = [
    "addItemShippingAddress",
    "removeItemShippingAddress",
    "setCustomLineItemShippingDetails",
    "setLineItemShippingDetails",
    "setShippingAddress",
    "updateItemShippingAddress",
];

/// `setShippingAddress`: marks tax rates for a new selection.
fn set_shipping_address(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = context.document.get("shippingAddress").cloned();
    cart::set_shipping_address(context, arguments)?;
    let new = context.document.get("shippingAddress").cloned();
    if new == old {
        return Ok(());
    }
    context.emit("OrderShippingAddressSet", fields([("address", new), ("oldAddress", old)]))
}
