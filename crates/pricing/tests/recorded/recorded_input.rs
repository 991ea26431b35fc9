//! Converts a recorded Cart into the input of the calculation.

use crate::case::{self, Case, Rate, RecordedItem, Shipping};
use kontor_pricing::cart::{
    self, Cart, ItemPrice, ItemTax, MethodTax, PriceFunction, ScorePrice, ShippingPrice, ShippingRate,
    ShippingRateInput, ShippingRatePriceTier, Tax, TaxMode, TaxSettings, UnitPrice,
};
use kontor_pricing::discount::{
    Discount, DiscountApplicationMode, DiscountEffect, DiscountOrigin, DiscountTarget, DiscountValue,
    MultiBuy, SelectionMode, StackingMode,
};
use kontor_pricing::{
    CentAmount, Currency, Money, Permyriad, PriceTier, SubRate, TaxCalculationMode, TaxRate,
    TaxRoundingTarget,
};

pub(crate) fn cart(case: &Case) -> Cart<'_> {
    let currency = Currency::from_code(&case.currency).unwrap();
    let taxes = TaxSettings {
        mode: match case.tax_mode.as_str() {
            "" => TaxMode::Platform,
            "External" => TaxMode::External,
            "ExternalAmount" => TaxMode::ExternalAmount,
            mode => panic!("{mode}"),
        },
        calculation_mode: match case.tax_calculation_mode.as_str() {
            "" => TaxCalculationMode::LineItemLevel,
            "UnitPriceLevel" => TaxCalculationMode::UnitPriceLevel,
            mode => panic!("{mode}"),
        },
        ..TaxSettings::default()
    };
    Cart {
        taxes,
        line_items: case.line_items.iter().map(|item| line_item(item, currency, case)).collect(),
        custom_line_items: case
            .custom_line_items
            .iter()
            .map(|item| custom_line_item(item, currency))
            .collect(),
        shipping: case.shipping.iter().map(|shipping| shipping_of(shipping, case.score)).collect(),
        discounts: case
            .direct_discounts
            .iter()
            .chain(&case.cart_discounts)
            .enumerate()
            .map(|(index, recorded)| discount(index, recorded, case.line_items.len()))
            .collect(),
        ..Cart::empty(currency)
    }
}

fn money(currency: Currency, cents: i64) -> Money {
    Money::Cent { currency, cents: CentAmount(cents) }
}

fn line_item<'c>(item: &'c RecordedItem, currency: Currency, case: &Case) -> cart::Item<'c> {
    let gift = case.cart_discounts.iter().position(|discount| discount.gift);
    let money = |cents| money(currency, cents);
    let tier = |(minimum_quantity, cents): &(i64, i64)| PriceTier {
        minimum_quantity: *minimum_quantity,
        value: money(*cents),
    };
    let unit_price = UnitPrice {
        value: money(item.price),
        discounted: item.discounted.map(money),
        tiers: item.tiers.iter().map(tier).collect(),
    };
    let price = match item.price_mode.as_str() {
        "" => ItemPrice::Platform(unit_price),
        "ExternalPrice" => ItemPrice::ExternalPrice(money(item.price)),
        "ExternalTotal" => ItemPrice::ExternalTotal {
            price: money(item.price),
            total: CentAmount(item.expected.total_price),
        },
        "Gift" => ItemPrice::Gift { price: unit_price, discount: gift },
        mode => panic!("{mode}"),
    };
    let rate = item.tax_rate.as_ref().map(tax);
    let tax = if case.multiple {
        assert_eq!(item.methods, Some(1), "how the units are distributed is known of one method alone");
        ItemTax::PerMethod(vec![MethodTax { shipping_method_key: "a", quantity: item.quantity, tax: rate }])
    } else {
        ItemTax::Single(rate)
    };
    cart::Item { quantity: item.quantity, price, tax }
}

fn custom_line_item(item: &RecordedItem, currency: Currency) -> cart::Item<'_> {
    let is_discountable = item.price_mode != "External";
    let price = ItemPrice::Custom { money: money(currency, item.price), is_discountable };
    cart::Item { quantity: item.quantity, price, tax: ItemTax::Single(item.tax_rate.as_ref().map(tax)) }
}

fn tax(rate: &Rate) -> Tax<'_> {
    Tax::Rate(TaxRate {
        name: &rate.name,
        amount: rate.amount.parse().unwrap(),
        included_in_price: rate.included,
        rounding_target: TaxRoundingTarget::Net,
        sub_rates: rate
            .sub_rates
            .iter()
            .map(|rate| SubRate { name: &rate.name, amount: rate.amount.parse().unwrap() })
            .collect(),
    })
}

fn shipping_of(shipping: &Shipping, score: Option<i64>) -> cart::Shipping<'_> {
    let tier = |tier: &crate::case::Tier| {
        let price = || CentAmount(tier.price.unwrap());
        match (tier.value, tier.score) {
            (Some(minimum), None) => {
                ShippingRatePriceTier::CartValue { minimum: CentAmount(minimum), price: price() }
            }
            (None, Some(score)) => {
                let function = tier.function.as_deref().map(|text| PriceFunction::parse(text).unwrap());
                let price = function.map_or_else(|| ScorePrice::Price(price()), ScorePrice::Function);
                ShippingRatePriceTier::CartScore { score, price }
            }
            other => panic!("{other:?}"),
        }
    };
    let price = match shipping.rate {
        None => ShippingPrice::Fixed(CentAmount(shipping.expected.price)),
        Some(price) => ShippingPrice::Rate {
            rate: ShippingRate {
                price: CentAmount(price),
                free_above: shipping.free_above.map(CentAmount),
                tiers: shipping.tiers.iter().map(tier).collect(),
            },
            input: score.map(ShippingRateInput::Score),
        },
    };
    cart::Shipping { price, tax: shipping.tax_rate.as_ref().map(tax) }
}

fn discount(index: usize, recorded: &case::RecordedDiscount, custom_from: usize) -> Discount {
    assert_eq!(recorded.index, index, "discounts stand in the sequence in which they apply");
    let custom = || recorded.matches.iter().map(|index| index - custom_from).collect();
    let line_items = || {
        assert!(recorded.matches.iter().all(|index| *index < custom_from));
        recorded.matches.clone()
    };
    let target = match recorded.target.as_str() {
        "lineItems" => DiscountTarget::LineItems(line_items()),
        "customLineItems" => DiscountTarget::CustomLineItems(custom()),
        "shipping" => DiscountTarget::Shipping,
        "totalPrice" => DiscountTarget::TotalPrice,
        "multiBuyLineItems" => DiscountTarget::MultiBuyLineItems(MultiBuy {
            matches: line_items(),
            trigger_quantity: recorded.trigger_quantity.unwrap(),
            discounted_quantity: recorded.discounted_quantity.unwrap(),
            max_occurrence: None,
            selection_mode: match recorded.selection_mode.as_deref() {
                Some("Cheapest") => SelectionMode::Cheapest,
                mode => panic!("{mode:?}"),
            },
        }),
        "" if recorded.gift => {
            let effect = DiscountEffect::Gift { value: CentAmount::ZERO };
            return Discount {
                effect,
                stacking_mode: StackingMode::Stacking,
                group: None,
                origin: DiscountOrigin::CartDiscount,
            };
        }
        target => panic!("{target}"),
    };
    let value = match (recorded.permyriad, recorded.absolute) {
        (Some(permyriad), None) => DiscountValue::Relative {
            permyriad: Permyriad::new(permyriad).unwrap(),
            mode: DiscountApplicationMode::IndividualApplication,
        },
        (None, Some(amount)) => DiscountValue::Absolute {
            amount: CentAmount(amount),
            mode: DiscountApplicationMode::ProportionateDistribution,
        },
        other => panic!("{other:?}"),
    };
    let effect = DiscountEffect::Reduce { value, target };
    Discount {
        effect,
        stacking_mode: StackingMode::Stacking,
        group: None,
        origin: DiscountOrigin::CartDiscount,
    }
}
