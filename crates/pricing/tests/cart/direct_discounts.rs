//! Direct Discounts together with Cart Discounts and Product Discounts (reference types `DirectDiscount`, `Cart`).

use crate::random::cents;
use kontor_pricing::cart::{
    Calculation, Cart, ChosenDiscountType, DiscountCombinationMode, Item, ItemPrice, ItemTax, UnitPrice,
    calculate,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOrigin, DiscountOutcome, DiscountTarget,
    DiscountValue, StackingMode,
};
use kontor_pricing::{Currency, Permyriad};

/// A share of the first line item, or of the total price.
fn share(percent: i64, target: DiscountTarget, origin: DiscountOrigin) -> Discount {
    let permyriad = Permyriad::new(percent * 100).unwrap();
    let value = DiscountValue::Relative { permyriad, mode: DiscountApplicationMode::IndividualApplication };
    let effect = DiscountEffect::Reduce { value, target };
    Discount { effect, stacking_mode: StackingMode::Stacking, group: None, origin }
}

fn cart_discount(percent: i64) -> Discount {
    share(percent, DiscountTarget::LineItems(vec![0]), DiscountOrigin::CartDiscount)
}

fn direct_discount(percent: i64, is_compared: bool) -> Discount {
    share(percent, DiscountTarget::LineItems(vec![0]), DiscountOrigin::DirectDiscount { is_compared })
}

/// Calculates one item of 10.00 EUR, with a Product Discount if there is a price after it.
fn calculated(
    discounted: Option<i64>,
    discounts: Vec<Discount>,
    discount_combination_mode: DiscountCombinationMode,
) -> Calculation<'static> {
    let price = UnitPrice { discounted: discounted.map(cents), ..UnitPrice::new(cents(1000)) };
    let item = Item { quantity: 1, price: ItemPrice::Platform(price), tax: ItemTax::Single(None) };
    let cart =
        Cart { line_items: vec![item], discounts, discount_combination_mode, ..Cart::empty(Currency::EUR) };
    calculate(&cart).unwrap()
}

/// 10.00, less 10 percent, less 20 percent.
#[test]
fn direct_discounts_reduce_the_prices_after_cart_discounts() {
    let discounts = vec![cart_discount(10), direct_discount(20, false)];
    let found = calculated(None, discounts, DiscountCombinationMode::Stacking);
    assert_eq!(found.total_price.0, 720);
    let portions = &found.line_items[0].discounted_price_per_quantity[0].discounted_price.included_discounts;
    let amounts: Vec<i64> = portions.iter().map(|portion| portion.discounted_amount.units()).collect();
    assert_eq!(amounts, [100, 180]);
}

#[test]
fn no_cart_discount_stops_direct_discounts() {
    let stopping = Discount { stacking_mode: StackingMode::StopAfterThisDiscount, ..cart_discount(10) };
    let discounts = vec![stopping, cart_discount(50), direct_discount(20, false), direct_discount(50, false)];
    let found = calculated(None, discounts, DiscountCombinationMode::Stacking);
    use DiscountOutcome::{Applied, StoppedByPreviousDiscount};
    assert_eq!(found.discount_outcomes, [Applied, StoppedByPreviousDiscount, Applied, Applied]);
    assert_eq!(found.total_price.0, 360);
}

/// An item of 7.00 after its Product Discount.
#[test]
fn direct_discounts_are_compared_with_product_discounts_if_they_take_part() {
    use ChosenDiscountType::{CartDiscount, ProductDiscount};
    for (percent, is_compared, total, chosen) in [
        (20, false, 560, ProductDiscount),
        (20, true, 700, ProductDiscount),
        (40, true, 600, CartDiscount),
        (40, false, 420, ProductDiscount),
    ] {
        let discounts = vec![direct_discount(percent, is_compared)];
        let found = calculated(Some(700), discounts.clone(), DiscountCombinationMode::BestDeal);
        assert_eq!(found.total_price.0, total, "{percent} {is_compared}");
        assert_eq!(found.chosen_discount_type, Some(chosen), "{percent} {is_compared}");
        let stacked = calculated(Some(700), discounts, DiscountCombinationMode::Stacking);
        assert_eq!(stacked.total_price.0, 700 - 7 * percent, "the flag has no effect");
    }
}

/// Together with Cart Discounts: 10 and 25 percent are 6.75, which is less than 7.00; 10 percent alone are not.
#[test]
fn direct_discounts_that_take_part_count_with_the_cart_discounts() {
    use DiscountOutcome::{Applied, StoppedByProductDiscounts};
    for (is_compared, total, outcomes) in
        [(true, 675, [Applied, Applied]), (false, 525, [StoppedByProductDiscounts, Applied])]
    {
        let discounts = vec![cart_discount(10), direct_discount(25, is_compared)];
        let found = calculated(Some(700), discounts, DiscountCombinationMode::BestDeal);
        assert_eq!((found.total_price.0, &found.discount_outcomes[..]), (total, &outcomes[..]));
    }
}

/// A share of the total price is no part of the comparison either: 7.00 and 8.00 are compared, not 6.30 and 4.00.
#[test]
fn discounts_that_take_no_part_are_taken_off_the_chosen_result() {
    let of_total = |percent, is_compared| {
        share(percent, DiscountTarget::TotalPrice, DiscountOrigin::DirectDiscount { is_compared })
    };
    let discounts = vec![cart_discount(20), of_total(50, false)];
    let found = calculated(Some(700), discounts, DiscountCombinationMode::BestDeal);
    assert_eq!(found.total_price.0, 350);
    assert_eq!(found.chosen_discount_type, Some(ChosenDiscountType::ProductDiscount));
}
