//! The examples of the public documentation of discounts, and each rule of the reference once.

use crate::random::cents;
use kontor_pricing::cart::{
    Calculation, Cart, ChosenDiscountType, DiscountCombinationMode, Item, ItemPrice, ItemTax, Shipping,
    ShippingPrice, ShippingRate, UnitPrice, calculate,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOrigin, DiscountOutcome, DiscountTarget,
    DiscountValue, MultiBuy, Pattern, PatternComponent, SelectionMode, StackingMode,
};
use kontor_pricing::{CentAmount, Currency, HighPrecisionMoney, Money, Permyriad};

use DiscountApplicationMode::{EvenDistribution, IndividualApplication, ProportionateDistribution};

fn percent(percent: i64, mode: DiscountApplicationMode) -> DiscountValue {
    DiscountValue::Relative { permyriad: Permyriad::new(percent * 100).unwrap(), mode }
}

fn amount(amount: i64, mode: DiscountApplicationMode) -> DiscountValue {
    DiscountValue::Absolute { amount: CentAmount(amount), mode }
}

fn fixed(price: i64, mode: DiscountApplicationMode) -> DiscountValue {
    DiscountValue::Fixed { price: cents(price), mode }
}

fn discount(value: DiscountValue, target: DiscountTarget) -> Discount {
    let effect = DiscountEffect::Reduce { value, target };
    let origin = DiscountOrigin::CartDiscount;
    Discount { effect, stacking_mode: StackingMode::Stacking, group: None, origin }
}

fn on_all(value: DiscountValue) -> Discount {
    discount(value, DiscountTarget::LineItems((0..10).collect()))
}

/// Line Items by their price and quantity.
fn cart(line_items: &[(i64, i64)], discounts: Vec<Discount>) -> Cart<'static> {
    let line_item = |(price, quantity): &(i64, i64)| Item {
        quantity: *quantity,
        price: ItemPrice::Platform(UnitPrice::new(cents(*price))),
        tax: ItemTax::Single(None),
    };
    let line_items = line_items.iter().map(line_item).collect();
    Cart { line_items, discounts, ..Cart::empty(Currency::EUR) }
}

fn calculated(line_items: &[(i64, i64)], discounts: Vec<Discount>) -> Calculation<'static> {
    calculate(&cart(line_items, discounts)).unwrap()
}

/// Returns the groups of each line item: the number of units, and the reduction of each unit by each discount.
fn taken(calculation: &Calculation<'_>) -> Vec<Vec<(i64, Vec<i64>)>> {
    let groups = |item: &kontor_pricing::cart::CalculatedItem<'_>| {
        let group = |group: &kontor_pricing::cart::DiscountedLineItemPriceForQuantity| {
            let portions = group.discounted_price.included_discounts.iter();
            (group.quantity, portions.map(|portion| portion.discounted_amount.units()).collect())
        };
        item.discounted_price_per_quantity.iter().map(group).collect()
    };
    calculation.line_items.iter().map(groups).collect()
}

/// Documented: one for 16.00 and two for 20.00, and 15.00 off.
#[test]
fn an_amount_is_shared_in_three_ways() {
    for (mode, off_one, off_other, total) in [
        (ProportionateDistribution, 428, 536, 4100),
        (EvenDistribution, 500, 500, 4100),
        (IndividualApplication, 1500, 1500, 1100),
    ] {
        let found = calculated(&[(1600, 1), (2000, 2)], vec![on_all(amount(1500, mode))]);
        assert_eq!(taken(&found), [[(1, vec![off_one])], [(2, vec![off_other])]], "{mode:?}");
        assert_eq!(found.total_price, CentAmount(total), "{mode:?}");
    }
}

/// Reference type `DiscountedLineItemPrice`: one after the other, each rounded.
#[test]
fn discounts_take_from_what_those_before_them_left() {
    let tenth = || on_all(percent(10, IndividualApplication));
    let found = calculated(&[(1000, 1), (995, 2)], vec![tenth(), tenth()]);
    assert_eq!(
        taken(&found),
        [[(1, vec![100, 90])], [(2, vec![99, 90])]],
        "995 leaves 895.5, and 896 leaves 806.4"
    );
}

/// Reference type `CartDiscountValueFixed`: only units that cost more, and none where none does.
#[test]
fn a_fixed_price_holds_for_units_that_cost_more() {
    let half_of_one = multi_buy(2, 1, None, SelectionMode::Cheapest);
    let half = discount(percent(50, IndividualApplication), DiscountTarget::MultiBuyLineItems(half_of_one));
    let price = on_all(fixed(1500, IndividualApplication));
    let found = calculated(&[(2000, 2), (1000, 1)], vec![half.clone(), price.clone()]);
    assert_eq!(taken(&found), [vec![(2, vec![0, 500])], vec![(1, vec![500])]]);
    let found = calculated(&[(1500, 2), (1000, 1)], vec![price]);
    assert_eq!(
        (taken(&found), found.discount_outcomes),
        (vec![vec![]; 2], vec![DiscountOutcome::WithoutEffect])
    );
}

#[test]
fn a_price_becomes_as_exact_as_the_one_that_is_fixed() {
    let price = HighPrecisionMoney::new(Currency::EUR, 9995, 3, None).unwrap();
    let value = DiscountValue::Fixed { price: Money::High(price), mode: IndividualApplication };
    let found = calculated(&[(1000, 2), (500, 1)], vec![on_all(value)]);
    let group = &found.line_items[0].discounted_price_per_quantity[0];
    assert_eq!(group.discounted_price.value, Money::High(price));
    assert_eq!(found.total_price, CentAmount(1999 + 500));
    assert_eq!(taken(&found), [vec![(2, vec![5])], vec![]]);
}

fn multi_buy(trigger: i64, discounted: i64, most: Option<i64>, selection_mode: SelectionMode) -> MultiBuy {
    MultiBuy {
        matches: (0..10).collect(),
        trigger_quantity: trigger,
        discounted_quantity: discounted,
        max_occurrence: most,
        selection_mode,
    }
}

/// Documented: buy four tyres, get two of them at half the price.
#[test]
fn some_units_of_many_are_discounted() {
    let half = |multi_buy| {
        vec![discount(percent(50, IndividualApplication), DiscountTarget::MultiBuyLineItems(multi_buy))]
    };
    let tyres = |line_items: &[(i64, i64)], most, mode| {
        taken(&calculated(line_items, half(multi_buy(4, 2, most, mode))))
    };
    let cheapest = SelectionMode::Cheapest;
    assert_eq!(tyres(&[(1000, 9)], None, cheapest), [[(4, vec![500]), (5, vec![0])]]);
    assert_eq!(tyres(&[(1000, 9)], Some(1), cheapest), [[(2, vec![500]), (7, vec![0])]]);
    assert_eq!(tyres(&[(1000, 3)], None, cheapest), [[]; 1].map(|_: [(i64, Vec<i64>); 0]| vec![]));
    let mixed = &[(1000, 3), (800, 1)];
    assert_eq!(tyres(mixed, None, cheapest), [vec![(1, vec![500]), (2, vec![0])], vec![(1, vec![400])]]);
    let dearest = SelectionMode::MostExpensive;
    assert_eq!(tyres(mixed, None, dearest), [vec![(2, vec![500]), (1, vec![0])], vec![(1, vec![0])]]);
}

fn units_of(line_items: &[usize], min_count: i64, max_count: Option<i64>) -> PatternComponent {
    PatternComponent {
        line_items: line_items.to_vec(),
        custom_line_items: Vec::new(),
        min_count,
        max_count,
        exclude_count: 0,
    }
}

fn pattern(
    trigger: Vec<PatternComponent>,
    target: Vec<PatternComponent>,
    most: Option<i64>,
) -> DiscountTarget {
    DiscountTarget::Pattern(Pattern {
        trigger_pattern: trigger,
        target_pattern: target,
        max_occurrence: most,
        selection_mode: SelectionMode::Cheapest,
    })
}

/// Reference type `CartDiscountPatternTarget`: units of the trigger are not discounted; they list the discount with 0.
#[test]
fn units_are_discounted_where_others_are_there() {
    let buy_one_get_one = |most| {
        let one_of_two = || units_of(&[0, 1], 1, Some(1));
        pattern(vec![one_of_two()], vec![one_of_two()], most)
    };
    let found = |most| {
        let free = discount(percent(100, IndividualApplication), buy_one_get_one(most));
        taken(&calculated(&[(3000, 2), (1000, 3), (500, 1)], vec![free]))
    };
    let two_times = [vec![(2, vec![0])], vec![(2, vec![1000]), (1, vec![])], vec![]];
    assert_eq!(found(None), two_times, "the fifth unit has none beside it");
    assert_eq!(found(Some(1)), [vec![(1, vec![0]), (1, vec![])], vec![(1, vec![1000]), (2, vec![])], vec![]]);
}

/// Documented: "Buy 3, get 2 of them cheaper" by reserved units, which are not available for the next application.
#[test]
fn units_that_are_set_aside_are_not_discounted() {
    let target = PatternComponent { exclude_count: 2, ..units_of(&[0, 1], 1, Some(1)) };
    let found = calculated(
        &[(2000, 5), (1000, 2)],
        vec![discount(percent(50, IndividualApplication), pattern(Vec::new(), vec![target], None))],
    );
    assert_eq!(taken(&found), [vec![(4, vec![0]), (1, vec![])], vec![(2, vec![500])]]);
}

/// Documented: a bundle of three has one price, as often as all of them are in the Cart.
#[test]
fn a_bundle_has_one_price() {
    let bundle = || pattern(Vec::new(), (0..2).map(|item| units_of(&[item], 1, Some(1))).collect(), None);
    let line_items = &[(3000, 2), (1000, 3)];
    let found = calculated(line_items, vec![discount(fixed(3500, ProportionateDistribution), bundle())]);
    assert_eq!(taken(&found), [vec![(2, vec![375])], vec![(2, vec![125]), (1, vec![])]]);
    let found = calculated(line_items, vec![discount(fixed(3500, EvenDistribution), bundle())]);
    assert_eq!(taken(&found), [vec![(2, vec![250])], vec![(2, vec![250]), (1, vec![])]]);
    let found = calculated(line_items, vec![discount(fixed(4000, EvenDistribution), bundle())]);
    assert_eq!(found.discount_outcomes, [DiscountOutcome::WithoutEffect], "no price that is lower");
}

/// Reference type `CartDiscountValueRelative`: the reduction of the targets, distributed over the triggers as well.
#[test]
fn a_share_of_targets_can_be_borne_by_all_units_of_a_pattern() {
    let buy_and_get = || pattern(vec![units_of(&[0], 1, Some(1))], vec![units_of(&[1], 1, Some(1))], None);
    for (mode, off_trigger, off_target) in
        [(IndividualApplication, 0, 500), (ProportionateDistribution, 375, 125), (EvenDistribution, 250, 250)]
    {
        let found = calculated(&[(3000, 1), (1000, 1)], vec![discount(percent(50, mode), buy_and_get())]);
        assert_eq!(taken(&found), [[(1, vec![off_trigger])], [(1, vec![off_target])]], "{mode:?}");
    }
}

/// Reference type `StackingMode`: only a discount that applies stops those after it, whatever their targets.
#[test]
fn a_discount_that_applies_can_stop_those_after_it() {
    let stopping =
        |discount: Discount| Discount { stacking_mode: StackingMode::StopAfterThisDiscount, ..discount };
    let without_target =
        stopping(discount(percent(10, IndividualApplication), DiscountTarget::LineItems(vec![])));
    let on_total = discount(amount(100, ProportionateDistribution), DiscountTarget::TotalPrice);
    let found = calculated(
        &[(1000, 1)],
        vec![
            without_target,
            stopping(on_total.clone()),
            on_all(percent(50, IndividualApplication)),
            on_total,
        ],
    );
    use DiscountOutcome::{Applied, StoppedByPreviousDiscount, WithoutEffect};
    assert_eq!(
        found.discount_outcomes,
        [WithoutEffect, Applied, StoppedByPreviousDiscount, StoppedByPreviousDiscount]
    );
    assert_eq!(found.total_price, CentAmount(900));
}

/// Reference type `DiscountGroup`: the discount with the greatest reduction applies, at the position of the group.
#[test]
fn the_best_deal_of_a_group_applies() {
    let of_group = |discount: Discount| Discount { group: Some(7), ..discount };
    let discounts = vec![
        of_group(on_all(percent(10, IndividualApplication))),
        on_all(amount(500, ProportionateDistribution)),
        of_group(on_all(amount(300, ProportionateDistribution))),
        of_group(on_all(percent(30, IndividualApplication))),
    ];
    use DiscountOutcome::{Applied, StoppedByGroupBestDeal};
    for (price, outcomes, total) in [
        (900, [StoppedByGroupBestDeal, Applied, Applied, StoppedByGroupBestDeal], 100),
        (2000, [StoppedByGroupBestDeal, Applied, StoppedByGroupBestDeal, Applied], 900),
        (1000, [StoppedByGroupBestDeal, Applied, Applied, StoppedByGroupBestDeal], 200),
    ] {
        let found = calculated(&[(price, 1)], discounts.clone());
        assert_eq!(found.discount_outcomes, outcomes, "{price}");
        assert_eq!(found.total_price, CentAmount(total), "{price}");
    }
}

/// Documented: the total is calculated once with each kind of discounts, and the lower one applies.
#[test]
fn one_kind_of_discounts_applies_where_the_project_says_so() {
    let deal = |permyriad: i64| {
        let mut cart = cart(&[(26_000, 1)], vec![on_all(percent(permyriad, IndividualApplication))]);
        let discounted = UnitPrice { discounted: Some(cents(18_200)), ..UnitPrice::new(cents(26_000)) };
        cart.line_items[0].price = ItemPrice::Platform(discounted);
        let stacked = calculate(&cart).unwrap();
        cart.discount_combination_mode = DiscountCombinationMode::BestDeal;
        let best = calculate(&cart).unwrap();
        assert_eq!(stacked.chosen_discount_type, None);
        (
            stacked.total_price.0,
            best.total_price.0,
            best.chosen_discount_type.unwrap(),
            best.discount_outcomes[0],
        )
    };
    let by_products = DiscountOutcome::StoppedByProductDiscounts;
    assert_eq!(deal(10), (16_380, 18_200, ChosenDiscountType::ProductDiscount, by_products));
    assert_eq!(deal(50), (9100, 13_000, ChosenDiscountType::CartDiscount, DiscountOutcome::Applied));
}

/// Reference type `DiscountCombinationMode`: how discounts are combined *for Line Items*.
#[test]
fn the_best_deal_for_line_items_leaves_discounts_on_everything_else() {
    let rate = ShippingRate { price: CentAmount(1000), free_above: None, tiers: Vec::new() };
    let discounts = vec![
        on_all(percent(10, IndividualApplication)),
        discount(percent(50, IndividualApplication), DiscountTarget::Shipping),
        discount(percent(10, IndividualApplication), DiscountTarget::TotalPrice),
    ];
    let mut cart = cart(&[(10_000, 1)], discounts);
    cart.shipping = vec![Shipping { price: ShippingPrice::Rate { rate, input: None }, tax: None }];
    cart.discount_combination_mode = DiscountCombinationMode::BestDeal;
    let mut deal = |discounted| {
        let price = UnitPrice { discounted: Some(cents(discounted)), ..UnitPrice::new(cents(10_000)) };
        cart.line_items[0].price = ItemPrice::Platform(price);
        let found = calculate(&cart).unwrap();
        (found.total_price.0, found.chosen_discount_type.unwrap(), found.discount_outcomes)
    };
    use DiscountOutcome::{Applied, StoppedByProductDiscounts};
    // 7000 and half of 1000, and a tenth less.
    let by_product = vec![StoppedByProductDiscounts, Applied, Applied];
    assert_eq!(deal(7000), (6750, ChosenDiscountType::ProductDiscount, by_product));
    // 9000 and half of 1000, and a tenth less.
    assert_eq!(deal(9500), (8550, ChosenDiscountType::CartDiscount, vec![Applied, Applied, Applied]));
}

/// Reference types `CartDiscountShippingCostTarget` and `CartDiscountTotalPriceTarget`: after the items, in this order.
#[test]
fn shipping_and_the_total_are_discounted_last() {
    let rate =
        ShippingRate { price: CentAmount(1000), free_above: Some(CentAmount(5000)), tiers: Vec::new() };
    let shipping = Shipping { price: ShippingPrice::Rate { rate, input: None }, tax: None };
    let discounts = vec![
        discount(percent(10, IndividualApplication), DiscountTarget::TotalPrice),
        discount(percent(50, IndividualApplication), DiscountTarget::Shipping),
        on_all(percent(20, IndividualApplication)),
    ];
    let cart = Cart { shipping: vec![shipping], ..cart(&[(5000, 1)], discounts) };
    let found = calculate(&cart).unwrap();
    assert_eq!(found.shipping[0].price, CentAmount(1000), "4000 are not enough for free shipping");
    assert_eq!(found.shipping[0].charged_price(), CentAmount(500));
    assert_eq!(found.discount_on_total_price.unwrap().discounted_amount, CentAmount(450));
    assert_eq!(found.total_price, CentAmount(4050));
}

/// Recorded: one group with the whole price, no share of other discounts; its outcome is known before the gift is
/// added.
#[test]
fn a_gift_costs_nothing() {
    let gift = Discount {
        effect: DiscountEffect::Gift { value: CentAmount(700) },
        stacking_mode: StackingMode::Stacking,
        group: None,
        origin: DiscountOrigin::CartDiscount,
    };
    let mut cart = cart(&[(1000, 1)], vec![gift, on_all(amount(100, ProportionateDistribution))]);
    assert_eq!(calculate(&cart).unwrap().discount_outcomes[0], DiscountOutcome::Applied);
    let price = ItemPrice::Gift { price: UnitPrice::new(cents(700)), discount: Some(0) };
    cart.line_items.push(Item { quantity: 1, price, tax: ItemTax::Single(None) });
    let found = calculate(&cart).unwrap();
    assert_eq!(taken(&found), [[(1, vec![100])], [(1, vec![700])]]);
    assert_eq!((found.line_items[1].total_price, found.total_price), (CentAmount::ZERO, CentAmount(900)));
}
