//! One price at a time: those of one SKU and one scope must not be meant for the same moment.
//!
//! Source: reference types `DuplicateStandalonePriceScopeError`, `OverlappingStandalonePriceValidityError`.

use crate::pricing::{Conflict, PriceScope, Validity, conflict, with_periods};
use kontor_engine::document::{reference, text};
use kontor_engine::{Document, IndexValue, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::json;

/// The index of worked-out rows that holds prices of one SKU and scope together.
const SCOPE: &str = "scope";
/// Separates the parts of a row. No part may contain it.
const PART_SEPARATOR: char = '\u{0}';

/// Where a price stands in the index of scopes.
pub(super) fn index_rows(price: &Document) -> Vec<(String, IndexValue)> {
    vec![(SCOPE.to_owned(), IndexValue::Text(row(price)))]
}

fn row(price: &Document) -> String {
    let scope = PriceScope::of(price);
    let parts = [
        text(price, &["sku"]),
        Some(scope.currency),
        scope.country,
        scope.customer_group,
        scope.channel,
        scope.recurrence_policy,
    ];
    let parts: Vec<&str> = parts.into_iter().map(Option::unwrap_or_default).collect();
    parts.join(&PART_SEPARATOR.to_string())
}

/// Refuses a price that stands in the way of another one, now and when it is written.
pub(super) fn admit(before: Option<&Document>, price: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let validity = Validity::of(price);
    let own_row = row(price);
    if before.is_some_and(|before| row(before) == own_row && Validity::of(before) == validity) {
        return Ok(());
    }
    let Some(kind) = rules.model.kind_by_type_id("standalone-price") else {
        return Err(ApiError::internal());
    };
    for other in rules.others_with(kind, SCOPE, &own_row, text(price, &["id"]))? {
        let Some(found) = conflict(&validity, &Validity::of(&other)) else { continue };
        return Err(refusal(found, price, &other));
    }
    Ok(())
}

fn refusal(found: Conflict, price: &Document, other: &Document) -> ApiError {
    let sku = text(price, &["sku"]).unwrap_or_default();
    let scope = PriceScope::of(price);
    let conflicting = reference("standalone-price", text(other, &["id"]).unwrap_or_default());
    match found {
        Conflict::Overlap => {
            let error = ApiError::new(
                Code::OverlappingStandalonePriceValidity,
                "Two standalone prices have overlapping validity periods.",
            )
            .with("conflictingStandalonePrice", conflicting)
            .with("sku", json!(sku));
            with_periods(error, &scope, price, other)
        }
        Conflict::SameScope => {
            let message = format!(
                "Duplicate standalone price scope for SKU: {sku}. The combination of SKU, currency, country, \
                 customerGroup, channel, validFrom and validUntil must be unique for each standalone price."
            );
            let mut error = ApiError::new(Code::DuplicateStandalonePriceScope, message)
                .with("conflictingStandalonePrice", conflicting)
                .with("sku", json!(sku));
            for (name, value) in scope.error_fields() {
                error = error.with(&name, value);
            }
            error
                .with("validFrom", price.get("validFrom").cloned())
                .with("validUntil", price.get("validUntil").cloned())
        }
    }
}
