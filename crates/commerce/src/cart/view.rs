//! Typed views of a Cart for the calculation.

use crate::price::MoneyView;
use crate::shipping_method::ShippingRateView;
use crate::stored_taxes::{TaxRateView, decimal};
use crate::view::{Target, views};
use kontor_enums::{
    CustomLineItemPriceMode, LineItemMode, LineItemPriceMode, RoundingMode, ShippingMode, TaxCalculationMode,
    TaxMode,
};
use kontor_errors::ApiResult;
use kontor_json::Number;
use kontor_pricing::CentAmount;
use kontor_pricing::cart::ShippingRateInput;
use rust_decimal::Decimal;
use serde::de::IgnoredAny;

views! {
    /// A Cart whose prices and tax rates are selected.
    pub(super) struct CartView<'d> of "Cart" {
        #[serde(borrow)]
        pub(super) total_price: MoneyView<'d>,
        pub(super) taxed_price: Option<TaxedView<'d>>,
        pub(super) taxed_shipping_price: Option<TaxedView<'d>>,
        pub(super) total_line_item_quantity: Option<i64>,
        pub(super) discount_on_total_price: Option<IgnoredAny>,
        pub(super) tax_mode: TaxMode,
        pub(super) price_rounding_mode: RoundingMode,
        pub(super) tax_rounding_mode: RoundingMode,
        pub(super) tax_calculation_mode: TaxCalculationMode,
        pub(super) shipping_mode: ShippingMode,
        pub(super) shipping_address: Option<AddressView<'d>>,
        pub(super) line_items: Vec<LineItemView<'d>>,
        pub(super) custom_line_items: Vec<CustomLineItemView<'d>>,
        pub(super) shipping_info: Option<ShippingInfoView<'d>>,
        pub(super) shipping_rate_input: Option<RateInputView<'d>>,
        pub(super) shipping: Vec<ShippingView<'d>>,
    }

    /// One shipping entry of a Cart in Shipping Mode `Multiple`.
    pub(super) struct ShippingView<'d> of "Shipping" {
        #[serde(borrow)]
        pub(super) shipping_info: Option<ShippingInfoView<'d>>,
        pub(super) shipping_rate_input: Option<RateInputView<'d>>,
    }

    /// The shipping of a Cart. New shipping has no price yet.
    pub(super) struct ShippingInfoView<'d> of "ShippingInfo" {
        #[serde(borrow)]
        pub(super) price: Option<MoneyView<'d>>,
        pub(super) shipping_rate: ShippingRateView<'d>,
        pub(super) tax_rate: Option<TaxRateView<'d>>,
        pub(super) taxed_price: Option<TaxedView<'d>>,
        pub(super) discounted_price: Option<DiscountedView<'d>>,
    }

    /// The value that selects tiers.
    pub(super) struct RateInputView<'d> of "ClassificationShippingRateInput" | "ScoreShippingRateInput" {
        key: Option<&'d str>,
        score: Option<i64>,
    }

    /// Any address; only its existence matters.
    pub(super) struct AddressView<'d> of "Address" {
        #[allow(dead_code)] // Asked whether it is there.
        pub(super) country: &'d str,
    }

    /// A Line Item. Its total is missing as long as it is new.
    pub(super) struct LineItemView<'d> of "LineItem" {
        pub(super) quantity: i64,
        #[serde(borrow)]
        pub(super) price: PriceView<'d>,
        pub(super) price_mode: LineItemPriceMode,
        pub(super) line_item_mode: LineItemMode,
        pub(super) total_price: Option<MoneyView<'d>>,
        pub(super) tax_rate: Option<TaxRateView<'d>>,
        pub(super) taxed_price: Option<TaxedView<'d>>,
        pub(super) per_method_tax_rate: Vec<MethodTaxRateView<'d>>,
        pub(super) taxed_price_portions: Vec<MethodTaxedPriceView<'d>>,
        pub(super) discounted_price_per_quantity: Vec<DiscountedUnitsView<'d>>,
        pub(super) shipping_details: Option<ShippingDetailsView<'d>>,
    }

    /// A Custom Line Item.
    pub(super) struct CustomLineItemView<'d> of "CustomLineItem" {
        pub(super) quantity: i64,
        #[serde(borrow)]
        pub(super) money: MoneyView<'d>,
        pub(super) price_mode: CustomLineItemPriceMode,
        pub(super) total_price: Option<MoneyView<'d>>,
        pub(super) tax_rate: Option<TaxRateView<'d>>,
        pub(super) taxed_price: Option<TaxedView<'d>>,
        pub(super) per_method_tax_rate: Vec<MethodTaxRateView<'d>>,
        pub(super) taxed_price_portions: Vec<MethodTaxedPriceView<'d>>,
        pub(super) discounted_price_per_quantity: Vec<DiscountedUnitsView<'d>>,
        pub(super) shipping_details: Option<ShippingDetailsView<'d>>,
    }

    /// The unit price; its `value` is already that of the reached tier.
    pub(super) struct PriceView<'d> of "Price" {
        #[serde(borrow)]
        pub(super) value: MoneyView<'d>,
        pub(super) discounted: Option<DiscountedView<'d>>,
    }

    /// A price after discounts.
    pub(super) struct DiscountedView<'d> of "DiscountedPrice" | "DiscountedLineItemPrice" {
        #[serde(borrow)]
        pub(super) value: MoneyView<'d>,
    }

    /// The discounted price of some units of an item.
    pub(super) struct DiscountedUnitsView<'d> of "DiscountedLineItemPriceForQuantity" {
        pub(super) quantity: i64,
        #[serde(borrow)]
        pub(super) discounted_price: DiscountedUnitView<'d>,
    }

    /// The discounted price of a unit, and the part of each discount.
    pub(super) struct DiscountedUnitView<'d> of "DiscountedLineItemPrice" {
        #[serde(borrow)]
        pub(super) value: MoneyView<'d>,
        pub(super) included_discounts: Vec<PortionView<'d>>,
    }

    /// The reduction by one discount.
    pub(super) struct PortionView<'d> of "DiscountedLineItemPortion" {
        #[serde(borrow)]
        pub(super) discount: Target<'d>,
        pub(super) discounted_amount: MoneyView<'d>,
    }

    /// The tax rate of the units with one shipping method.
    pub(super) struct MethodTaxRateView<'d> of "MethodTaxRate" {
        pub(super) shipping_method_key: &'d str,
        #[serde(borrow)]
        pub(super) tax_rate: Option<TaxRateView<'d>>,
    }

    /// The taxed price of the units sent by one shipping method.
    pub(super) struct MethodTaxedPriceView<'d> of "MethodTaxedPrice" {
        pub(super) shipping_method_key: &'d str,
        #[serde(borrow)]
        pub(super) taxed_price: Option<TaxedView<'d>>,
    }

    /// Net and gross. An external amount has no net amount yet.
    pub(super) struct TaxedView<'d> of "TaxedPrice" | "TaxedItemPrice" {
        #[serde(borrow)]
        pub(super) total_net: Option<MoneyView<'d>>,
        pub(super) total_gross: MoneyView<'d>,
        #[serde(default)]
        pub(super) tax_portions: Vec<TaxPortionView<'d>>,
    }

    /// The tax portion of one rate.
    pub(super) struct TaxPortionView<'d> of "TaxPortion" {
        pub(super) name: Option<&'d str>,
        rate: Number,
        #[serde(borrow)]
        pub(super) amount: MoneyView<'d>,
    }

    /// The quantities by shipping address.
    pub(super) struct ShippingDetailsView<'d> of "ItemShippingDetails" {
        #[serde(borrow)]
        pub(super) targets: Vec<TargetView<'d>>,
    }

    /// The quantity for one shipping address.
    pub(super) struct TargetView<'d> of "ItemShippingTarget" {
        pub(super) quantity: i64,
        pub(super) shipping_method_key: Option<&'d str>,
    }
}

impl<'d> RateInputView<'d> {
    /// The class or the score.
    pub(super) fn input(&self) -> Option<ShippingRateInput<'d>> {
        self.key.map(ShippingRateInput::Classification).or(self.score.map(ShippingRateInput::Score))
    }
}

impl TaxPortionView<'_> {
    /// Its rate.
    pub(super) fn rate(&self) -> ApiResult<Decimal> {
        decimal(&self.rate)
    }
}

/// The cents of an amount.
pub(super) fn cents(money: &MoneyView<'_>) -> ApiResult<CentAmount> {
    money.money().map(kontor_pricing::Money::cents)
}
