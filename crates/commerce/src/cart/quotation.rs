//! Creates the Cart in which a seller prepares an offer (the `quotationCart` of a Staged Quote).
//!
//! Source: reference types `StagedQuote` (`quotationCart`), `CartOrigin` (`Quote`), `CartsConfiguration` (such Carts
//! are not deleted automatically).

use crate::copied_fields::copy_fields;
use kontor_engine::document::text;
use kontor_engine::{Document, Rules};
use kontor_enums::{CartOrigin, CartState, InventoryMode, ShippingMode};
use kontor_errors::ApiResult;
use kontor_json::json;

/// Creates the Cart for a Quote Request: with its items at the prices of the request, complete except for the id.
pub(crate) fn create_quote_cart(request: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let mut cart = copy_fields(request, "Cart", &["custom"], rules)?;
    let requested_of = match text(request, &["cart", "id"]) {
        Some(id) => rules.peek_type("cart", id)?,
        None => None,
    };
    for name in ["customerEmail", "locale", "shippingKey", "shippingCustomFields"] {
        let value = requested_of.as_ref().and_then(|cart| cart.get(name)).cloned();
        cart.extend(value.map(|value| (name, value)));
    }
    let customer = text(request, &["customer", "id"]);
    cart.extend(customer.map(|id| ("customerId".to_owned(), json!(id))));
    for list in ["shipping", "discountCodes", "refusedGifts"] {
        cart.insert(list, json!([]));
    }
    for list in ["itemShippingAddresses", "directDiscounts"] {
        cart.entry(list).or_insert_with(|| json!([]));
    }
    for (name, value) in [
        ("shippingMode", ShippingMode::Single.as_str()),
        ("origin", CartOrigin::Quote.as_str()),
        ("cartState", CartState::Active.as_str()),
    ] {
        cart.insert(name, json!(value));
    }
    cart.entry("inventoryMode").or_insert_with(|| json!(InventoryMode::None));
    Ok(cart)
}
