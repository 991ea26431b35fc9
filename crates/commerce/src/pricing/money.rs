//! Money in documents: what the currency decides, and the cents of an amount that is more precise.
//!
//! Source: reference types `Money`, `CentPrecisionMoneyDraft`, `HighPrecisionMoneyDraft`, `TypedMoney`.

use super::cent_amount::{CentAmount, Rounding, overflow};
use iso_currency::Currency;
use kontor_engine::document::text;
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

/// Most fraction digits of a high precision amount (reference type `HighPrecisionMoney`).
const FRACTION_DIGITS_MAX: u32 = 20;

/// An amount of a currency: `TypedMoney` of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Money {
    /// The currency.
    pub currency: Currency,
    /// The amount; of a more precise one, rounded.
    pub cents: CentAmount,
    /// How exact the amount is.
    pub precision: Precision,
}

/// How exact an amount is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As exact as the currency: `centPrecision`.
    Cent,
    /// More exact than the currency: `highPrecision`.
    High {
        /// The amount in 1 / 10^`fraction_digits` of the currency's major unit.
        precise_amount: i64,
        /// More than the currency has.
        fraction_digits: u32,
    },
}

impl Money {
    /// An amount in cents.
    pub fn cents(currency: Currency, cents: CentAmount) -> Self {
        Self { currency, cents, precision: Precision::Cent }
    }

    /// Reads an amount as it is sent or stored. `place` is where it stands in the body.
    ///
    /// `InvalidField`: fraction digits that are not the currency's, or not more; cents that are no rounding of
    /// the precise amount. `RequiredField`: no amount. `MoneyOverflow`: cents beyond 64 bits.
    pub fn read(money: &Document, place: &str) -> ApiResult<Self> {
        let at = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        let code =
            text(money, &["currencyCode"]).ok_or_else(|| ApiError::required_field(&at("currencyCode")))?;
        let currency = Currency::from_code(code).ok_or_else(|| {
            ApiError::invalid_field(&at("currencyCode"), &json!(code), "Expected an ISO 4217 code.", None)
        })?;
        let whole = |name: &str| match money.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_i64().map(Some).ok_or_else(overflow),
        };
        let (cents, precise, digits) =
            (whole("centAmount")?, whole("preciseAmount")?, whole("fractionDigits")?);
        let required = |name: &str| ApiError::required_field(&at(name));
        let wrong = |name: &str, value: i64, expected: String| {
            ApiError::invalid_field(&at(name), &json!(value), &expected, None)
        };
        let own = fraction_digits(currency);
        if text(money, &["type"]) != Some("highPrecision") && precise.is_none() {
            if let Some(digits) = digits.filter(|digits| *digits != i64::from(own)) {
                return Err(wrong("fractionDigits", digits, format!("{code} has {own} fraction digits.")));
            }
            let cents = cents.ok_or_else(|| required("centAmount"))?;
            return Ok(Self::cents(currency, CentAmount(cents)));
        }
        let precise = precise.ok_or_else(|| required("preciseAmount"))?;
        let digits = digits.ok_or_else(|| required("fractionDigits"))?;
        let allowed = own + 1..=FRACTION_DIGITS_MAX;
        let digits = u32::try_from(digits).ok().filter(|digits| allowed.contains(digits)).ok_or_else(|| {
            let expected = format!(
                "{code} has {own} fraction digits; expected more, up to {FRACTION_DIGITS_MAX}, for high precision."
            );
            wrong("fractionDigits", digits, expected)
        })?;
        // 64 bits with at most 20 digits behind the point fit in a decimal.
        let exact = Decimal::from_i128_with_scale(i128::from(precise), digits - own);
        let cents = match cents {
            None => CentAmount::rounded(exact, Rounding::HalfEven)?,
            Some(cents) => {
                let given = Decimal::from(cents);
                let nearest = [RoundingStrategy::ToNegativeInfinity, RoundingStrategy::ToPositiveInfinity]
                    .map(|strategy| exact.round_dp_with_strategy(0, strategy));
                if !nearest.contains(&given) {
                    let [below, above] = nearest;
                    let expected = format!(
                        "centAmount must be rounded correctly: expected {below} or {above} for the preciseAmount."
                    );
                    return Err(wrong("centAmount", cents, expected));
                }
                CentAmount(cents)
            }
        };
        let precision = Precision::High { precise_amount: precise, fraction_digits: digits };
        Ok(Self { currency, cents, precision })
    }

    /// The exact amount in cents, with a fraction where it is more precise: for comparing amounts of one currency.
    pub fn exact_cents(self) -> Decimal {
        match self.precision {
            Precision::Cent => Decimal::from(self.cents.0),
            Precision::High { precise_amount, fraction_digits: digits } => {
                let behind = digits.saturating_sub(fraction_digits(self.currency));
                Decimal::from_i128_with_scale(i128::from(precise_amount), behind)
            }
        }
    }

    /// The amount as it is stored and answered.
    pub fn to_document(self) -> Document {
        let mut money = Document::new();
        let (name, digits) = match self.precision {
            Precision::Cent => ("centPrecision", fraction_digits(self.currency)),
            Precision::High { fraction_digits, .. } => ("highPrecision", fraction_digits),
        };
        money.insert("type".into(), json!(name));
        money.insert("currencyCode".into(), json!(self.currency.code()));
        money.insert("centAmount".into(), json!(self.cents.0));
        if let Precision::High { precise_amount, .. } = self.precision {
            money.insert("preciseAmount".into(), json!(precise_amount));
        }
        money.insert("fractionDigits".into(), json!(digits));
        money
    }
}

/// How many decimal digits a currency has; none where the standard says nothing, as of gold.
fn fraction_digits(currency: Currency) -> u32 {
    currency.exponent().map_or(0, u32::from)
}

/// Completes an amount: its type, and what follows from the currency. Errors as of [`Money::read`], and
/// `InvalidField` where cents are called high precision.
pub fn complete_money(money: &mut Document, place: &str, _rules: &Rules<'_>) -> ApiResult<()> {
    *money = complete(money, place)?;
    Ok(())
}

fn complete(money: &Document, place: &str) -> ApiResult<Document> {
    Ok(Money::read(money, place)?.to_document())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;
    use proptest::prelude::*;

    fn completed(money: Value) -> ApiResult<Value> {
        let Value::Object(money) = money else { panic!("not an object") };
        complete(&money, "amountPlanned").map(Value::Object)
    }

    fn refused(money: Value) -> (Code, String) {
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
    fn digits_that_are_given_must_be_those_of_the_currency() {
        let given = |digits: i64| json!({"centAmount": 5, "currencyCode": "EUR", "fractionDigits": digits});
        assert_eq!(completed(given(2)).unwrap()["fractionDigits"], json!(2));
        assert_eq!(
            refused(given(3)),
            (
                Code::InvalidField,
                "The value 3 is not valid for field amountPlanned.fractionDigits. EUR has 2 fraction digits."
                    .into()
            )
        );
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
            let (code, message) = refused(given(cents));
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
            assert_eq!(refused(high(1, digits)).0, Code::InvalidField, "{digits}");
        }
        let (code, message) =
            refused(json!({"type": "highPrecision", "currencyCode": "USD", "centAmount": 1}));
        assert_eq!(code, Code::RequiredField);
        assert_eq!(message, "A value is required for field amountPlanned.preciseAmount.");
    }

    #[test]
    fn an_amount_beyond_64_bits_is_an_overflow() {
        assert_eq!(refused(json!({"currencyCode": "EUR", "centAmount": u64::MAX})).0, Code::MoneyOverflow);
    }

    proptest! {
        #[test]
        fn completing_twice_is_completing_once(precise: i64, digits in 3_i64..=20) {
            let once = completed(high(precise, digits)).unwrap();
            prop_assert_eq!(completed(once.clone()).unwrap(), once);
        }
    }
}
