//! Checks a Cart before it becomes an Order: the Cart is calculated once more, and a difference to its
//! displayed prices is refused.
//!
//! Source: reference types `OrderFromCartDraft`, `PriceChangedError`, `DiscountCodeNonApplicableError`,
//! `CountryNotConfiguredInStoreError`, `DiscountCode` (`maxApplications`).

use super::items::{CUSTOM, LINES};
use super::{cart_state, discount_codes, reprice_flags, settle, shipping_holders};
use crate::buyer::{self, OwnOrOthersPermission};
use crate::order;
use crate::sold_in_store;
use kontor_engine::document::{list, text};
use kontor_engine::{Document, Effects, EndpointContext, EndpointHandler, EndpointReply, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// `POST /orders`.
pub(super) const ORDER: EndpointHandler = EndpointHandler {
    find: order::FROM_CART.find,
    act: |context, draft| create_order(context, draft, &order::FROM_CART),
};
/// `POST /me/orders`: for a Business Unit, if the caller may order there (reference, "Create My Order").
pub(super) const MY_ORDER: EndpointHandler = EndpointHandler {
    find: order::MINE_FROM_CART.find,
    act: |context, draft| {
        let (owner, unit) = (["customerId"], ["businessUnit", "key"]);
        let cart = &*context.document;
        buyer::require_permission(&CREATION, text(cart, &owner), text(cart, &unit), context.rules)?;
        create_order(context, draft, &order::MINE_FROM_CART)
    },
};
/// The permissions of a buyer who acts for a Business Unit.
const CREATION: OwnOrOthersPermission = OwnOrOthersPermission {
    operation: "create order",
    own_permission: "CreateMyOrdersFromMyCarts",
    others_permission: "CreateOrdersFromOthersCarts",
};

fn create_order(
    context: &mut EndpointContext<'_, '_>,
    draft: &Document,
    order: &EndpointHandler,
) -> ApiResult<EndpointReply> {
    // A Cart that can never be ordered is refused later.
    if cart_state::can_be_ordered(context.document) {
        let now = as_of_now(context.document, context.rules)?;
        discount_codes::count_code_uses(context.document, &now, context.rules, context.effects)?;
        *context.document = now;
    }
    (order.act)(context, draft)
}

/// Returns the Cart with current prices, tax rates, shipping rates and discounts; a frozen Cart keeps its prices and
/// rates.
///
/// 400 `PriceChanged`: a price or a rate has changed.
fn as_of_now(cart: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    sold_in_store::admit_country(cart, rules)?;
    let mut now = cart.clone();
    if !reprice_flags::is_frozen(cart) {
        reprice_flags::choose_prices(&mut now)?;
        reprice_flags::choose_tax_rates(&mut now)?;
        shipping_holders::choose_rates(&mut now, rules)?;
    }
    // Reservations stay until the stock is sold.
    settle::settle(Some(cart), &mut now, rules, &mut Effects::default())?;
    admit_prices(cart, &now)?;
    Ok(now)
}

/// 400 `PriceChanged`, with the ids of all items that it is about.
fn admit_prices(before: &Document, now: &Document) -> ApiResult<()> {
    let mut changed = Vec::new();
    for of in [&LINES, &CUSTOM] {
        for item in list(before, &[of.field]) {
            let same = list(now, &[of.field]).iter().find(|other| other["id"] == item["id"]);
            if same.is_some_and(|same| of_unit(same) != of_unit(item)) {
                changed.extend(item["id"].as_str());
            }
        }
    }
    let is_shipping = shipping_rates(before) != shipping_rates(now);
    let message = match (changed.is_empty(), is_shipping) {
        (true, false) => return Ok(()),
        (true, true) => "The shipping rate changed at the time of placing the order.".to_owned(),
        (false, _) => format!(
            "The price or tax of some line items changed at the time of placing the order: {}.",
            changed.join(", ")
        ),
    };
    Err(ApiError::new(Code::PriceChanged, message)
        .with_field("lineItems", json!(changed))
        .with_field("shipping", json!(is_shipping)))
}

/// Returns the price of one unit before Cart Discounts, and its tax rate.
fn of_unit(item: &Value) -> Vec<Value> {
    let price = &item["price"];
    let mut all =
        vec![price["value"].clone(), price["discounted"]["value"].clone(), tax_rate(&item["taxRate"])];
    for method in item["perMethodTaxRate"].as_array().into_iter().flatten() {
        all.extend([method["shippingMethodKey"].clone(), tax_rate(&method["taxRate"])]);
    }
    all
}

/// The rates of each way in which a Cart is shipped.
fn shipping_rates(cart: &Document) -> Vec<Option<(&Value, Value)>> {
    let infos = shipping_holders::shipping_infos(cart).into_iter();
    infos
        .map(|info| {
            let info = info?;
            Some((info.get("shippingRate")?, info.get("taxRate").map_or(Value::Null, tax_rate)))
        })
        .collect()
}

/// Returns a tax rate without its id: a rate that replaced another may be equal otherwise.
fn tax_rate(rate: &Value) -> Value {
    let mut rate = rate.clone();
    if let Value::Object(rate) = &mut rate {
        rate.shift_remove("id");
        rate.shift_remove("key");
    }
    rate
}
