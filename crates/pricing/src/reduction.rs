//! The reduction of an amount by a Product Discount.
//!
//! Source: reference types `ProductDiscountValue…`, `DiscountedPrice`.

use crate::cent_amount::CentAmount;
use crate::money::{HighPrecisionMoney, Money, fraction_digits};
use kontor_currency::Currency;
use kontor_enums::RoundingMode;

/// A share in 1/10000, at most all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permyriad(u16);

impl Permyriad {
    /// The whole amount (100 %).
    pub const WHOLE: i64 = 10_000;

    /// Returns `None` below 0 and above [`WHOLE`](Self::WHOLE).
    pub fn new(parts: i64) -> Option<Self> {
        u16::try_from(parts).ok().filter(|parts| i64::from(*parts) <= Self::WHOLE).map(Self)
    }

    /// Returns the number of parts of [`WHOLE`](Self::WHOLE).
    pub fn parts(self) -> i64 {
        self.0.into()
    }
}

/// The value of a Product Discount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduction {
    /// A share of the price.
    Relative(Permyriad),
    /// An amount, in each currency once.
    Absolute(Vec<(Currency, CentAmount)>),
    /// Set price by price, by others.
    External,
}

impl Reduction {
    /// Returns the reduced amount, with the same precision; `None` if the discount has no value in its
    /// currency. Half of the last digit is rounded down, and a reduction above the price leaves 0 (reference
    /// type `DiscountedPrice`).
    pub fn reduce(&self, money: Money) -> Option<Money> {
        match money {
            Money::Cent { currency, cents } => {
                let cents = self.reduce_units(cents, currency, 0)?;
                Some(Money::Cent { currency, cents })
            }
            Money::High(money) => {
                let (currency, digits) = (money.currency(), money.fraction_digits());
                let behind_cents = digits - fraction_digits(currency);
                let left = self.reduce_units(CentAmount(money.precise_amount()), currency, behind_cents)?;
                HighPrecisionMoney::new(currency, left.0, digits, None).ok().map(Money::High)
            }
        }
    }

    /// Returns the reduced amount in its smallest units, which have the given number of digits after the
    /// cents.
    fn reduce_units(&self, amount: CentAmount, currency: Currency, digits: u32) -> Option<CentAmount> {
        match self {
            Self::Relative(Permyriad(off)) => {
                let left = i128::from(Permyriad::WHOLE) - i128::from(*off);
                amount.fraction(left, Permyriad::WHOLE.into(), RoundingMode::HalfDown).ok()
            }
            Self::Absolute(amounts) => {
                let (_, off) = amounts.iter().find(|(held, _)| *held == currency)?;
                // At most 20 digits; a product beyond 128 bits exceeds the whole price anyway.
                let off = i128::from(off.0).saturating_mul(10_i128.saturating_pow(digits));
                let left = i128::from(amount.0) - off.min(i128::from(i64::MAX));
                i64::try_from(left.max(0)).ok().map(CentAmount)
            }
            Self::External => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn relative(permyriad: i64) -> Reduction {
        Reduction::Relative(Permyriad::new(permyriad).unwrap())
    }

    fn absolute(cents: i64) -> Reduction {
        Reduction::Absolute(vec![(Currency::USD, CentAmount(1)), (Currency::EUR, CentAmount(cents))])
    }

    fn money(currency: Currency, cents: i64) -> Money {
        Money::Cent { currency, cents: CentAmount(cents) }
    }

    fn euros(cents: i64) -> Money {
        money(Currency::EUR, cents)
    }

    fn precise_euros(amount: i64, digits: u32) -> Money {
        Money::High(HighPrecisionMoney::new(Currency::EUR, amount, digits, None).unwrap())
    }

    #[test]
    fn a_share_is_at_most_all() {
        assert_eq!([-1, 10_001, i64::MAX].map(Permyriad::new), [None; 3]);
        assert!([0, 10_000].into_iter().all(|parts| Permyriad::new(parts).is_some()));
    }

    #[test]
    fn half_a_cent_goes_down() {
        // The first one is the reference's own example.
        for (cents, left) in [(101, 50), (1001, 500), (1003, 501), (1005, 502), (1, 0)] {
            assert_eq!(relative(5000).reduce(euros(cents)), Some(euros(left)), "{cents}");
        }
        assert_eq!(relative(3333).reduce(euros(100)), Some(euros(67)));
        // Yen have no cents, dinars have three digits: the last digit of the currency is used.
        for currency in [Currency::JPY, Currency::KWD] {
            assert_eq!(relative(5000).reduce(money(currency, 101)), Some(money(currency, 50)), "{currency}");
        }
    }

    #[test]
    fn no_price_becomes_negative() {
        assert_eq!(absolute(2000).reduce(euros(1001)), Some(euros(0)));
        assert_eq!(absolute(1001).reduce(euros(1001)), Some(euros(0)));
        assert_eq!(relative(10_000).reduce(euros(1001)), Some(euros(0)));
    }

    #[test]
    fn a_currency_that_the_discount_does_not_name_is_left_alone() {
        assert_eq!(absolute(5).reduce(money(Currency::GBP, 100)), None);
        assert_eq!(Reduction::External.reduce(euros(100)), None);
    }

    #[test]
    fn precise_amounts_stay_as_precise_as_they_are() {
        assert_eq!(relative(5000).reduce(precise_euros(10_005, 4)), Some(precise_euros(5002, 4)));
        assert_eq!(absolute(50).reduce(precise_euros(10_005, 4)), Some(precise_euros(5005, 4)));
        // 0.09 EUR with the maximum of digits: a cent is 10^18, and a euro exceeds 64 bits.
        let (cents, all_digits) = (9_000_000_000_000_000_000, 20);
        let left = precise_euros(1_000_000_000_000_000_000, all_digits);
        assert_eq!(absolute(8).reduce(precise_euros(cents, all_digits)), Some(left));
        assert_eq!(
            absolute(100).reduce(precise_euros(cents, all_digits)),
            Some(precise_euros(0, all_digits))
        );
        assert_eq!(
            absolute(i64::MAX).reduce(precise_euros(cents, all_digits)),
            Some(precise_euros(0, all_digits))
        );
    }

    /// The same calculation with integers: in ten thousandths of the last digit, of which exactly half is rounded down.
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
            prop_assert_eq!(relative(permyriad).reduce(euros(amount)), Some(euros(left)));
            let precise = relative(permyriad).reduce(precise_euros(amount, digits));
            prop_assert_eq!(precise, Some(precise_euros(left, digits)));
        }

        #[test]
        fn a_reduction_is_the_discount_or_the_whole_price(
            amount in prop_oneof![0_i64..100_000, 0_i64..=i64::MAX],
            off in prop_oneof![0_i64..100_000, 0_i64..=i64::MAX],
            digits in 3_u32..=20,
        ) {
            prop_assert_eq!(absolute(off).reduce(euros(amount)), Some(euros(amount - off.min(amount))));
            let off_precise = (0..digits - 2).try_fold(off, |off, _| off.checked_mul(10)).unwrap_or(i64::MAX);
            let precise = absolute(off).reduce(precise_euros(amount, digits));
            prop_assert_eq!(precise, Some(precise_euros(amount - off_precise.min(amount), digits)));
        }
    }
}
