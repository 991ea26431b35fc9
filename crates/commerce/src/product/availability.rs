//! The availability of each variant, from the InventoryEntries of its SKU: updated in the background after a
//! change of an InventoryEntry, and at once for a new SKU of the Product.
//!
//! Source: reference types `ProductVariantAvailability`, `ProductVariantChannelAvailability`.

use super::INVENTORY;
use super::sides::{BOTH, CURRENT, STAGED, data, data_mut};
use crate::kinds;
use crate::variant_list::{variants, variants_mut};
use kontor_engine::document::{integer_or_log, text};
use kontor_engine::{Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Products follow the entries of their SKUs.
pub(super) const FOLLOW_INVENTORY: Derivation = Derivation {
    name: "inventory",
    source: "InventoryEntry",
    dependents: Dependents::Sharing {
        value: &["sku"],
        paths: &super::SKU_PATHS,
        when: &["sku", "supplyChannel", "availableQuantity", "restockableInDays", "version"],
    },
    derive: follow_inventory,
};

fn follow_inventory(product: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let mut of_skus = HashMap::new();
    for sku in skus(product) {
        let mut entries = Vec::new();
        sources.visit_indexed(INVENTORY, "sku", &sku, &mut |entry| entries.push(entry.clone()))?;
        of_skus.insert(sku, availability(entries.iter()));
    }
    write_availability(product, |sku| of_skus.get(sku))?;
    Ok(DeriveOutcome::Keep)
}

/// Sets the availability of SKUs that are new to the Product. Their InventoryEntries become preconditions of
/// the change.
pub(super) fn set_availability_of_new_skus(
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let known = before.map(skus).unwrap_or_default();
    let kind = kinds::INVENTORY_ENTRY;
    let skus = skus(after);
    let new: Vec<&str> = skus.difference(&known).map(String::as_str).collect();
    if new.is_empty() {
        return Ok(());
    }
    let entries = rules.find_by_values(kind, "sku", &new)?;
    let of_skus: HashMap<&str, Option<Value>> = entries
        .iter()
        .map(|(sku, entries)| (&**sku, availability(entries.iter().map(|entry| &**entry))))
        .collect();
    write_availability(after, |sku| of_skus.get(sku))
}

/// Returns the availability of a SKU; `None` without an InventoryEntry.
pub(crate) fn availability_of_sku(sku: &str, rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    let entries = rules.peek_by_value(INVENTORY, "sku", sku)?;
    Ok(availability(entries.iter().map(|entry| &*entry.document)))
}

fn skus(product: &Document) -> HashSet<String> {
    let all = BOTH.iter().filter_map(|side| data(product, side)).flat_map(variants);
    all.filter_map(|variant| text(variant, &["sku"])).map(str::to_owned).collect()
}

/// Sets the availability of variants by SKU; `None` leaves them unchanged. Only differing variants are
/// written: an unchanged variant keeps its text, and two equal sides stay shared.
fn write_availability<'k>(
    product: &mut Document,
    of: impl Fn(&str) -> Option<&'k Option<Value>>,
) -> ApiResult<()> {
    let known = |variant: &Document| {
        let known = of(text(variant, &["sku"])?)?;
        (variant.get("availability") != known.as_ref()).then_some(known)
    };
    let are_one = data(product, STAGED) == data(product, CURRENT);
    for side in BOTH {
        if !data(product, side).is_some_and(|data| variants(data).any(|variant| known(variant).is_some())) {
            continue;
        }
        let changed = data_mut(product, side)?;
        for variant in variants_mut(changed) {
            match known(variant) {
                Some(Some(availability)) => {
                    variant.insert("availability", availability.clone());
                }
                Some(None) => _ = variant.shift_remove("availability"),
                None => {}
            }
        }
        if are_one {
            let (same, other) = (changed.clone(), if side == STAGED { CURRENT } else { STAGED });
            *data_mut(product, other)? = same;
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the availability: of the entry without a supply Channel at the top level, of the others by the ids of their
/// Channels. `None` without entries.
fn availability<'e>(entries: impl Iterator<Item = &'e Document>) -> Option<Value> {
    let (mut whole, mut channels) = (Document::new(), Document::new());
    for entry in entries {
        let shown = availability_of_entry(entry);
        match text(entry, &["supplyChannel", "id"]) {
            Some(channel) => _ = channels.insert(channel, Value::Object(shown)),
            None => whole.extend(shown),
        }
    }
    if !channels.is_empty() {
        whole.insert("channels", Value::Object(channels));
    }
    (!whole.is_empty()).then_some(Value::Object(whole))
}

fn availability_of_entry(entry: &Document) -> Document {
    let available = integer_or_log(entry, &["availableQuantity"]);
    let mut shown = Document::new();
    shown.insert("isOnStock", json!(available > 0));
    for name in ["restockableInDays", "availableQuantity", "id", "version"] {
        shown.extend(entry.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};

    #[test]
    fn availability_has_channels_and_stock_without_channel() {
        let berlin = json!({"typeId": "channel", "id": "berlin"});
        let shop = TestShop::new()
            .with_document(INVENTORY, json!({"id": "1", "version": 3, "sku": "a", "availableQuantity": 4}))
            .with_document(INVENTORY, json!({"id": "2", "version": 1, "sku": "a", "availableQuantity": 0, "restockableInDays": 7, "supplyChannel": berlin}));
        let variant = |sku: &str| json!({"id": 1, "sku": sku, "availability": {"availableQuantity": 99}});
        let side = json!({"masterVariant": variant("a"), "variants": [variant("b"), {"id": 3}]});
        let product = object(json!({"id": "p", "masterData": {"staged": side, "current": side}}));
        let (product, _) = shop.derive(&FOLLOW_INVENTORY, product);
        for side in BOTH {
            let side = &product["masterData"][side];
            assert_eq!(
                side["masterVariant"]["availability"],
                json!({
                    "isOnStock": true, "availableQuantity": 4, "id": "1", "version": 3,
                    "channels": {"berlin": {"isOnStock": false, "restockableInDays": 7, "availableQuantity": 0, "id": "2", "version": 1}},
                })
            );
            assert_eq!(side["variants"][0].get("availability"), None);
        }
    }

    #[test]
    fn sides_that_differ_follow_each_for_itself() {
        let shop = TestShop::new()
            .with_document(INVENTORY, json!({"id": "1", "version": 3, "sku": "a", "availableQuantity": 4}));
        let side = |name: &str, seen: Value| {
            let counted = json!({"id": 1, "sku": "a", "availability": seen});
            json!({"name": {"en": name}, "masterVariant": counted, "variants": [{"id": 2, "sku": "b"}]})
        };
        let stock = json!({"isOnStock": true, "availableQuantity": 4, "id": "1", "version": 3});
        for (staged, current) in [(json!(1), json!(2)), (stock.clone(), json!(2)), (json!(1), stock.clone())]
        {
            let sides = json!({"staged": side("New", staged), "current": side("Old", current)});
            let (product, _) =
                shop.derive(&FOLLOW_INVENTORY, object(json!({"id": "p", "masterData": sides})));
            let expected =
                json!({"staged": side("New", stock.clone()), "current": side("Old", stock.clone())});
            assert_eq!(product["masterData"], expected);
        }
    }
}
