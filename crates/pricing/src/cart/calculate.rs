//! The one order in which a Cart is calculated.
//!
//! Source: reference type `Cart`.

use super::shipping::Shipping;
use super::taxes::{MethodTaxedPrice, TaxSettings, TaxedPrice, tax_amount, tax_item};
use super::totals::{DiscountOnTotalPrice, DiscountedTotalPricePortion, Parts, TotalTax, Totals, totals};
use crate::cent_amount::{CentAmount, Rounding};
use crate::discount::{Applied, Discount, DiscountOutcome, Discounted, DiscountedShipping, apply};
use crate::item::Item;
use crate::money::Money;
use crate::priced::{
    DiscountedLineItemPortion, DiscountedLineItemPrice, DiscountedLineItemPriceForQuantity, PricedItem,
};
use kontor_currency::Currency;
use kontor_errors::ApiResult;

/// What is known of a Cart before it is calculated. `Cart { line_items, ..Cart::empty(currency) }` names what is there.
#[derive(Debug, Clone)]
pub struct Cart<'a> {
    /// Of everything in it.
    pub currency: Currency,
    /// How totals and discounts are rounded.
    pub price_rounding_mode: Rounding,
    /// How it is taxed.
    pub taxes: TaxSettings,
    /// Its Line Items.
    pub line_items: Vec<Item<'a>>,
    /// Its Custom Line Items.
    pub custom_line_items: Vec<Item<'a>>,
    /// At most one in the shipping mode `Single`, any number in `Multiple`.
    pub shipping: Vec<Shipping<'a>>,
    /// What `setCartTotalTax` gave: used in the tax mode `ExternalAmount` alone.
    pub total_tax: Option<TotalTax<'a>>,
    /// The Direct Discounts as they stand in the Cart; or the Cart Discounts that it matches, those of its Discount Codes
    /// among them, from the greatest [`SortOrder`](crate::discount::SortOrder) to the least.
    pub discounts: Vec<Discount>,
    /// Whether they come in addition to Product Discounts.
    pub discount_combination_mode: DiscountCombinationMode,
    /// Whether discounts on the total price leave taxes by rates that were set, in the tax mode `External`, as they are.
    pub discount_on_total_price_keeps_external_tax: bool,
}

/// How Product Discounts and Cart Discounts go together (reference type `DiscountCombinationMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountCombinationMode {
    /// Cart Discounts take from what Product Discounts left.
    Stacking,
    /// Those of one kind apply, with which the Cart costs less.
    BestDeal,
}

/// A kind of discounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountType {
    /// Those of prices.
    ProductDiscount,
    /// Those of Carts.
    CartDiscount,
}

impl Cart<'_> {
    /// A Cart without content, with the modes of one that says nothing.
    pub fn empty(currency: Currency) -> Self {
        Self {
            currency,
            price_rounding_mode: Rounding::HalfEven,
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

/// What a Cart costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calculation<'a> {
    /// Those of [`Cart::line_items`], in their sequence.
    pub line_items: Vec<CalculatedItem<'a>>,
    /// Those of [`Cart::custom_line_items`], in their sequence.
    pub custom_line_items: Vec<CalculatedItem<'a>>,
    /// Those of [`Cart::shipping`], in their sequence.
    pub shipping: Vec<CalculatedShipping<'a>>,
    /// How many units the Line Items have; none without Line Items.
    pub total_line_item_quantity: Option<i64>,
    /// All items and what is charged for shipping, after all discounts.
    pub total_price: CentAmount,
    /// The same without and with tax, where all of it is known.
    pub taxed_price: Option<TaxedPrice<'a>>,
    /// What shipping is of that; none in the tax mode `ExternalAmount`.
    pub taxed_shipping_price: Option<TaxedPrice<'a>>,
    /// What discounts take off the total price, where some do.
    pub discount_on_total_price: Option<DiscountOnTotalPrice>,
    /// What became of those of [`Cart::discounts`], in their sequence.
    pub discount_outcomes: Vec<DiscountOutcome>,
    /// Which kind of discounts applies, where it is one of them (`discountTypeCombination`).
    pub chosen_discount_type: Option<DiscountType>,
}

/// What an item costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalculatedItem<'a> {
    /// What `price.value` shows of a Line Item: of a tier, where one is reached.
    pub price_value: Money,
    /// All units, after discounts on items.
    pub total_price: CentAmount,
    /// All units in groups of one price; none without discounts.
    pub discounted_price_per_quantity: Vec<DiscountedLineItemPriceForQuantity>,
    /// Net and gross, where they are known.
    pub taxed_price: Option<TaxedPrice<'a>>,
    /// The same by shipping method, in the shipping mode `Multiple`.
    pub taxed_price_portions: Vec<MethodTaxedPrice<'a>>,
}

impl CalculatedItem<'_> {
    /// What the older field `discountedPrice` shows: the group whose units cost most (recorded).
    pub fn discounted_price(&self) -> Option<&DiscountedLineItemPrice> {
        let prices = self.discounted_price_per_quantity.iter().map(|group| &group.discounted_price);
        prices.max_by_key(|price| price.value.units())
    }
}

/// What a way of shipping costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalculatedShipping<'a> {
    /// Before discounts.
    pub price: CentAmount,
    /// What discounts leave of it, which is what is charged.
    pub discounted_price: Option<DiscountedLineItemPrice>,
    /// Net and gross of what is charged, where they are known.
    pub taxed_price: Option<TaxedPrice<'a>>,
}

impl CalculatedShipping<'_> {
    /// What is charged.
    pub fn charged(&self) -> CentAmount {
        self.discounted_price.as_ref().map_or(self.price, |discounted| discounted.value.cents())
    }
}

/// Calculates a Cart: the same for the same content, in one order, each step by what the ones before it gave.
///
/// `MoneyOverflow` where an amount has no room in 64 bits; nothing else fails.
pub fn calculate<'a>(cart: &Cart<'a>) -> ApiResult<Calculation<'a>> {
    match cart.discount_combination_mode {
        DiscountCombinationMode::Stacking => calculate_with(cart, None),
        DiscountCombinationMode::BestDeal => best_deal(cart),
    }
}

/// With Product Discounts on the Line Items, or with Cart Discounts on them where the Cart costs less so. Cart Discounts on
/// everything else apply either way.
fn best_deal<'a>(cart: &Cart<'a>) -> ApiResult<Calculation<'a>> {
    let by_product = calculate_with(cart, Some(DiscountType::ProductDiscount))?;
    let by_cart = calculate_with(cart, Some(DiscountType::CartDiscount))?;
    Ok(if by_cart.total_price < by_product.total_price { by_cart } else { by_product })
}

/// The order in which everything is calculated; with one kind of discounts on the Line Items, where one is `chosen`.
fn calculate_with<'a>(cart: &Cart<'a>, chosen: Option<DiscountType>) -> ApiResult<Calculation<'a>> {
    let mut items = price_items(cart, chosen != Some(DiscountType::CartDiscount))?;
    let Applied { shipping, price, off_total, outcomes } = apply(
        &cart.discounts,
        Discounted {
            items: &mut items,
            custom_from: cart.line_items.len(),
            price_shipping: |goods| price_shipping(&cart.shipping, goods),
            rounding: cart.price_rounding_mode,
            keeps_line_items: chosen == Some(DiscountType::ProductDiscount),
        },
    )?;
    let mut line_items = tax_items(cart, items)?;
    let custom_line_items = line_items.split_off(cart.line_items.len());
    let shipping = tax_shipping(cart, shipping)?;

    let items = line_items.iter().chain(&custom_line_items);
    let portion = |(discount, discounted_amount)| DiscountedTotalPricePortion { discount, discounted_amount };
    let parts = Parts {
        price,
        items: items.map(|item| item.taxed_price.as_ref()).collect(),
        shipping: shipping.iter().map(|shipping| shipping.taxed_price.as_ref()).collect(),
        discounts: off_total.into_iter().map(portion).collect(),
        keeps_external_tax: cart.discount_on_total_price_keeps_external_tax,
    };
    let Totals { total_price, taxed_price, taxed_shipping_price, discount_on_total_price } =
        totals(parts, cart.total_tax.as_ref(), &cart.taxes)?;
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

/// Unit prices with tiers and Product Discounts, and what all units cost.
fn price_items(cart: &Cart<'_>, has_product_discounts: bool) -> ApiResult<Vec<PricedItem>> {
    let priced = |item| PricedItem::new(item, cart.price_rounding_mode, has_product_discounts);
    items_of(cart).map(priced).collect()
}

/// What shipping costs in a Cart whose items cost `goods` after the discounts on them.
fn price_shipping(shipping: &[Shipping<'_>], goods: CentAmount) -> ApiResult<Vec<CentAmount>> {
    shipping.iter().map(|shipping| shipping.price_for(goods)).collect()
}

/// Taxes of what the items cost after the discounts on them.
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

/// Taxes of what is charged for shipping.
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

/// `MoneyOverflow` where there are more units than 64 bits count.
fn total_quantity(line_items: &[Item<'_>]) -> ApiResult<Option<i64>> {
    let quantity = CentAmount::sum(line_items.iter().map(|item| CentAmount(item.quantity)))?;
    Ok((!line_items.is_empty()).then_some(quantity.0))
}
