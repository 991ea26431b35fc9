//! Change types of line items of Orders.

use super::shared_rows::{copied, identifier, tax_rate};
use crate::diff::{ChangeCollector, ObjectChange};
use crate::diff::{ChangeName, change, typed};
use crate::recording_rule::{ElementRule, custom, rust, silent, value};
use kontor_engine::Document;
use kontor_json::{Value, json};

pub(super) const LINE_ITEMS: ElementRule = ElementRule {
    added: Some(typed("addLineItem", "AddOrderLineItem")),
    removed: Some(typed("removeLineItem", "RemoveOrderLineItem")),
    about: about_line_item,
    rows: &[
        value("quantity", change("changeLineItemQuantity")),
        rust("state", LINE_ITEM_STATE, |sides, recorded| item_state(LINE_ITEM_STATE[0], sides, recorded)),
        value("price", change("setLineItemPrice")),
        value("totalPrice", change("setLineItemTotalPrice")),
        value("taxedPrice", change("setLineItemTaxedPrice")),
        rust("taxRate", LINE_ITEM_TAX, |sides, recorded| tax_rate(LINE_ITEM_TAX, sides, recorded)),
        value("discountedPrice", change("setLineItemDiscountedPrice")),
        value("discountedPricePerQuantity", change("setLineItemDiscountedPricePerQuantity")),
        value("distributionChannel", change("setLineItemDistributionChannel")),
        value("shippingDetails", change("setLineItemShippingDetails")),
        value("productKey", change("setLineItemProductKey")),
        value("productSlug", change("setLineItemProductSlug")),
        value("priceRoundingMode", change("changeLineItemPriceRoundingMode")),
        custom(
            "custom",
            typed("setLineItemCustomType", "SetOrderLineItemCustomType"),
            typed("setLineItemCustomField", "SetOrderLineItemCustomField"),
        ),
        silent("perMethodTaxRate"),
    ],
    ..ElementRule::NOTHING
};

fn about_line_item(item: &Document) -> Vec<(&'static str, Value)> {
    let variant = item.get("variant").and_then(Value::as_object).map(identifier);
    vec![("lineItem", copied(item, "name")), ("lineItemId", copied(item, "id")), ("variant", json!(variant))]
}

pub(super) const CUSTOM_LINE_ITEMS: ElementRule = ElementRule {
    added: Some(change("addCustomLineItem")),
    removed: Some(change("removeCustomLineItem")),
    about: about_custom_line_item,
    rows: &[
        value("quantity", change("changeCustomLineItemQuantity")),
        rust("state", CUSTOM_LINE_ITEM_STATE, |sides, recorded| {
            item_state(CUSTOM_LINE_ITEM_STATE[0], sides, recorded)
        }),
        value("money", change("setCustomLineItemMoney")),
        value("totalPrice", change("setCustomLineItemTotalPrice")),
        value("taxedPrice", change("setCustomLineItemTaxedPrice")),
        value("taxCategory", change("setCustomLineItemTaxCategory")),
        rust("taxRate", CUSTOM_LINE_ITEM_TAX, |sides, recorded| {
            tax_rate(CUSTOM_LINE_ITEM_TAX, sides, recorded)
        }),
        value("discountedPrice", change("setCustomLineItemDiscountedPrice")),
        value("discountedPricePerQuantity", change("setCustomLineItemDiscountedPricePerQuantity")),
        value("shippingDetails", change("setCustomLineItemShippingDetails")),
        value("priceRoundingMode", change("changeCustomLineItemPriceRoundingMode")),
        custom("custom", change("setCustomLineItemCustomType"), change("setCustomLineItemCustomField")),
    ],
    ..ElementRule::NOTHING
};

fn about_custom_line_item(item: &Document) -> Vec<(&'static str, Value)> {
    vec![("customLineItem", copied(item, "name")), ("customLineItemId", copied(item, "id"))]
}

const LINE_ITEM_STATE: &[ChangeName] = &[change("transitionLineItemState")];
const CUSTOM_LINE_ITEM_STATE: &[ChangeName] = &[change("transitionCustomLineItemState")];

/// Records the transition of a quantity from one State to another.
fn item_state(name: ChangeName, change: &ObjectChange<'_>, changes: &mut ChangeCollector<'_>) {
    let (before, after) = change.values("state");
    let (old, new) = change.lists("state");
    let quantity = |list: &[Value], state: Option<&Value>| -> i64 {
        let of_state = list.iter().filter(|one| one.get("state") == state);
        of_state.filter_map(|one| one.get("quantity")?.as_i64()).sum()
    };
    let more =
        new.iter().map(|one| one.get("state")).find(|state| quantity(new, *state) > quantity(old, *state));
    let id = more.flatten().and_then(|state| state.get("id")).cloned().unwrap_or_default();
    // The reference names this field of custom line items as for line items.
    let item = if name == CUSTOM_LINE_ITEM_STATE[0] { copied(change.after, "id") } else { Value::Null };
    changes.record_with(name, before, after, [("lineItemId", item), ("stateId", id)]);
}

const LINE_ITEM_TAX: &[ChangeName] = &[change("setLineItemTaxRate"), change("setLineItemTaxAmount")];
const CUSTOM_LINE_ITEM_TAX: &[ChangeName] =
    &[change("setCustomLineItemTaxRate"), change("setCustomLineItemTaxAmount")];
