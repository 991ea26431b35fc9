//! What a Product Discount takes off an amount.
//!
//! Source: reference types `ProductDiscountValue…`, `DiscountedPrice`.

use crate::pricing::{CentAmount, Money, Precision, Rounding};
use kontor_engine::Document;
use kontor_engine::document::{list, text};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Of what a relative discount is a share.
const WHOLE_PERMYRIAD: i64 = 10_000;
/// Decimal digits of a permyriad.
const PERMYRIAD_DIGITS: u32 = 4;

/// What a Product Discount takes off.
#[derive(Debug)]
pub(super) enum Reduction {
    /// In 1/10000 of the price.
    Relative(i64),
    /// In cents, by currency.
    Absolute(HashMap<String, i64>),
    /// Set price by price.
    External,
}

impl Reduction {
    /// Reads the stored `value` of a discount; nothing where it cannot be read.
    pub(super) fn of(value: &Document) -> Option<Self> {
        Some(match text(value, &["type"])? {
            "relative" => Self::Relative(value.get("permyriad")?.as_i64()?),
            "absolute" => {
                let amount = |money: &Value| {
                    Some((money["currencyCode"].as_str()?.to_owned(), money["centAmount"].as_i64()?))
                };
                Self::Absolute(list(value, &["money"]).iter().filter_map(amount).collect())
            }
            _ => Self::External,
        })
    }

    /// What is left of an amount, as exact as it was; none where the discount says nothing of its currency. Half of the
    /// last digit goes down, and what exceeds the price leaves nothing of it (reference type `DiscountedPrice`).
    pub(super) fn taken_off(&self, money: Money) -> Option<Money> {
        match money.precision {
            Precision::Cent => {
                let left = self.left_of(money.cents.0, 0, money)?;
                Some(Money::cents(money.currency, CentAmount(left)))
            }
            Precision::High { precise_amount, fraction_digits } => {
                let own = u32::from(money.currency.exponent().unwrap_or(0));
                let left = self.left_of(precise_amount, fraction_digits.saturating_sub(own), money)?;
                let precise = json!({
                    "type": "highPrecision", "currencyCode": money.currency.code(), "preciseAmount": left,
                    "fractionDigits": fraction_digits,
                });
                Money::read(precise.as_object()?, "").ok()
            }
        }
    }

    /// What is left of an amount that has so many digits behind the cents.
    fn left_of(&self, amount: i64, digits: u32, money: Money) -> Option<i64> {
        match self {
            Self::Relative(permyriad) => {
                let left = Decimal::new(WHOLE_PERMYRIAD.checked_sub(*permyriad)?, PERMYRIAD_DIGITS);
                CentAmount(amount).at_rate(left, Rounding::HalfDown).ok().map(|left| left.0)
            }
            Self::Absolute(amounts) => {
                // At most 20 digits; what has no room is more than the whole price.
                let unit = 10_i128.saturating_pow(digits);
                let off = i128::from(*amounts.get(money.currency.code())?).saturating_mul(unit);
                i64::try_from((i128::from(amount) - off.min(i128::from(i64::MAX))).max(0)).ok()
            }
            Self::External => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reduction(value: Value) -> Reduction {
        Reduction::of(value.as_object().unwrap()).unwrap()
    }

    fn relative(permyriad: i64) -> Reduction {
        reduction(json!({"type": "relative", "permyriad": permyriad}))
    }

    fn absolute(cents: i64) -> Reduction {
        reduction(json!({"type": "absolute", "money": [{"currencyCode": "EUR", "centAmount": cents}]}))
    }

    fn money(value: Value) -> Money {
        Money::read(value.as_object().unwrap(), "").unwrap()
    }

    fn euros(cents: i64) -> Money {
        money(json!({"currencyCode": "EUR", "centAmount": cents}))
    }

    fn precise_euros(amount: i64, digits: u32) -> Money {
        money(
            json!({"type": "highPrecision", "currencyCode": "EUR", "preciseAmount": amount, "fractionDigits": digits}),
        )
    }

    #[test]
    fn half_a_cent_goes_down() {
        // The first one is the reference's own example.
        for (cents, left) in [(101, 50), (1001, 500), (1003, 501), (1005, 502), (1, 0)] {
            assert_eq!(relative(5000).taken_off(euros(cents)), Some(euros(left)), "{cents}");
        }
        assert_eq!(relative(3333).taken_off(euros(100)), Some(euros(67)));
        // Yen have no cents, dinars have three digits: the last digit of the currency is what counts.
        for currency in ["JPY", "KWD"] {
            let of = |cents: i64| money(json!({"currencyCode": currency, "centAmount": cents}));
            assert_eq!(relative(5000).taken_off(of(101)), Some(of(50)), "{currency}");
        }
    }

    #[test]
    fn nothing_costs_less_than_nothing() {
        assert_eq!(absolute(2000).taken_off(euros(1001)), Some(euros(0)));
        assert_eq!(absolute(1001).taken_off(euros(1001)), Some(euros(0)));
        assert_eq!(relative(10_000).taken_off(euros(1001)), Some(euros(0)));
    }

    #[test]
    fn a_currency_that_the_discount_does_not_name_is_left_alone() {
        assert_eq!(absolute(5).taken_off(money(json!({"currencyCode": "USD", "centAmount": 100}))), None);
        assert_eq!(reduction(json!({"type": "external"})).taken_off(euros(100)), None);
    }

    #[test]
    fn precise_amounts_stay_as_precise_as_they_are() {
        assert_eq!(relative(5000).taken_off(precise_euros(10_005, 4)), Some(precise_euros(5002, 4)));
        assert_eq!(absolute(50).taken_off(precise_euros(10_005, 4)), Some(precise_euros(5005, 4)));
        // 0.09 EUR with all digits that there are: a cent is 10^18, and a Euro has no room in 64 bits.
        let (cents, all_digits) = (9_000_000_000_000_000_000, 20);
        let left = precise_euros(1_000_000_000_000_000_000, all_digits);
        assert_eq!(absolute(8).taken_off(precise_euros(cents, all_digits)), Some(left));
        assert_eq!(
            absolute(100).taken_off(precise_euros(cents, all_digits)),
            Some(precise_euros(0, all_digits))
        );
        assert_eq!(
            absolute(i64::MAX).taken_off(precise_euros(cents, all_digits)),
            Some(precise_euros(0, all_digits))
        );
    }

    /// The same by whole numbers: ten thousandths of the last digit, of which half of one is not counted.
    fn plain_share(amount: i64, permyriad: i64) -> i64 {
        let parts = i128::from(amount) * i128::from(10_000 - permyriad);
        let whole = parts.div_euclid(10_000);
        let rest = parts.rem_euclid(10_000);
        i64::try_from(whole + i128::from(rest > 5_000)).unwrap()
    }

    proptest! {
        #[test]
        fn shares_are_those_of_plain_arithmetic(
            amount in prop_oneof![0_i64..100_000, 0_i64..=i64::MAX],
            permyriad in 0_i64..=10_000,
            digits in 3_u32..=20,
        ) {
            let left = plain_share(amount, permyriad);
            prop_assert_eq!(relative(permyriad).taken_off(euros(amount)), Some(euros(left)));
            let precise = relative(permyriad).taken_off(precise_euros(amount, digits));
            prop_assert_eq!(precise, Some(precise_euros(left, digits)));
        }

        #[test]
        fn what_is_taken_off_is_what_was_named_or_all_there_is(
            amount in prop_oneof![0_i64..100_000, 0_i64..=i64::MAX],
            off in prop_oneof![0_i64..100_000, 0_i64..=i64::MAX],
            digits in 3_u32..=20,
        ) {
            prop_assert_eq!(absolute(off).taken_off(euros(amount)), Some(euros(amount - off.min(amount))));
            let off_precise = (0..digits - 2).try_fold(off, |off, _| off.checked_mul(10)).unwrap_or(i64::MAX);
            let precise = absolute(off).taken_off(precise_euros(amount, digits));
            prop_assert_eq!(precise, Some(precise_euros(amount - off_precise.min(amount), digits)));
        }
    }
}
