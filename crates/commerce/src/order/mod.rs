//! Order: a purchase and its progress. `from_cart`, `from_quote` and `import` create Orders; the other modules contain
//! update actions. Start at [`Order`], which names the handler of each action.
//!
//! Source: reference types `Order`, `OrderFromCartDraft`, `Order…Action`, `Order…Message`; document A,
//! "Orders, Carts, Shipping". Conversations: `tests/api/orders/`.

mod addresses;
mod customer;
mod deliveries;
mod from_cart;
mod from_quote;
mod import;
mod item_states;
mod parcels;
mod part;
mod payments;
mod returns;
mod shipping;
mod shipping_details;
mod stock;
mod sync;

pub(crate) use from_cart::{FROM_CART, MINE_FROM_CART, admit_cart, create_order_document};
pub(crate) use from_quote::{FROM_QUOTE, MINE_FROM_QUOTE};

use crate::approval_flow;
use crate::item_shipping_details::{admit_change, admit_complete};
use crate::locale_of_project::admit_locale;
use crate::transition::transition_state;
use kontor_engine::document::fields;
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, Rules, conversion};
use kontor_enums::StateTypeEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::Location;

pub(crate) struct Order;

impl Behaviour for Order {
    fn resource(&self) -> &'static str {
        "Order"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addDelivery", deliveries::add),
            ("addItemShippingAddress", addresses::add),
            ("addParcelToDelivery", parcels::add),
            ("addPayment", payments::add),
            ("addReturnInfo", returns::add),
            ("importCustomLineItemState", |context, arguments| {
                item_states::import(context, arguments, &item_states::CUSTOM)
            }),
            ("importLineItemState", |context, arguments| {
                item_states::import(context, arguments, &item_states::LINES)
            }),
            ("removeDelivery", deliveries::remove),
            ("removeItemShippingAddress", addresses::remove),
            ("removeParcelFromDelivery", parcels::remove),
            ("removePayment", payments::remove),
            ("setCustomerEmail", customer::set_email),
            ("setCustomerId", customer::set_id),
            ("setCustomLineItemShippingDetails", |context, arguments| {
                shipping_details::set(context, arguments, &item_states::CUSTOM)
            }),
            ("setDeliveryAddress", deliveries::set_address),
            ("setDeliveryAddressCustomField", deliveries::set_address_custom_field),
            ("setDeliveryAddressCustomType", deliveries::set_address_custom_type),
            ("setDeliveryCustomField", deliveries::set_custom_field),
            ("setDeliveryCustomType", deliveries::set_custom_type),
            ("setDeliveryItems", deliveries::set_items),
            ("setEstimatedDelivery", shipping::set_estimated_delivery),
            ("setLineItemShippingDetails", |context, arguments| {
                shipping_details::set(context, arguments, &item_states::LINES)
            }),
            ("setOrderNumber", set_order_number),
            ("setParcelCustomField", |context, arguments| {
                part::set_custom_field(context, arguments, &deliveries::PARCELS).map(drop)
            }),
            ("setParcelCustomType", |context, arguments| {
                part::set_custom_type(context, arguments, &deliveries::PARCELS).map(drop)
            }),
            ("setParcelItems", parcels::set_items),
            ("setParcelMeasurements", parcels::set_measurements),
            ("setParcelTrackingData", parcels::set_tracking_data),
            ("setReturnInfo", returns::set_all),
            ("setReturnItemCustomField", returns::set_custom_field),
            ("setReturnItemCustomType", returns::set_custom_type),
            ("setReturnPaymentState", returns::set_payment_state),
            ("setReturnShipmentState", returns::set_shipment_state),
            ("setShippingCustomField", shipping::set_custom_field),
            ("setShippingCustomType", shipping::set_custom_type),
            ("transitionCustomLineItemState", |context, arguments| {
                item_states::transition(context, arguments, &item_states::CUSTOM)
            }),
            ("transitionLineItemState", |context, arguments| {
                item_states::transition(context, arguments, &item_states::LINES)
            }),
            ("transitionState", transition_order_state),
            ("updateItemShippingAddress", addresses::update),
            ("updateSyncInfo", sync::update),
        ]
    }

    fn complete(
        &self,
        after: &mut Document,
        _draft: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        import::complete(after, rules, effects)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        admit_locale(before, after, rules)?;
        shipping_details::settle(after)?;
        match before {
            None => {
                admit_complete(after)?;
                approval_flow::create_flow(after, rules, effects)
            }
            Some(before) => admit_change(before, after),
        }
    }

    /// An Approval Flow confirms or cancels it.
    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        let (old, new) = (before.get("orderState").cloned(), after.get("orderState").cloned());
        match old == new {
            true => Vec::new(),
            false => {
                let told =
                    [("orderId", after.get("id").cloned()), ("orderState", new), ("oldOrderState", old)];
                vec![("OrderStateChanged", fields(told))]
            }
        }
    }

    fn message_fields(&self, _message: &str, order: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(fields([("recurringOrderRef", order.get("recurringOrder").cloned())]))
    }
}

/// Converts a value sent as an `input` of the model into the stored object.
fn stored(
    sent: &Value,
    input: &str,
    object: &str,
    place: &str,
    context: &ActionContext<'_, '_>,
) -> ApiResult<Value> {
    let Value::Object(sent) = sent else {
        return Err(ApiError::bug("an argument that the model admitted is no object"));
    };
    let model = context.rules.model;
    let shapes = model.object_by_name(input).zip(model.object_by_name(object));
    let (input, object) = shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    conversion::convert_object(input, object, sent.clone(), place, context.rules).map(Value::Object)
}

/// Returns the stored form of the action's address, or `None`.
fn address(arguments: &Document, context: &ActionContext<'_, '_>) -> ApiResult<Option<Value>> {
    let place = format!("{}.address", context.place);
    let sent = arguments.get("address").filter(|sent| !sent.is_null());
    sent.map(|sent| stored(sent, "BaseAddress", "Address", &place, context)).transpose()
}

/// Returns the custom fields from the arguments; `of` is the `ResourceTypeId` that their Type must allow.
fn custom(arguments: &Document, of: &str, context: &ActionContext<'_, '_>) -> ApiResult<Option<Value>> {
    let Some(Value::Object(sent)) = arguments.get("custom") else { return Ok(None) };
    let place = format!("{}.custom", context.place);
    conversion::custom_fields(sent.clone(), of, &Location::Text(&place), context.rules).map(Some)
}

/// 400 `InvalidOperation`, with the place of the action.
fn invalid_operation(context: &ActionContext<'_, '_>, what: &str) -> ApiError {
    ApiError::invalid_operation(format!("{}: {what}", context.place))
}

/// Returns a list of the Order; creates it if it is missing.
fn list_of<'d>(order: &'d mut Document, field: &str) -> ApiResult<&'d mut Vec<Value>> {
    let list = order.entry(field).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut().ok_or_else(|| ApiError::bug(format!("{field} of an Order is no list")))
}

/// Returns the argument that identifies an element: its `id` or its `key`.
///
/// 400 `InvalidJsonInput`: neither is sent.
fn identifying_argument<'a>(
    arguments: &'a Document,
    (id, key): (&str, &str),
    place: &str,
) -> ApiResult<(&'static str, &'a Value)> {
    let given = [(id, "id"), (key, "key")];
    let found = given.into_iter().find_map(|(argument, field)| Some((field, arguments.get(argument)?)));
    found.ok_or_else(|| ApiError::invalid_json(format!("{place}: one of {id}, {key} is required")))
}

/// `transitionState`.
fn transition_order_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    transition_state(context, arguments, StateTypeEnum::OrderState, "OrderStateTransition")
}

const ORDER_NUMBER: &str = "orderNumber";

/// `setOrderNumber`: once.
fn set_order_number(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let sent = arguments.get(ORDER_NUMBER);
    match (context.document.get(ORDER_NUMBER), sent) {
        (None, Some(sent)) => {
            context.document.insert(ORDER_NUMBER, sent.clone());
            Ok(())
        }
        (there, sent) if there == sent => Ok(()),
        _ => Err(invalid_operation(context, "the orderNumber cannot be changed once it is set.")),
    }
}
