//! Stored tax rates and taxed prices: in the calculation of a Cart, and for imported Orders.
//!
//! Source: reference types `TaxRate`, `LineItem`, `CustomLineItem`, `ShippingInfo` (`taxedPrice`),
//! `TaxCalculationMode`.

use crate::price::money_document;
use crate::view::{read, views};
use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Number, Value, json};
use kontor_pricing::cart::TaxedPrice;
use kontor_pricing::{Currency, Money, RoundingMode, SubRate, TaxPortion, TaxRate, TaxRoundingTarget};
use rust_decimal::Decimal;

views! {
    /// A tax rate, chosen or from outside.
    pub(crate) struct TaxRateView<'d> of "TaxRate" {
        name: &'d str,
        amount: Number,
        included_in_price: bool,
        #[serde(borrow, default)]
        sub_rates: Vec<SubRateView<'d>>,
        tax_rounding_target: Option<TaxRoundingTarget>,
    }

    struct SubRateView<'d> of "SubRate" {
        name: &'d str,
        amount: Number,
    }
}

/// Sets `taxedPrice` of an item or shipping with a `taxRate`. `units` has the unit price and the quantity, if tax is
/// rounded for each unit.
pub(crate) fn put_taxed_price(
    holder: &mut Document,
    total: Money,
    units: Option<(Money, i64)>,
    rounding: RoundingMode,
) -> ApiResult<()> {
    let Some(Value::Object(rate)) = holder.get("taxRate") else { return Ok(()) };
    let rate = read::<TaxRateView<'_>>(rate)?.rate()?;
    let taxed = match units {
        Some(units) => rate.taxed_units(total.cents(), [units], rounding)?,
        None => rate.apply(total.cents(), rounding)?,
    };
    let taxed = TaxedPrice { total: taxed, portions: rate.split_tax(taxed.tax()?)? };
    let written = taxed_value(total.currency(), &taxed)?;
    holder.insert("taxedPrice", written);
    Ok(())
}
impl<'d> TaxRateView<'d> {
    /// The rate.
    pub(crate) fn rate(&self) -> ApiResult<TaxRate<'d>> {
        let sub_rate =
            |view: &SubRateView<'d>| Ok(SubRate { name: view.name, amount: decimal(&view.amount)? });
        Ok(TaxRate {
            name: self.name,
            amount: decimal(&self.amount)?,
            included_in_price: self.included_in_price,
            rounding_target: self.tax_rounding_target.unwrap_or(TaxRoundingTarget::Net),
            sub_rates: self.sub_rates.iter().map(sub_rate).collect::<ApiResult<_>>()?,
        })
    }
}

/// The exact decimal that a JSON number was written as.
pub(crate) fn decimal(number: &Number) -> ApiResult<Decimal> {
    let written = number.to_string();
    let read = written.parse().or_else(|_| Decimal::from_scientific(&written));
    read.map_err(|_| ApiError::bug("a stored rate that is no decimal"))
}
/// Returns the stored form of net, gross and portions.
pub(crate) fn taxed_value(currency: Currency, taxed: &TaxedPrice<'_>) -> ApiResult<Value> {
    let money_value = |cents| Value::Object(money_document(Money::Cent { currency, cents }));
    let portion = |portion: &TaxPortion<'_>| {
        let mut written = Document::new();
        written.extend(portion.name.map(|name| ("name".to_owned(), json!(name))));
        written.insert("rate", Value::Number(number(portion.rate)?));
        written.insert("amount", money_value(portion.amount));
        Ok(Value::Object(written))
    };
    Ok(json!({
        "totalNet": money_value(taxed.total.net),
        "totalGross": money_value(taxed.total.gross),
        "taxPortions": taxed.portions.iter().map(portion).collect::<ApiResult<Vec<_>>>()?,
        "totalTax": money_value(taxed.total.tax()?),
    }))
}

fn number(decimal: Decimal) -> ApiResult<Number> {
    let written = decimal.normalize().to_string();
    written.parse().map_err(|_| ApiError::bug("a rate that is no number"))
}
