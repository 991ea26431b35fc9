//! [`CurrencyAmount`]: an amount of money in one currency; comparable with amounts of the same currency only.

use kontor_currency::Currency;
use kontor_json::{Map, Value};
use rust_decimal::Decimal;
use std::cmp::Ordering;
use std::fmt;

/// An amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrencyAmount {
    /// The currency.
    pub currency: Currency,
    /// The amount in major units: `10.5` for `"10.50 EUR"`.
    pub units: Decimal,
}

impl CurrencyAmount {
    /// Returns zero of a currency.
    pub fn zero(currency: Currency) -> CurrencyAmount {
        CurrencyAmount { currency, units: Decimal::ZERO }
    }

    /// Parses an amount as predicates write it: `10.50 EUR`.
    pub fn parse(text: &str) -> Option<CurrencyAmount> {
        let (units, currency) = text.trim().split_once(' ')?;
        Some(CurrencyAmount { currency: Currency::from_code(currency.trim())?, units: units.parse().ok()? })
    }

    /// Reads a money object of a document; `None` for every other object.
    pub fn from_money(object: &Map) -> Option<CurrencyAmount> {
        let currency = Currency::from_code(object.get("currencyCode")?.as_str()?)?;
        let own_digits = i64::from(currency.exponent().unwrap_or(0));
        let whole = |name: &str| object.get(name).and_then(Value::as_i64);
        // A cent amount has the fraction digits of its currency.
        let (amount, digits) = match whole("preciseAmount") {
            Some(precise) => (precise, whole("fractionDigits")?),
            None => (whole("centAmount")?, own_digits),
        };
        let units = Decimal::try_from_i128_with_scale(amount.into(), u32::try_from(digits).ok()?).ok()?;
        Some(CurrencyAmount { currency, units })
    }

    /// Orders two amounts; `None` if their currencies differ.
    pub fn compare(&self, other: &CurrencyAmount) -> Option<Ordering> {
        (self.currency == other.currency).then(|| self.units.cmp(&other.units))
    }

    /// Returns the sum; `None` if the currencies differ or the sum overflows.
    pub fn plus(&self, other: &CurrencyAmount) -> Option<CurrencyAmount> {
        let units = self.units.checked_add(other.units).filter(|_| self.currency == other.currency)?;
        Some(CurrencyAmount { units, ..*self })
    }

    /// A total order: by currency, then by amount.
    pub(crate) fn rank(&self, other: &CurrencyAmount) -> Ordering {
        self.currency.code().cmp(other.currency.code()).then_with(|| self.units.cmp(&other.units))
    }
}

impl fmt::Display for CurrencyAmount {
    /// Equal amounts have equal texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.units.normalize(), self.currency.code())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by panicking.
mod tests {
    use super::*;
    use kontor_json::json;

    fn stored(value: Value) -> Option<CurrencyAmount> {
        CurrencyAmount::from_money(value.as_object().unwrap())
    }

    #[test]
    fn compares_written_amounts_with_stored_ones() {
        let cents = stored(json!({"currencyCode": "EUR", "centAmount": 1050, "fractionDigits": 2})).unwrap();
        assert_eq!(cents.compare(&CurrencyAmount::parse("10.5 EUR").unwrap()), Some(Ordering::Equal));
        assert_eq!(cents.compare(&CurrencyAmount::parse("10.51 EUR").unwrap()), Some(Ordering::Less));
        assert_eq!(cents.compare(&CurrencyAmount::parse("10.50 USD").unwrap()), None);
        let precise = stored(
            json!({"type": "highPrecision", "currencyCode": "EUR", "centAmount": 1050, "preciseAmount": 105_001, "fractionDigits": 4}),
        );
        assert_eq!(precise, CurrencyAmount::parse("10.5001 EUR"));
        let yen = stored(json!({"currencyCode": "JPY", "centAmount": 7})).unwrap();
        assert_eq!(yen.compare(&CurrencyAmount::parse("7 JPY").unwrap()), Some(Ordering::Equal));
    }

    #[test]
    fn rejects_other_texts_and_objects() {
        for text in ["10.50", "EUR", "ten EUR", "10.50 XYZQ", "10,50 EUR", ""] {
            assert_eq!(CurrencyAmount::parse(text), None, "{text}");
        }
        assert_eq!(stored(json!({"centAmount": 5})), None);
        assert_eq!(stored(json!({"currencyCode": "EUR"})), None);
        assert_eq!(stored(json!({"currencyCode": "EUR", "preciseAmount": 1, "fractionDigits": 99})), None);
    }
}
