//! Adds the line items of a Shopping List to a Cart.
//!
//! Source: reference type `CartAddShoppingListAction`.

use super::{line_items, states};
use crate::purchasable_variant::PurchasableVariant;
use crate::sold_in_store::{DISTRIBUTION, SUPPLY};
use kontor_engine::document::{fields, list, must_text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `addShoppingList`: adds its line items, except those whose Products are not published.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (rules, place) = (context.rules, context.place);
    let id = must_text(arguments, &["shoppingList", "id"])?;
    let wishes = rules.peek_type("shopping-list", id)?;
    let wishes = wishes.ok_or_else(|| ApiError::bug("a Shopping List that was found is gone"))?;
    let state = states::initial_state(rules)?;
    for wish in list(&wishes, &["lineItems"]).iter().filter_map(Value::as_object) {
        if wish.get("published") != Some(&Value::Bool(true)) {
            continue;
        }
        let of_wish = |name: &str| wish.get(name).cloned();
        let line = fields([
            ("id", Some(json!(rules.new_id()))),
            ("quantity", of_wish("quantity")),
            ("custom", of_wish("custom")),
            (DISTRIBUTION, arguments.get(DISTRIBUTION).cloned()),
            (SUPPLY, arguments.get(SUPPLY).cloned()),
            ("discountedPricePerQuantity", Some(json!([]))),
            ("taxedPricePortions", Some(json!([]))),
            ("perMethodTaxRate", Some(json!([]))),
        ]);
        let sent = PurchasableVariant::identifiers_of_stored(wish, rules)?;
        let line = line_items::create_line_item(line, &sent, context.document, &state, place, rules)?;
        line_items::add_or_merge(line, context.document, place)?;
    }
    Ok(())
}
