//! Actions on `itemShippingAddresses` of an Order: the addresses to which its items are shipped.
//!
//! Source: reference types `OrderAddItemShippingAddressAction`, `OrderUpdateItemShippingAddressAction`,
//! `OrderRemoveItemShippingAddressAction`.

use super::{address, invalid_operation, list_of};
use kontor_engine::document::{list, must_text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

const FIELD: &str = "itemShippingAddresses";

/// `addItemShippingAddress`: its key must be new.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let address = sent(context, arguments)?;
    let key = key_of(&address, context)?;
    if position(context.document, &key).is_some() {
        return Err(ApiError::duplicate_field("address.key", key));
    }
    list_of(context.document, FIELD)?.push(address);
    Ok(())
}

/// `updateItemShippingAddress`: replaces the address with the same key.
pub(super) fn update(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let address = sent(context, arguments)?;
    let key = key_of(&address, context)?;
    let place = position(context.document, &key).ok_or_else(|| missing_address_error(context, &key))?;
    list_of(context.document, FIELD)?[place] = address;
    Ok(())
}

/// `removeItemShippingAddress`: refused while an item is shipped to the address.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let key = Value::from(must_text(arguments, &["addressKey"])?);
    let place = position(context.document, &key).ok_or_else(|| missing_address_error(context, &key))?;
    for field in ["lineItems", "customLineItems"] {
        let goes_there = |item: &Value| {
            item["shippingDetails"]["targets"]
                .as_array()
                .is_some_and(|targets| targets.iter().any(|target| target["addressKey"] == key))
        };
        if list(context.document, &[field]).iter().any(goes_there) {
            return Err(invalid_operation(context, &format!("there are {field} that are shipped to {key}.")));
        }
    }
    list_of(context.document, FIELD)?.remove(place);
    Ok(())
}

fn sent(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    address(arguments, context)?.ok_or_else(|| ApiError::required_field("address"))
}

fn key_of(address: &Value, context: &ActionContext<'_, '_>) -> ApiResult<Value> {
    match &address["key"] {
        Value::Null => Err(invalid_operation(context, "the address needs a key, by which items name it.")),
        key => Ok(key.clone()),
    }
}

fn position(order: &Document, key: &Value) -> Option<usize> {
    list(order, &[FIELD]).iter().position(|address| address["key"] == *key)
}

fn missing_address_error(context: &ActionContext<'_, '_>, key: &Value) -> ApiError {
    invalid_operation(context, &format!("{FIELD} has no address with the key {key}."))
}
