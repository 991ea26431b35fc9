//! The unit price of a line item: selected from the prices of its product variant, or set externally. Start at
//! [`select_prices`].
//!
//! A `price` that is `null` must still be selected.
//!
//! Source: reference types `LineItem` (`price`), `LineItemPriceMode`, `CartSetLineItemPriceAction`,
//! `CartSetLineItemTotalPriceAction`, `MatchingPriceNotFoundError`; public documentation, "Line Item price
//! selection".

use super::customer;
use super::items::{self, LINES};
use super::reprice_flags::{PRICE_MODE, choose_price, is_removed_without_price};
use crate::price::{money_document, money_in, price_of, read_money, selected_price};
use crate::purchasable_variant::PurchasableVariant;
use kontor_engine::document::{has_enum, integer_or_log, reference, text, text_or_log};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::LineItemPriceMode;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;
use kontor_pricing::{Currency, PriceSelection};

/// The external price in an action.
pub(super) enum ExternalPrice {
    /// No external price.
    Nothing,
    /// The price of one unit: a stored amount.
    Price(Value),
    /// The price of one unit, and the total.
    Total { price: Value, total: Value },
}

impl ExternalPrice {
    /// Reads `externalPrice` or `externalTotalPrice` of an action or draft.
    ///
    /// 400 `InvalidOperation`: both, or an amount in another currency than that of the Cart.
    pub(super) fn read(sent: &Document, currency: &str, place: &str) -> ApiResult<Self> {
        let money = |money: Option<&Value>, name: &str| -> ApiResult<Value> {
            let Some(Value::Object(money)) = money else {
                return Err(ApiError::required_field(&format!("{place}.{name}")));
            };
            stored_money(money, currency, &format!("{place}.{name}")).map(Value::Object)
        };
        match (sent.get("externalPrice"), sent.get("externalTotalPrice")) {
            (Some(_), Some(_)) => Err(ApiError::invalid_operation(format!(
                "{place}: of externalPrice and externalTotalPrice only one can be given."
            ))),
            (Some(price), None) => Ok(Self::Price(money(Some(price), "externalPrice")?)),
            (None, Some(both)) => Ok(Self::Total {
                price: money(both.get("price"), "externalTotalPrice.price")?,
                total: money(both.get("totalPrice"), "externalTotalPrice.totalPrice")?,
            }),
            (None, None) => Ok(Self::Nothing),
        }
    }

    /// Sets the external price; without one the price of the Product is selected.
    pub(super) fn apply_to(self, line: &mut Document, rules: &Rules<'_>) {
        let (mode, price, total) = match self {
            Self::Nothing => return choose_price(line),
            Self::Price(price) => (LineItemPriceMode::ExternalPrice, price, None),
            Self::Total { price, total } => (LineItemPriceMode::ExternalTotal, price, Some(total)),
        };
        line.insert(PRICE_MODE, json!(mode));
        line.insert("price", json!({"id": rules.new_id(), "value": price}));
        line.extend(total.map(|total| ("totalPrice".to_owned(), total)));
    }
}

/// Returns the stored form of an amount in the currency of the Cart; `InvalidOperation` for another currency.
pub(super) fn stored_money(money: &Document, currency: &str, place: &str) -> ApiResult<Document> {
    let money = read_money(money, &Location::Text(place))?;
    if money.currency().code() != currency {
        return Err(ApiError::invalid_operation(format!(
            "{place}: an amount in {} was sent, expected {currency}, which is the currency of the Cart.",
            money.currency().code()
        )));
    }
    Ok(money_document(money))
}

/// `setLineItemPrice`.
pub(super) fn set_external(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    set(context, arguments, LineItemPriceMode::ExternalPrice)
}

/// `setLineItemTotalPrice`.
pub(super) fn set_external_total(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    set(context, arguments, LineItemPriceMode::ExternalTotal)
}

/// Sets an external price in the given mode. Without a value a price in the same mode is removed.
fn set(context: &mut ActionContext<'_, '_>, arguments: &Document, mode: LineItemPriceMode) -> ApiResult<()> {
    let given = ExternalPrice::read(arguments, items::currency(context.document)?, context.place)?;
    let (place, rules) = (context.place, context.rules);
    let line = LINES.identified_item(context, arguments)?;
    if items::is_gift(line) {
        return Err(ApiError::invalid_operation(format!("{place}: the price of a gift cannot be set.")));
    }
    match given {
        ExternalPrice::Nothing if !has_enum(line, &[PRICE_MODE], mode) => {}
        given => given.apply_to(line, rules),
    }
    Ok(())
}

/// Selects the prices that are marked.
///
/// 400 `MatchingPriceNotFound`: a product variant has no price for the buyer; `InvalidOperation`: it no longer exists.
pub(super) fn select_prices(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let is_marked = |line: &Document| !line.has_value("price");
    if !LINES.each_mut(cart)?.any(|line| is_marked(line)) {
        return Ok(());
    }
    let buyer = PriceContextOfBuyer::from_cart(cart, rules)?;
    for line in LINES.each_mut(cart)?.filter(|line| is_marked(line)) {
        let sold = PurchasableVariant::kept_in_line(line, rules)?.ok_or_else(|| no_longer_sold(line))?;
        let price = buyer.price_of(line, &sold, rules)?;
        line.insert("price", Value::Object(price));
    }
    Ok(())
}

/// Like [`select_prices`], for Carts that are copied from others: removes items that are no longer sold.
pub(super) fn choose_or_drop(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    choose_or_drop_marked(cart, |line| !line.has_value("price"), rules)
}

/// Like [`choose_or_drop`], for line items that are marked to be removed without a Price.
pub(super) fn choose_or_remove(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    if !LINES.each_mut(cart)?.any(|line| is_removed_without_price(line)) {
        return Ok(());
    }
    choose_or_drop_marked(cart, is_removed_without_price, rules)
}

fn choose_or_drop_marked(
    cart: &mut Document,
    is_marked: impl Fn(&Document) -> bool,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let buyer = PriceContextOfBuyer::from_cart(cart, rules)?;
    let mut left = Vec::new();
    for mut line in std::mem::take(LINES.all_mut(cart)?) {
        if let Value::Object(line) = &mut line
            && is_marked(line)
        {
            let Some(sold) = PurchasableVariant::kept_in_line(line, rules)? else { continue };
            let Some(price) = buyer.find_price(line, &sold, rules)? else { continue };
            line.insert("price", Value::Object(price));
        }
        left.push(line);
    }
    *LINES.all_mut(cart)? = left;
    Ok(())
}

/// The Price for one Line Item of a Product Variant. Errors as of [`select_prices`].
pub(super) fn price_for(
    line: &Document,
    sold: &PurchasableVariant,
    cart: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    PriceContextOfBuyer::from_cart(cart, rules)?.price_of(line, sold, rules)
}

/// Returns the error for a line item whose product variant no longer exists.
pub(super) fn no_longer_sold(line: &Document) -> ApiError {
    let number = integer_or_log(line, &["variant", "id"]);
    ApiError::invalid_operation(format!(
        "The Variant {number} of the Product '{}' in the Line Item '{}' is not there any more.",
        text_or_log(line, &["productId"]),
        text_or_log(line, &["id"])
    ))
}

/// The properties of a buyer that decide prices.
struct PriceContextOfBuyer {
    currency: Currency,
    country: Option<String>,
    groups: Vec<String>,
    /// The Customer Group of the Cart, for errors.
    customer_group: Option<Value>,
}

impl PriceContextOfBuyer {
    fn from_cart(cart: &Document, rules: &Rules<'_>) -> ApiResult<Self> {
        let code = items::currency(cart)?;
        let currency = Currency::from_code(code)
            .ok_or_else(|| ApiError::bug("a Cart in a currency that there is not"))?;
        let customer_group = cart.get("customerGroup").cloned();
        let country = text(cart, &["country"]).map(str::to_owned);
        Ok(Self { currency, country, groups: customer::customer_group_ids(cart, rules)?, customer_group })
    }

    /// The Price for a Line Item, which there must be.
    fn price_of(&self, line: &Document, sold: &PurchasableVariant, rules: &Rules<'_>) -> ApiResult<Document> {
        self.find_price(line, sold, rules)?.ok_or_else(|| self.none_fits(line, sold))
    }

    /// The Price for a Line Item, with the value of the tier that its quantity reaches.
    fn find_price(
        &self,
        line: &Document,
        sold: &PurchasableVariant,
        rules: &Rules<'_>,
    ) -> ApiResult<Option<Document>> {
        let selection = PriceSelection {
            currency: self.currency,
            country: self.country.as_deref(),
            customer_groups: self.groups.iter().map(String::as_str).collect(),
            channel: text(line, &["distributionChannel", "id"]),
            recurrence_policy: text(line, &["recurrenceInfo", "recurrencePolicy", "id"]),
            at: rules.now,
        };
        let found = selected_price(sold.variant(), sold.has_standalone_prices(), &selection, rules)?;
        let Some(mut found) = found else { return Ok(None) };
        let value = price_of(&found)?.value_for_quantity(items::quantity(line));
        if found.get("discounted").is_none() && value != money_in(&found, "value")? {
            found.insert("value", Value::Object(money_document(value)));
        }
        Ok(Some(found))
    }

    /// Reference type `MatchingPriceNotFoundError`.
    fn none_fits(&self, line: &Document, sold: &PurchasableVariant) -> ApiError {
        let (product, variant) = (text_or_log(line, &["productId"]), sold.number());
        let channel = text(line, &["distributionChannel", "id"]);
        let currency = self.currency.code();
        let mut requested = format!("currency '{currency}'");
        for (name, value) in [
            ("country", self.country.as_deref()),
            ("customer group", self.customer_group.as_ref().and_then(|group| group["id"].as_str())),
            ("channel", channel),
        ] {
            requested.extend(value.map(|value| format!(", {name} '{value}'")));
        }
        let message = format!(
            "The variant '{variant}' of product '{product}' does not contain a price for {requested}."
        );
        ApiError::new(Code::MatchingPriceNotFound, message)
            .with_field("productId", json!(product))
            .with_field("variantId", json!(variant))
            .with_field("currency", json!(currency))
            .with_field("country", self.country.as_deref().map(|country| json!(country)))
            .with_field("customerGroup", self.customer_group.clone())
            .with_field("channel", channel.map(|id| reference("channel", id)))
    }
}
