//! Tests of the Cart calculation.

#![allow(clippy::unwrap_used)] // All of this is a test, its helpers included.

mod cents;
mod direct_discounts;
mod discounts;
mod documented;
mod modes;
mod random;
mod simple;

use kontor_errors::Code;
use kontor_pricing::cart::{Calculation, Cart, Item, ItemPrice, ItemTax, TaxedPrice, UnitPrice, calculate};
use kontor_pricing::{CentAmount, Currency, NetAndGross, RoundingMode};
use proptest::prelude::*;
use random::{cart, cents};

fn taxed_parts<'c, 'a>(calculation: &'c Calculation<'a>) -> Vec<&'c TaxedPrice<'a>> {
    let items = calculation.line_items.iter().chain(&calculation.custom_line_items);
    let items = items.map(|item| &item.taxed_price);
    items.chain(calculation.shipping.iter().map(|shipping| &shipping.taxed_price)).flatten().collect()
}

fn tax_of_portions(taxed: &TaxedPrice<'_>) -> i64 {
    taxed.portions.iter().map(|portion| portion.amount.0).sum()
}

proptest! {
    #[test]
    fn a_cart_costs_what_its_items_and_its_shipping_cost(cart in cart()) {
        let found = calculate(&cart).unwrap();
        let items = found.line_items.iter().chain(&found.custom_line_items).map(|item| item.total_price.0);
        let shipping = found.shipping.iter().map(|shipping| shipping.charged_price().0);
        let off = found.discount_on_total_price.as_ref().map_or(0, |discount| discount.discounted_amount.0);
        prop_assert_eq!(found.total_price.0, items.sum::<i64>() + shipping.sum::<i64>() - off);
    }

    #[test]
    fn taxes_of_a_cart_are_those_of_its_parts(cart in cart()) {
        let found = calculate(&cart).unwrap();
        let parts = taxed_parts(&found);
        prop_assert_eq!(parts.len(), cart.line_items.len() + cart.custom_line_items.len() + cart.shipping.len());
        for part in &parts {
            prop_assert_eq!(tax_of_portions(part), part.total.tax().unwrap().0, "{:?}", part);
        }
        let Some(taxed) = &found.taxed_price else {
            prop_assert!(parts.is_empty());
            return Ok(());
        };
        let sum = NetAndGross::sum(parts.iter().map(|part| part.total)).unwrap();
        let off = found.discount_on_total_price.as_ref().and_then(|discount| discount.discounted_taxes);
        let off = off.unwrap_or_default();
        prop_assert_eq!(taxed.total.net.plus(off.net).unwrap(), sum.net);
        prop_assert_eq!(taxed.total.gross.plus(off.gross).unwrap(), sum.gross);
        prop_assert_eq!(tax_of_portions(taxed), sum.tax().unwrap().0);
    }

    /// Either net or gross is the price of the item, also if its units have several methods.
    #[test]
    fn the_units_of_an_item_cost_together_what_it_costs(cart in cart()) {
        let found = calculate(&cart).unwrap();
        for (item, found) in cart.line_items.iter().zip(&found.line_items) {
            let ItemTax::PerMethod(methods) = &item.tax else { continue };
            prop_assert_eq!(methods.len(), found.taxed_price_portions.len());
            let is_net = |tax: &kontor_pricing::cart::Tax<'_>| match tax {
                kontor_pricing::cart::Tax::Rate(rate) => !rate.included_in_price,
                kontor_pricing::cart::Tax::Amount { .. } => true,
            };
            let portions = methods.iter().zip(&found.taxed_price_portions).map(|(method, portion)| {
                let total = portion.taxed_price.as_ref().unwrap().total;
                if is_net(method.tax.as_ref().unwrap()) { total.net } else { total.gross }
            });
            prop_assert_eq!(CentAmount::sum(portions).unwrap(), found.total_price);
        }
    }

    #[test]
    fn totals_do_not_depend_on_the_order_of_items(cart in cart()) {
        let turned = Cart {
            line_items: cart.line_items.iter().rev().cloned().collect(),
            custom_line_items: cart.custom_line_items.iter().rev().cloned().collect(),
            shipping: cart.shipping.iter().rev().cloned().collect(),
            ..cart.clone()
        };
        let (found, turned) = (calculate(&cart).unwrap(), calculate(&turned).unwrap());
        prop_assert_eq!(found.total_price, turned.total_price);
        let total = |price: &Option<TaxedPrice<'_>>| price.as_ref().map(|price| price.total);
        prop_assert_eq!(total(&found.taxed_price), total(&turned.taxed_price));
        prop_assert_eq!(total(&found.taxed_shipping_price), total(&turned.taxed_shipping_price));
        prop_assert!(found.line_items.iter().eq(turned.line_items.iter().rev()));
    }

    #[test]
    fn overflow_is_the_only_error(
        mut cart in cart(),
        price: i64,
        quantity in 1_i64..,
        shipping: i64,
    ) {
        for item in &mut cart.line_items {
            item.quantity = quantity;
        }
        let money = cents(price);
        let tax = cart.line_items.first().map_or(ItemTax::Single(None), |item| item.tax.clone());
        cart.line_items.push(Item { quantity, price: ItemPrice::Platform(UnitPrice::new(money)), tax });
        if let Some(first) = cart.shipping.first_mut() {
            first.price = kontor_pricing::cart::ShippingPrice::Fixed(CentAmount(shipping));
        }
        if let Err(error) = calculate(&cart) {
            prop_assert_eq!(error.code(), Code::MoneyOverflow);
        }
    }
}

/// 1.5 cents three times, and 0.5 cents five times.
#[test]
fn totals_of_precise_prices_are_rounded_once_and_as_the_cart_says() {
    for (precise, quantity, expected) in [(15, 3, [4, 5, 4]), (5, 5, [2, 3, 2]), (5, 4, [2, 2, 2])] {
        let money = kontor_pricing::HighPrecisionMoney::new(Currency::EUR, precise, 3, None).unwrap();
        let money = kontor_pricing::Money::High(money);
        let total = |price: ItemPrice, price_rounding_mode| {
            let item = Item { quantity, price, tax: ItemTax::Single(None) };
            let cart = Cart { price_rounding_mode, line_items: vec![item], ..Cart::empty(Currency::EUR) };
            calculate(&cart).unwrap().total_price.0
        };
        let roundings = [RoundingMode::HalfEven, RoundingMode::HalfUp, RoundingMode::HalfDown];
        let platform = roundings.map(|rounding| total(ItemPrice::Platform(UnitPrice::new(money)), rounding));
        assert_eq!(platform, expected, "{quantity} of {precise}");
        let external = roundings.map(|rounding| total(ItemPrice::ExternalPrice(money), rounding));
        assert_eq!(external, [expected[0]; 3], "half to even, whatever the Cart says");
    }
}
