//! The shipping address of a Cart, and the country that decides its prices.
//!
//! Source: reference types `CartSetShippingAddressAction`, `CartSetCountryAction`,
//! `CountryNotConfiguredInStoreError`, `CartAddItemShippingAddressAction` and its companions.

use super::items::{CUSTOM, LINES};
use super::{address, reprice_flags, shipping_holders};
use crate::item_shipping_details::{ITEM_SHIPPING, goes_to};
use crate::sold_in_store::admit_country;
use kontor_engine::document::{list, must_text, set, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const COUNTRY: &str = "country";
const SHIPPING: &str = "shippingAddress";

/// `setCountry`: marks all prices for a new selection.
pub(super) fn set_country(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    set(acting.document, &[COUNTRY], arguments.get(COUNTRY).cloned());
    admit_country(acting.document, acting.rules)?;
    reprice_flags::choose_prices(acting.document)
}

/// `setShippingAddress`: marks all tax rates for a new selection.
pub(crate) fn set_shipping(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let address = match arguments.get("address") {
        Some(Value::Object(sent)) => Some(stored(sent, acting)?),
        _ => None,
    };
    set(acting.document, &[SHIPPING], address);
    shipping_holders::choose_anew(acting.document);
    reprice_flags::choose_tax_rates(acting.document)
}

/// `updateItemShippingAddress`.
pub(super) fn update_item_shipping(
    acting: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let Some(Value::Object(sent)) = arguments.get("address") else {
        return Err(ApiError::bug("an action without its address"));
    };
    let index = index_of(acting.document, text(sent, &["key"]), acting.place)?;
    let address = stored(sent, acting)?;
    item_shipping(acting.document)?[index] = address;
    Ok(())
}

/// `removeItemShippingAddress`: refused while an item is shipped to the address.
pub(super) fn remove_item_shipping(
    acting: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let key = must_text(arguments, &["addressKey"])?;
    let index = index_of(acting.document, Some(key), acting.place)?;
    for of in [&LINES, &CUSTOM] {
        if of.each_mut(acting.document)?.any(|item| goes_to(item, key)) {
            return Err(ApiError::invalid_operation(format!(
                "{}.addressKey: there are {} that are shipped to '{key}'.",
                acting.place, of.field
            )));
        }
    }
    item_shipping(acting.document)?.remove(index);
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

fn stored(sent: &Document, acting: &ActionContext<'_, '_>) -> ApiResult<Value> {
    address::stored(sent, &format!("{}.address", acting.place), acting.rules)
}
