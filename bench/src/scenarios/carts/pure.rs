//! Measures the calculation alone, without documents: Carts of ten and of five hundred line items, and discounts.

use super::super::Bench;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, bail};
use kontor_pricing::cart::{
    Cart, Item, ItemPrice, ItemTax, Shipping, ShippingPrice, ShippingRate, Tax, UnitPrice, calculate,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOrigin, DiscountTarget, DiscountValue,
    MultiBuy, Pattern, PatternComponent, SelectionMode, StackingMode,
};
use kontor_pricing::{CentAmount, Currency, Money, Permyriad, TaxRate, TaxRoundingTarget};
use rust_decimal::Decimal;
use std::hint::black_box;
use std::time::Instant;

/// Line items of all rounds of a run together.
const LINE_ITEMS: usize = 20_000;
const RUNS: usize = 20;
const SMALL: i64 = 10;
const LARGE: i64 = 500;
const GROUPS: usize = 20;
const DISCOUNTS_OF_GROUP: i64 = 5;

pub(super) fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let mut add = |name: String, value: f64, unit: &'static str, target: BenchTarget, comparison: String| {
        bench.table.add(BenchRow {
            name,
            value,
            unit,
            target,
            kontor: format!("the quickest of {RUNS}"),
            comparison,
        });
    };
    let small = microseconds(&cart(SMALL))?;
    let what = format!("pure calculation of a Cart of {SMALL} line items");
    add(what, small, " µs", BenchTarget::AtMost(20.0), "-".into());
    let large = microseconds(&cart(LARGE))?;
    add(
        format!("pure calculation of a Cart of {LARGE} line items: each compared with one of {SMALL}"),
        large / small * SMALL as f64 / LARGE as f64,
        "×",
        BenchTarget::AtMost(1.2),
        format!("{large:.1} µs, and {small:.2} µs"),
    );
    let of_ten = microseconds(&Cart { discounts: percentage_discounts(10, None)?, ..cart(SMALL) })?;
    let what = format!("pure calculation of {SMALL} line items with 10 discounts, each on all of them");
    add(what, of_ten, " µs", BenchTarget::AtMost(100.0), format!("without: {small:.2} µs"));
    let bought = microseconds(&Cart { discounts: vec![multi_buy()?, pattern()?], ..cart(LARGE) })?;
    let what = format!("pure calculation of {LARGE} line items, a multi-buy and a pattern over all of them");
    add(what, bought / 1_000.0, " ms", BenchTarget::AtMost(5.0), format!("without: {large:.1} µs"));
    let in_groups = |groups: usize| -> anyhow::Result<f64> {
        let discounts = (0..groups).map(|group| percentage_discounts(DISCOUNTS_OF_GROUP, Some(group)));
        let discounts = discounts.collect::<anyhow::Result<Vec<_>>>()?.concat();
        microseconds(&Cart { discounts, ..cart(SMALL) })
    };
    let (one, many) = (in_groups(1)?, in_groups(GROUPS)?);
    add(
        format!(
            "pure calculation of {SMALL} line items, {GROUPS} Discount Groups of {DISCOUNTS_OF_GROUP}: each compared with one alone"
        ),
        (many - small) / (one - small) / GROUPS as f64,
        "×",
        BenchTarget::AtMost(2.0),
        format!("{many:.1} µs, and {one:.1} µs"),
    );
    Ok(())
}

fn percentage_discounts(count: i64, group: Option<usize>) -> anyhow::Result<Vec<Discount>> {
    (0..count)
        .map(|number| {
            percentage_discount(100 + 10 * number, DiscountTarget::LineItems((0..10).collect()), group)
        })
        .collect()
}

fn percentage_discount(
    permyriad: i64,
    target: DiscountTarget,
    group: Option<usize>,
) -> anyhow::Result<Discount> {
    let value = DiscountValue::Relative {
        permyriad: Permyriad::new(permyriad).context("more than everything")?,
        mode: DiscountApplicationMode::IndividualApplication,
    };
    let effect = DiscountEffect::Reduce { value, target };
    let origin = DiscountOrigin::CartDiscount;
    Ok(Discount { effect, stacking_mode: StackingMode::Stacking, group, origin })
}

fn multi_buy() -> anyhow::Result<Discount> {
    let multi_buy = MultiBuy {
        matches: (0..500).collect(),
        trigger_quantity: 3,
        discounted_quantity: 1,
        max_occurrence: None,
        selection_mode: SelectionMode::Cheapest,
    };
    percentage_discount(5000, DiscountTarget::MultiBuyLineItems(multi_buy), None)
}

/// Two for one, of which each application takes other Line Items.
fn pattern() -> anyhow::Result<Discount> {
    let one = |min_count| PatternComponent {
        line_items: (0..500).collect(),
        custom_line_items: Vec::new(),
        min_count,
        max_count: Some(min_count),
        exclude_count: 0,
    };
    let pattern = Pattern {
        trigger_pattern: vec![one(2)],
        target_pattern: vec![one(1)],
        max_occurrence: None,
        selection_mode: SelectionMode::Cheapest,
    };
    percentage_discount(5000, DiscountTarget::Pattern(pattern), None)
}

/// Returns the time of the fastest of several runs, in microseconds.
fn microseconds(cart: &Cart<'_>) -> anyhow::Result<f64> {
    let rounds = (LINE_ITEMS / cart.line_items.len()).max(1);
    let mut quickest = f64::INFINITY;
    for _ in 0..RUNS {
        let started = Instant::now();
        for _ in 0..rounds {
            if let Err(refused) = calculate(black_box(cart)).map(black_box) {
                bail!("a Cart that is not calculated: {refused:?}");
            }
        }
        quickest = quickest.min(started.elapsed().as_secs_f64() / rounds as f64);
    }
    Ok(quickest * 1e6)
}

fn rate(percent: i64) -> Tax<'static> {
    Tax::Rate(TaxRate {
        name: if percent < 10 { "reduced" } else { "standard" },
        amount: Decimal::new(percent, 2),
        included_in_price: true,
        rounding_target: TaxRoundingTarget::Net,
        sub_rates: Vec::new(),
    })
}

fn cart(line_items: i64) -> Cart<'static> {
    let line_item = |number: i64| {
        let cents = CentAmount(1000 + number * 37);
        let price = ItemPrice::Platform(UnitPrice::new(Money::Cent { currency: Currency::EUR, cents }));
        let tax = ItemTax::Single(Some(rate(if number % 3 == 0 { 7 } else { 19 })));
        Item { quantity: 1 + number % 4, price, tax }
    };
    let rate_of_shipping =
        ShippingRate { price: CentAmount(490), free_above: Some(CentAmount(1_000_000)), tiers: Vec::new() };
    let price = ShippingPrice::Rate { rate: rate_of_shipping, input: None };
    Cart {
        line_items: (0..line_items).map(line_item).collect(),
        shipping: vec![Shipping { price, tax: Some(rate(19)) }],
        ..Cart::empty(Currency::EUR)
    }
}
