//! Tax modes and shipping modes, one Cart each.

use crate::random::cents;
use kontor_pricing::cart::{
    Cart, Item, ItemPrice, ItemTax, MethodTax, Shipping, ShippingPrice, Tax, TaxMode, TaxSettings, TotalTax,
    UnitPrice, calculate,
};
use kontor_pricing::{
    CentAmount, Currency, NetAndGross, RoundingMode, SubRate, TaxCalculationMode, TaxRate, TaxRoundingTarget,
};
use rust_decimal::Decimal;

fn rate(percent: i64) -> TaxRate<'static> {
    TaxRate {
        name: "tax",
        amount: Decimal::new(percent, 2),
        included_in_price: true,
        rounding_target: TaxRoundingTarget::Net,
        sub_rates: Vec::new(),
    }
}

fn item(price: i64, quantity: i64, tax: ItemTax<'static>) -> Item<'static> {
    Item { quantity, price: ItemPrice::Platform(UnitPrice::new(cents(price))), tax }
}

fn taxed(net: i64, gross: i64) -> NetAndGross {
    NetAndGross { net: CentAmount(net), gross: CentAmount(gross) }
}

fn in_mode(mode: TaxMode, cart: Cart<'_>) -> Cart<'_> {
    Cart { taxes: TaxSettings { mode, ..cart.taxes }, ..cart }
}

#[test]
fn a_cart_is_taxed_when_the_tax_of_all_that_is_in_it_is_known() {
    let known = ItemTax::Single(Some(Tax::Rate(rate(19))));
    let shipping = Shipping { price: ShippingPrice::Fixed(CentAmount(500)), tax: None };
    let mut cart = Cart {
        line_items: vec![item(11_900, 1, known.clone()), item(100, 2, ItemTax::Single(None))],
        shipping: vec![shipping],
        ..Cart::empty(Currency::EUR)
    };
    let found = calculate(&cart).unwrap();
    assert_eq!(found.line_items[0].taxed_price.as_ref().unwrap().total, taxed(10_000, 11_900));
    assert_eq!((found.taxed_price, found.total_price), (None, CentAmount(12_600)));

    cart.line_items[1].tax = known;
    assert_eq!(calculate(&cart).unwrap().taxed_price, None, "shipping is not taxed");
    cart.shipping[0].tax = Some(Tax::Rate(rate(0)));
    let found = calculate(&cart).unwrap();
    assert_eq!(found.taxed_price.unwrap().total, taxed(10_000 + 168 + 500, 12_600));
    assert_eq!(found.taxed_shipping_price.unwrap().total, taxed(500, 500));

    let found = calculate(&in_mode(TaxMode::Disabled, cart)).unwrap();
    assert_eq!((found.taxed_price, found.taxed_shipping_price), (None, None));
    assert!(found.line_items.iter().all(|item| item.taxed_price.is_none()));
}

#[test]
fn an_empty_cart_costs_nothing_and_has_no_taxes() {
    let found = calculate(&Cart::empty(Currency::EUR)).unwrap();
    assert_eq!((found.total_price, found.total_line_item_quantity), (CentAmount::ZERO, None));
    assert_eq!((found.taxed_price, found.discount_on_total_price), (None, None));
}

/// Reference type `TaxMode`: the net amount is the total price, the Cart's own amount is set for itself, and
/// `taxedShippingPrice` is always empty.
#[test]
fn external_amounts_are_unchanged() {
    let amount = Tax::Amount { gross: CentAmount(1234), rate: rate(19) };
    let shipping = Shipping {
        price: ShippingPrice::Fixed(CentAmount(500)),
        tax: Some(Tax::Amount { gross: CentAmount(555), rate: rate(19) }),
    };
    let cart = Cart {
        line_items: vec![item(500, 2, ItemTax::Single(Some(amount)))],
        shipping: vec![shipping],
        ..Cart::empty(Currency::EUR)
    };
    let cart = in_mode(TaxMode::ExternalAmount, cart);
    let found = calculate(&cart).unwrap();
    let line_item = found.line_items[0].taxed_price.as_ref().unwrap();
    assert_eq!((line_item.total, line_item.portions[0].amount), (taxed(1000, 1234), CentAmount(234)));
    assert_eq!(found.shipping[0].taxed_price.as_ref().unwrap().total, taxed(500, 555));
    assert_eq!((found.taxed_price, found.taxed_shipping_price), (None, None));

    let total_tax = TotalTax { gross: CentAmount(1800), portions: Vec::new() };
    let found = calculate(&Cart { total_tax: Some(total_tax), ..cart }).unwrap();
    assert_eq!(found.taxed_price.unwrap().total, taxed(1500, 1800));
    assert_eq!(found.taxed_shipping_price, None);
}

/// One unit of three belongs to no shipping method, so the remaining price is not distributed.
#[test]
fn units_are_taxed_by_the_method_that_they_go_by() {
    let method = |shipping_method_key, quantity, percent| MethodTax {
        shipping_method_key,
        quantity,
        tax: Some(Tax::Rate(rate(percent))),
    };
    let by = |methods| Cart {
        line_items: vec![item(1190, 3, ItemTax::PerMethod(methods))],
        ..Cart::empty(Currency::EUR)
    };
    let found = calculate(&by(vec![method("post", 1, 19), method("courier", 2, 7)])).unwrap();
    let line_item = &found.line_items[0];
    let portions: Vec<_> = line_item
        .taxed_price_portions
        .iter()
        .map(|portion| (portion.shipping_method_key, portion.taxed_price.as_ref().unwrap().total))
        .collect();
    assert_eq!(portions, [("post", taxed(1000, 1190)), ("courier", taxed(2224, 2380))]);
    let taxes = line_item.taxed_price.as_ref().unwrap();
    assert_eq!(taxes.total, taxed(3224, 3570));
    let amounts: Vec<i64> = taxes.portions.iter().map(|portion| portion.amount.0).collect();
    assert_eq!(amounts, [156, 190]);
    assert_eq!(found.taxed_price.as_ref(), Some(taxes));

    let found = calculate(&by(vec![method("post", 1, 19), method("courier", 1, 7)])).unwrap();
    assert_eq!(found.line_items[0].taxed_price_portions.len(), 2);
    assert_eq!((&found.line_items[0].taxed_price, &found.taxed_price), (&None, &None));
}

/// Recorded: three of 185.99 EUR at 19 percent that are included.
#[test]
fn taxes_are_rounded_once_a_line_or_once_a_unit() {
    for (calculation_mode, net) in
        [(TaxCalculationMode::LineItemLevel, 46_888), (TaxCalculationMode::UnitPriceLevel, 46_887)]
    {
        let tax = ItemTax::Single(Some(Tax::Rate(rate(19))));
        let taxes = TaxSettings { calculation_mode, ..TaxSettings::default() };
        let line_items = vec![item(18_599, 3, tax)];
        let cart = Cart { taxes, line_items, ..Cart::empty(Currency::EUR) };
        let found = calculate(&cart).unwrap();
        assert_eq!(found.taxed_price.unwrap().total, taxed(net, 55_797), "{calculation_mode:?}");
    }
}

/// Recorded: an external total of 300 stays 300, whatever the unit price and the quantity are.
#[test]
fn a_total_that_was_given_is_not_multiplied() {
    let price = ItemPrice::ExternalTotal { price: cents(100), total: CentAmount(250) };
    let tax = ItemTax::Single(Some(Tax::Rate(rate(25))));
    let taxes =
        TaxSettings { calculation_mode: TaxCalculationMode::UnitPriceLevel, ..TaxSettings::default() };
    let line_items = vec![Item { quantity: 3, price, tax }];
    let found = calculate(&Cart { taxes, line_items, ..Cart::empty(Currency::EUR) }).unwrap();
    assert_eq!(found.total_price, CentAmount(250));
    assert_eq!(found.taxed_price.unwrap().total, taxed(200, 250));
}

/// Reference type `TaxRoundingTarget`: three of 2.01 EUR at 20 percent that are included; the exact tax is 100.5 cents
/// for the line, and 33.5 for each unit. The sub-rates share the rounded tax.
#[test]
fn the_tax_is_rounded_where_the_rate_says_so() {
    use TaxCalculationMode::{LineItemLevel, UnitPriceLevel};
    use TaxRoundingTarget::{Net, Tax as TheTax};
    let sub_rate = |name, percent| SubRate { name, amount: Decimal::new(percent, 2) };
    let sub_rates = vec![sub_rate("state", 15), sub_rate("city", 5)];
    for (target, calculation_mode, taxes) in [
        (Net, LineItemLevel, [101, 100, 101]),
        (TheTax, LineItemLevel, [100, 101, 100]),
        (Net, UnitPriceLevel, [99, 99, 102]),
        (TheTax, UnitPriceLevel, [102, 102, 99]),
    ] {
        let roundings = [RoundingMode::HalfEven, RoundingMode::HalfUp, RoundingMode::HalfDown];
        for (rounding_mode, tax) in roundings.into_iter().zip(taxes) {
            let rate = TaxRate { rounding_target: target, sub_rates: sub_rates.clone(), ..rate(20) };
            let settings = TaxSettings { calculation_mode, rounding_mode, ..TaxSettings::default() };
            let whole = ItemTax::Single(Some(Tax::Rate(rate.clone())));
            let method = MethodTax { shipping_method_key: "post", quantity: 3, tax: Some(Tax::Rate(rate)) };
            for tax_of_item in [whole, ItemTax::PerMethod(vec![method])] {
                let line_items = vec![item(201, 3, tax_of_item)];
                let cart = Cart { taxes: settings, line_items, ..Cart::empty(Currency::EUR) };
                let found = calculate(&cart).unwrap().taxed_price.unwrap();
                let place = format!("{target:?} {calculation_mode:?} {rounding_mode:?}");
                assert_eq!(found.total, taxed(603 - tax, 603), "{place}");
                let portions: Vec<i64> = found.portions.iter().map(|portion| portion.amount.0).collect();
                assert_eq!(portions.iter().sum::<i64>(), tax, "{place}");
                assert_eq!(portions.len(), 2, "{place}");
            }
        }
    }
}
