//! Refuses Standalone Prices of one SKU and one scope with overlapping validity periods.
//!
//! Source: reference types `DuplicateStandalonePriceScopeError`, `OverlappingStandalonePriceValidityError`.

use crate::kinds;
use crate::price::{price_of, with_periods, with_scope};
use kontor_engine::document::{must_text, reference};
use kontor_engine::{Document, IndexValue, PART_SEPARATOR, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::json;
use kontor_pricing::{Price, PriceScope, ScopeConflict, find_conflict};

/// The computed index of prices by SKU and scope.
const SCOPE: &str = "scope";

/// Returns the index row of a price by its scope.
pub(super) fn index_rows(price: &Document) -> ApiResult<Vec<(String, IndexValue)>> {
    let row = row(must_text(price, &["sku"])?, &price_of(price)?.scope);
    Ok(vec![(SCOPE.to_owned(), IndexValue::Text(row))])
}

fn row(sku: &str, scope: &PriceScope<'_>) -> String {
    let optional = [scope.country, scope.customer_group, scope.channel, scope.recurrence_policy];
    let [country, customer_group, channel, policy] = optional.map(|part| part.unwrap_or(""));
    let parts = [sku, scope.currency.code(), country, customer_group, channel, policy];
    parts.join(&PART_SEPARATOR.to_string())
}

/// Refuses a price that conflicts with another one, now and when it is written.
pub(super) fn check_price_scope(
    before: Option<&Document>,
    document: &Document,
    price: &Price<'_>,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let sku = must_text(document, &["sku"])?;
    if let Some(before) = before {
        let old = price_of(before)?;
        if must_text(before, &["sku"])? == sku && old.scope == price.scope && old.validity == price.validity {
            return Ok(());
        }
    }
    for other in rules.find_others(kinds::STANDALONE_PRICE, SCOPE, &row(sku, &price.scope), Some(price.id))? {
        let other_price = price_of(&other)?;
        let Some(found) = find_conflict(&price.validity, &other_price.validity) else { continue };
        return Err(refusal(found, (sku, &price.scope), document, (other_price.id, &other)));
    }
    Ok(())
}

fn refusal(
    found: ScopeConflict,
    (sku, scope): (&str, &PriceScope<'_>),
    price: &Document,
    (other_id, other): (&str, &Document),
) -> ApiError {
    let conflicting = reference("standalone-price", other_id);
    match found {
        ScopeConflict::Overlap => {
            let error = ApiError::new(
                Code::OverlappingStandalonePriceValidity,
                "Two standalone prices have overlapping validity periods.",
            )
            .with_field("conflictingStandalonePrice", conflicting)
            .with_field("sku", json!(sku));
            with_periods(error, scope, price, other)
        }
        ScopeConflict::SameScope => {
            let message = format!(
                "Duplicate standalone price scope for SKU: {sku}. The combination of SKU, currency, country, \
                 customerGroup, channel, validFrom and validUntil must be unique for each standalone price."
            );
            let error = ApiError::new(Code::DuplicateStandalonePriceScope, message)
                .with_field("conflictingStandalonePrice", conflicting)
                .with_field("sku", json!(sku));
            with_scope(error, scope)
                .with_field("validFrom", price.get("validFrom").cloned())
                .with_field("validUntil", price.get("validUntil").cloned())
        }
    }
}
