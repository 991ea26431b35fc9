//! Validates that a Cart, Order or Quote can be shipped by its Shipping Methods.
//!
//! Source: reference types `ShippingMethod` (`active`, `stores`), `ShippingInfo`.

use crate::shipping_method::is_for_store_of;
use kontor_engine::document::{list, must_text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// Checks that a Cart, or a document created from one, can be shipped by a Shipping Method.
///
/// 400 `InvalidOperation`: the Shipping Method is not active, or for other Stores.
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

/// Checks all Shipping Methods of a Cart, or of a document created from one, with [`admit_method`]. A deleted one is
/// accepted.
pub(crate) fn admit_methods_of(shipped: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let of_items = list(shipped, &["shipping"]).iter().map(|method| &method["shippingInfo"]);
    for info in of_items.chain(shipped.get("shippingInfo")) {
        let Some(id) = info["shippingMethod"]["id"].as_str() else { continue };
        if let Some(method) = rules.peek_type("shipping-method", id)? {
            admit_method(&method, shipped, "shippingInfo")?;
        }
    }
    Ok(())
}
