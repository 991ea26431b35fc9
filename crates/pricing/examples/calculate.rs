//! How long a Cart takes: `cargo run --release -p kontor-pricing --example calculate`. Prints the time of a Cart of 10
//! Line Items, and what one of 500 takes for each Line Item beside it: 1 is linear.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // A command line tool that stops at the first failure.

use kontor_pricing::cart::{
    Cart, Item, ItemPrice, ItemTax, Shipping, ShippingPrice, ShippingRate, Tax, UnitPrice, calculate,
};
use kontor_pricing::{CentAmount, Currency, Money, TaxRate};
use rust_decimal::Decimal;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let small = seconds_of(&cart(10));
    let large = seconds_of(&cart(500));
    println!("10 Line Items: {:.2} µs", small * 1e6);
    println!("500 Line Items: {:.1} µs, for each {:.2} times as long", large * 1e6, large / small / 50.0);
}

/// The quickest of several runs.
fn seconds_of(cart: &Cart<'_>) -> f64 {
    let rounds = 100_000 / cart.line_items.len();
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
