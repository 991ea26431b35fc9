//! InventoryEntry: the quantity on stock of a SKU, the available quantity (without reservations), and stock levels that
//! trigger Messages. Start at [`InventoryEntry`].
//!
//! Source: reference types `InventoryEntry`, `InventoryEntryDraft`, `InventoryEntry…QuantityAction`,
//! `InventoryEntrySetSupplyChannelAction`, `InventoryEntryStockLevels`, `InventoryEntry…Message`.

use kontor_engine::document::{get, integer_or_log, text_or_empty, text_or_log};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Document, Effects, IndexValue, Precondition, RefusalReason,
    Rules, UniqueKey,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The largest quantity, positive or negative: that of the reference's `Long`.
const QUANTITY_MAX: i64 = i64::MAX;
/// The unique key of SKU and supply Channel.
const SKU_AND_CHANNEL: &str = "sku";

/// The `typeId` of InventoryEntries.
pub(crate) const INVENTORY: &str = "inventory-entry";

pub(crate) struct InventoryEntry;

/// Returns the error for a SKU that cannot be removed because an InventoryEntry has it; `None` for other preconditions.
pub(crate) fn counts_stock(required: &Precondition) -> Option<ApiError> {
    match required {
        Precondition::NotReferenced { kind, value: IndexValue::Text(sku), .. } if kind == INVENTORY => {
            Some(ApiError::invalid_operation(format!(
                "The SKU '{sku}' cannot be changed or removed: an InventoryEntry counts its stock."
            )))
        }
        _ => None,
    }
}

impl Behaviour for InventoryEntry {
    fn resource(&self) -> &'static str {
        "InventoryEntry"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addQuantity", |context, arguments| {
                let sum = on_stock(context.document).checked_add(quantity(arguments));
                become_quantity(context, sum)
            }),
            ("removeQuantity", |context, arguments| {
                let difference = on_stock(context.document).checked_sub(quantity(arguments));
                become_quantity(context, difference)
            }),
            ("changeQuantity", |context, arguments| become_quantity(context, Some(quantity(arguments)))),
        ]
    }

    /// A new entry has no reservations: its whole stock is available.
    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        after.insert("availableQuantity", json!(on_stock(after)));
        Ok(())
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let limit = |name: &str| after.get(name).and_then(Value::as_i64);
        match (limit("minCartQuantity"), limit("maxCartQuantity")) {
            (Some(min), Some(max)) if min > max => Err(ApiError::invalid_input(format!(
                "minCartQuantity: {min} was given, expected at most maxCartQuantity, which is {max}."
            ))),
            _ => Ok(()),
        }
    }

    /// A sale emits the Messages of stock levels only (reference type `InventoryEntryQuantitySetMessage`).
    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        levels_reached(after, on_stock(before), on_stock(after))
    }

    fn unique_keys(&self, entry: &Document) -> Vec<UniqueKey> {
        let channel = text_or_empty(entry, &["supplyChannel", "id"]);
        let sku = text_or_log(entry, &["sku"]);
        // Errors show the last part as the duplicate value.
        vec![UniqueKey::new(SKU_AND_CHANNEL, format!("{channel}\u{0}{sku}"))]
    }

    fn refusal_error(&self, refused: RefusalReason<'_>) -> Option<ApiError> {
        let RefusalReason::Duplicate { path: SKU_AND_CHANNEL, value, .. } = refused else { return None };
        let (_, sku) = value.split_once('\u{0}')?;
        Some(ApiError::duplicate_field(SKU_AND_CHANNEL, json!(sku)))
    }
}

fn on_stock(entry: &Document) -> i64 {
    integer_or_log(entry, &["quantityOnStock"])
}

fn quantity(arguments: &Document) -> i64 {
    integer_or_log(arguments, &["quantity"])
}

/// Sets the quantity on stock; the reserved quantity does not change. Emits a Message about the change, and one for
/// each level that the quantity fell to or below.
fn become_quantity(context: &mut ActionContext<'_, '_>, new: Option<i64>) -> ApiResult<()> {
    let old = on_stock(context.document);
    let old_available = context.document.get("availableQuantity").and_then(Value::as_i64).unwrap_or(old);
    // The reserved quantity does not change.
    let available = |new: i64| old.checked_sub(old_available).and_then(|reserved| new.checked_sub(reserved));
    let new_quantities = new.and_then(|new| Some((new, available(new)?)));
    let (new, new_available) = new_quantities.ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}: the quantity on stock would leave -{QUANTITY_MAX} to {QUANTITY_MAX}.",
            context.place
        ))
    })?;
    if new == old {
        return Ok(());
    }
    let mut set = Document::new();
    set.insert("oldQuantityOnStock", json!(old));
    set.insert("newQuantityOnStock", json!(new));
    set.insert("oldAvailableQuantity", json!(old_available));
    set.insert("newAvailableQuantity", json!(new_available));
    set.extend(identity(context.document));
    context.emit("InventoryEntryQuantitySet", set)?;

    for (message, fields) in levels_reached(context.document, old, new) {
        context.emit(message, fields)?;
    }
    context.document.insert("quantityOnStock", json!(new));
    context.document.insert("availableQuantity", json!(new_available));
    Ok(())
}

/// Returns the Messages for the levels that the quantity on stock fell to or below.
fn levels_reached(entry: &Document, old: i64, new: i64) -> Vec<(&'static str, Document)> {
    let level = |name: &str| get(entry, &["stockLevels", name]).and_then(Value::as_i64);
    let (reorder, safety) = (level("reorderPoint"), level("safetyStock"));
    let fell_to = |level: i64| new <= level && level < old;
    let mut told = Vec::new();
    for (message, level) in [("InventoryEntryReorderPoint", reorder), ("InventoryEntrySafetyStock", safety)] {
        if level.is_some_and(fell_to) {
            let mut fields = identity(entry);
            fields.insert("quantityOnStock", json!(new));
            told.push((message, fields));
        }
    }
    if fell_to(0) {
        told.push(("InventoryEntryOutOfStock", identity(entry)));
    }
    told
}

/// Returns the fields by which Messages identify an entry.
fn identity(entry: &Document) -> Document {
    ["sku", "supplyChannel"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), entry.get(name)?.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_errors::Code;

    fn apply_action(entry: &Document, action: Value) -> (Document, Vec<String>) {
        let (after, messages) = TestShop::new().update("inventory-entry", entry, json!([action])).unwrap();
        (after, messages.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn the_reserved_quantity_does_not_change() {
        let entry = object(json!({"id": "e", "sku": "a", "quantityOnStock": 10, "availableQuantity": 7}));
        for (action, quantity, on_stock, available) in
            [("addQuantity", 5, 15, 12), ("removeQuantity", 12, -2, -5), ("changeQuantity", 3, 3, 0)]
        {
            let (after, _) = apply_action(&entry, json!({"action": action, "quantity": quantity}));
            assert_eq!(after["quantityOnStock"], on_stock, "{action}");
            assert_eq!(after["availableQuantity"], available, "{action}");
        }
    }

    #[test]
    fn emits_messages_when_stock_falls_to_a_level() {
        let levels = json!({"reorderPoint": 5, "safetyStock": 2});
        let entry = |on_stock: i64| {
            object(
                json!({"id": "e", "sku": "a", "quantityOnStock": on_stock, "availableQuantity": on_stock, "stockLevels": levels}),
            )
        };
        let told = |from: i64, to: i64| {
            let (_, messages) =
                apply_action(&entry(from), json!({"action": "changeQuantity", "quantity": to}));
            messages.into_iter().map(|name| name.replace("InventoryEntry", "")).collect::<Vec<_>>()
        };
        assert_eq!(told(9, 6), ["QuantitySet"]);
        assert_eq!(told(9, 5), ["QuantitySet", "ReorderPoint"]);
        assert_eq!(told(5, 4), ["QuantitySet"]);
        assert_eq!(told(9, 0), ["QuantitySet", "ReorderPoint", "SafetyStock", "OutOfStock"]);
        assert_eq!(told(0, -1), ["QuantitySet"]);
        assert_eq!(told(0, 9), ["QuantitySet"]);
        assert!(told(4, 4).is_empty());
    }

    #[test]
    fn quantities_stay_exact() {
        let entry = object(json!({"id": "e", "sku": "a", "quantityOnStock": QUANTITY_MAX}));
        let more = json!([{"action": "addQuantity", "quantity": QUANTITY_MAX - 1}]);
        let error = TestShop::new().update("inventory-entry", &entry, more).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
    }

    #[test]
    fn limits_of_carts_are_in_sequence() {
        let draft = json!({"sku": "a", "quantityOnStock": 1, "minCartQuantity": 3, "maxCartQuantity": 2});
        let error = TestShop::new().create("inventory-entry", draft).unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
    }

    #[test]
    fn sku_and_supply_channel_are_unique_together() {
        let key = |entry: Value| InventoryEntry.unique_keys(&object(entry));
        let berlin = json!({"typeId": "channel", "id": "berlin"});
        assert_ne!(key(json!({"sku": "a"})), key(json!({"sku": "a", "supplyChannel": berlin})));
        assert_eq!(key(json!({"sku": "a", "n": 1})), key(json!({"sku": "a", "n": 2})));
    }
}
