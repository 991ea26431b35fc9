//! Taxes of the items and the shipping of a Cart.
//!
//! Source: reference types `TaxMode`, `TaxCalculationMode`, `TaxedItemPrice`, `MethodTaxedPrice`.

use crate::cent_amount::CentAmount;
use crate::item::{Item, ItemTax, MethodTax, Tax};
use crate::money::Money;
use crate::priced::PricedItem;
use crate::tax::{NetAndGross, TaxPortion, merged_portions};
use kontor_enums::{RoundingMode, TaxCalculationMode, TaxMode};
use kontor_errors::ApiResult;

/// How a Cart is taxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxSettings {
    /// The source of rates or amounts.
    pub mode: TaxMode,
    /// Whether units or lines are rounded.
    pub calculation_mode: TaxCalculationMode,
    /// The direction of rounding.
    pub rounding_mode: RoundingMode,
}

impl Default for TaxSettings {
    /// Returns the settings of a Cart without explicit ones.
    fn default() -> Self {
        Self {
            mode: TaxMode::Platform,
            calculation_mode: TaxCalculationMode::LineItemLevel,
            rounding_mode: RoundingMode::HalfEven,
        }
    }
}

/// An amount without and with its tax, and the portions of the tax.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaxedPrice<'a> {
    /// Net and gross.
    pub total: NetAndGross,
    /// One portion for each rate and name. For an item they add up to its tax; for a Cart with a discount on its total
    /// price, to the tax before that discount (recorded).
    pub portions: Vec<TaxPortion<'a>>,
}

impl<'a> TaxedPrice<'a> {
    /// Returns the sum of parts that are rounded already, their portions merged. Fails with `MoneyOverflow` if a sum
    /// exceeds 64 bits.
    pub fn sum(parts: &[&Self]) -> ApiResult<Self> {
        let total = NetAndGross::sum(parts.iter().map(|part| part.total))?;
        let portions = merged_portions(parts.iter().flat_map(|part| part.portions.iter().copied()))?;
        Ok(Self { total, portions })
    }
}

/// The taxed price of the units sent by one shipping method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodTaxedPrice<'a> {
    /// The key of the shipping method.
    pub shipping_method_key: &'a str,
    /// Net and gross amounts, if the tax is known.
    pub taxed_price: Option<TaxedPrice<'a>>,
}

/// Returns the taxes of an item: of all its units, as far as they are known, and by shipping method.
pub(crate) fn tax_item<'a>(
    item: &Item<'a>,
    priced: &PricedItem,
    settings: &TaxSettings,
) -> ApiResult<(Option<TaxedPrice<'a>>, Vec<MethodTaxedPrice<'a>>)> {
    if settings.mode == TaxMode::Disabled {
        return Ok((None, Vec::new()));
    }
    match &item.tax {
        ItemTax::Single(None) => Ok((None, Vec::new())),
        ItemTax::Single(Some(tax)) => {
            let taxed = taxed(tax, priced.total_price, priced.unit_prices()?, settings)?;
            Ok((Some(taxed), Vec::new()))
        }
        ItemTax::PerMethod(methods) => tax_by_method(methods, priced, settings),
    }
}

/// Taxes an amount that is no sum of units: shipping.
pub(crate) fn tax_amount<'a>(
    tax: Option<&Tax<'a>>,
    amount: CentAmount,
    settings: &TaxSettings,
) -> ApiResult<Option<TaxedPrice<'a>>> {
    let tax = tax.filter(|_| settings.mode != TaxMode::Disabled);
    tax.map(|tax| taxed(tax, amount, None, settings)).transpose()
}

/// Returns net, gross and portions of a price. If units are given and the Cart requires it, each unit is rounded
/// separately.
fn taxed<'a>(
    tax: &Tax<'a>,
    total: CentAmount,
    units: impl IntoIterator<Item = (Money, i64)>,
    settings: &TaxSettings,
) -> ApiResult<TaxedPrice<'a>> {
    let rounding = settings.rounding_mode;
    let (rate, total) = match tax {
        Tax::Amount { gross, rate } => (rate, NetAndGross { net: total, gross: *gross }),
        Tax::Rate(rate) => {
            let mut units = units.into_iter().peekable();
            let is_by_unit = settings.calculation_mode == TaxCalculationMode::UnitPriceLevel;
            if is_by_unit && units.peek().is_some() {
                (rate, rate.taxed_units(total, units, rounding)?)
            } else {
                (rate, rate.apply(total, rounding)?)
            }
        }
    };
    Ok(TaxedPrice { total, portions: rate.split_tax(total.tax()?)? })
}

/// Returns the taxes of the units of each shipping method, and of all units if each unit has a method and each method a
/// tax (reference type `Cart`, field `taxedPrice`).
fn tax_by_method<'a>(
    methods: &[MethodTax<'a>],
    priced: &PricedItem,
    settings: &TaxSettings,
) -> ApiResult<(Option<TaxedPrice<'a>>, Vec<MethodTaxedPrice<'a>>)> {
    let quantities: Vec<i64> = methods.iter().map(|method| method.quantity).collect();
    let mut portions = Vec::with_capacity(methods.len());
    for (method, share) in methods.iter().zip(distribute_units(priced, &quantities)?) {
        let tax = method.tax.as_ref();
        let taxed_price = tax.map(|tax| taxed(tax, share.total, share.units, settings)).transpose()?;
        portions.push(MethodTaxedPrice { shipping_method_key: method.shipping_method_key, taxed_price });
    }
    let is_distributed =
        quantities.iter().map(|quantity| i128::from(*quantity)).sum::<i128>() == i128::from(priced.quantity);
    let parts: Option<Vec<&TaxedPrice<'_>>> =
        portions.iter().map(|portion| portion.taxed_price.as_ref()).collect();
    let whole = parts.filter(|_| is_distributed).map(|parts| TaxedPrice::sum(&parts)).transpose()?;
    Ok((whole, portions))
}

/// The units with one shipping method, and their total price.
#[derive(Debug, Default, PartialEq, Eq)]
struct MethodShare {
    total: CentAmount,
    units: Vec<(Money, i64)>,
}

/// Distributes the units of an item to its shipping methods, in order. Fully distributed units add up to the
/// total of the item: high-precision prices, and totals that are no sum of units, are split in proportion.
fn distribute_units(priced: &PricedItem, quantities: &[i64]) -> ApiResult<Vec<MethodShare>> {
    let mut left = priced.unit_prices()?;
    left.reverse();
    let is_sum_of_cents =
        !priced.has_fixed_total && left.iter().all(|(price, _)| matches!(price, Money::Cent { .. }));
    let whole = i128::from(priced.quantity.max(1));
    let total_of_first = |count: i64| {
        let count = i128::from(count).clamp(0, whole);
        priced.total_price.fraction(count, whole, RoundingMode::HalfEven)
    };
    let mut before = 0_i64;
    let mut shares = Vec::with_capacity(quantities.len());
    for quantity in quantities {
        let units = take_units(&mut left, *quantity);
        let after = before.saturating_add(*quantity);
        let total = if is_sum_of_cents {
            let costs = units.iter().map(|(price, quantity)| CentAmount(price.units()).multiply(*quantity));
            CentAmount::sum(costs.collect::<ApiResult<Vec<_>>>()?)?
        } else {
            total_of_first(after)?.minus(total_of_first(before)?)?
        };
        before = after;
        shares.push(MethodShare { total, units });
    }
    Ok(shares)
}

/// Removes up to `quantity` units from the end, and returns them.
fn take_units(left: &mut Vec<(Money, i64)>, mut quantity: i64) -> Vec<(Money, i64)> {
    let mut taken = Vec::new();
    while quantity > 0 {
        let Some((price, available)) = left.last_mut() else { break };
        let count = quantity.min(*available);
        taken.push((*price, count));
        quantity -= count;
        *available -= count;
        if *available == 0 {
            left.pop();
        }
    }
    taken
}
