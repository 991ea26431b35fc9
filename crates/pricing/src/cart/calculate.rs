//! The one order in which a Cart is calculated.
//!
//! Source: reference type `Cart`.

use super::item::Item;
use super::priced::{DiscountedLineItemPrice, DiscountedLineItemPriceForQuantity, PricedItem};
use super::shipping::Shipping;
use super::taxes::{MethodTaxedPrice, TaxSettings, TaxedPrice, tax_amount, tax_item};
use super::totals::{DiscountOnTotalPrice, Parts, TotalTax, Totals, totals};
use crate::cent_amount::{CentAmount, Rounding};
use crate::money::Money;
use iso_currency::Currency;
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
    let line_items = price_items(&cart.line_items, cart.price_rounding_mode)?;
    let custom_line_items = price_items(&cart.custom_line_items, cart.price_rounding_mode)?;
    let goods = CentAmount::sum(line_items.iter().chain(&custom_line_items).map(|item| item.total_price))?;
    let shipping = price_shipping(&cart.shipping, goods)?;

    let line_items = tax_items(&cart.line_items, line_items, &cart.taxes)?;
    let custom_line_items = tax_items(&cart.custom_line_items, custom_line_items, &cart.taxes)?;
    let shipping = tax_shipping(&cart.shipping, shipping, &cart.taxes)?;

    let charged = CentAmount::sum(shipping.iter().map(CalculatedShipping::charged))?;
    let items = line_items.iter().chain(&custom_line_items);
    let parts = Parts {
        price: goods.plus(charged)?,
        items: items.map(|item| item.taxed_price.as_ref()).collect(),
        shipping: shipping.iter().map(|shipping| shipping.taxed_price.as_ref()).collect(),
        discounts: Vec::new(),
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
    })
}

/// Unit prices with Product Discounts and tiers, and what all units cost.
fn price_items(items: &[Item<'_>], price_rounding_mode: Rounding) -> ApiResult<Vec<PricedItem>> {
    items.iter().map(|item| PricedItem::new(item, price_rounding_mode)).collect()
}

/// What shipping costs in a Cart whose items cost `goods` after the discounts on them.
fn price_shipping<'a>(
    shipping: &[Shipping<'a>],
    goods: CentAmount,
) -> ApiResult<Vec<CalculatedShipping<'a>>> {
    let priced = |shipping: &Shipping<'a>| {
        let price = shipping.price_for(goods)?;
        Ok(CalculatedShipping { price, discounted_price: None, taxed_price: None })
    };
    shipping.iter().map(priced).collect()
}

/// Taxes of what the items cost after the discounts on them.
fn tax_items<'a>(
    items: &[Item<'a>],
    priced: Vec<PricedItem>,
    settings: &TaxSettings,
) -> ApiResult<Vec<CalculatedItem<'a>>> {
    let taxed = |(item, priced): (&Item<'a>, PricedItem)| {
        let (taxed_price, taxed_price_portions) = tax_item(item, &priced, settings)?;
        Ok(CalculatedItem {
            price_value: item.price.value_for(item.quantity),
            total_price: priced.total_price,
            discounted_price_per_quantity: priced.groups,
            taxed_price,
            taxed_price_portions,
        })
    };
    items.iter().zip(priced).map(taxed).collect()
}

/// Taxes of what is charged for shipping.
fn tax_shipping<'a>(
    shipping: &[Shipping<'a>],
    priced: Vec<CalculatedShipping<'a>>,
    settings: &TaxSettings,
) -> ApiResult<Vec<CalculatedShipping<'a>>> {
    let taxed = |(shipping, priced): (&Shipping<'a>, CalculatedShipping<'a>)| {
        let taxed_price = tax_amount(shipping.tax.as_ref(), priced.charged(), settings)?;
        Ok(CalculatedShipping { taxed_price, ..priced })
    };
    shipping.iter().zip(priced).map(taxed).collect()
}

/// `MoneyOverflow` where there are more units than 64 bits count.
fn total_quantity(line_items: &[Item<'_>]) -> ApiResult<Option<i64>> {
    let quantity = CentAmount::sum(line_items.iter().map(|item| CentAmount(item.quantity)))?;
    Ok((!line_items.is_empty()).then_some(quantity.0))
}
