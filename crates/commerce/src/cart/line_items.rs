//! Line items: a quantity of one product variant.
//!
//! Source: reference types `LineItemDraft`, `CartAddLineItemAction` (equal items add up),
//! `CartRecalculateAction`, `CartSetLineItem…Action`.

use super::items::{self, LINES, in_model_order};
use super::prices::{self, ExternalPrice};
use super::reprice_flags::{self, PRICE_MODE};
use super::{shipping_details, states, tax};
use crate::item_shipping_details::admit_item;
use crate::purchasable_variant::PurchasableVariant;
use crate::sold_in_store::{self, DISTRIBUTION, SUPPLY};
use kontor_engine::conversion;
use kontor_engine::document::{has_enum, set, text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::{LineItemMode, LineItemPriceMode};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const INVENTORY_MODE: &str = "inventoryMode";

/// Fields that must be equal for two line items to add up.
const EQUAL_FIELDS: [&str; 7] = [
    "custom",
    "supplyChannel",
    "distributionChannel",
    "lineItemMode",
    PRICE_MODE,
    INVENTORY_MODE,
    "recurrenceInfo",
];

/// `addLineItem`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let rules = context.rules;
    let missing = || ApiError::bug("the model lacks a shape that rules name");
    let shape = rules.model.object_by_name(LINES.shape).ok_or_else(missing)?;
    let item =
        conversion::convert_object(context.action.arguments, shape, arguments.clone(), context.place, rules)?;
    let state = states::initial_state(rules)?;
    let line = create_line_item(item, arguments, context.document, &state, context.place, rules)?;
    add_or_merge(line, context.document, context.place)
}

/// Creates a line item from its draft, with its copy of the product variant.
pub(super) fn create_line_item(
    line: Document,
    sent: &Document,
    cart: &Document,
    state: &Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let sold = PurchasableVariant::from_draft(sent, place, rules)?;
    complete_line_item(&sold, line, sent, cart, state, place, rules)
}

/// Like [`create_line_item`], for a product variant that is already looked up.
pub(super) fn complete_line_item(
    sold: &PurchasableVariant,
    mut line: Document,
    sent: &Document,
    cart: &Document,
    state: &Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let store = sold_in_store::store_of(cart, rules)?;
    if let Some(store) = &store {
        sold.admit_in(store, place, rules)?;
    }
    sold_in_store::admit_channels(&line, store.as_deref(), place, rules)?;
    sold.copy_fields_to(&mut line, text(cart, &["store", "key"]), rules)?;
    line.entry("addedAt").or_insert_with(|| json!(rules.time()));
    line.insert("lastModifiedAt", json!(rules.time()));
    line.insert("lineItemMode", json!(LineItemMode::Standard));
    line.insert("state", states::all_in(state, items::quantity(&line)));
    if line.get(INVENTORY_MODE) == cart.get(INVENTORY_MODE) {
        line.shift_remove(INVENTORY_MODE);
    }
    ExternalPrice::read(sent, items::currency(cart)?, place)?.apply_to(&mut line, rules);
    tax::read_external_rates(&mut line, sent, cart, place, rules)?;
    shipping_details::read_sent_details(&mut line, place)?;
    in_model_order(LINES.shape, line, rules)
}

/// Adds a line item to a Cart, or increases the quantity of an equal one.
pub(super) fn add_or_merge(line: Document, cart: &mut Document, place: &str) -> ApiResult<()> {
    let Some(other) = LINES.each_mut(cart)?.find(|other| adds_up(other, &line)) else {
        admit_item(LINES.shape, &line)?;
        LINES.all_mut(cart)?.push(Value::Object(line));
        return Ok(());
    };
    let quantity = items::add_quantities(items::quantity(other), items::quantity(&line), place)?;
    other.insert("quantity", json!(quantity));
    shipping_details::merge(other, &line, &LINES, place)?;
    if let Some(rate) = line.get("taxRate") {
        other.insert("taxRate", rate.clone());
    }
    reprice_flags::choose_price(other);
    Ok(())
}

/// Whether two line items are merged into one: the same product variant, priced by the platform, with the same custom
/// fields, Channels and modes. Line items with an external price are never merged.
pub(super) fn adds_up(one: &Document, other: &Document) -> bool {
    let variant = |line: &Document| line.get("variant").and_then(|variant| variant["id"].as_i64());
    has_enum(one, &[PRICE_MODE], LineItemPriceMode::Platform)
        && text(one, &["productId"]) == text(other, &["productId"])
        && EQUAL_FIELDS.iter().all(|name| one.get(*name) == other.get(*name))
        && variant(one) == variant(other)
}

/// `recalculate`: marks prices and tax rates for a new selection, and copies product variants again if the
/// action requests it. Line items that are no longer sold, or have no Price any more, are removed (public release notes,
/// 17 October 2017).
pub(super) fn recalculate(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if reprice_flags::is_frozen(context.document) {
        return Ok(());
    }
    if arguments.get("updateProductData") == Some(&Value::Bool(true)) {
        update_product_data(context.document, context.rules)?;
    }
    reprice_flags::choose_prices_or_remove(context.document)?;
    reprice_flags::choose_tax_rates(context.document)
}

/// Updates the copies of product variants in line items.
pub(super) fn update_product_data(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let store = text(cart, &["store", "key"]).map(str::to_owned);
    for line in LINES.each_mut(cart)? {
        let sold = match PurchasableVariant::kept_in_line(line, rules)? {
            Some(sold) => sold,
            // A gift is removed with its discount, and others when their prices are selected.
            None if items::is_gift(line) || reprice_flags::is_priced_by_platform(line) => continue,
            None => return Err(prices::no_longer_sold(line)),
        };
        sold.copy_fields_to(line, store.as_deref(), rules)?;
        *line = in_model_order(LINES.shape, std::mem::take(line), rules)?;
    }
    Ok(())
}

/// `setLineItemDistributionChannel`: marks the price for a new selection.
pub(super) fn set_distribution_channel(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    set_channel(context, arguments, DISTRIBUTION)?;
    let line = LINES.identified_item(context, arguments)?;
    reprice_flags::choose_price_of_platform(line);
    Ok(())
}

/// `setLineItemSupplyChannel`.
pub(super) fn set_supply_channel(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    set_channel(context, arguments, SUPPLY)
}

/// `setLineItemInventoryMode`: stored only if it differs from that of the Cart.
pub(super) fn set_inventory_mode(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let of_cart = context.document.get(INVENTORY_MODE).cloned();
    let mode = arguments.get(INVENTORY_MODE).filter(|mode| Some(*mode) != of_cart.as_ref()).cloned();
    set(LINES.identified_item(context, arguments)?, &[INVENTORY_MODE], mode);
    Ok(())
}

fn set_channel(context: &mut ActionContext<'_, '_>, arguments: &Document, field: &str) -> ApiResult<()> {
    let (rules, place) = (context.rules, context.place);
    let store = sold_in_store::store_of(context.document, rules)?;
    let line = LINES.identified_item(context, arguments)?;
    set(line, &[field], arguments.get(field).cloned());
    sold_in_store::admit_channels(line, store.as_deref(), place, rules)
}
