//! Custom line items: a quantity of an item that is no Product.
//!
//! Source: reference types `CustomLineItemDraft`, `CartAddCustomLineItemAction` (equal items add up; a slug
//! identifies one item), `CartChangeCustomLineItemMoneyAction`.

use super::items::{self, CUSTOM, in_model_order};
use super::prices::stored_money;
use super::{shipping_details, states, tax};
use crate::item_shipping_details::admit_item;
use kontor_engine::conversion;
use kontor_engine::document::{has_enum, must_text};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_enums::TaxMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Fields that must be equal for two custom line items to add up.
const EQUAL_FIELDS: [&str; 5] = ["name", "money", "taxCategory", "custom", "priceMode"];

/// `addCustomLineItem`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let rules = context.rules;
    let missing = || ApiError::bug("the model lacks a shape that rules name");
    let shape = rules.model.object_by_name(CUSTOM.shape).ok_or_else(missing)?;
    let item =
        conversion::convert_object(context.action.arguments, shape, arguments.clone(), context.place, rules)?;
    let state = states::initial_state(rules)?;
    let item = create_custom_line_item(item, arguments, context.document, &state, context.place, rules)?;
    add_or_merge(item, context.document, context.place)
}

/// Creates a custom line item from its draft.
///
/// 400 `RequiredField`: no Tax Category in Tax Mode `Platform`; `InvalidOperation`: another currency than the
/// Cart's.
pub(super) fn create_custom_line_item(
    mut item: Document,
    sent: &Document,
    cart: &Document,
    state: &Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    if !item.contains_key("taxCategory") && has_enum(cart, &["taxMode"], TaxMode::Platform) {
        return Err(ApiError::required_field(&format!("{place}.taxCategory")));
    }
    admit_money(&item, items::currency(cart)?, place)?;
    item.insert("state", states::all_in(state, items::quantity(&item)));
    tax::read_external_rates(&mut item, sent, cart, place, rules)?;
    shipping_details::read_sent_details(&mut item, place)?;
    in_model_order(CUSTOM.shape, item, rules)
}

/// Adds a custom line item, or increases the quantity of an equal one.
///
/// 400 `InvalidOperation`: a different item has its slug.
pub(super) fn add_or_merge(item: Document, cart: &mut Document, place: &str) -> ApiResult<()> {
    let same_slug = CUSTOM.each_mut(cart)?.find(|other| other.get("slug") == item.get("slug"));
    let Some(other) = same_slug else {
        admit_item(CUSTOM.shape, &item)?;
        CUSTOM.all_mut(cart)?.push(Value::Object(item));
        return Ok(());
    };
    if !adds_up(other, &item) {
        return Err(ApiError::invalid_operation(format!(
            "{place}.slug: another Custom Line Item of the Cart has the slug '{}'.",
            must_text(&item, &["slug"])?
        )));
    }
    let quantity = items::add_quantities(items::quantity(other), items::quantity(&item), place)?;
    other.insert("quantity", json!(quantity));
    if let Some(rate) = item.get("taxRate") {
        other.insert("taxRate", rate.clone());
    }
    shipping_details::merge(other, &item, &CUSTOM, place)
}

/// Whether two custom line items are equal: the same slug, name, price, Tax Category and custom fields.
pub(super) fn adds_up(one: &Document, other: &Document) -> bool {
    one.get("slug") == other.get("slug") && EQUAL_FIELDS.iter().all(|name| one.get(*name) == other.get(*name))
}

/// `changeCustomLineItemMoney`.
pub(super) fn change_money(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let Some(Value::Object(money)) = arguments.get("money") else {
        return Err(ApiError::bug("an action without its amount"));
    };
    let place = format!("{}.money", context.place);
    let money = stored_money(money, items::currency(context.document)?, &place)?;
    let item = CUSTOM.identified_item(context, arguments)?;
    item.insert("money", Value::Object(money));
    Ok(())
}

fn admit_money(item: &Document, currency: &str, place: &str) -> ApiResult<()> {
    match item.get("money") {
        Some(Value::Object(money)) => stored_money(money, currency, &format!("{place}.money")).map(|_| ()),
        _ => Err(ApiError::bug("a Custom Line Item without an amount")),
    }
}
