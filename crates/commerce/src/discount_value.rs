//! Validation of values and validity periods of all discounts.
//!
//! Source: reference types `ProductDiscountValueAbsoluteDraft`, `CartDiscountValueAbsoluteDraft`,
//! `CartDiscountValueFixedDraft` (`money`), `DiscountCodeDraft` (`validFrom`).

use crate::price::{money_document, read_money, validity_of};
use kontor_engine::Document;
use kontor_engine::document::{list, must_get, set, text};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Location;
use std::collections::HashSet;

/// Completes the amounts of a value, and checks them: at least one, each currency once, none negative.
///
/// # Errors
/// 400 `InvalidOperation`, `InvalidField`; those of [`read_money`].
pub(crate) fn complete_amounts(discount: &mut Document) -> ApiResult<()> {
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
        _ => {
            let mut complete = Vec::with_capacity(money.len());
            for (index, money) in money.iter().enumerate() {
                let place = format!("value.money[{index}]");
                complete.push(complete_amount(money, &place)?);
            }
            set(discount, &["value", "money"], Some(Value::Array(complete)));
            Ok(())
        }
    }
}

fn complete_amount(money: &Value, place: &str) -> ApiResult<Value> {
    let Value::Object(sent) = money else { return Err(ApiError::bug("an amount that is no object")) };
    let money = read_money(sent, &Location::Text(place))?;
    if money.units() < 0 {
        let cents = json!(money.cents().0);
        return Err(ApiError::invalid_field(
            &format!("{place}.centAmount"),
            &cents,
            "Expected 0 or more.",
            None,
        ));
    }
    Ok(Value::Object(money_document(money)))
}

/// Checks that the validity period ends after it begins.
pub(crate) fn admit_time(discount: &Document) -> ApiResult<()> {
    if validity_of(discount)?.is_forward() {
        return Ok(());
    }
    let until = must_get(discount, &["validUntil"])?;
    let expected = "validFrom must be earlier than validUntil.";
    Err(ApiError::invalid_field("validUntil", until, expected, None))
}
