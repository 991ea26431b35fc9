//! Minimum and maximum quantities in a Cart, from the InventoryEntry of the SKU and the supply Channel.
//!
//! Source: reference types `InventoryEntry` (`minCartQuantity`, `maxCartQuantity`),
//! `LineItemQuantityBelowLimitError`, `LineItemQuantityAboveLimitError`; public documentation, "Quantity
//! limits".

use super::items::{self, LINES, PreviousItems};
use kontor_engine::document::{get, list, text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// 400 `LineItemQuantityBelowLimit`, `LineItemQuantityAboveLimit`: checks line items that are new, or whose quantity,
/// SKU or supply Channel changed. Gifts are not limited.
pub(super) fn check_quantities(
    before: Option<&Document>,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let before = PreviousItems::from_cart(&LINES, before);
    let is_same = |place: usize, line: &Document| {
        let before = before.find(place, line).and_then(Value::as_object);
        // An untouched line item compares as equal without being parsed.
        before.is_some_and(|before| before == line || counted(before) == counted(line))
    };
    let is_new = |(place, line): &(usize, &Document)| !items::is_gift(line) && !is_same(*place, line);
    let news: Vec<&Document> = lines(after).enumerate().filter(is_new).map(|(_, line)| line).collect();
    let mut skus: Vec<&str> = news.iter().filter_map(|line| text(line, &["variant", "sku"])).collect();
    skus.sort_unstable();
    skus.dedup();
    let entries = rules.peek_by_values("inventory-entry", "sku", &skus)?;
    for line in news {
        let (sku, channel, _) = counted(line);
        let entry = entries.iter().map(|found| &*found.document).find(|entry| {
            sku.is_some() && text(entry, &["sku"]) == sku && text(entry, &["supplyChannel", "id"]) == channel
        });
        if let Some(entry) = entry {
            admit_one(line, entry)?;
        }
    }
    Ok(())
}

/// Returns the values that limits depend on: SKU, supply Channel, quantity.
fn counted(line: &Document) -> (Option<&str>, Option<&str>, i64) {
    (text(line, &["variant", "sku"]), text(line, &["supplyChannel", "id"]), items::quantity(line))
}

fn lines(cart: &Document) -> impl Iterator<Item = &Document> {
    list(cart, &[LINES.field]).iter().filter_map(Value::as_object)
}

fn admit_one(line: &Document, entry: &Document) -> ApiResult<()> {
    let quantity = items::quantity(line);
    let limit = |name: &str| get(entry, &[name]).and_then(Value::as_i64);
    let refused = |code: Code, message: String, name: &str, limit: i64| {
        Err(ApiError::new(code, message)
            .with_field("quantity", json!(quantity))
            .with_field(name, json!(limit))
            .with_field("lineItem", line.get("id").cloned()))
    };
    match (limit("minCartQuantity"), limit("maxCartQuantity")) {
        (Some(min), _) if quantity < min => {
            let message = format!("Quantity '{quantity}' less than minimum '{min}'.");
            refused(Code::LineItemQuantityBelowLimit, message, "minCartQuantity", min)
        }
        (_, Some(max)) if quantity > max => {
            let message = format!("Quantity '{quantity}' greater than maximum '{max}'.");
            refused(Code::LineItemQuantityAboveLimit, message, "maxCartQuantity", max)
        }
        _ => Ok(()),
    }
}
