//! The shipping of a Cart: by a Shipping Method of the Project or a custom one, once (`shippingInfo`) or, in
//! Shipping Mode `Multiple`, by several (`shipping`), each with an address. Start at [`set_method`].
//!
//! Source: reference types `ShippingInfo`, `Shipping`, `CartSetShippingMethodAction`,
//! `CartAddShippingMethodAction` and their companions, `CartSetShippingRateInputAction`.

use super::address;
use super::shipping_holders::{ADDRESS, INFO, SHIPPING, holders, is_multiple};
use super::{items, tax};
use crate::delivery_items;
use crate::estimated_delivery::estimated_delivery;
use crate::shipped_by::admit_method;
use crate::shipping_method::admit_rate;
use kontor_engine::conversion;
use kontor_engine::document::{list, must_enum_in, must_field, must_get, must_text, set, text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::{
    ShippingMethodState, ShippingMode, ShippingRateInputDraftTag, ShippingRateInputTypeTag, TaxMode,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Location;

const INPUT: &str = "shippingRateInput";
const CUSTOM: &str = "shippingCustomFields";
const KEY: &str = "shippingKey";
const RATE: &str = "taxRate";
const ESTIMATED: &str = "estimatedDelivery";
const TAXED: &str = "taxedPrice";

/// `setShippingMethod`: without the argument, removes the shipping method.
pub(crate) fn set_method(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_mode(context.document, false, context.place)?;
    if arguments.get("shippingMethod").is_none() {
        context.document.shift_remove(INFO);
        return Ok(());
    }
    let info = method_shipping_info(arguments, context.document, context.place, context.rules)?;
    set_shipping_info(context.document, info, context.place)
}

/// `setCustomShippingMethod`.
pub(crate) fn set_custom_method(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_mode(context.document, false, context.place)?;
    let info = custom_shipping_info(arguments, context.document, context.place, context.rules)?;
    set_shipping_info(context.document, info, context.place)?;
    if let Some(custom) = custom_fields(arguments, context.place, context.rules)? {
        context.document.insert(CUSTOM, custom);
    }
    Ok(())
}

/// `addShippingMethod`.
pub(super) fn add_method(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_mode(context.document, true, context.place)?;
    let info = method_shipping_info(arguments, context.document, context.place, context.rules)?;
    let key = must_text(arguments, &[KEY])?;
    add(context.document, key, Some(info), arguments, context.place, context.rules)
}

/// `addCustomShippingMethod`.
pub(super) fn add_custom_method(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_mode(context.document, true, context.place)?;
    let info = custom_shipping_info(arguments, context.document, context.place, context.rules)?;
    let key = must_text(arguments, &[KEY])?;
    add(context.document, key, Some(info), arguments, context.place, context.rules)
}

/// `removeShippingMethod`: also removes the tax rates of items shipped by the method.
pub(super) fn remove_method(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    admit_mode(context.document, true, context.place)?;
    let key = must_text(arguments, &[KEY])?;
    with_key(context.document, key, context.place)?;
    if let Some(Value::Array(shipping)) = context.document.get_mut(SHIPPING) {
        shipping.retain(|holder| holder[KEY] != key);
    }
    tax::forget_method(context.document, key)
}

/// Applies the shipping fields of a draft.
///
/// 400 `InvalidOperation`: fields of the other Shipping Mode, and errors of the actions.
pub(super) fn complete(after: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    // The conversion copied `shipping` from the draft, because the field has the same name.
    after.insert(SHIPPING, json!([]));
    set(after, &[INPUT], rate_input(draft.get(INPUT), INPUT, rules)?);
    if draft.contains_key("shippingMethod") {
        admit_mode(after, false, "shippingMethod")?;
        let mut sent = Document::new();
        sent.insert("shippingMethod", resolved(draft.get("shippingMethod"), rules)?);
        let rate = draft.get("externalTaxRateForShippingMethod");
        sent.extend(rate.map(|rate| ("externalTaxRate".to_owned(), rate.clone())));
        let info = method_shipping_info(&sent, after, "shippingMethod", rules)?;
        set_shipping_info(after, info, "shippingMethod")?;
    }
    for (name, is_own) in [(SHIPPING, false), ("customShipping", true)] {
        for (index, sent) in list(draft, &[name]).iter().enumerate() {
            let place = format!("{name}[{index}]");
            admit_mode(after, true, &place)?;
            let Value::Object(sent) = sent else { continue };
            let mut sent = sent.clone();
            for name in ["shippingMethod", "taxCategory"] {
                if sent.contains_key(name) {
                    let target = resolved(sent.get(name), rules)?;
                    sent.insert(name, target);
                }
            }
            let info = match is_own {
                true => Some(custom_shipping_info(&sent, after, &place, rules)?),
                false if !sent.contains_key("shippingMethod") => None,
                false => Some(method_shipping_info(&sent, after, &place, rules)?),
            };
            let key = must_text(&sent, &["key"])?;
            add(after, key, info, &sent, &place, rules)?;
        }
    }
    Ok(())
}

/// Resolves an identifier of a draft into a reference.
fn resolved(identifier: Option<&Value>, rules: &Rules<'_>) -> ApiResult<Value> {
    let Some(Value::Object(identifier)) = identifier else { return Ok(Value::Null) };
    let target = rules.resolve(identifier)?;
    Ok(json!({"typeId": rules.model.kind(target.kind).type_id, "id": target.id}))
}

fn admit_mode(cart: &Document, multiple: bool, place: &str) -> ApiResult<()> {
    if is_multiple(cart) == multiple {
        return Ok(());
    }
    let (has, expected) = if multiple {
        (ShippingMode::Single.as_str(), ShippingMode::Multiple.as_str())
    } else {
        (ShippingMode::Multiple.as_str(), ShippingMode::Single.as_str())
    };
    Err(ApiError::invalid_operation(format!(
        "{place}: the Cart has the Shipping Mode '{has}', expected '{expected}'."
    )))
}

/// Returns the shipping by a Shipping Method of the Project; its rate is selected when the Cart is settled.
fn method_shipping_info(
    sent: &Document,
    cart: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let id = must_text(sent, &["shippingMethod", "id"])?;
    let gone = || ApiError::referenced_resource_not_found("shipping-method", Some(id), None);
    let method = rules.peek_type("shipping-method", id)?.ok_or_else(gone)?;
    admit_method(&method, cart, place)?;
    let mut info = base_shipping_info(sent, cart, place, rules)?;
    info.insert("shippingMethod", must_get(sent, &["shippingMethod"])?.clone());
    Ok(info)
}

/// Returns the shipping by a custom method of the Cart.
fn custom_shipping_info(
    sent: &Document,
    cart: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let model = rules.model;
    let shapes = model.object_by_name("ShippingRateDraft").zip(model.object_by_name("ShippingRate"));
    let (Some((input, output)), Some(Value::Object(rate))) = (shapes, sent.get("shippingRate")) else {
        return Err(ApiError::bug("a shipping method without a rate, or a model without its shapes"));
    };
    let place_of_rate = format!("{place}.shippingRate");
    let rate = Value::Object(conversion::convert_object(input, output, rate.clone(), &place_of_rate, rules)?);
    admit_rate(&rate, &place_of_rate, rules)?;
    let currency = items::currency(cart)?;
    if rate["price"]["currencyCode"] != currency {
        return Err(ApiError::invalid_operation(format!(
            "{place_of_rate}.price: an amount in {} was sent, expected {currency}, which is the currency of the Cart.",
            must_field(&rate["price"], "currencyCode")?
        )));
    }
    let mut info = base_shipping_info(sent, cart, place, rules)?;
    info.insert("shippingMethodName", must_get(sent, &["shippingMethodName"])?.clone());
    info.insert("shippingRate", rate);
    info.extend(sent.get("taxCategory").map(|category| ("taxCategory".to_owned(), category.clone())));
    Ok(info)
}

fn base_shipping_info(
    sent: &Document,
    cart: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let mut info = Document::new();
    info.insert("deliveries", deliveries(sent, cart, place, rules)?);
    info.insert("shippingMethodState", json!(ShippingMethodState::MatchesCart));
    info.extend(estimated_delivery(sent, place)?.map(|times| (ESTIMATED.to_owned(), times.clone())));
    info.extend(tax::external_rate(sent, cart, place, rules)?.map(|rate| (RATE.to_owned(), rate)));
    Ok(info)
}

/// Returns the deliveries of a draft, for items of the Cart.
///
/// 400 `InvalidOperation`: an item that the Cart does not have, or a quantity above the item's.
fn deliveries(sent: &Document, cart: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let model = rules.model;
    let shapes = model.object_by_name("DeliveryDraft").zip(model.object_by_name("Delivery"));
    let (input, output) = shapes.ok_or_else(|| ApiError::bug("a model without deliveries"))?;
    let (mut all, ids) = (Vec::new(), delivery_items::item_ids(cart));
    for (index, draft) in list(sent, &["deliveries"]).iter().enumerate() {
        let place = format!("{place}.deliveries[{index}]");
        let Value::Object(draft) = draft else { continue };
        delivery_items::admit_one_of(&ids, draft.get("items"), &place)?;
        let mut delivery = conversion::convert_object(input, output, draft.clone(), &place, rules)?;
        delivery.insert("createdAt", json!(rules.time()));
        for parcel in delivery.get_mut("parcels").and_then(Value::as_array_mut).into_iter().flatten() {
            delivery_items::admit_one_of(&ids, parcel.get("items"), &place)?;
            parcel["createdAt"] = json!(rules.time());
        }
        all.push(Value::Object(delivery));
    }
    Ok(Value::Array(all))
}

/// Sets the shipping of a Cart in Shipping Mode `Single`, which needs an address.
fn set_shipping_info(cart: &mut Document, info: Document, place: &str) -> ApiResult<()> {
    if !cart.contains_key(ADDRESS) {
        return Err(ApiError::invalid_operation(format!("{place}: the Cart has no shippingAddress yet.")));
    }
    cart.insert(INFO, Value::Object(info));
    Ok(())
}

/// Adds a shipping entry in Shipping Mode `Multiple`: it has its own address, and its method may be missing.
fn add(
    cart: &mut Document,
    key: &str,
    info: Option<Document>,
    sent: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let mut holder = Document::new();
    holder.insert(KEY, json!(key));
    holder.extend(info.map(|info| (INFO, Value::Object(info))));
    if let Some(Value::Object(address)) = sent.get(ADDRESS) {
        let address = address::stored_address(address, &format!("{place}.{ADDRESS}"), rules)?;
        holder.insert(ADDRESS, address);
    }
    let input = rate_input(sent.get(INPUT), &format!("{place}.{INPUT}"), rules)?;
    holder.extend(input.map(|input| (INPUT.to_owned(), input)));
    holder.extend(custom_fields(sent, place, rules)?.map(|custom| (CUSTOM.to_owned(), custom)));
    let shipping = cart.entry(SHIPPING).or_insert_with(|| json!([]));
    let shipping = shipping.as_array_mut().ok_or_else(|| ApiError::bug("shipping that is no list"))?;
    if shipping.iter().any(|other| other[KEY] == key) {
        return Err(ApiError::duplicate_field(KEY, json!(key)));
    }
    shipping.push(Value::Object(holder));
    Ok(())
}

fn custom_fields(sent: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    match sent.get("custom") {
        Some(Value::Object(custom)) => conversion::custom_fields(
            custom.clone(),
            SHIPPING,
            &Location::Member(&Location::Text(place), "custom"),
            rules,
        )
        .map(Some),
        _ => Ok(None),
    }
}

/// `setShippingRateInput`.
pub(super) fn set_rate_input(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = format!("{}.{INPUT}", context.place);
    let input = rate_input(arguments.get(INPUT), &place, context.rules)?;
    set(context.document, &[INPUT], input);
    Ok(())
}

/// Returns the stored form of the value that selects tiers: a class with its label.
///
/// 400 `InvalidOperation`: the Project's tiers depend on another type of value; `InvalidField`: an unknown
/// class.
fn rate_input(sent: Option<&Value>, place: &str, rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    let Some(sent) = sent.filter(|sent| !sent.is_null()) else { return Ok(None) };
    let of_project = text(rules.project, &["shippingRateInputType", "type"]);
    let given = must_enum_in(sent, "type")?;
    let wanted = match given {
        ShippingRateInputDraftTag::Classification => ShippingRateInputTypeTag::CartClassification,
        ShippingRateInputDraftTag::Score => ShippingRateInputTypeTag::CartScore,
    };
    if of_project != Some(wanted.as_str()) {
        return Err(ApiError::invalid_operation(format!(
            "{place}: '{given}' was sent, and the shippingRateInputType of the Project is {}.",
            of_project.map_or("not set".to_owned(), |of_project| format!("'{of_project}'"))
        )));
    }
    if given == ShippingRateInputDraftTag::Score {
        return Ok(Some(sent.clone()));
    }
    let classes = list(rules.project, &["shippingRateInputType", "values"]);
    match classes.iter().find(|class| class["key"] == sent["key"]) {
        Some(class) => Ok(Some(json!({"type": given, "key": class["key"], "label": class["label"]}))),
        None => {
            let keys = classes.iter().map(|class| class["key"].clone()).collect();
            let expected = "It is no key of the Project's shippingRateInputType.";
            Err(ApiError::invalid_field(
                &format!("{place}.key"),
                &sent["key"],
                expected,
                Some(Value::Array(keys)),
            ))
        }
    }
}

/// `setEstimatedDelivery`.
pub(super) fn set_estimated_delivery(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let times = estimated_delivery(arguments, context.place)?.cloned();
    set(info_of(context, arguments)?, &[ESTIMATED], times.clone());
    let mut message_fields = Document::new();
    message_fields.extend(times.map(|times| (ESTIMATED.to_owned(), times)));
    message_fields.extend(arguments.get(KEY).map(|key| (KEY.to_owned(), key.clone())));
    context.emit("CartEstimatedDeliverySet", message_fields)
}

/// `setShippingMethodTaxRate`.
pub(super) fn set_tax_rate(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    tax::admit_mode(context.document, TaxMode::External, context.place)?;
    let rate = tax::external_rate(arguments, context.document, context.place, context.rules)?;
    set(info_of(context, arguments)?, &[RATE], rate);
    Ok(())
}

/// `setShippingMethodTaxAmount`. Net amount and portions follow when the Cart is calculated.
pub(super) fn set_tax_amount(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    tax::admit_mode(context.document, TaxMode::ExternalAmount, context.place)?;
    let (rate, taxed) = match arguments.get("externalTaxAmount") {
        Some(Value::Object(draft)) => {
            let (rate, taxed) = tax::rate_and_gross(draft, context)?;
            (Some(rate), Some(taxed))
        }
        _ => (None, None),
    };
    let info = info_of(context, arguments)?;
    set(info, &[RATE], rate);
    set(info, &[TAXED], taxed);
    Ok(())
}

/// `setShippingCustomType`.
pub(super) fn set_custom_type(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (context.place, context.rules);
    let key = tax::method_key(arguments, context.document, place)?;
    let custom = match arguments.get("type") {
        Some(_) => {
            conversion::custom_fields(arguments.clone(), SHIPPING, &Location::Text(place), rules).map(Some)?
        }
        None => None,
    };
    set(holder_of(context.document, key.as_deref(), place)?, &[CUSTOM], custom);
    Ok(())
}

/// `setShippingCustomField`.
pub(super) fn set_custom_field(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (context.place, context.rules);
    let key = tax::method_key(arguments, context.document, place)?;
    let custom = holder_of(context.document, key.as_deref(), place)?.get_mut(CUSTOM);
    let Some(custom) = custom.and_then(Value::as_object_mut) else {
        return Err(ApiError::invalid_operation(format!("{place}: there are no custom fields yet.")));
    };
    let value = arguments.get("value").filter(|value| !value.is_null()).cloned();
    conversion::set_custom_field(custom, must_text(arguments, &["name"])?, value, rules).map(drop)
}

fn info_of<'d>(context: &'d mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<&'d mut Document> {
    let place = context.place;
    let key = tax::method_key(arguments, context.document, place)?;
    let info =
        holder_of(context.document, key.as_deref(), place)?.get_mut(INFO).and_then(Value::as_object_mut);
    info.ok_or_else(|| ApiError::invalid_operation(format!("{place}: the Cart has no shipping method yet.")))
}

/// Returns the object with the shipping fields: the Cart, or the entry of `shipping` with a key.
fn holder_of<'d>(cart: &'d mut Document, key: Option<&str>, place: &str) -> ApiResult<&'d mut Document> {
    match key {
        None => Ok(cart),
        Some(key) => with_key(cart, key, place),
    }
}

fn with_key<'d>(cart: &'d mut Document, key: &str, place: &str) -> ApiResult<&'d mut Document> {
    let found = holders(cart)?.into_iter().find(|holder| text(holder, &[KEY]) == Some(key));
    found.ok_or_else(|| {
        ApiError::invalid_operation(format!("{place}: the Cart has no shipping method with the key '{key}'."))
    })
}
