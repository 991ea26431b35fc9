//! Imports an Order created in another system: sets defaults and validates the draft. Start at [`complete`].
//!
//! Only the price of one item and its tax are calculated, unless the draft has a `taxedPrice`; totals are those of
//! the draft.
//!
//! Source: reference types `OrderImportDraft`, `LineItemImportDraft`, `CustomLineItemImportDraft`,
//! `ProductVariantImportDraft`, `ShippingInfoImportDraft`, and the endpoint "Create Order by Import"
//! (`OutOfStock`, `CountryNotConfiguredInStore`).

use super::{item_states, stock};
use crate::business_unit_reference::{self, UnitDocumentKind};
use crate::item_shipping_details::address_keys;
use crate::price::{check_prices, money_document, money_in, price_of};
use crate::purchasable_variant::PurchasableVariant;
use crate::sold_in_store::{admit_channels, admit_channels_of_store, admit_country, store_of};
use crate::stored_taxes::put_taxed_price;
use crate::transition::first_state;
use kontor_engine::document::{
    enum_at, has_enum, list, must_integer, must_text, object_or_empty, reference, text,
};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::{
    LineItemMode, LineItemPriceMode, RoundingMode, ShippingMode, StateTypeEnum, TaxCalculationMode, TaxMode,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;
use kontor_pricing::{Currency, Money};
use std::collections::HashSet;

const ORDER: UnitDocumentKind = UnitDocumentKind { noun: "Order", customer: &["customerId"] };
const TAXED: &str = "taxedPrice";
/// The id that no Product has.
const NO_PRODUCT: &str = "00000000-0000-0000-0000-000000000000";
/// Fields of a product variant that an import may override.
const OVERRIDABLE_VARIANT_FIELDS: [&str; 3] = ["prices", "attributes", "images"];

/// Completes an imported Order, and reduces the stock by its inventory mode.
pub(super) fn complete(order: &mut Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    if list(order, &["lineItems"]).is_empty() && list(order, &["customLineItems"]).is_empty() {
        return Err(ApiError::invalid_operation("An Order needs lineItems or customLineItems."));
    }
    if let Some(id) = text(order, &["customerId"]) {
        let missing = || ApiError::referenced_resource_not_found("customer", Some(id), None);
        rules.peek_type("customer", id)?.ok_or_else(missing)?;
    }
    business_unit_reference::check_unit(None, order, &ORDER, rules)?;
    address_keys(order)?;
    admit_country(order, rules)?;
    if let Some(state) = order.get("state") {
        first_state(state, StateTypeEnum::OrderState, rules)?;
    }
    // Taxes are external, like all prices of an import.
    order.insert("taxMode", json!(TaxMode::External));
    order.insert("shippingMode", json!(ShippingMode::Single));
    for name in ["discountCodes", "directDiscounts", "returnInfo"] {
        order.entry(name).or_insert_with(|| json!([]));
    }
    if let Some(Value::Object(taxed)) = order.get_mut(TAXED) {
        complete_taxed_price(taxed, TAXED)?;
    }
    complete_items(order, rules)?;
    complete_shipping(order, rules)?;
    stock::reduce_stock(order, rules, effects)
}

/// Sets the default of `totalTax`.
///
/// 400 `InvalidOperation`: net and gross amounts of different currencies.
fn complete_taxed_price(taxed: &mut Document, place: &str) -> ApiResult<()> {
    if taxed.contains_key("totalTax") {
        return Ok(());
    }
    let (gross, net) = (money_in(taxed, "totalGross")?, money_in(taxed, "totalNet")?);
    if gross.currency() != net.currency() {
        return Err(ApiError::invalid_operation(format!("{place}: all amounts must be of one currency.")));
    }
    let tax = Money::Cent { currency: gross.currency(), cents: gross.cents().minus(net.cents())? };
    taxed.insert("totalTax", Value::Object(money_document(tax)));
    Ok(())
}

/// Keeps the `taxedPrice` of an item or of shipping, if the draft has one. Returns whether it does.
///
/// 400 `InvalidOperation`: an amount in another currency than the price.
fn keep_taxed_price(holder: &mut Document, currency: Currency, place: &str) -> ApiResult<bool> {
    let Some(Value::Object(taxed)) = holder.get_mut(TAXED) else { return Ok(false) };
    let place = format!("{place}.{TAXED}");
    let totals = ["totalNet", "totalGross", "totalTax"].into_iter().filter_map(|name| taxed.get(name));
    let portions = list(taxed, &["taxPortions"]).iter().map(|portion| &portion["amount"]);
    if let Some(other) = totals.chain(portions).find(|amount| amount["currencyCode"] != currency.code()) {
        return Err(ApiError::invalid_operation(format!(
            "{place}: an amount in {} was sent, expected {}, which is the currency of the price.",
            other["currencyCode"].as_str().unwrap_or_default(),
            currency.code()
        )));
    }
    complete_taxed_price(taxed, &place)?;
    Ok(true)
}

/// Sets the defaults of items.
fn complete_items(order: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let store = store_of(order, rules)?;
    let (rounding, tax_rounding) =
        (rounding_mode(order, "priceRoundingMode")?, rounding_mode(order, "taxRoundingMode")?);
    let is_taxed_by_unit = has_enum(order, &["taxCalculationMode"], TaxCalculationMode::UnitPriceLevel);
    let currency = must_text(order, &["totalPrice", "currencyCode"])?.to_owned();
    let initial = initial_state(rules)?;
    for field in ["lineItems", "customLineItems"] {
        let Some(Value::Array(items)) = order.get_mut(field) else { continue };
        let mut keys = HashSet::new();
        for (index, item) in items.iter_mut().enumerate() {
            let place = format!("{field}[{index}]");
            let Value::Object(item) = item else { continue };
            if let Some(key) = item.get("key").filter(|key| !keys.insert((*key).clone())) {
                return Err(ApiError::duplicate_field(&format!("{field}.key"), key.clone()));
            }
            let quantity = must_integer(item, &["quantity"])?;
            let one = match field {
                "lineItems" => {
                    complete_line(item, store.as_deref(), &place, rules)?;
                    let price = item.get("price").and_then(Value::as_object);
                    let price = price.ok_or_else(|| ApiError::required_field("price"))?;
                    price_of(price)?.value_for_quantity(quantity)
                }
                _ => money_in(item, "money")?,
            };
            if one.currency().code() != currency {
                return Err(ApiError::invalid_operation(format!(
                    "{place}: its currency is {}, and that of totalPrice {currency}.",
                    one.currency().code()
                )));
            }
            let total = Money::Cent { currency: one.currency(), cents: one.total(quantity, rounding)? };
            item.insert("totalPrice", Value::Object(money_document(total)));
            admit_taxed_price(item, &place)?;
            if !keep_taxed_price(item, one.currency(), &place)? {
                put_taxed_price(item, total, is_taxed_by_unit.then_some((one, quantity)), tax_rounding)?;
            }
            complete_states(item, quantity, &initial, &place, rules)?;
        }
    }
    Ok(())
}

/// 400 `InvalidField`: an item has a `taxedPrice` without a `taxRate` (reference type `LineItemImportDraft`).
fn admit_taxed_price(item: &Document, place: &str) -> ApiResult<()> {
    match item.get(TAXED).filter(|_| !item.contains_key("taxRate")) {
        Some(taxed) => Err(ApiError::invalid_field(
            &format!("{place}.{TAXED}"),
            taxed,
            "Expected it together with taxRate only.",
            None,
        )),
        None => Ok(()),
    }
}

/// Copies the product variant into a line item, except for fields of the draft.
fn complete_line(
    line: &mut Document,
    store: Option<&Document>,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    admit_channels(line, store, place, rules)?;
    if let Some(store) = store {
        admit_channels_of_store(line, store, place)?;
    }
    let sent = object_or_empty(line, &["variant"]);
    admit_variant(line, &sent, place)?;
    let mut wanted = Document::new();
    wanted.extend(sent.get("sku").map(|sku| ("sku".to_owned(), sku.clone())));
    wanted.extend(sent.get("id").map(|id| ("variantId".to_owned(), id.clone())));
    wanted.extend(line.get("productId").map(|id| ("productId".to_owned(), id.clone())));
    let name = line.get("name").cloned();
    match find_variant(&wanted, place, rules)? {
        Some(sold) => sold.copy_fields_to(line, store.and_then(|store| text(store, &["key"])), rules)?,
        None => fill_unknown_variant(line, &sent),
    }
    line.extend(name.map(|name| ("name".to_owned(), name)));
    if let Some(Value::Object(variant)) = line.get_mut("variant") {
        for field in OVERRIDABLE_VARIANT_FIELDS {
            if let Some(value) = sent.get(field) {
                variant.insert(field, value.clone());
            }
        }
    }
    line.insert("priceMode", json!(LineItemPriceMode::ExternalPrice));
    line.insert("lineItemMode", json!(LineItemMode::Standard));
    line.insert("addedAt", json!(rules.time()));
    line.insert("lastModifiedAt", json!(rules.time()));
    Ok(())
}

/// Validates the variant of a draft (reference types `LineItemImportDraft`, `ProductVariantImportDraft`).
///
/// 400 `RequiredField`: a Product without its Variant; `DuplicatePriceScope`: two prices of one scope and
/// period.
fn admit_variant(line: &Document, sent: &Document, place: &str) -> ApiResult<()> {
    if line.contains_key("productId") && !sent.contains_key("id") && !sent.contains_key("sku") {
        return Err(ApiError::required_field(&format!("{place}.variant.id")));
    }
    match check_prices(list(sent, &["prices"]), &Location::Text(&format!("{place}.variant.prices"))) {
        // Partially overlapping periods are accepted: the other system sold at these prices.
        Err(refused) if refused.code() == Code::OverlappingPriceValidity => Ok(()),
        checked => checked,
    }
}

/// The Variant that a Line Item names: it need not be published, as it was sold elsewhere. `None`: no Product has its
/// SKU.
fn find_variant(wanted: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<Option<PurchasableVariant>> {
    if let Some(sold) = PurchasableVariant::from_imported_item(wanted, rules)? {
        return Ok(Some(sold));
    }
    match text(wanted, &["sku"]).filter(|_| !wanted.contains_key("productId")) {
        Some(sku) if !PurchasableVariant::is_there(sku, rules)? => Ok(None),
        _ => PurchasableVariant::from_draft(wanted, place, rules).map(Some),
    }
}

/// Fills a line item whose variant does not exist here (any more) from the draft. Its Product reference has
/// no target, like that of a deleted Product.
fn fill_unknown_variant(line: &mut Document, sent: &Document) {
    let mut variant = Document::new();
    variant.insert("id", sent.get("id").cloned().unwrap_or_else(|| json!(1)));
    variant.extend(sent.get("sku").map(|sku| ("sku".to_owned(), sku.clone())));
    for list in OVERRIDABLE_VARIANT_FIELDS.into_iter().chain(["assets"]) {
        variant.insert(list, json!([]));
    }
    line.insert("productId", json!(NO_PRODUCT));
    line.insert("variant", Value::Object(variant));
}

/// Checks that all units of an item are in some State, by default in the built-in one.
fn complete_states(
    item: &mut Document,
    quantity: i64,
    initial: &Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let states = list(item, &["state"]);
    if states.is_empty() {
        item.insert("state", json!([{"quantity": quantity, "state": initial}]));
        return Ok(());
    }
    for state in states {
        first_state(&state["state"], item_states::STATE, rules)?;
    }
    let sum = states.iter().filter_map(|state| state["quantity"].as_i64()).fold(0_i64, i64::saturating_add);
    if sum == quantity {
        return Ok(());
    }
    let what = format!("{place}.state: the States hold {sum} units, and the item has {quantity}.");
    Err(ApiError::invalid_operation(what))
}

/// Returns a rounding mode of the Order; `HalfEven` if the draft has none.
fn rounding_mode(order: &Document, field: &str) -> ApiResult<RoundingMode> {
    Ok(enum_at(order, &[field])?.unwrap_or(RoundingMode::HalfEven))
}

/// Sets the shipping price with its tax, and the creation times of deliveries and parcels: now, if the draft
/// has none.
fn complete_shipping(order: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let tax_rounding = rounding_mode(order, "taxRoundingMode")?;
    let Some(Value::Object(info)) = order.get_mut("shippingInfo") else { return Ok(()) };
    let price = match info.get("discountedPrice").and_then(Value::as_object) {
        Some(discounted) => money_in(discounted, "value")?,
        None => money_in(info, "price")?,
    };
    if !keep_taxed_price(info, price.currency(), "shippingInfo")? {
        put_taxed_price(info, price, None, tax_rounding)?;
    }
    let now = json!(rules.time());
    let Some(Value::Array(deliveries)) = info.get_mut("deliveries") else { return Ok(()) };
    let (mut keys, mut parcel_keys) = (HashSet::new(), HashSet::new());
    for (index, delivery) in deliveries.iter_mut().enumerate() {
        let place = format!("shippingInfo.deliveries[{index}]");
        admit_key(&mut keys, delivery, &place)?;
        delivery["createdAt"] = now.clone();
        for (index, parcel) in delivery["parcels"].as_array_mut().into_iter().flatten().enumerate() {
            admit_key(&mut parcel_keys, parcel, &format!("{place}.parcels[{index}]"))?;
            parcel["createdAt"] = now.clone();
        }
    }
    Ok(())
}

/// No two deliveries of an Order have one key, and no two parcels (reference types `DeliveryDraft`, `ParcelDraft`).
///
/// 400 `DuplicateField`.
fn admit_key(keys: &mut HashSet<Value>, of: &Value, place: &str) -> ApiResult<()> {
    let key = &of["key"];
    if !key.is_null() && !keys.insert(key.clone()) {
        return Err(ApiError::duplicate_field(&format!("{place}.key"), key.clone()));
    }
    Ok(())
}

/// Returns the built-in initial State of items.
fn initial_state(rules: &Rules<'_>) -> ApiResult<Value> {
    match rules.peek_unique("state", "key", "Initial")? {
        Some(found) => Ok(reference("state", &found.id)),
        None => Err(ApiError::bug("a project without its initial State")),
    }
}
