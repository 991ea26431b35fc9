//! Creates an Order from a Cart in one change: the Cart gets the state `Ordered`, stock is reduced, the Order
//! is created.
//!
//! Source: reference types `OrderFromCartDraft`, `MyOrderFromCartDraft`, `OrderCreatedMessage`,
//! `InventoryMode`, `OutOfStockError`, `ShippingMethodDoesNotMatchCartError`.

use super::stock;
use crate::business_unit_reference;
use crate::buyer;
use crate::copied_fields::copy_fields;
use crate::item_shipping_details;
use crate::kinds;
use crate::recurrence::begin_with_order;
use crate::shipped_by::admit_methods_of;
use crate::transition::first_state;
use kontor_engine::conversion::custom_fields;
use kontor_engine::document::{enum_at, list, must_text, object_or_empty, reference, text};
use kontor_engine::{
    Document, Effects, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules,
};
use kontor_enums::{CartState, OrderState, ShippingMethodState, StateTypeEnum, TaxMode};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;

/// `POST /orders`.
pub(crate) const FROM_CART: EndpointHandler = EndpointHandler { find, act: create_order };
/// `POST /me/orders`.
pub(crate) const MINE_FROM_CART: EndpointHandler = EndpointHandler { find, act: create_order };
/// Fields that the Order copies from the draft.
pub(super) const OF_DRAFT: &[&str] =
    &["orderNumber", "purchaseOrderNumber", "paymentState", "shipmentState", "orderState"];

fn find(draft: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    made_from("cart", draft, rules)
}

/// Resolves the Order's source (`cart` or `quote`, the name of the field) by its bare id (legacy form) or by
/// an identifier.
pub(super) fn made_from(name: &str, draft: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let version = draft.get("version").and_then(Value::as_i64);
    let (document, missing) = match (draft.get(name), text(draft, &["id"])) {
        (Some(Value::Object(identifier)), _) => {
            let missing = |id, key| ApiError::referenced_resource_not_found(name, id, key);
            let missing = missing(text(identifier, &["id"]), text(identifier, &["key"]));
            (rules.resolve_source(identifier)?.document, missing)
        }
        (_, Some(id)) => {
            let missing = ApiError::referenced_resource_not_found(name, Some(id), None);
            (rules.peek_type(name, id)?.ok_or_else(|| missing.clone())?, missing)
        }
        _ => return Err(ApiError::required_field(name)),
    };
    let id = must_text(&document, &["id"])?.to_owned();
    Ok(EndpointTarget {
        id,
        version,
        claims: stock::stock_claims(&document)?,
        missing: Some(missing),
        ..EndpointTarget::default()
    })
}

/// Returns the Order of the Cart without its id; reduces the stock of its items.
pub(crate) fn create_order_document(
    cart: &Document,
    draft: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    admit_cart(cart)?;
    let order = order_of(cart, draft, rules)?;
    stock::reduce_stock(&order, rules, effects)?;
    Ok(order)
}

fn create_order(context: &mut EndpointContext<'_, '_>, draft: &Document) -> ApiResult<EndpointReply> {
    buyer::admit_unit(context.document, context.rules)?;
    business_unit_reference::admit_ordered("Cart", context.document, context.rules)?;
    admit_methods_of(context.document, context.rules)?;
    let order = create_order_document(context.document, draft, context.rules, context.effects)?;
    let id = context.create_settled(kinds::ORDER, order, "OrderCreated")?;
    begin_with_order(context.document, &id, context.rules, context.effects)?;
    context.document.insert("cartState", json!(CartState::Ordered));
    Ok(EndpointReply::Created)
}

/// Whether a Cart can be ordered as it is.
pub(crate) fn admit_cart(cart: &Document) -> ApiResult<()> {
    let refuse = |what: &str| Err(ApiError::invalid_operation(what));
    if !matches!(enum_at(cart, &["cartState"])?, Some(CartState::Active | CartState::Frozen)) {
        let state = must_text(cart, &["cartState"])?.to_lowercase();
        return refuse(&format!("The Cart is {state}, so that no Order can be made of it."));
    }
    if list(cart, &["lineItems"]).is_empty() && list(cart, &["customLineItems"]).is_empty() {
        return refuse("An Order cannot be made of an empty Cart.");
    }
    let mode = enum_at(cart, &["taxMode"])?;
    let is_shipped = cart.contains_key("shippingAddress") || !list(cart, &["shipping"]).is_empty();
    if !is_shipped {
        return refuse("The Cart has no shipping address, which each Order needs, whatever its Tax Mode.");
    }
    if matches!(mode, Some(TaxMode::External | TaxMode::ExternalAmount)) && !cart.contains_key("taxedPrice") {
        return refuse("The Cart is not taxed: each item, and shipping, needs its tax rate.");
    }
    item_shipping_details::admit_complete(cart)?;
    let methods = list(cart, &["shipping"]).iter().map(|method| &method["shippingInfo"]);
    for info in methods.chain(cart.get("shippingInfo")) {
        if info["shippingMethodState"] == ShippingMethodState::DoesNotMatchCart.as_str() {
            let message = "The predicate of the shipping method does not match the cart.";
            return Err(ApiError::new(Code::ShippingMethodDoesNotMatchCart, message));
        }
    }
    Ok(())
}

/// Copies each field that both Cart and Order have.
fn order_of(cart: &Document, draft: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let mut order = copy_fields(cart, "Order", &[], rules)?;
    for name in OF_DRAFT {
        if let Some(value) = draft.get(*name).filter(|value| !value.is_null()) {
            order.insert((*name).to_owned(), value.clone());
        }
    }
    order.entry("orderState").or_insert_with(|| json!(OrderState::Open));
    order.insert("syncInfo", json!([]));
    order.insert("returnInfo", json!([]));
    order.insert("cart", reference("cart", must_text(cart, &["id"])?));
    if let Some(Value::Object(custom)) = draft.get("custom") {
        order.insert("custom", custom_of(custom, cart, rules)?);
    }
    if let Some(Value::Object(state)) = draft.get("state") {
        let state = reference("state", &rules.resolve(state)?.id);
        first_state(&state, StateTypeEnum::OrderState, rules)?;
        order.insert("state", state);
    }
    Ok(order)
}

/// Merges the custom fields of the draft with those of the Cart; the draft takes precedence.
///
/// 400 `InvalidOperation`: they are not of one Type.
fn custom_of(sent: &Document, cart: &Document, rules: &Rules<'_>) -> ApiResult<Value> {
    let mut draft = sent.clone();
    if let (Some(Value::Object(identifier)), Some(there)) =
        (sent.get("type"), text(cart, &["custom", "type", "id"]))
    {
        let wanted = rules.resolve(identifier)?.id;
        if wanted != there {
            return Err(ApiError::invalid_operation(format!(
                "custom.type: it is '{wanted}', and the custom fields of the Cart are of the Type '{there}'."
            )));
        }
        let mut fields = object_or_empty(cart, &["custom", "fields"]);
        fields.extend(object_or_empty(sent, &["fields"]));
        draft.insert("fields", Value::Object(fields));
    }
    custom_fields(draft, "order", &Location::Text("custom"), rules)
}
