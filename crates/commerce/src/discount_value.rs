//! What all discounts ask of their values and of the time for which they count.
//!
//! Source: reference types `ProductDiscountValueAbsoluteDraft`, `CartDiscountValueAbsoluteDraft`,
//! `CartDiscountValueFixedDraft` (`money`), `DiscountCodeDraft` (`validFrom`).

use crate::price::validity_of;
use kontor_engine::Document;
use kontor_engine::document::{list, text};
use kontor_errors::{ApiError, ApiResult};
use std::collections::HashSet;

/// A value of amounts has at least one, and each currency once.
pub(crate) fn admit_amounts(discount: &Document) -> ApiResult<()> {
    if !matches!(text(discount, &["value", "type"]), Some("absolute" | "fixed")) {
        return Ok(());
    }
    let money = list(discount, &["value", "money"]);
    let mut seen = HashSet::new();
    let twice = money.iter().find(|money| !seen.insert(money["currencyCode"].as_str()));
    match (money.is_empty(), twice) {
        (true, _) => Err(ApiError::invalid_operation("value.money: at least one amount is needed.")),
        (_, Some(twice)) => Err(ApiError::invalid_operation(format!(
            "value.money: there are several amounts in {}.",
            twice["currencyCode"]
        ))),
        _ => Ok(()),
    }
}

/// A time that ends after it begins.
pub(crate) fn admit_time(discount: &Document) -> ApiResult<()> {
    if validity_of(discount)?.is_forward() {
        return Ok(());
    }
    let until = discount.get("validUntil").cloned().unwrap_or_default();
    let expected = "validFrom must be earlier than validUntil.";
    Err(ApiError::invalid_field("validUntil", &until, expected, None))
}
