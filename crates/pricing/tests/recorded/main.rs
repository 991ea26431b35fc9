//! Recalculates Carts and Orders that the platform calculated: each recorded number must be reproduced.

#![allow(clippy::unwrap_used)] // All of this is a test, its helpers included.

mod case;
mod recorded_input;

use case::{Case, Group, OnTotalPrice, RecordedTaxes};
use kontor_pricing::cart::{
    CalculatedItem, CalculatedShipping, Calculation, DiscountOnTotalPrice, DiscountedLineItemPrice,
    TaxedPrice, calculate,
};
use kontor_pricing::discount::SortOrder;

/// The number of compared numbers, and the differing ones.
#[derive(Default)]
struct Comparison {
    numbers: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn number(&mut self, place: &str, expected: i64, found: i64) {
        self.numbers += 1;
        if expected != found {
            self.differences.push(format!("{place}: {expected} was recorded, {found} is calculated"));
        }
    }

    fn taxed(&mut self, place: &str, expected: Option<&RecordedTaxes>, found: Option<&TaxedPrice<'_>>) {
        let Some(expected) = expected else { return };
        let Some(found) = found else {
            self.differences.push(format!("{place}: was recorded, nothing is calculated"));
            return;
        };
        if let Some(net) = expected.net {
            self.number(&format!("{place}, net"), net, found.total.net.0);
        }
        self.number(&format!("{place}, gross"), expected.gross, found.total.gross.0);
        if let Some(tax) = expected.tax {
            self.number(&format!("{place}, tax"), tax, found.total.tax().unwrap().0);
        }
        let Some(portions) = &expected.portions else { return };
        self.number(&format!("{place}, portions"), size(portions), size(&found.portions));
        for (rate, name, amount) in portions {
            let is_meant = |portion: &&kontor_pricing::TaxPortion<'_>| {
                portion.rate == rate.parse().unwrap() && portion.name == Some(name)
            };
            let place = format!("{place}, portion of {rate} {name}");
            match found.portions.iter().find(is_meant) {
                Some(portion) => self.number(&place, *amount, portion.amount.0),
                None => self.differences.push(format!("{place}: was recorded, nothing is calculated")),
            }
        }
    }

    fn included(&mut self, place: &str, expected: &[(usize, i64)], found: &[(usize, i64)]) {
        if expected.is_empty() {
            return;
        }
        self.numbers += expected.len();
        if expected != found {
            self.differences.push(format!("{place}: {expected:?} was recorded, {found:?} is calculated"));
        }
    }

    fn groups(&mut self, place: &str, expected: &[Group], found: &CalculatedItem<'_>) {
        let found = &found.discounted_price_per_quantity;
        self.number(&format!("{place}, groups"), size(expected), size(found));
        for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
            let place = format!("{place}, group {index}");
            self.number(&format!("{place}, quantity"), expected.quantity, found.quantity);
            self.number(&place, expected.value, found.discounted_price.value.units());
            self.included(&place, &expected.included, &portions(&found.discounted_price));
        }
    }

    fn shipping(&mut self, place: &str, expected: &case::PricedShipping, found: &CalculatedShipping<'_>) {
        self.number(place, expected.price, found.price.0);
        self.taxed(place, expected.taxed_price.as_ref(), found.taxed_price.as_ref());
        if let Some(expected) = &expected.discounted_price {
            self.number(&format!("{place}, discounted"), expected.value, found.charged_price().0);
            let found = found.discounted_price.as_ref().map(portions).unwrap_or_default();
            self.included(place, &expected.included, &found);
        }
    }

    fn on_total_price(&mut self, expected: &OnTotalPrice, found: Option<&DiscountOnTotalPrice>) {
        let Some(found) = found else {
            self.differences.push("a discount on the total price was recorded, none is calculated".into());
            return;
        };
        self.number("off total price", expected.amount, found.discounted_amount.0);
        let portions = found.included_discounts.iter();
        let portions: Vec<_> =
            portions.map(|portion| (portion.discount, portion.discounted_amount.0)).collect();
        self.included("off total price", &expected.included, &portions);
        for (name, expected, found) in [
            ("net", expected.net, found.discounted_taxes.map(|taxes| taxes.net.0)),
            ("gross", expected.gross, found.discounted_taxes.map(|taxes| taxes.gross.0)),
        ] {
            if let Some(expected) = expected {
                self.number(&format!("off total {name}"), expected, found.unwrap_or_default());
            }
        }
    }

    fn item(&mut self, place: &str, expected: &case::RecordedItem, found: &CalculatedItem<'_>) {
        let expected = &expected.expected;
        self.number(&format!("{place}, total"), expected.total_price, found.total_price.0);
        self.taxed(place, expected.taxed_price.as_ref(), found.taxed_price.as_ref());
        if let Some(groups) = &expected.discounted_price_per_quantity {
            self.groups(place, groups, found);
        }
    }
}

fn portions(price: &DiscountedLineItemPrice) -> Vec<(usize, i64)> {
    let portions = price.included_discounts.iter();
    portions.map(|portion| (portion.discount, portion.discounted_amount.units())).collect()
}

fn size<T>(of: &[T]) -> i64 {
    i64::try_from(of.len()).unwrap()
}

fn compare(case: &Case, found: &Calculation<'_>) -> Comparison {
    let mut comparison = Comparison::default();
    for (index, (expected, found)) in case.line_items.iter().zip(&found.line_items).enumerate() {
        comparison.item(&format!("line item {index}"), expected, found);
    }
    for (index, (expected, found)) in case.custom_line_items.iter().zip(&found.custom_line_items).enumerate()
    {
        comparison.item(&format!("custom line item {index}"), expected, found);
    }
    for (index, (expected, found)) in case.shipping.iter().zip(&found.shipping).enumerate() {
        comparison.shipping(&format!("shipping {index}"), &expected.expected, found);
    }
    let expected = &case.expected;
    if let Some(total_price) = expected.total_price {
        comparison.number("total price", total_price, found.total_price.0);
    }
    comparison.taxed("taxed price", expected.taxed_price.as_ref(), found.taxed_price.as_ref());
    comparison.taxed(
        "taxed shipping price",
        expected.taxed_shipping_price.as_ref(),
        found.taxed_shipping_price.as_ref(),
    );
    if let Some(quantity) = expected.total_line_item_quantity {
        comparison.number("quantity", quantity, found.total_line_item_quantity.unwrap_or_default());
    }
    if let Some(expected) = &expected.discount_on_total_price {
        comparison.on_total_price(expected, found.discount_on_total_price.as_ref());
    }
    comparison
}

#[test]
fn recorded_carts_cost_what_was_recorded() {
    let mut numbers = 0;
    let mut differences = Vec::new();
    for line in include_str!("carts.jsonl").lines() {
        let case: Case = kontor_json::from_str(line).unwrap();
        let cart = recorded_input::cart(&case);
        for (recorded, item) in case.line_items.iter().zip(&cart.line_items) {
            if let Some(unit_price) = recorded.expected.unit_price {
                let found = item.price.unit_price_for(item.quantity).cents().0;
                assert_eq!(found, unit_price, "unit price in case {}", case.case);
            }
        }
        let orders = case
            .cart_discounts
            .iter()
            .map(|discount| SortOrder::new(discount.sort_order.as_deref().unwrap()).unwrap());
        assert!(
            orders.is_sorted_by(|one, next| one >= next),
            "the greatest applies first in case {}",
            case.case
        );
        let comparison = compare(&case, &calculate(&cart).unwrap());
        numbers += comparison.numbers;
        differences
            .extend(comparison.differences.iter().map(|difference| format!("{}: {difference}", case.case)));
    }
    assert!(differences.is_empty(), "{} of {numbers} differ:\n{}", differences.len(), differences.join("\n"));
    assert!(numbers > 1400, "{numbers} numbers were compared");
}
