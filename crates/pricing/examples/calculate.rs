//! How long a Cart takes: `cargo run --release -p kontor-pricing --example calculate`. Prints the time of a Cart of 10
//! Line Items, and what one of 500 takes for each Line Item beside it: 1 is linear. Then the same with discounts: 10 of
//! them; multi-buys and patterns; and groups, where each discount of a group is tried.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // A command line tool that stops at the first failure.

use kontor_pricing::cart::{
    Cart, Item, ItemPrice, ItemTax, Shipping, ShippingPrice, ShippingRate, Tax, UnitPrice, calculate,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountTarget, DiscountValue, MultiBuy, Pattern,
    PatternComponent, SelectionMode, StackingMode,
};
use kontor_pricing::{CentAmount, Currency, Money, Permyriad, TaxRate};
use rust_decimal::Decimal;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let small = seconds_of(&cart(10));
    let large = seconds_of(&cart(500));
    println!("10 Line Items: {:.2} µs", small * 1e6);
    println!("500 Line Items: {:.1} µs, for each {:.2} times as long", large * 1e6, large / small / 50.0);
    let discounted = seconds_of(&Cart { discounts: shares(10, None), ..cart(10) });
    println!("10 Line Items, 10 discounts: {:.2} µs", discounted * 1e6);
    let discounted = seconds_of(&Cart { discounts: vec![multi_buy(), pattern()], ..cart(500) });
    println!("500 Line Items, a multi-buy and a pattern: {:.0} µs", discounted * 1e6);
    for groups in [1, 20] {
        let discounts = (0..groups).flat_map(|group| shares(5, Some(group))).collect();
        let discounted = seconds_of(&Cart { discounts, ..cart(10) });
        println!("10 Line Items, {groups} groups of 5 discounts: {:.1} µs", discounted * 1e6);
    }
}

fn shares(count: i64, group: Option<usize>) -> Vec<Discount> {
    (0..count)
        .map(|number| share(100 + 10 * number, DiscountTarget::LineItems((0..10).collect()), group))
        .collect()
}

fn share(permyriad: i64, target: DiscountTarget, group: Option<usize>) -> Discount {
    let value = DiscountValue::Relative {
        permyriad: Permyriad::new(permyriad).unwrap(),
        mode: DiscountApplicationMode::IndividualApplication,
    };
    let effect = DiscountEffect::Reduce { value, target };
    Discount { effect, stacking_mode: StackingMode::Stacking, group }
}

fn multi_buy() -> Discount {
    let multi_buy = MultiBuy {
        matches: (0..500).collect(),
        trigger_quantity: 3,
        discounted_quantity: 1,
        max_occurrence: None,
        selection_mode: SelectionMode::Cheapest,
    };
    share(5000, DiscountTarget::MultiBuyLineItems(multi_buy), None)
}

/// Two for one, of which each application takes other Line Items.
fn pattern() -> Discount {
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
    share(5000, DiscountTarget::Pattern(pattern), None)
}

/// The quickest of several runs.
fn seconds_of(cart: &Cart<'_>) -> f64 {
    let rounds = (20_000 / cart.line_items.len()).max(1);
    let run = || {
        let started = Instant::now();
        for _ in 0..rounds {
            black_box(calculate(black_box(cart)).unwrap());
        }
        started.elapsed().as_secs_f64() / rounds as f64
    };
    (0..20).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn rate(percent: i64) -> Tax<'static> {
    Tax::Rate(TaxRate {
        name: if percent < 10 { "reduced" } else { "standard" },
        amount: Decimal::new(percent, 2),
        included_in_price: true,
        sub_rates: Vec::new(),
    })
}

fn cart(line_items: i64) -> Cart<'static> {
    let line_item = |number: i64| {
        let cents = CentAmount(1000 + number * 37);
        let price = ItemPrice::Platform(UnitPrice::of(Money::Cent { currency: Currency::EUR, cents }));
        let tax = ItemTax::Whole(Some(rate(if number % 3 == 0 { 7 } else { 19 })));
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
