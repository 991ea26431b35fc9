//! What a tax rate makes of an amount outside of a calculation: of what Orders hold that were made elsewhere.
//!
//! Source: reference types `LineItem`, `CustomLineItem`, `ShippingInfo` (`taxedPrice`), `TaxCalculationMode`.

use super::view::TaxRateView;
use super::write_back::taxed_value;
use crate::view::read;
use kontor_engine::Document;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_pricing::cart::TaxedPrice;
use kontor_pricing::{Money, Rounding};

/// Gives what has a `taxRate` its `taxedPrice`. `units` says what one costs, and how many there are, where tax is rounded
/// once a unit.
pub(crate) fn put_taxed_price(
    holder: &mut Document,
    total: Money,
    units: Option<(Money, i64)>,
    rounding: Rounding,
) -> ApiResult<()> {
    let Some(Value::Object(rate)) = holder.get("taxRate") else { return Ok(()) };
    let rate = read::<TaxRateView<'_>>(rate)?.rate()?;
    let taxed = match units {
        Some(units) => rate.taxed_units(total.cents(), [units], rounding)?,
        None => rate.taxed(total.cents(), rounding)?,
    };
    let taxed = TaxedPrice { total: taxed, portions: rate.portions(taxed.tax()?)? };
    let written = taxed_value(total.currency(), &taxed)?;
    holder.insert("taxedPrice".into(), written);
    Ok(())
}
