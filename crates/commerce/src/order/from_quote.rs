//! Creates an Order from a Quote in one change: the Quote is accepted if the draft requests it, stock is
//! reduced, the Order is created with the prices of the Quote.
//!
//! Source: reference types `OrderFromQuoteDraft`, `MyOrderFromQuoteDraft`; operations "Create Order from
//! Quote", "Create My Order from Quote" (the permission below `/me`).

use super::from_cart::{OF_DRAFT, made_from};
use super::stock;
use crate::business_unit_reference;
use crate::buyer::{self, OwnOrOthersPermission};
use crate::copied_fields::copy_fields;
use crate::kinds;
use crate::shipped_by::admit_methods_of;
use crate::sold_in_store::admit_country;
use crate::transition::first_state;
use kontor_engine::conversion::custom_fields;
use kontor_engine::document::{fields, list, must_enum, must_text, reference, text};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_enums::{CartOrigin, InventoryMode, OrderState, QuoteState, ShippingMode, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Location;
use std::sync::Arc;

/// `POST /orders/quotes`.
pub(crate) const FROM_QUOTE: EndpointHandler = EndpointHandler { find, act: create_order };
/// `POST /me/orders/quotes`.
pub(crate) const MINE_FROM_QUOTE: EndpointHandler = EndpointHandler { find, act: create_order };

/// The permissions of a buyer who acts for a Business Unit.
const CREATION: OwnOrOthersPermission = OwnOrOthersPermission {
    operation: "create order",
    own_permission: "CreateMyOrdersFromMyQuotes",
    others_permission: "CreateOrdersFromOthersQuotes",
};
/// The state of the Quote, shown to seller and buyer.
const QUOTE_STATE: &str = "quoteState";

fn find(draft: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    made_from("quote", draft, rules)
}

fn create_order(context: &mut EndpointContext<'_, '_>, draft: &Document) -> ApiResult<EndpointReply> {
    let (quote, rules) = (&*context.document, context.rules);
    rely_on(quote, rules)?;
    let unit = text(quote, &["businessUnit", "key"]);
    buyer::require_permission(&CREATION, text(quote, &["customer", "id"]), unit, rules)?;
    buyer::admit_unit(quote, rules)?;
    business_unit_reference::admit_ordered("Quote", quote, rules)?;
    admit(quote, rules)?;
    admit_first(quote, rules)?;
    admit_methods_of(quote, rules)?;
    admit_country(quote, rules)?;
    let order = order_of(quote, draft, rules)?;
    stock::reduce_stock(&order, rules, context.effects)?;
    if draft.get("quoteStateToAccepted") == Some(&json!(true)) {
        let (old, new) = (json!(QuoteState::Pending), json!(QuoteState::Accepted));
        context.document.insert(QUOTE_STATE, new.clone());
        context.emit("QuoteStateChanged", state_message_fields(old, new))?;
    }
    context.create_settled(kinds::ORDER, order, "OrderCreated")?;
    Ok(EndpointReply::Created)
}

/// Makes an unchanged Quote a precondition of the commit, if the request does not change its State.
fn rely_on(quote: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    rules.find(kinds::QUOTE, must_text(quote, &["id"])?).map(drop)
}

/// The fields of the Message.
fn state_message_fields(old: Value, new: Value) -> Document {
    fields([(QUOTE_STATE, Some(new)), ("oldQuoteState", Some(old))])
}

/// Whether a Quote can be ordered.
fn admit(quote: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let refuse =
        |what: &str| Err(ApiError::invalid_operation(format!("No Order can be made of the Quote: {what}.")));
    let state: QuoteState = must_enum(quote, &[QUOTE_STATE])?;
    if state != QuoteState::Pending {
        return refuse(&format!("it is {}, expected {}", state.as_str(), QuoteState::Pending.as_str()));
    }
    if let Some(end) = text(quote, &["validTo"])
        && end <= rules.time()
    {
        return refuse(&format!("it was valid to {end}"));
    }
    if list(quote, &["lineItems"]).is_empty() && list(quote, &["customLineItems"]).is_empty() {
        return refuse("it is empty");
    }
    Ok(())
}

/// Checks that a Quote is ordered only once, even if it stays `Pending`.
///
/// 400 `InvalidOperation`: an Order of the Quote exists.
fn admit_first(quote: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let others = rules.find_others(kinds::ORDER, "quote.id", must_text(quote, &["id"])?, None)?;
    match others.first() {
        Some(other) => Err(ApiError::invalid_operation(format!(
            "No Order can be made of the Quote: there is one, with ID '{}'.",
            must_text(other, &["id"])?
        ))),
        None => Ok(()),
    }
}

/// Copies the fields of the Quote; and, if the Cart of the offer still exists, its fields that a Quote lacks.
fn order_of(quote: &Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let mut order = copy_fields(quote, "Order", &["custom", "state"], rules)?;
    let cart = cart_of(quote, rules)?;
    for name in ["customerEmail", "locale", "shippingKey", "shippingCustomFields", "discountTypeCombination"]
    {
        let value = cart.as_ref().and_then(|cart| cart.get(name)).cloned();
        order.extend(value.map(|value| (name, value)));
    }
    if let Some(id) = text(quote, &["customer", "id"]) {
        order.insert("customerId", json!(id));
        if let Some(customer) = rules.peek_type("customer", id)? {
            let email = text(&customer, &["email"]).map(|email| json!(email));
            let email = email.filter(|_| !order.contains_key("customerEmail"));
            order.extend(email.map(|email| ("customerEmail".to_owned(), email)));
        }
    }
    for (name, value) in [
        ("orderState", json!(OrderState::Open)),
        ("shippingMode", json!(ShippingMode::Single)),
        ("origin", json!(CartOrigin::Quote)),
        ("quote", reference("quote", must_text(quote, &["id"])?)),
        ("inventoryMode", quote.get("inventoryMode").cloned().unwrap_or_else(|| json!(InventoryMode::None))),
    ] {
        order.insert(name, value);
    }
    for name in ["shipping", "discountCodes", "refusedGifts", "syncInfo", "returnInfo"] {
        order.insert(name, json!([]));
    }
    for name in OF_DRAFT {
        let value = draft.get(*name).filter(|value| !value.is_null()).cloned();
        order.extend(value.map(|value| ((*name).to_owned(), value)));
    }
    if let Some(Value::Object(custom)) = draft.get("custom") {
        order.insert("custom", custom_fields(custom.clone(), "order", &Location::Text("custom"), rules)?);
    }
    if let Some(Value::Object(state)) = draft.get("state") {
        let state = reference("state", &rules.resolve(state)?.id);
        first_state(&state, StateTypeEnum::OrderState, rules)?;
        order.insert("state", state);
    }
    Ok(order)
}

/// Returns the Cart of the Staged Quote from which the Quote was created.
fn cart_of(quote: &Document, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    let id = must_text(quote, &["stagedQuote", "id"])?;
    let Some(staged) = rules.peek_type("staged-quote", id)? else { return Ok(None) };
    match text(&staged, &["quotationCart", "id"]) {
        Some(id) => rules.peek_type("cart", id),
        None => Ok(None),
    }
}
