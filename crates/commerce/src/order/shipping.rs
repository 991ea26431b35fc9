//! Actions on the shipping of an Order: custom fields, and the estimated delivery.
//!
//! Source: reference types `OrderSetShippingCustomTypeAction`, `OrderSetShippingCustomFieldAction`,
//! `OrderSetEstimatedDeliveryAction`, `OrderEstimatedDeliverySetMessage`.

use crate::custom_fields::{custom_of, set_field_in};
use crate::estimated_delivery::estimated_delivery;
use kontor_engine::document::{fields, has_enum, set};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ShippingMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

const CUSTOM: &str = "shippingCustomFields";

/// `setShippingCustomType`.
pub(super) fn set_custom_type(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let custom = custom_of(context, arguments, "shipping")?;
    set(holder_of(context, arguments)?, &[CUSTOM], custom);
    Ok(())
}

/// `setShippingCustomField`.
pub(super) fn set_custom_field(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (context.place, context.rules);
    set_field_in(CUSTOM, holder_of(context, arguments)?, arguments, place, rules).map(drop)
}

/// `setEstimatedDelivery` of an existing shipping entry.
///
/// 400 `InvalidInput`: it ends before it begins.
pub(super) fn set_estimated_delivery(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let place = context.place;
    let new = estimated_delivery(arguments, place)?.cloned();
    let Some(Value::Object(info)) = holder_of(context, arguments)?.get_mut("shippingInfo") else {
        return Err(ApiError::invalid_operation(format!("{place}: the Order has no shipping method.")));
    };
    let old = info.get("estimatedDelivery").cloned();
    if old == new {
        return Ok(());
    }
    set(info, &["estimatedDelivery"], new.clone());
    let message_fields =
        fields([("estimatedDelivery", new), ("shippingKey", arguments.get("shippingKey").cloned())]);
    context.emit("OrderEstimatedDeliverySet", message_fields)
}

/// Returns the Order, or in the Shipping Mode `Multiple` the shipping entry with the key.
///
/// 400 `InvalidOperation`: a key in the other mode, no key in this one, or an unknown key.
fn holder_of<'d>(
    context: &'d mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<&'d mut Document> {
    let place = context.place;
    let refuse = |what: String| Err(ApiError::invalid_operation(format!("{place}.shippingKey: {what}")));
    let is_multiple = has_enum(context.document, &["shippingMode"], ShippingMode::Multiple);
    let key = match (arguments.get("shippingKey"), is_multiple) {
        (None, false) => return Ok(context.document),
        (Some(key), true) => key,
        (Some(_), false) => return refuse("there are no keys in the Shipping Mode 'Single'.".into()),
        (None, true) => return refuse("it is needed in the Shipping Mode 'Multiple'.".into()),
    };
    let all = context.document.get_mut("shipping").and_then(Value::as_array_mut);
    let found = all.and_then(|all| all.iter_mut().find(|method| method["shippingKey"] == *key));
    match found.and_then(Value::as_object_mut) {
        Some(method) => Ok(method),
        None => refuse(format!("there is no shipping method with the key {key}.")),
    }
}
