//! `discounted` of embedded prices: calculated from the currently valid Product Discounts, or set externally.
//!
//! Source: reference types `Price`, `DiscountedPriceDraft`, `ProductPriceDiscountsSetMessage`.

use super::sides::{BOTH, CURRENT, STAGED, data, data_mut};
use super::variant_edits::id_of;
use crate::discounted_price::{
    PredicateDocuments, PriceInContext, SourcesLookup, ValidProductDiscounts, follow_discounts,
};
use crate::variant_list::{variants, variants_mut};
use kontor_engine::document::{list, must_text, own_id, text};
use kontor_engine::{
    ChangeFilter, Dependents, Derivation, DerivationSources, DeriveOutcome, Document, Hop, Rules,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// Derives all Products again when a Product Discount changes, begins or ends.
pub(super) const PRICES_FOLLOW_DISCOUNTS: Derivation = follow_discounts(follow);

/// Derives Products in a Category that is moved or gets another key: predicates may refer to both.
pub(super) const fn follow_category(name: &'static str, path: &'static str) -> Derivation {
    Derivation {
        name,
        source: "Category",
        dependents: Dependents::ReferringAt { path, when: ChangeFilter::Fields(&["ancestors", "key"]) },
        derive: follow,
    }
}

/// Derives Products further below a Category that gets another key. If it is moved, its descendants change themselves.
pub(super) const fn follow_category_above(name: &'static str, path: &'static str) -> Derivation {
    Derivation {
        name,
        source: "Category",
        dependents: Dependents::Through {
            hops: &[Hop { kind: "Category", at: "ancestors.id" }],
            values: own_id,
            path,
            when: ChangeFilter::Fields(&["key"]),
        },
        derive: follow,
    }
}

fn follow(product: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    apply(product, &*ValidProductDiscounts::for_derivation(sources)?, &SourcesLookup(sources))?;
    Ok(DeriveOutcome::Keep)
}

/// Whether the change of a Product may change which predicates match its current side: a field that they may refer to
/// has changed, apart from embedded prices and stock, which change often.
pub(crate) fn may_match_otherwise(before: &Document, after: &Document) -> bool {
    let differ = |before: &Document, after: &Document, fields: &[&str]| {
        fields.iter().any(|field| before.get(*field) != after.get(*field))
    };
    let (Some(old), Some(new)) = (data(before, CURRENT), data(after, CURRENT)) else { return true };
    differ(before, after, &["key", "productType"])
        || differ(old, new, &["categories", "attributes"])
        || variants(old).count() != variants(new).count()
        || variants(old)
            .zip(variants(new))
            .any(|(old, new)| differ(old, new, &["id", "key", "sku", "attributes"]))
}

/// Updates `discounted` of all prices, and refuses sent values that do not belong to an active external discount that
/// matches the price.
pub(super) fn settle(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let discounts = ValidProductDiscounts::now(rules)?;
    admit_sent(before, after, &discounts, rules)?;
    apply(after, &discounts, rules)
}

fn admit_sent(
    before: Option<&Document>,
    after: &Document,
    discounts: &ValidProductDiscounts,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let held: HashSet<(Option<&str>, &Value)> = before
        .into_iter()
        .flat_map(|before| BOTH.iter().filter_map(|side| data(before, side)))
        .flat_map(prices)
        .filter_map(|(_, price)| Some((text(price, &["id"]), price.get("discounted")?)))
        .collect();
    for data in BOTH.iter().filter_map(|side| data(after, side)) {
        for (variant, price) in prices(data) {
            let Some(discounted) = price.get("discounted") else { continue };
            if held.contains(&(text(price, &["id"]), discounted)) {
                continue;
            }
            let priced = PriceInContext { product: after, data, variant, price, look_up: rules };
            if !discounts.admits_external(&priced)? {
                return Err(ApiError::invalid_operation(format!(
                    "The Product Discount with ID '{}' cannot be set on a price: it must be external, active, valid \
                     now, and its predicate must match the price.",
                    must_text(price, &["discounted", "discount", "id"])?
                )));
            }
        }
    }
    Ok(())
}

/// Calculates `discounted` for every price of both sides.
fn apply(
    product: &mut Document,
    discounts: &ValidProductDiscounts,
    look_up: &dyn PredicateDocuments,
) -> ApiResult<()> {
    for side in BOTH {
        let Some(data) = data(product, side) else { continue };
        if discounts.is_empty() && !prices(data).any(|(_, price)| price.contains_key("discounted")) {
            continue;
        }
        let mut discounted = Vec::new();
        for (variant, price) in prices(data) {
            let priced = PriceInContext { product, data, variant, price, look_up };
            discounted.push(discounts.discounted_value(&priced)?);
        }
        let mut discounted = discounted.into_iter();
        for variant in variants_mut(data_mut(product, side)?) {
            let Some(Value::Array(prices)) = variant.get_mut("prices") else { continue };
            for price in prices.iter_mut().filter_map(Value::as_object_mut) {
                match discounted.next().flatten() {
                    Some(discounted) => price.insert("discounted", discounted),
                    None => price.shift_remove("discounted"),
                };
            }
        }
    }
    Ok(())
}

/// Returns all prices of a side, with their variants.
fn prices(data: &Document) -> impl Iterator<Item = (&Document, &Document)> {
    variants(data).flat_map(|variant| {
        let prices = list(variant, &["prices"]).iter().filter_map(Value::as_object);
        prices.map(move |price| (variant, price))
    })
}

/// Returns the Message about prices whose `discounted` changed.
pub(super) fn discount_messages(before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
    let mut updated = Vec::new();
    for side in [CURRENT, STAGED] {
        let (Some(old), Some(new)) = (data(before, side), data(after, side)) else { continue };
        for ((variant, price), (_, old)) in prices(new).zip(prices(old)) {
            if price.get("discounted") == old.get("discounted") {
                continue;
            }
            let mut message_fields = Document::new();
            message_fields.insert("variantId", json!(id_of(variant)));
            for (name, field) in [("variantKey", "key"), ("sku", "sku")] {
                message_fields.extend(variant.get(field).map(|value| (name, value.clone())));
            }
            message_fields.extend(price.get("id").map(|id| ("priceId".to_owned(), id.clone())));
            message_fields
                .extend(price.get("discounted").map(|value| ("discounted".to_owned(), value.clone())));
            message_fields.insert("staged", json!(side == STAGED));
            updated.push(Value::Object(message_fields));
        }
    }
    if updated.is_empty() {
        return Vec::new();
    }
    let mut fields = Document::new();
    fields.insert("updatedPrices", Value::Array(updated));
    vec![("ProductPriceDiscountsSet", fields)]
}
