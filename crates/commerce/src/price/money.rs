//! Converts money between its sent, stored and typed forms. Start at [`complete_money`].
//!
//! Source: reference types `Money`, `CentPrecisionMoneyDraft`, `HighPrecisionMoneyDraft`, `TypedMoney`.

use kontor_engine::document::{has_enum, text};
use kontor_engine::{Document, Rules};
use kontor_enums::MoneyType;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;
use kontor_pricing::{CentAmount, Currency, HighPrecisionMoney, Money, PrecisionError, fraction_digits};

/// Reads a sent or stored amount. `place` is its position in the body.
///
/// Fraction digits of an amount in cents are ignored: the reference types have none, and clients send any.
/// `highPrecision` is also ignored where a precise amount is not allowed (reference type `Money`), which
/// leaves cents.
///
/// `InvalidField`: a precise amount with too few fraction digits, or whose cents are no rounding of it.
/// `RequiredField`: no amount. `MoneyOverflow`: cents beyond 64 bits.
pub(crate) fn read_money(money: &Document, location: &Location<'_>) -> ApiResult<Money> {
    let at = |name: &str| Location::Member(location, name).to_string();
    let required = |name: &str| ApiError::required_field(&at(name));
    let wrong =
        |name: &str, value: Value, expected: &str| ApiError::invalid_field(&at(name), &value, expected, None);
    let code = text(money, &["currencyCode"]).ok_or_else(|| required("currencyCode"))?;
    let currency = Currency::from_code(code)
        .ok_or_else(|| wrong("currencyCode", json!(code), "Expected an ISO 4217 code."))?;
    let whole = |name: &str| match money.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_i64().map(Some).ok_or_else(overflow),
    };
    let (cents, precise, digits) = (whole("centAmount")?, whole("preciseAmount")?, whole("fractionDigits")?);
    let own = fraction_digits(currency);
    let is_precise =
        precise.is_some() || (cents.is_none() && has_enum(money, &["type"], MoneyType::HighPrecision));
    if !is_precise {
        let cents = CentAmount(cents.ok_or_else(|| required("centAmount"))?);
        return Ok(Money::Cent { currency, cents });
    }
    let precise = precise.ok_or_else(|| required("preciseAmount"))?;
    let digits = digits.ok_or_else(|| required("fractionDigits"))?;
    // A number of digits beyond 32 bits is too large in any case.
    let counted = u32::try_from(digits).unwrap_or(u32::MAX);
    let found = HighPrecisionMoney::new(currency, precise, counted, cents.map(CentAmount));
    found.map(Money::High).map_err(|problem| match problem {
        PrecisionError::FractionDigits => {
            let most = HighPrecisionMoney::FRACTION_DIGITS_MAX;
            let expected =
                format!("{code} has {own} fraction digits; expected more, up to {most}, for high precision.");
            wrong("fractionDigits", json!(digits), &expected)
        }
        PrecisionError::Cents { below, above } => {
            let expected = format!(
                "centAmount must be rounded correctly: expected {below} or {above} for the preciseAmount."
            );
            wrong("centAmount", json!(cents), &expected)
        }
        PrecisionError::Overflow => overflow(),
    })
}

fn overflow() -> ApiError {
    ApiError::new(Code::MoneyOverflow, "A Money operation resulted in an overflow.")
}

/// Returns the stored form of an amount.
pub(crate) fn money_document(amount: Money) -> Document {
    let (name, digits, precise) = match amount {
        Money::Cent { currency, .. } => (MoneyType::CentPrecision, fraction_digits(currency), None),
        Money::High(high) => (MoneyType::HighPrecision, high.fraction_digits(), Some(high.precise_amount())),
    };
    let mut money = Document::new();
    money.insert("type", json!(name));
    money.insert("currencyCode", json!(amount.currency().code()));
    money.insert("centAmount", json!(amount.cents().0));
    money.extend(precise.map(|precise| ("preciseAmount".to_owned(), json!(precise))));
    money.insert("fractionDigits", json!(digits));
    money
}

/// Completes an amount with its type and the fields that follow from the currency. Errors as of [`read_money`].
pub(crate) fn complete_money(
    money: &mut Document,
    location: &Location<'_>,
    _rules: &Rules<'_>,
) -> ApiResult<()> {
    let amount = read_money(money, location)?;
    *money = completed_as(std::mem::take(money), amount);
    Ok(())
}

fn completed_as(mut sent: Document, amount: Money) -> Document {
    match amount {
        // The usual amount in cents lacks only its fraction digits.
        Money::Cent { currency, .. } if sent.keys().eq(["type", "currencyCode", "centAmount"]) => {
            sent.insert("type", json!(MoneyType::CentPrecision));
            sent.insert("fractionDigits", json!(fraction_digits(currency)));
            sent
        }
        amount => money_document(amount),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;
    use proptest::prelude::*;

    fn completed(money: Value) -> ApiResult<Value> {
        let Value::Object(money) = money else { panic!("not an object") };
        let amount = read_money(&money, &Location::Text("amountPlanned"))?;
        Ok(Value::Object(completed_as(money, amount)))
    }

    fn money_error(money: Value) -> (Code, String) {
        let error = completed(money).unwrap_err();
        (error.code(), error.message().to_owned())
    }

    #[test]
    fn the_currency_decides_how_many_digits_there_are() {
        for (currency, digits) in [("EUR", 2), ("JPY", 0), ("KWD", 3), ("XAU", 0)] {
            assert_eq!(
                completed(json!({"centAmount": 5, "currencyCode": currency})).unwrap(),
                json!({"type": "centPrecision", "currencyCode": currency, "centAmount": 5, "fractionDigits": digits})
            );
        }
    }

    #[test]
    fn digits_that_are_given_with_cents_do_not_count() {
        let given = |digits: i64| json!({"centAmount": 5, "currencyCode": "EUR", "fractionDigits": digits});
        for digits in [0, 2, 3] {
            assert_eq!(completed(given(digits)).unwrap()["fractionDigits"], json!(2));
        }
    }

    fn high(precise: i64, digits: i64) -> Value {
        json!({"type": "highPrecision", "currencyCode": "USD", "preciseAmount": precise, "fractionDigits": digits})
    }

    #[test]
    fn cents_of_a_precise_amount_are_rounded_half_even() {
        for (precise, cents) in [(1015, 102), (1025, 102), (1026, 103), (-1015, -102), (4, 0)] {
            assert_eq!(completed(high(precise, 3)).unwrap()["centAmount"], json!(cents), "{precise}");
        }
        assert_eq!(
            completed(high(i64::MAX, 20)).unwrap(),
            json!({"type": "highPrecision", "currencyCode": "USD", "centAmount": 9, "preciseAmount": i64::MAX,
                "fractionDigits": 20})
        );
    }

    #[test]
    fn cents_that_are_given_must_be_a_rounding_of_the_precise_amount() {
        let given = |cents: i64| {
            let mut money = high(1015, 3);
            money["centAmount"] = json!(cents);
            money
        };
        assert_eq!(completed(given(101)).unwrap()["centAmount"], json!(101));
        assert_eq!(completed(given(102)).unwrap()["centAmount"], json!(102));
        for cents in [100, 103] {
            let (code, message) = money_error(given(cents));
            assert_eq!(code, Code::InvalidField);
            assert!(
                message.contains("amountPlanned.centAmount") && message.contains("101 or 102"),
                "{message}"
            );
        }
    }

    #[test]
    fn high_precision_has_more_digits_than_the_currency() {
        for digits in [-1, 0, 2, 21] {
            assert_eq!(money_error(high(1, digits)).0, Code::InvalidField, "{digits}");
        }
        let (code, message) = money_error(json!({"type": "highPrecision", "currencyCode": "USD"}));
        assert_eq!(code, Code::RequiredField);
        assert_eq!(message, "A value is required for field 'amountPlanned.preciseAmount'.");
    }

    #[test]
    fn an_amount_without_precise_amount_is_in_cents() {
        let called = json!({"type": "highPrecision", "currencyCode": "USD", "centAmount": 1});
        assert_eq!(completed(called).unwrap()["type"], json!("centPrecision"));
    }

    #[test]
    fn an_amount_beyond_64_bits_is_an_overflow() {
        assert_eq!(
            money_error(json!({"currencyCode": "EUR", "centAmount": u64::MAX})).0,
            Code::MoneyOverflow
        );
    }

    proptest! {
        #[test]
        fn completing_twice_is_completing_once(precise: i64, digits in 3_i64..=20) {
            let once = completed(high(precise, digits)).unwrap();
            prop_assert_eq!(completed(once.clone()).unwrap(), once);
        }
    }
}
