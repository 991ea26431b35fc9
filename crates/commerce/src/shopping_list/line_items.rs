//! The items of a Shopping List: product variants and text line items.
//!
//! Source: reference types `ShoppingListLineItemDraft`, `TextLineItemDraft`, `ShoppingListAddLineItemAction`.

use super::{LINE_ITEMS, TEXT_LINE_ITEMS, items, product};
use kontor_engine::document::{list, must_integer, must_integer_field};
use kontor_engine::{ActionContext, Document, Rules, conversion};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Sets the defaults of the items in a draft.
pub(super) fn complete(after: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let sent = list(draft, &[LINE_ITEMS]);
    for (index, (item, sent)) in items(after, LINE_ITEMS)?.iter_mut().zip(sent).enumerate() {
        if let (Value::Object(item), Value::Object(sent)) = (item, sent) {
            product::set_product_variant(item, sent, &format!("{LINE_ITEMS}[{index}]"), rules)?;
            date(item, rules);
        }
    }
    for item in items(after, TEXT_LINE_ITEMS)? {
        if let Value::Object(item) = item {
            date(item, rules);
        }
    }
    Ok(())
}

/// `addLineItem`: increases the quantity of an existing item with the same custom fields.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut item = create_item(context, arguments, "ShoppingListLineItem")?;
    product::set_product_variant(&mut item, arguments, context.place, context.rules)?;
    let is_same = |other: &Value| {
        ["productId", "variantId", "custom"].iter().all(|field| other.get(*field) == item.get(*field))
    };
    let added = match items(context.document, LINE_ITEMS)?.iter_mut().find(|other| is_same(other)) {
        Some(other) => {
            let quantity =
                must_integer_field(other, "quantity")?.checked_add(must_integer(&item, &["quantity"])?);
            let quantity = quantity.ok_or_else(|| {
                ApiError::invalid_operation(format!("{}: the quantity becomes too large.", context.place))
            })?;
            other["quantity"] = json!(quantity);
            other.clone()
        }
        None => {
            let item = Value::Object(item);
            items(context.document, LINE_ITEMS)?.push(item.clone());
            item
        }
    };
    let mut fields = Document::new();
    fields.insert("lineItem", added);
    context.emit("ShoppingListLineItemAdded", fields)
}

/// `addTextLineItem`.
pub(super) fn add_text(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let item = create_item(context, arguments, "TextLineItem")?;
    items(context.document, TEXT_LINE_ITEMS)?.push(Value::Object(item));
    Ok(())
}

/// The item that the arguments of an action describe.
fn create_item(context: &ActionContext<'_, '_>, arguments: &Document, name: &str) -> ApiResult<Document> {
    let shape = context
        .rules
        .model
        .object_by_name(name)
        .ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let sent = arguments.clone();
    let mut item =
        conversion::convert_object(context.action.arguments, shape, sent, context.place, context.rules)?;
    date(&mut item, context.rules);
    Ok(item)
}

fn date(item: &mut Document, rules: &Rules<'_>) {
    item.entry("addedAt").or_insert_with(|| json!(rules.time()));
}
