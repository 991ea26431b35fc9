//! Discounts on random Carts: both evaluators agree, and the invariants of each hold.

use crate::random::{cart, cart_in_cents, discounts_on};
use crate::simple::{SimpleResult, evaluate};
use kontor_pricing::cart::{Calculation, Cart, calculate};
use proptest::prelude::*;

type Included = Vec<(usize, i64)>;

/// Returns each unit with its price and the reduction by each discount, in the order of the groups.
fn units(calculation: &Calculation<'_>) -> Vec<(usize, i64, Included)> {
    let items = calculation.line_items.iter().chain(&calculation.custom_line_items);
    let mut units = Vec::new();
    for (index, item) in items.enumerate() {
        for group in &item.discounted_price_per_quantity {
            let price = &group.discounted_price;
            let portions = price.included_discounts.iter();
            let included =
                portions.map(|portion| (portion.discount, portion.discounted_amount.units())).collect();
            let unit = (index, price.value.units(), included);
            units.extend(std::iter::repeat_n(unit, usize::try_from(group.quantity).unwrap()));
        }
    }
    units
}

/// The same result from the simple evaluator, without items that show no discount.
fn simple_units(found: &SimpleResult) -> Vec<(usize, i64, Included)> {
    let is_shown =
        |item: usize| found.units.iter().any(|unit| unit.item == item && !unit.included.is_empty());
    let shown = found.units.iter().filter(|unit| is_shown(unit.item));
    shown.map(|unit| (unit.item, unit.value, unit.included.clone())).collect()
}

fn agree(cart: &Cart<'_>) -> Result<(), TestCaseError> {
    let calculation = calculate(cart).unwrap();
    let found = evaluate(cart);
    prop_assert_eq!(&calculation.discount_outcomes, &found.outcomes);
    prop_assert_eq!(units(&calculation), simple_units(&found));
    let shipping: Vec<(i64, Included)> = calculation
        .shipping
        .iter()
        .map(|shipping| {
            let portions = shipping.discounted_price.iter().flat_map(|price| &price.included_discounts);
            let included =
                portions.map(|portion| (portion.discount, portion.discounted_amount.units())).collect();
            (shipping.charged_price().0, included)
        })
        .collect();
    prop_assert_eq!(shipping, found.shipping);
    let off_total =
        calculation.discount_on_total_price.iter().flat_map(|discount| &discount.included_discounts);
    let off_total: Included =
        off_total.map(|portion| (portion.discount, portion.discounted_amount.0)).collect();
    prop_assert_eq!(off_total, found.off_total);
    prop_assert_eq!(calculation.total_price.0, found.total_price);
    Ok(())
}

/// The number of cases from `PROPTEST_CASES`, by default some thousands.
fn cases() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { max_shrink_iters: 20_000, ..ProptestConfig::with_cases(cases.unwrap_or(4000)) }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn both_ways_to_work_out_discounts_agree_to_the_cent(cart in discounts_on(cart_in_cents())) {
        agree(&cart)?;
    }
}

proptest! {
    #[test]
    fn discounts_leave_nothing_below_zero_and_take_what_they_say(cart in discounts_on(cart())) {
        let plain = calculate(&Cart { discounts: Vec::new(), ..cart.clone() }).unwrap();
        let found = calculate(&cart).unwrap();
        let before = plain.line_items.iter().chain(&plain.custom_line_items);
        let after = found.line_items.iter().chain(&found.custom_line_items);
        for (before, after) in before.zip(after) {
            prop_assert!(after.total_price <= before.total_price);
            prop_assert!(after.total_price >= before.total_price.min(kontor_pricing::CentAmount::ZERO));
            for group in &after.discounted_price_per_quantity {
                let price = &group.discounted_price;
                let taken: i64 =
                    price.included_discounts.iter().map(|portion| portion.discounted_amount.units()).sum();
                prop_assert!(taken >= 0);
                prop_assert!(taken == 0 || price.value.units() >= 0, "{:?}", group);
            }
        }
        for shipping in &found.shipping {
            prop_assert!(shipping.charged_price().0 >= 0 && shipping.charged_price() <= shipping.price);
        }
    }
}
