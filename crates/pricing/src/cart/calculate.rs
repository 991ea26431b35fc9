//! Calculates a Cart. [`calculate`] has the only order of the steps.
//!
//! Source: reference type `Cart`.

use super::shipping::Shipping;
use super::taxes::{MethodTaxedPrice, TaxSettings, TaxedPrice, tax_amount, tax_item};
use super::totals::{
    CartTotals, DiscountOnTotalPrice, DiscountedTotalPricePortion, TotalTax, TotalsInput, calculate_totals,
};
use crate::cent_amount::CentAmount;
use crate::discount::{
    Discount, DiscountOutcome, DiscountablePrices, DiscountedPrices, DiscountedShipping, apply,
};
use crate::item::Item;
use crate::money::Money;
use crate::priced::{
    DiscountedLineItemPortion, DiscountedLineItemPrice, DiscountedLineItemPriceForQuantity, PricedItem,
};
use kontor_currency::Currency;
use kontor_enums::{ChosenDiscountType, DiscountCombinationMode, RoundingMode};
use kontor_errors::ApiResult;

/// The input of the calculation. `Cart { line_items, ..Cart::empty(currency) }` sets only the fields that
/// differ from an empty Cart.
#[derive(Debug, Clone)]
pub struct Cart<'a> {
    /// The currency of all amounts.
    pub currency: Currency,
    /// How totals and discounts are rounded.
    pub price_rounding_mode: RoundingMode,
    /// How it is taxed.
    pub taxes: TaxSettings,
    /// Its Line Items.
    pub line_items: Vec<Item<'a>>,
    /// Its Custom Line Items.
    pub custom_line_items: Vec<Item<'a>>,
    /// At most one in the shipping mode `Single`, any number in `Multiple`.
    pub shipping: Vec<Shipping<'a>>,
    /// The value of `setCartTotalTax`; only the tax mode `ExternalAmount` uses it.
    pub total_tax: Option<TotalTax<'a>>,
    /// The matching Cart Discounts, including those of its Discount Codes, ordered from the greatest
    /// [`SortOrder`](crate::discount::SortOrder) to the least; then the Direct Discounts of the Cart in their order. The
    /// caller leaves out Cart Discounts that Direct Discounts replace.
    pub discounts: Vec<Discount>,
    /// Whether they apply in addition to Product Discounts.
    pub discount_combination_mode: DiscountCombinationMode,
    /// Whether discounts on the total price leave taxes by rates that were set, in the tax mode `External`, as they
    /// are.
    pub discount_on_total_price_keeps_external_tax: bool,
}

impl Cart<'_> {
    /// Returns a Cart without content, in the default modes.
    pub fn empty(currency: Currency) -> Self {
        Self {
            currency,
            price_rounding_mode: RoundingMode::HalfEven,
            taxes: TaxSettings::default(),
            line_items: Vec::new(),
            custom_line_items: Vec::new(),
            shipping: Vec::new(),
            total_tax: None,
            discounts: Vec::new(),
            discount_combination_mode: DiscountCombinationMode::Stacking,
            discount_on_total_price_keeps_external_tax: false,
        }
    }
}

/// The result of the calculation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calculation<'a> {
    /// The results for [`Cart::line_items`], in the same order.
    pub line_items: Vec<CalculatedItem<'a>>,
    /// The results for [`Cart::custom_line_items`], in the same order.
    pub custom_line_items: Vec<CalculatedItem<'a>>,
    /// The results for [`Cart::shipping`], in the same order.
    pub shipping: Vec<CalculatedShipping<'a>>,
    /// The number of units of all line items; `None` without line items.
    pub total_line_item_quantity: Option<i64>,
    /// The sum of all items and shipping, after all discounts.
    pub total_price: CentAmount,
    /// The total price without and with tax; `None` unless all taxes are known.
    pub taxed_price: Option<TaxedPrice<'a>>,
    /// The part of the taxed price that is for shipping; `None` in the tax mode `ExternalAmount`.
    pub taxed_shipping_price: Option<TaxedPrice<'a>>,
    /// The reduction of the total price; `None` without a discount on it.
    pub discount_on_total_price: Option<DiscountOnTotalPrice>,
    /// The outcome of each of [`Cart::discounts`], in the same order.
    pub discount_outcomes: Vec<DiscountOutcome>,
    /// The kind of discounts that applies, if only one of them does (`discountTypeCombination`).
    pub chosen_discount_type: Option<ChosenDiscountType>,
}

/// The calculated prices and taxes of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalculatedItem<'a> {
    /// The field `price.value` of a line item; the value of a tier if the quantity reaches one.
    pub price_value: Money,
    /// The price of all units, after discounts on items.
    pub total_price: CentAmount,
    /// All units in groups of one price; empty without discounts.
    pub discounted_price_per_quantity: Vec<DiscountedLineItemPriceForQuantity>,
    /// Net and gross amounts, if they are known.
    pub taxed_price: Option<TaxedPrice<'a>>,
    /// Net and gross amounts by shipping method, in the shipping mode `Multiple`.
    pub taxed_price_portions: Vec<MethodTaxedPrice<'a>>,
}

impl CalculatedItem<'_> {
    /// Returns the value of the deprecated field `discountedPrice`: the group with the highest unit price (recorded).
    pub fn discounted_price(&self) -> Option<&DiscountedLineItemPrice> {
        let prices = self.discounted_price_per_quantity.iter().map(|group| &group.discounted_price);
        prices.max_by_key(|price| price.value.units())
    }
}

/// The calculated price of a shipping entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalculatedShipping<'a> {
    /// Before discounts.
    pub price: CentAmount,
    /// The price after discounts, which the buyer pays.
    pub discounted_price: Option<DiscountedLineItemPrice>,
    /// Net and gross of the charged price; `None` if the tax is unknown.
    pub taxed_price: Option<TaxedPrice<'a>>,
}

impl CalculatedShipping<'_> {
    /// Returns the price that the buyer pays.
    pub fn charged_price(&self) -> CentAmount {
        self.discounted_price.as_ref().map_or(self.price, |discounted| discounted.value.cents())
    }
}

/// Calculates a Cart. The result depends on the input alone; each step uses the results of the steps before
/// it.
///
/// # Errors `MoneyOverflow` if an amount exceeds 64 bits; there is no other error.
pub fn calculate<'a>(cart: &Cart<'a>) -> ApiResult<Calculation<'a>> {
    match cart.discount_combination_mode {
        DiscountCombinationMode::Stacking => calculate_with(cart, None, false),
        DiscountCombinationMode::BestDeal => best_deal(cart),
    }
}

/// Calculates the Cart with Product Discounts on the line items, and with Cart Discounts on them, and returns the
/// cheaper result. Cart Discounts on other targets apply in both. Direct Discounts that are not compared reduce the
/// chosen result.
fn best_deal<'a>(cart: &Cart<'a>) -> ApiResult<Calculation<'a>> {
    let is_all_compared = cart.discounts.iter().all(Discount::is_compared);
    let by_product = calculate_with(cart, Some(ChosenDiscountType::ProductDiscount), !is_all_compared)?;
    let by_cart = calculate_with(cart, Some(ChosenDiscountType::CartDiscount), !is_all_compared)?;
    let best = if by_cart.total_price < by_product.total_price { by_cart } else { by_product };
    if is_all_compared { Ok(best) } else { calculate_with(cart, best.chosen_discount_type, false) }
}

/// Runs all steps of the calculation, in the only order; if `chosen`, with one kind of discounts on the line items; if
/// `has_compared_only`, without the Direct Discounts that are not compared.
fn calculate_with<'a>(
    cart: &Cart<'a>,
    chosen: Option<ChosenDiscountType>,
    has_compared_only: bool,
) -> ApiResult<Calculation<'a>> {
    let mut items = price_items(cart, chosen != Some(ChosenDiscountType::CartDiscount))?;
    let DiscountedPrices { shipping, price, off_total, outcomes } = apply(
        &cart.discounts,
        DiscountablePrices {
            items: &mut items,
            custom_from: cart.line_items.len(),
            price_shipping: |goods| price_shipping(&cart.shipping, goods),
            rounding: cart.price_rounding_mode,
            keeps_line_items: chosen == Some(ChosenDiscountType::ProductDiscount),
            has_compared_only,
        },
    )?;
    let mut line_items = tax_items(cart, items)?;
    let custom_line_items = line_items.split_off(cart.line_items.len());
    let shipping = tax_shipping(cart, shipping)?;

    let items = line_items.iter().chain(&custom_line_items);
    let portion = |(discount, discounted_amount)| DiscountedTotalPricePortion { discount, discounted_amount };
    let parts = TotalsInput {
        price,
        items: items.map(|item| item.taxed_price.as_ref()).collect(),
        shipping: shipping.iter().map(|shipping| shipping.taxed_price.as_ref()).collect(),
        discounts: off_total.into_iter().map(portion).collect(),
        keeps_external_tax: cart.discount_on_total_price_keeps_external_tax,
    };
    let CartTotals { total_price, taxed_price, taxed_shipping_price, discount_on_total_price } =
        calculate_totals(parts, cart.total_tax.as_ref(), &cart.taxes)?;
    Ok(Calculation {
        total_line_item_quantity: total_quantity(&cart.line_items)?,
        line_items,
        custom_line_items,
        shipping,
        total_price,
        taxed_price,
        taxed_shipping_price,
        discount_on_total_price,
        discount_outcomes: outcomes,
        chosen_discount_type: chosen,
    })
}

/// Line Items, and then Custom Line Items.
fn items_of<'c, 'a>(cart: &'c Cart<'a>) -> impl Iterator<Item = &'c Item<'a>> {
    cart.line_items.iter().chain(&cart.custom_line_items)
}

/// Returns unit prices with tiers and Product Discounts, and the totals of the items.
fn price_items(cart: &Cart<'_>, has_product_discounts: bool) -> ApiResult<Vec<PricedItem>> {
    let priced = |item| PricedItem::new(item, cart.price_rounding_mode, has_product_discounts);
    items_of(cart).map(priced).collect()
}

/// Returns the price of each shipping entry in a Cart whose items cost `goods` after their discounts.
fn price_shipping(shipping: &[Shipping<'_>], goods: CentAmount) -> ApiResult<Vec<CentAmount>> {
    shipping.iter().map(|shipping| shipping.price_for(goods)).collect()
}

/// Adds the taxes of the items, based on their prices after discounts.
fn tax_items<'a>(cart: &Cart<'a>, priced: Vec<PricedItem>) -> ApiResult<Vec<CalculatedItem<'a>>> {
    let taxed = |(item, priced): (&Item<'a>, PricedItem)| {
        let (taxed_price, taxed_price_portions) = tax_item(item, &priced, &cart.taxes)?;
        Ok(CalculatedItem {
            price_value: item.price.value_for(item.quantity),
            total_price: priced.total_price,
            discounted_price_per_quantity: priced.discounted_price_per_quantity()?,
            taxed_price,
            taxed_price_portions,
        })
    };
    items_of(cart).zip(priced).map(taxed).collect()
}

/// Adds the taxes of the charged shipping prices.
fn tax_shipping<'a>(
    cart: &Cart<'a>,
    discounted: Vec<DiscountedShipping>,
) -> ApiResult<Vec<CalculatedShipping<'a>>> {
    let money = |cents| Money::Cent { currency: cart.currency, cents };
    let taxed = |(shipping, discounted): (&Shipping<'a>, DiscountedShipping)| {
        let DiscountedShipping { price, charged, included } = discounted;
        let portion =
            |(discount, amount)| DiscountedLineItemPortion { discount, discounted_amount: money(amount) };
        let discounted_price = (!included.is_empty()).then(|| DiscountedLineItemPrice {
            value: money(charged),
            included_discounts: included.into_iter().map(portion).collect(),
        });
        let taxed_price = tax_amount(shipping.tax.as_ref(), charged, &cart.taxes)?;
        Ok(CalculatedShipping { price, discounted_price, taxed_price })
    };
    cart.shipping.iter().zip(discounted).map(taxed).collect()
}

/// Returns the number of units; `MoneyOverflow` if it exceeds 64 bits.
fn total_quantity(line_items: &[Item<'_>]) -> ApiResult<Option<i64>> {
    let quantity = CentAmount::sum(line_items.iter().map(|item| CentAmount(item.quantity)))?;
    Ok((!line_items.is_empty()).then_some(quantity.0))
}
