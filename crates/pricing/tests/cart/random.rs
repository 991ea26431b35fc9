//! Generates random Carts: any price mode, tax mode, rounding, shipping and discount, in amounts where half cents are
//! frequent.

use kontor_pricing::cart::{
    Cart, Item, ItemPrice, ItemTax, MethodTax, Shipping, ShippingPrice, ShippingRate, ShippingRatePriceTier,
    Tax, TaxMode, TaxSettings, UnitPrice,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOrigin, DiscountTarget, DiscountValue,
    MultiBuy, Pattern, PatternComponent, SelectionMode, StackingMode,
};
use kontor_pricing::{
    CentAmount, Currency, HighPrecisionMoney, Money, Permyriad, PriceTier, RoundingMode, SubRate,
    TaxCalculationMode, TaxRate, TaxRoundingTarget,
};
use proptest::prelude::*;
use rust_decimal::Decimal;

pub(crate) fn cents(cents: i64) -> Money {
    Money::Cent { currency: Currency::EUR, cents: CentAmount(cents) }
}

/// A price from 0 to 300 EUR; if allowed, one in five is more precise than cents.
fn price(may_be_precise: bool) -> BoxedStrategy<Money> {
    let precise =
        |(amount, digits)| Money::High(HighPrecisionMoney::new(Currency::EUR, amount, digits, None).unwrap());
    let in_cents = prop_oneof![2 => 0_i64..30_000, 1 => 0_i64..10].prop_map(cents);
    if may_be_precise {
        prop_oneof![4 => in_cents, 1 => (0_i64..300_000, 3_u32..=6).prop_map(precise)].boxed()
    } else {
        in_cents.boxed()
    }
}

pub(crate) fn rounding() -> impl Strategy<Value = RoundingMode> {
    prop::sample::select(vec![RoundingMode::HalfEven, RoundingMode::HalfUp, RoundingMode::HalfDown])
}

fn rate() -> impl Strategy<Value = TaxRate<'static>> {
    let rate = |(percent, included_in_price, has_sub_rates, rounds_tax): (i64, bool, bool, bool)| {
        let sub_rate = |name, percent| SubRate { name, amount: Decimal::new(percent, 2) };
        let sub_rates = vec![sub_rate("state", percent / 3), sub_rate("city", percent - percent / 3)];
        TaxRate {
            name: if percent < 10 { "reduced" } else { "standard" },
            amount: Decimal::new(percent, 2),
            included_in_price,
            rounding_target: if rounds_tax { TaxRoundingTarget::Tax } else { TaxRoundingTarget::Net },
            sub_rates: if has_sub_rates { sub_rates } else { Vec::new() },
        }
    };
    let percent = prop::sample::select(vec![0, 7, 19, 20, 25]);
    (percent, any::<bool>(), prop::bool::weighted(0.2), any::<bool>()).prop_map(rate)
}

fn tax() -> impl Strategy<Value = Tax<'static>> {
    prop_oneof![
        4 => rate().prop_map(Tax::Rate),
        1 => (rate(), 0_i64..40_000).prop_map(|(rate, gross)| Tax::Amount { gross: CentAmount(gross), rate }),
    ]
}

/// The tax of an item: of all units, or distributed over two methods.
fn item_tax(quantity: i64) -> impl Strategy<Value = ItemTax<'static>> {
    let two_methods = move |(first, taxes): (i64, [Tax<'static>; 2])| {
        let [one, two] = taxes.map(Some);
        ItemTax::PerMethod(vec![
            MethodTax { shipping_method_key: "post", quantity: first, tax: one },
            MethodTax { shipping_method_key: "courier", quantity: quantity - first, tax: two },
        ])
    };
    prop_oneof![
        3 => tax().prop_map(|tax| ItemTax::Single(Some(tax))),
        1 => (0..=quantity, [tax(), tax()]).prop_map(two_methods),
    ]
}

fn unit_price(may_be_precise: bool) -> impl Strategy<Value = UnitPrice> {
    let tier = |minimum_quantity, value| PriceTier { minimum_quantity, value };
    let price = move || price(may_be_precise);
    prop_oneof![
        3 => price().prop_map(UnitPrice::new),
        1 => (price(), price()).prop_map(|(value, discounted)| UnitPrice {
            discounted: Some(discounted),
            ..UnitPrice::new(value)
        }),
        1 => [price(), price(), price()].prop_map(move |[value, two, five]| UnitPrice {
            tiers: vec![tier(5, five), tier(2, two)],
            ..UnitPrice::new(value)
        }),
    ]
}

fn line_item_price(may_be_precise: bool) -> impl Strategy<Value = ItemPrice> {
    let (price, unit_price) = (move || price(may_be_precise), move || unit_price(may_be_precise));
    prop_oneof![
        6 => unit_price().prop_map(ItemPrice::Platform),
        1 => price().prop_map(ItemPrice::ExternalPrice),
        1 => (price(), 0_i64..50_000).prop_map(|(price, total)| ItemPrice::ExternalTotal {
            price,
            total: CentAmount(total),
        }),
        1 => unit_price().prop_map(|price| ItemPrice::Gift { price, discount: None }),
    ]
}

fn custom_price(may_be_precise: bool) -> impl Strategy<Value = ItemPrice> {
    let custom = |(money, is_discountable)| ItemPrice::Custom { money, is_discountable };
    (prop_oneof![4 => price(may_be_precise), 1 => (-5000_i64..0).prop_map(cents)], any::<bool>())
        .prop_map(custom)
}

fn item(price: impl Strategy<Value = ItemPrice> + Clone + 'static) -> impl Strategy<Value = Item<'static>> {
    (1_i64..8).prop_flat_map(move |quantity| {
        (price.clone(), item_tax(quantity)).prop_map(move |(price, tax)| Item { quantity, price, tax })
    })
}

fn shipping() -> impl Strategy<Value = Shipping<'static>> {
    let tier = |(minimum, price)| ShippingRatePriceTier::CartValue {
        minimum: CentAmount(minimum),
        price: CentAmount(price),
    };
    let rate = move |(price, free_above, tiers): (i64, Option<i64>, Vec<(i64, i64)>)| ShippingPrice::Rate {
        rate: ShippingRate {
            price: CentAmount(price),
            free_above: free_above.map(CentAmount),
            tiers: tiers.into_iter().map(tier).collect(),
        },
        input: None,
    };
    let tiers = prop::collection::vec((0_i64..100_000, 0_i64..1000), 0..3);
    let price = prop_oneof![
        (0_i64..1000).prop_map(|price| ShippingPrice::Fixed(CentAmount(price))),
        (0_i64..1000, prop::option::of(0_i64..200_000), tiers).prop_map(rate),
    ];
    (price, tax()).prop_map(|(price, tax)| Shipping { price, tax: Some(tax) })
}

fn taxes() -> impl Strategy<Value = TaxSettings> {
    let calculation_mode =
        prop::sample::select(vec![TaxCalculationMode::LineItemLevel, TaxCalculationMode::UnitPriceLevel]);
    let mode = prop::sample::select(vec![TaxMode::Platform, TaxMode::External]);
    (mode, calculation_mode, rounding()).prop_map(|(mode, calculation_mode, rounding_mode)| TaxSettings {
        mode,
        calculation_mode,
        rounding_mode,
    })
}

prop_compose! {
    fn any_cart(may_be_precise: bool)(
        price_rounding_mode in rounding(),
        taxes in taxes(),
        line_items in prop::collection::vec(item(line_item_price(may_be_precise).boxed()), 0..6),
        custom_line_items in prop::collection::vec(item(custom_price(may_be_precise).boxed()), 0..3),
        shipping in prop::collection::vec(shipping(), 0..3),
    ) -> Cart<'static> {
        Cart { price_rounding_mode, taxes, line_items, custom_line_items, shipping, ..Cart::empty(Currency::EUR) }
    }
}

/// Any Cart without discounts.
pub(crate) fn cart() -> impl Strategy<Value = Cart<'static>> {
    any_cart(true)
}

/// A Cart with all prices in cents.
pub(crate) fn cart_in_cents() -> impl Strategy<Value = Cart<'static>> {
    any_cart(false)
}

fn value() -> impl Strategy<Value = DiscountValue> {
    let mode = prop::sample::select(vec![
        DiscountApplicationMode::ProportionateDistribution,
        DiscountApplicationMode::EvenDistribution,
        DiscountApplicationMode::IndividualApplication,
    ]);
    let permyriad = prop_oneof![Just(5000), Just(10_000), 0_i64..10_000];
    prop_oneof![
        (permyriad, mode.clone()).prop_map(|(permyriad, mode)| DiscountValue::Relative {
            permyriad: Permyriad::new(permyriad).unwrap(),
            mode,
        }),
        (prop_oneof![0_i64..100, 0_i64..40_000], mode.clone())
            .prop_map(|(amount, mode)| DiscountValue::Absolute { amount: CentAmount(amount), mode }),
        (0_i64..20_000, mode).prop_map(|(price, mode)| DiscountValue::Fixed { price: cents(price), mode }),
    ]
}

/// The indexes of some of `count` items.
fn some_of(count: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop::bool::weighted(0.7), count)
        .prop_map(|matches| (0..matches.len()).filter(|index| matches[*index]).collect())
}

fn selection_mode() -> impl Strategy<Value = SelectionMode> {
    prop::sample::select(vec![SelectionMode::Cheapest, SelectionMode::MostExpensive])
}

fn multi_buy(count: usize) -> impl Strategy<Value = MultiBuy> {
    (some_of(count), 2_i64..5, 1_i64..3, prop::option::of(1_i64..4), selection_mode()).prop_map(
        |(matches, trigger_quantity, discounted_quantity, max_occurrence, selection_mode)| MultiBuy {
            matches,
            trigger_quantity,
            discounted_quantity,
            max_occurrence,
            selection_mode,
        },
    )
}

prop_compose! {
    fn component(line_items: usize, custom_line_items: usize, has_exclusions: bool)(
        line_items in some_of(line_items),
        custom_line_items in some_of(custom_line_items),
        min_count in 0_i64..3,
        more in prop::option::of(0_i64..3),
        exclude_count in if has_exclusions { 0_i64..2 } else { 0..1 },
    ) -> PatternComponent {
        let max_count = more.map(|more| (min_count + more).max(1));
        PatternComponent { line_items, custom_line_items, min_count, max_count, exclude_count }
    }
}

fn pattern(line_items: usize, custom_line_items: usize) -> impl Strategy<Value = Pattern> {
    let trigger_pattern = prop::collection::vec(component(line_items, custom_line_items, false), 0..3);
    let target_pattern = prop::collection::vec(component(line_items, custom_line_items, true), 1..3);
    (trigger_pattern, target_pattern, prop::option::of(1_i64..4), selection_mode()).prop_map(
        |(trigger_pattern, target_pattern, max_occurrence, selection_mode)| Pattern {
            trigger_pattern,
            target_pattern,
            max_occurrence,
            selection_mode,
        },
    )
}

fn discount(line_items: usize, custom_line_items: usize) -> impl Strategy<Value = Discount> {
    let target = prop_oneof![
        4 => some_of(line_items).prop_map(DiscountTarget::LineItems),
        1 => some_of(custom_line_items).prop_map(DiscountTarget::CustomLineItems),
        2 => multi_buy(line_items).prop_map(DiscountTarget::MultiBuyLineItems),
        1 => multi_buy(custom_line_items).prop_map(DiscountTarget::MultiBuyCustomLineItems),
        4 => pattern(line_items, custom_line_items).prop_map(DiscountTarget::Pattern),
        1 => Just(DiscountTarget::Shipping),
        1 => Just(DiscountTarget::TotalPrice),
    ];
    let effect = prop_oneof![
        12 => (value(), target).prop_map(|(value, target)| DiscountEffect::Reduce { value, target }),
        1 => (0_i64..30_000).prop_map(|worth| DiscountEffect::Gift { value: CentAmount(worth) }),
    ];
    let stacking_mode = prop_oneof![
        6 => Just(StackingMode::Stacking),
        1 => Just(StackingMode::StopAfterThisDiscount),
    ];
    (effect, stacking_mode, prop::option::weighted(0.4, 0_usize..2)).prop_map(
        |(effect, stacking_mode, group)| Discount {
            effect,
            stacking_mode,
            group,
            origin: DiscountOrigin::CartDiscount,
        },
    )
}

/// The Carts with some discounts.
pub(crate) fn discounts_on(
    carts: impl Strategy<Value = Cart<'static>>,
) -> impl Strategy<Value = Cart<'static>> {
    carts.prop_flat_map(|cart| {
        let discount = discount(cart.line_items.len(), cart.custom_line_items.len());
        prop::collection::vec(discount, 1..6).prop_map(move |discounts| Cart { discounts, ..cart.clone() })
    })
}
