//! The shipping address of a Cart, and the country that decides its prices.
//!
//! Source: reference types `CartSetShippingAddressAction`, `CartSetCountryAction`,
//! `CountryNotConfiguredInStoreError`, `CartAddItemShippingAddressAction` and its companions.

use super::items::{CUSTOM, LINES};
use super::{address, reprice_flags, shipping_holders};
use crate::item_shipping_details::{ITEM_SHIPPING, is_shipped_to};
use crate::sold_in_store::admit_country;
use kontor_engine::document::{list, must_text, set, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const COUNTRY: &str = "country";
const SHIPPING: &str = "shippingAddress";

/// `setCountry`: marks all prices for a new selection.
pub(super) fn set_country(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    set(context.document, &[COUNTRY], arguments.get(COUNTRY).cloned());
    admit_country(context.document, context.rules)?;
    reprice_flags::choose_prices(context.document)
}

/// `setShippingAddress`: marks all tax rates for a new selection.
pub(crate) fn set_shipping(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let address = match arguments.get("address") {
        Some(Value::Object(sent)) => Some(stored(sent, context)?),
        _ => None,
    };
    set(context.document, &[SHIPPING], address);
    shipping_holders::choose_anew(context.document);
    reprice_flags::choose_tax_rates(context.document)
}

/// `updateItemShippingAddress`.
pub(super) fn update_item_shipping(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let Some(Value::Object(sent)) = arguments.get("address") else {
        return Err(ApiError::bug("an action without its address"));
    };
    let index = index_of(context.document, text(sent, &["key"]), context.place)?;
    let address = stored(sent, context)?;
    item_shipping(context.document)?[index] = address;
    Ok(())
}

/// `removeItemShippingAddress`: refused while an item is shipped to the address.
pub(super) fn remove_item_shipping(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let key = must_text(arguments, &["addressKey"])?;
    let index = index_of(context.document, Some(key), context.place)?;
    for of in [&LINES, &CUSTOM] {
        if of.each_mut(context.document)?.any(|item| is_shipped_to(item, key)) {
            return Err(ApiError::invalid_operation(format!(
                "{}.addressKey: there are {} that are shipped to '{key}'.",
                context.place, of.field
            )));
        }
    }
    item_shipping(context.document)?.remove(index);
    Ok(())
}

fn index_of(cart: &Document, key: Option<&str>, place: &str) -> ApiResult<usize> {
    let addresses = list(cart, &[ITEM_SHIPPING]);
    let found = key.and_then(|key| addresses.iter().position(|address| address["key"] == key));
    found.ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{place}: {ITEM_SHIPPING} has no address with the key '{}'.",
            key.unwrap_or("")
        ))
    })
}

fn item_shipping(cart: &mut Document) -> ApiResult<&mut Vec<Value>> {
    let addresses = cart.entry(ITEM_SHIPPING).or_insert_with(|| json!([]));
    addresses.as_array_mut().ok_or_else(|| ApiError::bug("addresses that are no list"))
}

fn stored(sent: &Document, context: &ActionContext<'_, '_>) -> ApiResult<Value> {
    address::stored_address(sent, &format!("{}.address", context.place), context.rules)
}
