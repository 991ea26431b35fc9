//! The Shipping Method that a Cart, or what was made of one, is shipped by.
//!
//! Source: reference types `ShippingMethod` (`active`, `stores`), `ShippingInfo`.

use crate::shipping_method::is_for_store_of;
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// Whether a Cart, or what was made of one, can be shipped by a Shipping Method.
///
/// 400 `InvalidOperation`: it is not active, or for other Stores.
pub(crate) fn admit_method(method: &Document, shipped: &Document, place: &str) -> ApiResult<()> {
    let refuse = |what: &str| {
        let id = must_text(method, &["id"])?;
        Err(ApiError::invalid_operation(format!("{place}: the Shipping Method '{id}' {what}")))
    };
    if method.get("active") == Some(&json!(false)) {
        return refuse("is not active.");
    }
    if !is_for_store_of(method, shipped) {
        return refuse("is for Carts of other Stores.");
    }
    Ok(())
}

/// The same of the Shipping Method that something made of a Cart is shipped by; one that is gone stays with it.
pub(crate) fn admit_method_of(shipped: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(id) = text(shipped, &["shippingInfo", "shippingMethod", "id"]) else { return Ok(()) };
    match rules.peek_type("shipping-method", id)? {
        Some(method) => admit_method(&method, shipped, "shippingInfo"),
        None => Ok(()),
    }
}
