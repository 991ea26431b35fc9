//! Actions that change the quantity of an item; a quantity of 0 removes the item.
//!
//! Source: reference types `ShoppingListChangeLineItemQuantityAction`, `ShoppingListRemoveLineItemAction` and their
//! siblings for text line items.

use super::{LINE_ITEMS, TEXT_LINE_ITEMS, items};
use kontor_engine::document::must_integer_field;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// One of the two kinds of items: its field, and the arguments that identify an item by `id` and by `key`.
pub(super) struct ItemFields {
    field: &'static str,
    id: &'static str,
    key: &'static str,
}

pub(super) const OF_LINE_ITEMS: ItemFields =
    ItemFields { field: LINE_ITEMS, id: "lineItemId", key: "lineItemKey" };
pub(super) const OF_TEXT_LINE_ITEMS: ItemFields =
    ItemFields { field: TEXT_LINE_ITEMS, id: "textLineItemId", key: "textLineItemKey" };

/// `changeLineItemQuantity`, `changeTextLineItemQuantity`.
pub(super) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemFields,
) -> ApiResult<()> {
    let index = identified(context, arguments, of)?;
    let items = items(context.document, of.field)?;
    match arguments.get("quantity").and_then(Value::as_i64) {
        Some(0) => {
            items.remove(index);
        }
        quantity => items[index]["quantity"] = json!(quantity),
    }
    Ok(())
}

/// `removeLineItem`.
pub(super) fn remove_line_item(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut fields = Document::new();
    fields.insert("lineItem", remove(context, arguments, &OF_LINE_ITEMS)?);
    context.emit("ShoppingListLineItemRemoved", fields)
}

/// `removeTextLineItem`. Returns the item before the removal.
pub(super) fn remove(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemFields,
) -> ApiResult<Value> {
    let index = identified(context, arguments, of)?;
    let items = items(context.document, of.field)?;
    let present = must_integer_field(&items[index], "quantity")?;
    match arguments.get("quantity").and_then(Value::as_i64) {
        Some(removed) if removed < present => {
            let before = items[index].clone();
            items[index]["quantity"] = json!(present - removed);
            Ok(before)
        }
        _ => Ok(items.remove(index)),
    }
}

/// The place of the item that the arguments identify.
fn identified(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &ItemFields,
) -> ApiResult<usize> {
    let given = [(of.id, "id"), (of.key, "key")];
    let given = given.into_iter().find_map(|(argument, field)| Some((field, arguments.get(argument)?)));
    let Some((field, wanted)) = given else {
        let message = format!("{}: one of {}, {} is required", context.place, of.id, of.key);
        return Err(ApiError::invalid_json(message));
    };
    let found = items(context.document, of.field)?.iter().position(|item| item.get(field) == Some(wanted));
    found.ok_or_else(|| {
        let message = format!("{}: {} has no element with {field} {wanted}.", context.place, of.field);
        ApiError::invalid_operation(message)
    })
}
