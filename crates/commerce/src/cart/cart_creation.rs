//! Creation of a Cart: defaults of the draft, and its items.
//!
//! Source: reference types `CartDraft`, `MyCartDraft`, `CartsConfiguration`.

use super::items::{CUSTOM, CartItemKind, LINES};
use super::{
    DAYS, custom_line_items, customer, days_of_project, discount_codes, line_items, shipping, states, tax,
};
use crate::sold_in_store::admit_country;
use kontor_engine::document::{enum_at, get, list, must_text, text};
use kontor_engine::{Document, Rules};
use kontor_enums::{
    CartOrigin, CartState, InventoryMode, RoundingMode, ShippingMode, TaxCalculationMode, TaxMode,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_pricing::{CentAmount, Currency, Money};

/// Defaults of fields that neither the draft nor the Project sets.
const DEFAULTS: [(&str, &str); 8] = [
    ("taxMode", TaxMode::Platform.as_str()),
    ("priceRoundingMode", RoundingMode::HalfEven.as_str()),
    ("taxRoundingMode", RoundingMode::HalfEven.as_str()),
    ("taxCalculationMode", TaxCalculationMode::LineItemLevel.as_str()),
    ("inventoryMode", InventoryMode::None.as_str()),
    ("shippingMode", ShippingMode::Single.as_str()),
    ("origin", CartOrigin::Customer.as_str()),
    ("cartState", CartState::Active.as_str()),
];

pub(super) fn complete(after: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let currency = must_text(draft, &["currency"])?;
    after.insert("totalPrice", nothing_in(currency)?);
    for (name, default) in DEFAULTS {
        if !after.contains_key(name) {
            let of_project = get(rules.project, &["carts", name]).cloned();
            after.insert(name, of_project.unwrap_or_else(|| json!(default)));
        }
    }
    if rules.bounds.mine.is_some() {
        tax::admit_my_mode(text(after, &["taxMode"]), "taxMode")?;
    }
    let stays = matches!(enum_at(after, &["origin"])?, Some(CartOrigin::Quote | CartOrigin::RecurringOrder));
    if !stays && !after.contains_key(DAYS) {
        after.extend(days_of_project(rules).map(|days| (DAYS.to_owned(), days)));
    }
    if let Some(id) = text(draft, &["customerId"]) {
        customer::admit_named(id, rules)?;
    }
    if !stays {
        customer::admit_store(after, rules)?;
    }
    customer::take_group(after, rules)?;
    admit_country(after, rules)?;
    complete_items(after, draft, rules)?;
    discount_codes::add_codes_of_draft(after, draft, rules)?;
    shipping::complete(after, draft, rules)
}

fn nothing_in(currency: &str) -> ApiResult<Value> {
    let currency = Currency::from_code(currency).ok_or_else(|| {
        ApiError::invalid_field("currency", &json!(currency), "Expected an ISO 4217 code.", None)
    })?;
    let nothing = Money::Cent { currency, cents: CentAmount::ZERO };
    Ok(Value::Object(crate::price::money_document(nothing)))
}

fn complete_items(after: &mut Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let lines = take_items(after, &LINES)?;
    let custom = take_items(after, &CUSTOM)?;
    if lines.is_empty() && custom.is_empty() {
        return Ok(());
    }
    let state = states::initial_state(rules)?;
    for (index, (line, sent)) in lines.into_iter().zip(objects(draft, &LINES)).enumerate() {
        let place = format!("{}[{index}]", LINES.field);
        let line = line_items::create_line_item(line, sent, after, &state, &place, rules)?;
        line_items::add_or_merge(line, after, &place)?;
    }
    for (index, (item, sent)) in custom.into_iter().zip(objects(draft, &CUSTOM)).enumerate() {
        let place = format!("{}[{index}]", CUSTOM.field);
        let item = custom_line_items::create_custom_line_item(item, sent, after, &state, &place, rules)?;
        custom_line_items::add_or_merge(item, after, &place)?;
    }
    Ok(())
}

/// Removes and returns the items that the model converted from the draft.
fn take_items(cart: &mut Document, of: &CartItemKind) -> ApiResult<Vec<Document>> {
    let items = std::mem::take(of.all_mut(cart)?);
    Ok(items
        .into_iter()
        .filter_map(|item| if let Value::Object(item) = item { Some(item) } else { None })
        .collect())
}

fn objects<'d>(draft: &'d Document, of: &CartItemKind) -> impl Iterator<Item = &'d Document> {
    list(draft, &[of.field]).iter().filter_map(Value::as_object)
}
