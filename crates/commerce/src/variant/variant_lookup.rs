//! Finds Variants of a Product: by number, by SKU, or the default one.

use super::{NUMBERED, PRODUCT_ID, SKU};
use crate::published_variants::VARIANT;
use kontor_engine::document::{get, must_text, text_or_log};
use kontor_engine::{DerivationSources, Document, Precondition, Rules};
use kontor_errors::ApiResult;
use kontor_json::Value;
use std::sync::Arc;

/// The value of the index of numbers.
pub(super) fn number_index_value(product: &str, number: i64) -> String {
    format!("{product}/{number}")
}

/// The Variant with a `variantId`.
pub(crate) fn find_by_number(
    product: &str,
    number: i64,
    rules: &Rules<'_>,
) -> ApiResult<Option<Arc<Document>>> {
    let found = rules.peek_by_value(VARIANT, NUMBERED, &number_index_value(product, number))?;
    Ok(found.into_iter().next().map(|found| found.document))
}

/// As [`find_by_number`], for a derivation.
pub(crate) fn find_by_number_in(
    product: &str,
    number: i64,
    sources: &dyn DerivationSources,
) -> ApiResult<Option<Document>> {
    let mut variant = None;
    sources.visit_indexed(VARIANT, NUMBERED, &number_index_value(product, number), &mut |found| {
        variant = Some(found.clone())
    })?;
    Ok(variant)
}

/// The Variant with a SKU on one of its sides, of whichever Product.
pub(crate) fn find_by_sku(sku: &str, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    Ok(rules.peek_unique(VARIANT, SKU, sku)?.map(|found| found.document))
}

/// Returns all Variants of a Product, in the order of their numbers.
pub(crate) fn variants_of_product(product: &str, rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let found = rules.peek_by_value(VARIANT, PRODUCT_ID, product)?;
    let mut variants: Vec<Arc<Document>> = found.into_iter().map(|found| found.document).collect();
    variants.sort_by_key(|variant| number(variant));
    Ok(variants)
}

/// Returns the default Variant of a Product: that of its current side, else the first by number (reference
/// type `ShoppingListLineItem`).
pub(crate) fn default_of(product: &Document, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    let default = get(product, &["masterData", "current", "defaultVariant", "id"]).and_then(Value::as_str);
    if let Some(default) = default {
        return rules.peek_type(VARIANT, default);
    }
    Ok(variants_of_product(must_text(product, &["id"])?, rules)?.into_iter().next())
}

/// `variantId`.
pub(crate) fn number(variant: &Document) -> Option<i64> {
    variant.get("variantId").and_then(Value::as_i64)
}

/// Requires that a Variant still exists when the change is written.
pub(crate) fn require_there(variant: &Document, rules: &Rules<'_>) {
    let id = text_or_log(variant, &["id"]).to_owned();
    rules.require(Precondition::Exists { kind: VARIANT.into(), id });
}
