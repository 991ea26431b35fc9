//! Tax: what is net, what is gross, and which rate makes which portion of the difference.
//!
//! Source: reference types `TaxRate`, `TaxedPrice`, `TaxPortion`, `TaxCalculationMode`, `RoundingMode`. What these leave
//! open reproduces what the platform was recorded to calculate (docs/decisions/*-pricing.md): net or gross is
//! rounded once, the tax is their difference; sums are those of the rounded parts.

use crate::cent_amount::{CentAmount, Rounding, overflow};
use kontor_errors::ApiResult;
use rust_decimal::Decimal;

/// The rate of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxRate<'a> {
    /// Tells portions of one rate apart.
    pub name: &'a str,
    /// A share of the net amount: 0.19 is 19 percent.
    pub amount: Decimal,
    /// Whether prices are gross.
    pub included_in_price: bool,
}

/// An amount without and with its tax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taxed {
    /// Without.
    pub net: CentAmount,
    /// With.
    pub gross: CentAmount,
}

/// When tax is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaxCalculationMode {
    /// Once a line: of its total.
    LineItemLevel,
    /// Once a unit, which is then multiplied.
    UnitPriceLevel,
}

/// What one rate makes of the tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxPortion<'a> {
    /// The rate.
    pub rate: Decimal,
    /// Its name.
    pub name: &'a str,
    /// The sum of the taxes.
    pub amount: CentAmount,
}

impl TaxRate<'_> {
    /// Net and gross of a price, one of which the price is; the other is rounded. `MoneyOverflow` beyond 64 bits, and
    /// for rates of more than 19 digits behind the point.
    pub fn taxed(&self, price: CentAmount, rounding: Rounding) -> ApiResult<Taxed> {
        // 1 + rate as a fraction: decimals have no third of a cent.
        let rate = self.amount.normalize();
        let whole = 10_i128.checked_pow(rate.scale()).ok_or_else(overflow)?;
        let with_tax = whole.checked_add(rate.mantissa()).ok_or_else(overflow)?;
        let taxed = if self.included_in_price {
            Taxed { net: price.share(whole, with_tax, rounding)?, gross: price }
        } else {
            Taxed { net: price, gross: price.share(with_tax, whole, rounding)? }
        };
        taxed.tax().map(|_| taxed)
    }

    /// Net and gross of `quantity` units of a price.
    pub fn taxed_line(
        &self,
        unit_price: CentAmount,
        quantity: i64,
        mode: TaxCalculationMode,
        rounding: Rounding,
    ) -> ApiResult<Taxed> {
        match mode {
            TaxCalculationMode::LineItemLevel => self.taxed(unit_price.times(quantity)?, rounding),
            TaxCalculationMode::UnitPriceLevel => {
                let unit = self.taxed(unit_price, rounding)?;
                Ok(Taxed { net: unit.net.times(quantity)?, gross: unit.gross.times(quantity)? })
            }
        }
    }
}

impl Taxed {
    /// The tax: never rounded itself.
    pub fn tax(self) -> ApiResult<CentAmount> {
        self.gross.minus(self.net)
    }

    /// The sum of parts that are rounded already.
    pub fn sum(parts: impl IntoIterator<Item = Self> + Clone) -> ApiResult<Self> {
        let net = CentAmount::sum(parts.clone().into_iter().map(|part| part.net))?;
        let gross = CentAmount::sum(parts.into_iter().map(|part| part.gross))?;
        Ok(Self { net, gross })
    }
}

/// What each rate makes of the tax of parts, one portion for a rate and a name, the lowest rate first. Nothing is a
/// portion too.
pub fn tax_portions<'a>(
    parts: impl IntoIterator<Item = (TaxRate<'a>, Taxed)>,
) -> ApiResult<Vec<TaxPortion<'a>>> {
    let mut portions: Vec<TaxPortion<'a>> = Vec::new();
    let mut whole = 0_i128;
    for (rate, taxed) in parts {
        let tax = taxed.tax()?;
        whole += i128::from(tax.0);
        let is_meant =
            |portion: &&mut TaxPortion<'_>| portion.rate == rate.amount && portion.name == rate.name;
        match portions.iter_mut().find(is_meant) {
            Some(portion) => portion.amount = portion.amount.plus(tax)?,
            None => portions.push(TaxPortion { rate: rate.amount, name: rate.name, amount: tax }),
        }
    }
    portions.sort_by_key(|portion| portion.rate);
    let sum: i128 = portions.iter().map(|portion| i128::from(portion.amount.0)).sum();
    debug_assert_eq!(sum, whole, "the portions are all of the tax");
    Ok(portions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;
    use proptest::prelude::*;

    fn rate(percent: &str, included_in_price: bool) -> TaxRate<'static> {
        let percent: Decimal = percent.parse().unwrap();
        TaxRate { name: "tax", amount: percent / Decimal::ONE_HUNDRED, included_in_price }
    }

    fn included(percent: &str) -> TaxRate<'static> {
        rate(percent, true)
    }

    fn added(percent: &str) -> TaxRate<'static> {
        rate(percent, false)
    }

    fn taxed(net: i64, gross: i64) -> Taxed {
        Taxed { net: CentAmount(net), gross: CentAmount(gross) }
    }

    const ROUNDINGS: [Rounding; 3] = [Rounding::HalfEven, Rounding::HalfUp, Rounding::HalfDown];

    #[test]
    fn half_a_cent_goes_where_the_mode_says() {
        let found = |rate: TaxRate<'_>, price: i64| {
            ROUNDINGS.map(|rounding| rate.taxed(CentAmount(price), rounding).unwrap())
        };
        assert_eq!(found(added("14"), 25), [taxed(25, 28), taxed(25, 29), taxed(25, 28)]);
        assert_eq!(found(included("12"), 14), [taxed(12, 14), taxed(13, 14), taxed(12, 14)]);
    }

    #[test]
    fn prices_are_taxed_as_they_were_recorded() {
        for (rate, price, expected) in [
            (included("20"), 30_999, taxed(25_832, 30_999)),
            (added("10"), 4655, taxed(4655, 5120)),
            (included("21"), -150, taxed(-124, -150)),
            (included("12"), 150, taxed(134, 150)),
            (included("5"), -4290, taxed(-4086, -4290)),
            (included("0"), -1500, taxed(-1500, -1500)),
            (added("10"), 501_900, taxed(501_900, 552_090)),
            (included("19"), 26_500, taxed(22_269, 26_500)),
        ] {
            assert_eq!(
                rate.taxed(CentAmount(price), Rounding::HalfEven).unwrap(),
                expected,
                "{rate:?} {price}"
            );
        }
    }

    /// Recorded at one of the levels; the other differs by a cent.
    #[test]
    fn lines_are_taxed_as_they_were_recorded() {
        use TaxCalculationMode::{LineItemLevel, UnitPriceLevel};
        for (rate, unit_price, quantity, mode, expected) in [
            (added("19"), 23_134, 2, LineItemLevel, taxed(46_268, 55_059)),
            (added("19"), 23_134, 2, UnitPriceLevel, taxed(46_268, 55_058)),
            (added("19"), 23_134, 3, LineItemLevel, taxed(69_402, 82_588)),
            (added("19"), 23_134, 3, UnitPriceLevel, taxed(69_402, 82_587)),
            (included("19"), 18_599, 3, LineItemLevel, taxed(46_888, 55_797)),
            (included("19"), 18_599, 3, UnitPriceLevel, taxed(46_887, 55_797)),
            (included("21"), 11_875, 4, LineItemLevel, taxed(39_256, 47_500)),
        ] {
            let found = rate.taxed_line(CentAmount(unit_price), quantity, mode, Rounding::HalfEven).unwrap();
            assert_eq!(found, expected, "{rate:?} {quantity} of {unit_price}, {mode:?}");
        }
    }

    #[test]
    fn portions_are_those_of_a_recorded_cart() {
        let of_goods = TaxRate { name: "21% incl.", ..included("21") };
        let of_coupon = TaxRate { name: "zero-nl-tax-category", ..included("0") };
        let parts = [(of_goods, 42_500), (of_goods, 47_500), (of_coupon, -1500)]
            .map(|(rate, price)| (rate, rate.taxed(CentAmount(price), Rounding::HalfEven).unwrap()));
        assert_eq!(Taxed::sum(parts.map(|(_, taxed)| taxed)).unwrap(), taxed(72_880, 88_500));
        let portion = |rate: TaxRate<'static>, amount| TaxPortion {
            rate: rate.amount,
            name: rate.name,
            amount: CentAmount(amount),
        };
        assert_eq!(tax_portions(parts).unwrap(), [portion(of_coupon, 0), portion(of_goods, 15_620)]);
    }

    #[test]
    fn what_does_not_fit_is_an_overflow() {
        let most = CentAmount(i64::MAX);
        for result in [
            added("19").taxed(most, Rounding::HalfEven),
            added("19").taxed_line(most, 2, TaxCalculationMode::UnitPriceLevel, Rounding::HalfEven),
            Taxed::sum([taxed(0, i64::MAX), taxed(0, 1)]),
        ] {
            assert_eq!(result.unwrap_err().code(), Code::MoneyOverflow);
        }
    }

    prop_compose! {
        fn any_rate()(digits in 0_u32..=10, share in 0_u64..=1_000_000_000, included_in_price: bool) -> TaxRate<'static> {
            // At most 1, with as many digits as are drawn.
            let unit = 10_u64.pow(digits);
            let amount = Decimal::from_i128_with_scale(i128::from(share.min(unit)), digits);
            TaxRate { name: "tax", amount, included_in_price }
        }
    }

    proptest! {
        #[test]
        fn gross_is_net_with_its_tax_but_for_half_a_cent(
            rate in any_rate(),
            price in -1_000_000_000_000_i64..1_000_000_000_000,
            rounding in prop::sample::select(&ROUNDINGS[..]),
        ) {
            let found = rate.taxed(CentAmount(price), rounding).unwrap();
            let exact = Decimal::from(found.net.0) * (Decimal::ONE + rate.amount);
            // Half a cent of the net amount is a whole one of the gross amount where the rate is 1.
            let most = if rate.included_in_price { Decimal::ONE } else { Decimal::new(5, 1) };
            prop_assert!((exact - Decimal::from(found.gross.0)).abs() <= most, "{found:?} at {rate:?}");
            let tax = found.tax().unwrap();
            prop_assert_eq!(found.net.plus(tax).unwrap(), found.gross);
            prop_assert!(price == 0 || tax.0.signum() * price.signum() >= 0, "tax has the sign of the price");
        }

        #[test]
        fn the_portions_are_all_of_the_tax(
            parts in prop::collection::vec((any_rate(), -1_000_000_i64..1_000_000), 0..12),
        ) {
            let parts: Vec<_> = parts
                .into_iter()
                .map(|(rate, price)| (rate, rate.taxed(CentAmount(price), Rounding::HalfEven).unwrap()))
                .collect();
            let whole = Taxed::sum(parts.iter().map(|(_, taxed)| *taxed)).unwrap();
            let portions = tax_portions(parts).unwrap();
            let sum = CentAmount::sum(portions.iter().map(|portion| portion.amount)).unwrap();
            prop_assert_eq!(sum, whole.tax().unwrap());
            prop_assert!(portions.windows(2).all(|pair| pair[0].rate <= pair[1].rate));
        }

        #[test]
        fn one_unit_is_taxed_alike_at_both_levels(rate in any_rate(), price in -1_000_000_i64..1_000_000) {
            let [line, unit] = [TaxCalculationMode::LineItemLevel, TaxCalculationMode::UnitPriceLevel]
                .map(|mode| rate.taxed_line(CentAmount(price), 1, mode, Rounding::HalfEven).unwrap());
            prop_assert_eq!(line, unit);
        }
    }
}
