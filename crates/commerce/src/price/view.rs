//! Views of stored prices and amounts, and their conversion into the types of `kontor-pricing`.
//!
//! Source: reference types `Price`, `StandalonePrice`, `TypedMoney`.

use crate::view::{Target, read, views};
use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::parse_date_time;
use kontor_pricing::{
    CentAmount, Currency, DiscountedPrice, HighPrecisionMoney, Money, Price, PriceScope, PriceTier, Validity,
};

views! {
    /// A price, embedded or standalone.
    struct PriceView<'d> of "Price" | "StandalonePrice" {
        id: &'d str,
        #[serde(borrow)]
        value: MoneyView<'d>,
        country: Option<&'d str>,
        customer_group: Option<Target<'d>>,
        channel: Option<Target<'d>>,
        recurrence_policy: Option<Target<'d>>,
        valid_from: Option<&'d str>,
        valid_until: Option<&'d str>,
        discounted: Option<DiscountedPriceView<'d>>,
        tiers: Option<Vec<PriceTierView<'d>>>,
    }

    /// The price from a quantity on.
    struct PriceTierView<'d> of "PriceTier" {
        minimum_quantity: i64,
        #[serde(borrow)]
        value: MoneyView<'d>,
    }

    /// A price after a Product Discount.
    struct DiscountedPriceView<'d> of "DiscountedPrice" {
        #[serde(borrow)]
        value: MoneyView<'d>,
        discount: Target<'d>,
    }

    /// An amount; the precise one of high precision.
    pub(crate) struct MoneyView<'d> of "CentPrecisionMoney" | "HighPrecisionMoney" {
        currency_code: &'d str,
        cent_amount: i64,
        precise_amount: Option<i64>,
        fraction_digits: Option<u32>,
    }

    /// The validity period of a price or a discount.
    struct PeriodView<'d> of "Price" | "StandalonePrice" | "ProductDiscount" {
        #[serde(borrow)]
        valid_from: Option<&'d str>,
        valid_until: Option<&'d str>,
    }
}

/// A price with its document, to be chosen among others.
#[derive(Debug)]
pub(crate) struct StoredPrice<'d> {
    pub(crate) price: Price<'d>,
    pub(crate) document: &'d Document,
}

impl<'d> StoredPrice<'d> {
    /// Reads a price, embedded or standalone.
    pub(crate) fn from_document(document: &'d Document) -> ApiResult<Self> {
        Ok(Self { price: price_of(document)?, document })
    }
}

impl<'d> AsRef<Price<'d>> for StoredPrice<'d> {
    fn as_ref(&self) -> &Price<'d> {
        &self.price
    }
}

/// The stored prices of a list.
pub(crate) fn prices_in(list: &[Value]) -> ApiResult<Vec<StoredPrice<'_>>> {
    list.iter().filter_map(Value::as_object).map(StoredPrice::from_document).collect()
}

/// A stored price, embedded or standalone.
pub(crate) fn price_of<'d>(document: &'d Document) -> ApiResult<Price<'d>> {
    let view: PriceView<'d> = read(document)?;
    let value = view.value.money()?;
    let id = |target: Option<Target<'d>>| target.map(|target| target.id);
    Ok(Price {
        id: view.id,
        scope: PriceScope {
            currency: value.currency(),
            country: view.country,
            customer_group: id(view.customer_group),
            channel: id(view.channel),
            recurrence_policy: id(view.recurrence_policy),
        },
        validity: validity(view.valid_from, view.valid_until)?,
        value,
        discounted: view.discounted.map(DiscountedPriceView::discounted_price).transpose()?,
        tiers: view.tiers.iter().flatten().map(PriceTierView::tier).collect::<ApiResult<_>>()?,
    })
}

/// The amount that a stored document has as its field `name`.
pub(crate) fn money_in(document: &Document, name: &str) -> ApiResult<Money> {
    match document.get(name) {
        Some(Value::Object(money)) => read::<MoneyView<'_>>(money)?.money(),
        _ => Err(ApiError::bug(format!("a document without the amount {name}"))),
    }
}

/// `validFrom` and `validUntil` of a stored document.
pub(crate) fn validity_of(document: &Document) -> ApiResult<Validity> {
    let view: PeriodView<'_> = read(document)?;
    validity(view.valid_from, view.valid_until)
}

/// A period between stored times.
pub(crate) fn validity(from: Option<&str>, until: Option<&str>) -> ApiResult<Validity> {
    let time = |text: &str| {
        let time = parse_date_time(text);
        time.ok_or_else(|| ApiError::bug(format!("the stored time '{text}' cannot be read")))
    };
    Ok(Validity { from: from.map(time).transpose()?, until: until.map(time).transpose()? })
}

impl PriceTierView<'_> {
    fn tier(&self) -> ApiResult<PriceTier> {
        Ok(PriceTier { minimum_quantity: self.minimum_quantity, value: self.value.money()? })
    }
}

impl<'d> DiscountedPriceView<'d> {
    fn discounted_price(self) -> ApiResult<DiscountedPrice<'d>> {
        Ok(DiscountedPrice { value: self.value.money()?, discount: self.discount.id })
    }
}

impl MoneyView<'_> {
    /// The amount.
    pub(crate) fn money(&self) -> ApiResult<Money> {
        let code = self.currency_code;
        let currency = Currency::from_code(code)
            .ok_or_else(|| ApiError::bug(format!("the stored currency '{code}' is none of ISO 4217")))?;
        let cents = CentAmount(self.cent_amount);
        let Some(precise) = self.precise_amount else { return Ok(Money::Cent { currency, cents }) };
        HighPrecisionMoney::new(currency, precise, self.fraction_digits.unwrap_or(0), Some(cents))
            .map(Money::High)
            .map_err(|problem| ApiError::bug(format!("a stored amount of high precision has {problem}")))
    }
}
