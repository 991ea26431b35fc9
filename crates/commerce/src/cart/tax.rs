//! Taxes of a Cart: rates selected by the shipping address, or external rates and amounts. Start at [`set_rate`].
//!
//! In Tax Mode `Platform`, `tax_choice` selects the rates later; until then `taxRate` is missing.
//!
//! Source: reference types `TaxMode`, `ExternalTaxRateDraft`, `ExternalTaxAmountDraft`,
//! `CartChangeTaxModeAction`, `CartSetLineItemTaxRateAction`, `CartSetLineItemTaxAmountAction` and the
//! same actions of Custom Line Items and Shipping Methods, `CartSetCartTotalTaxAction`.

use super::items::{self, CUSTOM, CartItemKind, LINES};
use super::prices::stored_money;
use super::{shipping_holders, tax_choice};
use kontor_engine::conversion;
use kontor_engine::document::{has_enum, list, list_in, must_enum, must_field, must_get, set, text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::TaxMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const MODE: &str = "taxMode";
const RATE: &str = "taxRate";
const TAXED: &str = "taxedPrice";
const METHOD_KEY: &str = "shippingMethodKey";
/// Lists by shipping method.
const RATES: &str = "perMethodTaxRate";
const TAXED_PORTIONS: &str = "taxedPricePortions";

/// Reads the external tax rates sent with a new item.
///
/// 400 `InvalidOperation`: a rate in another Tax Mode than `External`.
pub(super) fn read_external_rates(
    item: &mut Document,
    sent: &Document,
    cart: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let is_multiple = shipping_holders::is_multiple(cart);
    if let Some(Value::Object(draft)) = sent.get("externalTaxRate") {
        admit_mode(cart, TaxMode::External, &format!("{place}.externalTaxRate"))?;
        if !is_multiple {
            let rate = stored_rate(draft, &format!("{place}.externalTaxRate"), rules)?;
            item.insert(RATE, rate);
        }
    }
    let by_method = list(sent, &["perMethodExternalTaxRate"]);
    if by_method.is_empty() {
        return Ok(());
    }
    let place = format!("{place}.perMethodExternalTaxRate");
    admit_mode(cart, TaxMode::External, &place)?;
    let mut rates = Vec::new();
    for (index, method) in by_method.iter().enumerate() {
        let mut rate = Document::new();
        rate.insert(METHOD_KEY, json!(must_field(method, METHOD_KEY)?));
        if let Some(Value::Object(draft)) = method.get(RATE) {
            rate.insert(RATE, stored_rate(draft, &format!("{place}[{index}].taxRate"), rules)?);
        }
        rates.push(Value::Object(rate));
    }
    if is_multiple {
        item.insert(RATES, Value::Array(rates));
    }
    Ok(())
}

/// Returns the stored form of an external rate: without an id.
fn stored_rate(draft: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let model = rules.model;
    let shapes = model.object_by_name("ExternalTaxRateDraft").zip(model.object_by_name("TaxRate"));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let mut rate = conversion::convert_object(input, output, draft.clone(), place, rules)?;
    rate.shift_remove("id");
    Ok(Value::Object(rate))
}

/// Returns the external rate that was sent under `externalTaxRate`.
///
/// 400 `InvalidOperation`: in another Tax Mode than `External`.
pub(super) fn external_rate(
    sent: &Document,
    cart: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Value>> {
    let Some(Value::Object(draft)) = sent.get("externalTaxRate") else { return Ok(None) };
    let place = format!("{place}.externalTaxRate");
    admit_mode(cart, TaxMode::External, &place)?;
    stored_rate(draft, &place, rules).map(Some)
}

/// Removes the taxes of a removed shipping method from all items.
pub(super) fn forget_method(cart: &mut Document, key: &str) -> ApiResult<()> {
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(cart)? {
            for name in [RATES, TAXED_PORTIONS] {
                if let Some(Value::Array(methods)) = item.get_mut(name) {
                    methods.retain(|method| method[METHOD_KEY] != key);
                }
            }
        }
    }
    Ok(())
}

pub(super) fn admit_mode(cart: &Document, wanted: TaxMode, place: &str) -> ApiResult<()> {
    match must_enum::<TaxMode>(cart, &[MODE])? {
        mode if mode == wanted => Ok(()),
        mode => Err(ApiError::invalid_operation(format!(
            "{place}: the Cart has the Tax Mode '{mode}', expected '{wanted}'."
        ))),
    }
}

/// `changeTaxMode`: removes the taxes of the old mode.
pub(super) fn change_mode(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mode = must_get(arguments, &[MODE])?.clone();
    if context.document.get(MODE) == Some(&mode) {
        return Ok(());
    }
    if mode == TaxMode::Platform.as_str() {
        tax_choice::admit_categories(context.document, context.place, context.rules)?;
    }
    context.document.insert(MODE, mode);
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(context.document)? {
            remove_tax_values(item);
        }
    }
    context.document.shift_remove(TAXED);
    shipping_holders::forget_taxes(context.document)
}

/// `changeTaxMode` of one's own Cart: never to `Disabled`.
pub(super) fn change_my_mode(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_my_mode(text(arguments, &[MODE]), context.place)?;
    change_mode(context, arguments)
}

/// 400 `InvalidOperation`: one's own Cart cannot be without taxes.
pub(super) fn admit_my_mode(mode: Option<&str>, place: &str) -> ApiResult<()> {
    if mode != Some(TaxMode::Disabled.as_str()) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{place}: the Tax Mode '{}' cannot be set below /me.",
        TaxMode::Disabled
    )))
}

/// Removes all tax values of an item.
pub(super) fn remove_tax_values(item: &mut Document) {
    item.shift_remove(RATE);
    item.shift_remove(TAXED);
    for name in [RATES, TAXED_PORTIONS] {
        item.insert(name, json!([]));
    }
}

/// `setLineItemTaxRate`, `setCustomLineItemTaxRate`.
pub(super) fn set_rate(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &CartItemKind,
) -> ApiResult<()> {
    admit_mode(context.document, TaxMode::External, context.place)?;
    let method = method_key(arguments, context.document, context.place)?;
    let place = format!("{}.externalTaxRate", context.place);
    let rate = match arguments.get("externalTaxRate") {
        Some(Value::Object(draft)) => Some(stored_rate(draft, &place, context.rules)?),
        _ => None,
    };
    let item = of.identified_item(context, arguments)?;
    match method {
        None => set(item, &[RATE], rate),
        Some(key) => set_of_method(item, RATES, &key, RATE, rate)?,
    }
    Ok(())
}

/// `setLineItemTaxAmount`, `setCustomLineItemTaxAmount`. Net amount and portions follow when the Cart is calculated.
pub(super) fn set_amount(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    of: &CartItemKind,
) -> ApiResult<()> {
    admit_mode(context.document, TaxMode::ExternalAmount, context.place)?;
    let method = method_key(arguments, context.document, context.place)?;
    let (rate, taxed) = match arguments.get("externalTaxAmount") {
        Some(Value::Object(draft)) => {
            let (rate, taxed) = rate_and_gross(draft, context)?;
            (Some(rate), Some(taxed))
        }
        _ => (None, None),
    };
    let item = of.identified_item(context, arguments)?;
    match method {
        None => {
            set(item, &[RATE], rate);
            set(item, &[TAXED], taxed);
        }
        Some(key) => {
            set_of_method(item, RATES, &key, RATE, rate)?;
            set_of_method(item, TAXED_PORTIONS, &key, TAXED, taxed)?;
        }
    }
    Ok(())
}

/// The rate and the gross amount of an `ExternalTaxAmountDraft`.
pub(super) fn rate_and_gross(draft: &Document, context: &ActionContext<'_, '_>) -> ApiResult<(Value, Value)> {
    let place = format!("{}.externalTaxAmount", context.place);
    let (Some(Value::Object(gross)), Some(Value::Object(rate))) = (draft.get("totalGross"), draft.get(RATE))
    else {
        return Err(ApiError::required_field(&place));
    };
    let gross = stored_money(gross, items::currency(context.document)?, &format!("{place}.totalGross"))?;
    let rate = stored_rate(rate, &format!("{place}.taxRate"), context.rules)?;
    Ok((rate, json!({"totalGross": gross})))
}

/// Returns `shippingKey`: required in Shipping Mode `Multiple`, where each method has its own tax, and refused
/// otherwise.
pub(super) fn method_key(arguments: &Document, cart: &Document, place: &str) -> ApiResult<Option<String>> {
    match (text(arguments, &["shippingKey"]), shipping_holders::is_multiple(cart)) {
        (Some(key), true) => Ok(Some(key.to_owned())),
        (None, false) => Ok(None),
        (Some(_), false) => Err(ApiError::invalid_operation(format!(
            "{place}.shippingKey: the Cart has the Shipping Mode 'Single', in which there is no key."
        ))),
        (None, true) => Err(ApiError::invalid_operation(format!(
            "{place}.shippingKey: it is needed in the Shipping Mode 'Multiple'."
        ))),
    }
}

/// Sets or removes the tax of an item for one shipping method.
fn set_of_method(
    item: &mut Document,
    list: &str,
    key: &str,
    field: &str,
    value: Option<Value>,
) -> ApiResult<()> {
    let methods = item.entry(list).or_insert_with(|| json!([]));
    let methods = methods.as_array_mut().ok_or_else(|| ApiError::bug("methods that are no list"))?;
    methods.retain(|method| method[METHOD_KEY] != key);
    methods.extend(value.map(|value| {
        let mut method = Document::new();
        method.insert(METHOD_KEY, json!(key));
        method.insert(field, value);
        Value::Object(method)
    }));
    Ok(())
}

/// `setCartTotalTax`.
pub(crate) fn set_total(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_mode(context.document, TaxMode::ExternalAmount, context.place)?;
    let currency = items::currency(context.document)?;
    let money = |money: Option<&Value>, name: &str| match money {
        Some(Value::Object(money)) => stored_money(money, currency, &format!("{}.{name}", context.place)),
        _ => Err(ApiError::required_field(&format!("{}.{name}", context.place))),
    };
    let gross = money(arguments.get("externalTotalGross"), "externalTotalGross")?;
    let mut portions = Vec::new();
    for (index, portion) in list(arguments, &["externalTaxPortions"]).iter().enumerate() {
        let mut stored = Document::new();
        stored.extend(portion.get("name").map(|name| ("name".to_owned(), name.clone())));
        stored.extend(portion.get("rate").map(|rate| ("rate".to_owned(), rate.clone())));
        let amount = money(portion.get("amount"), &format!("externalTaxPortions[{index}].amount"))?;
        stored.insert("amount", Value::Object(amount));
        portions.push(Value::Object(stored));
    }
    let taxed = json!({"totalGross": gross, "taxPortions": portions});
    context.document.insert(TAXED, taxed);
    Ok(())
}

/// Removes external tax amounts of items whose price has changed.
pub(super) fn forget_amounts_of_other_prices(before: &Document, after: &mut Document) -> ApiResult<bool> {
    if !has_enum(after, &[MODE], TaxMode::ExternalAmount) {
        return Ok(false);
    }
    let mut forgot = false;
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(after)? {
            let same = list(before, &[of.field]).iter().find(|other| other.get("id") == item.get("id"));
            let Some(same) = same else { continue };
            let has_other_price = same.get("totalPrice") != item.get("totalPrice");
            if has_other_price && item.contains_key(TAXED) && gross(same) == gross_of(item) {
                item.shift_remove(RATE);
                item.shift_remove(TAXED);
                forgot = true;
            }
            let by_method = gross_by_method(list(item, &[TAXED_PORTIONS]));
            let has_by_method = by_method.iter().any(|(_, gross)| gross.is_some());
            if has_other_price && has_by_method && gross_by_method(list_in(same, TAXED_PORTIONS)) == by_method
            {
                item.insert(RATES, json!([]));
                item.insert(TAXED_PORTIONS, json!([]));
                item.shift_remove(TAXED);
                forgot = true;
            }
        }
    }
    forgot |= shipping_holders::forget_amounts_of_other_prices(before, after)?;
    let has_other_price = before.get("totalPrice") != after.get("totalPrice");
    let of_cart = before.get(TAXED).map(|taxed| &taxed["totalGross"]);
    if has_other_price && of_cart.is_some() && of_cart == after.get(TAXED).map(|taxed| &taxed["totalGross"]) {
        after.shift_remove(TAXED);
        forgot = true;
    }
    Ok(forgot)
}

fn gross(item: &Value) -> Option<&Value> {
    item.get(TAXED)?.get("totalGross")
}

/// Returns the external gross amounts by shipping method.
fn gross_by_method(portions: &[Value]) -> Vec<(Option<&Value>, Option<&Value>)> {
    portions.iter().map(|portion| (portion.get(METHOD_KEY), gross(portion))).collect()
}

fn gross_of(item: &Document) -> Option<&Value> {
    item.get(TAXED)?.get("totalGross")
}
