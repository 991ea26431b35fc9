//! The totals of a Cart with and without tax, and the discount on the total price.
//!
//! Source: reference types `Cart` (`totalPrice`, `taxedPrice`, `taxedShippingPrice`), `DiscountOnTotalPrice`.
//! Sums are those of the rounded parts (recorded).

use super::taxes::{TaxSettings, TaxedPrice};
use crate::cent_amount::CentAmount;
use crate::tax::{NetAndGross, TaxPortion};
use kontor_enums::{RoundingMode, TaxMode};
use kontor_errors::ApiResult;

/// The value of `setCartTotalTax`, in the tax mode `ExternalAmount`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotalTax<'a> {
    /// The total of the Cart with tax.
    pub gross: CentAmount,
    /// The portions of the tax; empty if the action named none.
    pub portions: Vec<TaxPortion<'a>>,
}

/// The reduction of the total price by discounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscountOnTotalPrice {
    /// The reduction of the price.
    pub discounted_amount: CentAmount,
    /// The amount of each discount, in the order of application.
    pub included_discounts: Vec<DiscountedTotalPricePortion>,
    /// The same share of the net and of the gross amount, if the Cart is taxed by rates.
    pub discounted_taxes: Option<NetAndGross>,
}

/// The reduction of the total price by one discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscountedTotalPricePortion {
    /// Its index among the discounts of the Cart.
    pub discount: usize,
    /// The amount of the reduction.
    pub discounted_amount: CentAmount,
}

/// The parts of the totals.
pub(crate) struct TotalsInput<'p, 'a> {
    /// The sum of the items' prices and the charged shipping.
    pub(crate) price: CentAmount,
    /// The taxes of each item, if they are known.
    pub(crate) items: Vec<Option<&'p TaxedPrice<'a>>>,
    /// The taxes of each shipping entry, if they are known.
    pub(crate) shipping: Vec<Option<&'p TaxedPrice<'a>>>,
    /// The reduction of the price by each discount.
    pub(crate) discounts: Vec<DiscountedTotalPricePortion>,
    /// Whether they leave taxes as they are in the tax mode `External`.
    pub(crate) keeps_external_tax: bool,
}

/// The totals.
#[derive(Debug)]
pub(crate) struct CartTotals<'a> {
    pub(crate) total_price: CentAmount,
    pub(crate) taxed_price: Option<TaxedPrice<'a>>,
    pub(crate) taxed_shipping_price: Option<TaxedPrice<'a>>,
    pub(crate) discount_on_total_price: Option<DiscountOnTotalPrice>,
}

/// Calculates the totals. Net and gross are reduced by the discounts' share of the price, each rounded once; portions
/// are not reduced (recorded). If external taxes stay unchanged, net and gross are reduced by the same amount.
pub(crate) fn calculate_totals<'a>(
    parts: TotalsInput<'_, 'a>,
    total_tax: Option<&TotalTax<'a>>,
    settings: &TaxSettings,
) -> ApiResult<CartTotals<'a>> {
    let discount = CentAmount::sum(parts.discounts.iter().map(|portion| portion.discounted_amount))?;
    let total_price = parts.price.minus(discount)?;
    let share = DiscountShare { discount, total: parts.price, rounding: settings.rounding_mode };
    let shipping = all_taxed_prices(&parts.shipping);
    let everything = all_taxed_prices(&[&parts.items[..], &parts.shipping[..]].concat());
    let mut discounted_taxes = None;
    let (taxed_price, taxed_shipping_price) = match settings.mode {
        TaxMode::Disabled => (None, None),
        TaxMode::ExternalAmount => (total_tax.map(|tax| external_total(total_price, tax)), None),
        TaxMode::Platform | TaxMode::External => {
            let keeps_tax = parts.keeps_external_tax && settings.mode == TaxMode::External;
            let mut taxed_price = everything.map(|parts| TaxedPrice::sum(&parts)).transpose()?;
            if let Some(TaxedPrice { total, .. }) = &mut taxed_price {
                let taxes = if keeps_tax {
                    let off = discount.min(total.net.max(CentAmount::ZERO));
                    NetAndGross { net: off, gross: off }
                } else {
                    NetAndGross { net: share.discount_of(total.net)?, gross: share.discount_of(total.gross)? }
                };
                *total =
                    NetAndGross { net: total.net.minus(taxes.net)?, gross: total.gross.minus(taxes.gross)? };
                discounted_taxes = Some(taxes);
            }
            let mut taxed_shipping = shipping.map(|parts| TaxedPrice::sum(&parts)).transpose()?;
            if let Some(TaxedPrice { total, .. }) = &mut taxed_shipping {
                let (net, tax) = (share.reduce(total.net)?, total.tax()?);
                let gross = if keeps_tax { net.plus(tax)? } else { share.reduce(total.gross)? };
                *total = NetAndGross { net, gross };
            }
            (taxed_price, taxed_shipping)
        }
    };
    let discount_on_total_price = (!parts.discounts.is_empty()).then_some(DiscountOnTotalPrice {
        discounted_amount: discount,
        included_discounts: parts.discounts,
        discounted_taxes,
    });
    Ok(CartTotals { total_price, taxed_price, taxed_shipping_price, discount_on_total_price })
}

/// Returns all taxed prices; `None` if there are none or one is unknown.
fn all_taxed_prices<'p, 'a>(parts: &[Option<&'p TaxedPrice<'a>>]) -> Option<Vec<&'p TaxedPrice<'a>>> {
    parts.iter().copied().collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty())
}

/// Returns the external total: the net amount is the price of the Cart, the gross amount is the given one (reference
/// type `TaxMode`).
fn external_total<'a>(total_price: CentAmount, tax: &TotalTax<'a>) -> TaxedPrice<'a> {
    TaxedPrice { total: NetAndGross { net: total_price, gross: tax.gross }, portions: tax.portions.clone() }
}

/// The discounts' share of a price above zero; 0 of other prices.
struct DiscountShare {
    discount: CentAmount,
    total: CentAmount,
    rounding: RoundingMode,
}

impl DiscountShare {
    /// Returns the same share of another amount.
    fn discount_of(&self, amount: CentAmount) -> ApiResult<CentAmount> {
        if self.discount == CentAmount::ZERO {
            return Ok(CentAmount::ZERO);
        }
        amount.fraction(self.discount.0.into(), self.total.0.into(), self.rounding)
    }

    /// Returns `amount` reduced by the same share.
    fn reduce(&self, amount: CentAmount) -> ApiResult<CentAmount> {
        if self.discount == CentAmount::ZERO {
            return Ok(amount);
        }
        amount.fraction(self.total.minus(self.discount)?.0.into(), self.total.0.into(), self.rounding)
    }
}
