//! Validates sort orders of discounts: decimals between 0 and 1; the highest applies first.
//!
//! Source: reference types `ProductDiscountDraft`, `CartDiscountDraft`, `DiscountGroupDraft` (`sortOrder`).

use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, IndexValue, Precondition, RefusalReason, Rules, UniqueKey};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use rust_decimal::Decimal;

const FIELD: &str = "sortOrder";
/// The computed index row of sort orders that documents of the other kind may not have.
const TAKEN: &str = "sortOrder taken";

/// A decimal between 0 and 1, both excluded, without a zero at its end.
pub(crate) fn check_sort_order(discount: &Document) -> ApiResult<()> {
    let sent = must_text(discount, &[FIELD])?;
    match sent.parse::<Decimal>() {
        Ok(number) if number > Decimal::ZERO && number < Decimal::ONE && !sent.ends_with('0') => Ok(()),
        _ => {
            let expected =
                "Expected a decimal between 0 and 1 that does not end with 0, for example \"0.5\".";
            Err(ApiError::invalid_field(FIELD, &json!(sent), expected, None))
        }
    }
}

/// Requires that no document of another kind has the sort order when the change is written.
pub(crate) fn admit_beside(other: &str, discount: &Document, rules: &Rules<'_>) {
    if let Some(value) = normalized(discount) {
        rules.require(Precondition::IndexedAtMost {
            kind: other.to_owned(),
            path: TAKEN.to_owned(),
            value: IndexValue::from(value.as_str()),
            limit: 0,
        });
    }
}

/// The key that is unique among the documents of a kind.
pub(crate) fn unique_keys(discount: &Document) -> Vec<UniqueKey> {
    normalized(discount).map(|value| UniqueKey::new(FIELD, value)).into_iter().collect()
}

/// The row by which documents of another kind find out that a sort order is taken.
pub(crate) fn index_row(discount: &Document) -> Option<(String, IndexValue)> {
    normalized(discount).map(|value| (TAKEN.to_owned(), IndexValue::from(value.as_str())))
}

/// Returns the error if a document of another kind has the sort order.
pub(crate) fn duplicate_sort_order_error(refused: RefusalReason<'_>) -> Option<ApiError> {
    match refused {
        RefusalReason::Precondition(Precondition::IndexedAtMost {
            path,
            value: IndexValue::Text(value),
            ..
        }) if path == TAKEN => Some(ApiError::duplicate_field(FIELD, json!(value))),
        _ => None,
    }
}

fn normalized(discount: &Document) -> Option<String> {
    let number = text(discount, &[FIELD])?.parse::<Decimal>().ok()?;
    Some(number.normalize().to_string())
}
