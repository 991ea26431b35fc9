use super::*;
use crate::{Currency, HighPrecisionMoney};
use kontor_enums::TaxCalculationMode;
use kontor_errors::Code;
use proptest::prelude::*;

fn rate_named(name: &'static str, amount: Decimal, included_in_price: bool) -> TaxRate<'static> {
    let rounding_target = TaxRoundingTarget::Net;
    TaxRate { name, amount, included_in_price, rounding_target, sub_rates: Vec::new() }
}

fn rate(percent: &str, included_in_price: bool) -> TaxRate<'static> {
    let percent: Decimal = percent.parse().unwrap();
    rate_named("tax", percent / Decimal::ONE_HUNDRED, included_in_price)
}

fn included(percent: &str) -> TaxRate<'static> {
    rate(percent, true)
}

fn added(percent: &str) -> TaxRate<'static> {
    rate(percent, false)
}

fn taxed(net: i64, gross: i64) -> NetAndGross {
    NetAndGross { net: CentAmount(net), gross: CentAmount(gross) }
}

fn euros(cents: i64) -> Money {
    Money::Cent { currency: Currency::EUR, cents: CentAmount(cents) }
}

fn taxed_line(
    rate: &TaxRate<'_>,
    unit_price: i64,
    quantity: i64,
    mode: TaxCalculationMode,
) -> ApiResult<NetAndGross> {
    let total = CentAmount(unit_price).multiply(quantity)?;
    match mode {
        TaxCalculationMode::LineItemLevel => rate.apply(total, RoundingMode::HalfEven),
        TaxCalculationMode::UnitPriceLevel => {
            rate.taxed_units(total, [(euros(unit_price), quantity)], RoundingMode::HalfEven)
        }
    }
}

const ROUNDINGS: [RoundingMode; 3] = [RoundingMode::HalfEven, RoundingMode::HalfUp, RoundingMode::HalfDown];

#[test]
fn half_a_cent_goes_where_the_mode_says() {
    let found = |rate: TaxRate<'_>, price: i64| {
        ROUNDINGS.map(|rounding| rate.apply(CentAmount(price), rounding).unwrap())
    };
    assert_eq!(found(added("14"), 25), [taxed(25, 28), taxed(25, 29), taxed(25, 28)]);
    assert_eq!(found(included("12"), 14), [taxed(12, 14), taxed(13, 14), taxed(12, 14)]);
}

/// Exactly 167.5 and 33.5 cents; 82.5 and 16.5; 833.3… and 166.6….
#[test]
fn half_a_cent_of_the_tax_goes_where_the_mode_says_if_the_rate_rounds_the_tax() {
    let found = |rounding_target, price| {
        let rate = TaxRate { rounding_target, ..included("20") };
        ROUNDINGS.map(|rounding| rate.apply(CentAmount(price), rounding).unwrap().net.0)
    };
    for (price, of_net, of_tax) in [
        (201, [168, 168, 167], [167, 167, 168]),
        (99, [82, 83, 82], [83, 82, 83]),
        (1000, [833; 3], [833; 3]),
        (-201, [-168, -168, -167], [-167, -167, -168]),
    ] {
        assert_eq!(found(TaxRoundingTarget::Net, price), of_net, "{price}");
        assert_eq!(found(TaxRoundingTarget::Tax, price), of_tax, "{price}");
    }
    let [by_net, by_tax] = [TaxRoundingTarget::Net, TaxRoundingTarget::Tax]
        .map(|rounding_target| TaxRate { rounding_target, ..added("14") })
        .map(|rate| rate.apply(CentAmount(25), RoundingMode::HalfUp).unwrap());
    assert_eq!(by_net, by_tax, "nothing is included");
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
            rate.apply(CentAmount(price), RoundingMode::HalfEven).unwrap(),
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
        let found = taxed_line(&rate, unit_price, quantity, mode).unwrap();
        assert_eq!(found, expected, "{rate:?} {quantity} of {unit_price}, {mode:?}");
    }
}

/// 1.0005 and 1.0015 EUR, whose tax is 0.190095 and 0.190285: the total is rounded separately.
#[test]
fn units_are_taxed_as_exactly_as_they_are_priced() {
    let units = [(1_000_500, 2), (1_001_500, 1)].map(|(precise, quantity)| {
        let price = HighPrecisionMoney::new(Currency::EUR, precise, 6, None).unwrap();
        (Money::High(price), quantity)
    });
    let total = CentAmount(300);
    let found = added("19").taxed_units(total, units, RoundingMode::HalfEven).unwrap();
    assert_eq!(found, taxed(300, 357), "three times 119.06 or 119.18 cents");
    let found = included("19").taxed_units(total, units, RoundingMode::HalfEven).unwrap();
    assert_eq!(found, taxed(252, 300), "three times 84.08 or 84.16 cents");
}

#[test]
fn portions_are_those_of_a_recorded_cart() {
    let of_goods = rate_named("21% incl.", Decimal::new(21, 2), true);
    let of_coupon = rate_named("zero-nl-tax-category", Decimal::ZERO, true);
    let parts = [(&of_goods, 42_500), (&of_goods, 47_500), (&of_coupon, -1500)]
        .map(|(rate, price)| (rate, rate.apply(CentAmount(price), RoundingMode::HalfEven).unwrap()));
    assert_eq!(NetAndGross::sum(parts.map(|(_, taxed)| taxed)).unwrap(), taxed(72_880, 88_500));
    let portion = |rate: &TaxRate<'static>, amount| TaxPortion {
        rate: rate.amount,
        name: Some(rate.name),
        amount: CentAmount(amount),
    };
    let portions = merged_portions(portions_of(&parts)).unwrap();
    assert_eq!(portions, [portion(&of_coupon, 0), portion(&of_goods, 15_620)]);
}

fn portions_of<'a>(parts: &[(&TaxRate<'a>, NetAndGross)]) -> Vec<TaxPortion<'a>> {
    parts.iter().flat_map(|(rate, taxed)| rate.split_tax(taxed.tax().unwrap()).unwrap()).collect()
}

/// The recorded External Cart of three for 10.00 EUR at 20 percent; then a tax that is no multiple of the rates.
#[test]
fn each_sub_rate_makes_its_portion() {
    let sub_rate = |name, percent| SubRate { name, amount: Decimal::new(percent, 2) };
    let two_taxes = TaxRate { sub_rates: vec![sub_rate("foo", 11), sub_rate("bar", 9)], ..added("20") };
    for (price, gross, shares) in [(3000, 3600, [330, 270]), (55, 66, [6, 5]), (52, 62, [6, 4])] {
        let found = two_taxes.apply(CentAmount(price), RoundingMode::HalfEven).unwrap();
        assert_eq!(found.gross.0, gross);
        let portions = two_taxes.split_tax(found.tax().unwrap()).unwrap();
        let found: Vec<_> = portions.iter().map(|portion| (portion.name, portion.amount.0)).collect();
        assert_eq!(found, [(Some("foo"), shares[0]), (Some("bar"), shares[1])]);
    }
}

#[test]
fn taxes_beyond_64_bits_overflow() {
    let most = CentAmount(i64::MAX);
    for result in [
        added("19").apply(most, RoundingMode::HalfEven),
        taxed_line(&added("19"), i64::MAX, 1, TaxCalculationMode::UnitPriceLevel),
        NetAndGross::sum([taxed(0, i64::MAX), taxed(0, 1)]),
    ] {
        assert_eq!(result.unwrap_err().code(), Code::MoneyOverflow);
    }
}

prop_compose! {
    fn any_rate()(
        digits in 0_u32..=10,
        share in 0_u64..=1_000_000_000,
        included_in_price: bool,
        rounds_tax: bool,
    ) -> TaxRate<'static> {
        // At most 1, with as many digits as are drawn.
        let unit = 10_u64.pow(digits);
        let amount = Decimal::from_i128_with_scale(i128::from(share.min(unit)), digits);
        let rounding_target = if rounds_tax { TaxRoundingTarget::Tax } else { TaxRoundingTarget::Net };
        TaxRate { rounding_target, ..rate_named("tax", amount, included_in_price) }
    }
}

proptest! {
    #[test]
    fn gross_is_net_with_its_tax_but_for_half_a_cent(
        rate in any_rate(),
        price in -1_000_000_000_000_i64..1_000_000_000_000,
        rounding in prop::sample::select(&ROUNDINGS[..]),
    ) {
        let found = rate.apply(CentAmount(price), rounding).unwrap();
        let exact = Decimal::from(found.net.0) * (Decimal::ONE + rate.amount);
        // With a rate of 1, half a cent of the net amount is a whole cent of the gross amount.
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
            .map(|(rate, price)| {
                let taxed = rate.apply(CentAmount(price), RoundingMode::HalfEven).unwrap();
                (rate, taxed)
            })
            .collect();
        let whole = NetAndGross::sum(parts.iter().map(|(_, taxed)| *taxed)).unwrap();
        let parts: Vec<_> = parts.iter().map(|(rate, taxed)| (rate, *taxed)).collect();
        let portions = merged_portions(portions_of(&parts)).unwrap();
        let sum = CentAmount::sum(portions.iter().map(|portion| portion.amount)).unwrap();
        prop_assert_eq!(sum, whole.tax().unwrap());
        prop_assert!(portions.windows(2).all(|pair| pair[0].rate <= pair[1].rate));
    }

    #[test]
    fn one_unit_is_taxed_alike_at_both_levels(rate in any_rate(), price in -1_000_000_i64..1_000_000) {
        let [line, unit] = [TaxCalculationMode::LineItemLevel, TaxCalculationMode::UnitPriceLevel]
            .map(|mode| taxed_line(&rate, price, 1, mode).unwrap());
        prop_assert_eq!(line, unit);
    }
}
