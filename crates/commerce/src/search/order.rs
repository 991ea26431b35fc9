//! Order Search: the table of indexed fields. Entries also contain fields of the Order's Payments and Store, which are
//! looked up.
//!
//! Source: document A, "Orders, Carts, Shipping" (custom fields of Payments and transactions, return items); reference
//! types `OrderSearchRequest`, `Order`; public documentation, "Order Search".

use super::flat::Content::{Boolean, Keyword, Localized, Long, Moment, Text};
use super::flat::{Column, Table};
use super::generation::generation;
use kontor_engine::document::{list, must_field, must_text, text};
use kontor_engine::{Document, IndexContent, Rules, Searchable};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_search::{SearchEntry, SearchableFields};
use std::sync::Arc;

/// The version of the conversion into entries; increase it with every change of the result.
const ENTRY_CODE: u64 = 2;
/// The columns by which the entries affected by changes of other documents are found.
const PAYMENTS: &str = "paymentInfo.payments.id";
const STORE: &str = "store.key";
/// The field with the custom fields of a way of shipping.
const SHIPPING_CUSTOM: &str = "shippingCustomFields";

/// A column below a part of the Order, with the given name and path.
macro_rules! below {
    ($of:literal, [$($step:literal),+], $name:literal, [$($further:literal),+], $content:expr) => {
        Column::new(concat!($of, ".", $name), &[$($step),+, $($further),+], $content)
    };
}

/// The columns of an address.
macro_rules! address {
    ($of:literal, $path:tt) => {
        [
            below!($of, $path, "firstName", ["firstName"], Text),
            below!($of, $path, "lastName", ["lastName"], Text),
            below!($of, $path, "company", ["company"], Text),
            below!($of, $path, "streetName", ["streetName"], Text),
            below!($of, $path, "streetNumber", ["streetNumber"], Text),
            below!($of, $path, "additionalStreetInfo", ["additionalStreetInfo"], Text),
            below!($of, $path, "postalCode", ["postalCode"], Text),
            below!($of, $path, "city", ["city"], Text),
            below!($of, $path, "region", ["region"], Text),
            below!($of, $path, "state", ["state"], Text),
            below!($of, $path, "country", ["country"], Text),
            below!($of, $path, "phone", ["phone"], Text),
            below!($of, $path, "mobile", ["mobile"], Text),
            below!($of, $path, "email", ["email"], Text),
            below!($of, $path, "externalId", ["externalId"], Text),
            below!($of, $path, "key", ["key"], Text),
        ]
    };
}

/// The columns of a way of shipping.
macro_rules! way {
    ($of:literal, $path:tt) => {
        [
            below!($of, $path, "shippingMethodName", ["shippingMethodName"], Text),
            below!($of, $path, "shippingMethod.id", ["shippingMethod", "id"], Keyword),
            below!($of, $path, "shippingMethodState", ["shippingMethodState"], Keyword),
            below!($of, $path, "price.centAmount", ["price", "centAmount"], Long),
            below!($of, $path, "taxCategory.id", ["taxCategory", "id"], Keyword),
            below!($of, $path, "deliveries.id", ["deliveries", "id"], Keyword),
            below!($of, $path, "deliveries.key", ["deliveries", "key"], Text),
            below!($of, $path, "deliveries.createdAt", ["deliveries", "createdAt"], Moment),
            below!($of, $path, "deliveries.items.id", ["deliveries", "items", "id"], Keyword),
            below!($of, $path, "deliveries.parcels.id", ["deliveries", "parcels", "id"], Keyword),
            below!($of, $path, "deliveries.parcels.key", ["deliveries", "parcels", "key"], Text),
            below!(
                $of,
                $path,
                "deliveries.parcels.createdAt",
                ["deliveries", "parcels", "createdAt"],
                Moment
            ),
            tracking!($of, $path, "trackingId", Text),
            tracking!($of, $path, "carrier", Text),
            tracking!($of, $path, "provider", Text),
            tracking!($of, $path, "providerTransaction", Text),
            tracking!($of, $path, "isReturn", Boolean),
        ]
    };
}

/// A column of the tracking data of parcels.
macro_rules! tracking {
    ($of:literal, [$($step:literal),+], $name:literal, $content:expr) => {
        Column::new(
            concat!($of, ".deliveries.parcels.trackingData.", $name),
            &[$($step),+, "deliveries", "parcels", "trackingData", $name],
            $content,
        )
    };
}

static TABLE: Table = Table {
    columns: &[
        &ORDER,
        &ITEMS,
        &way!("shippingInfo", ["shippingInfo"]),
        &way!("shipping.shippingInfo", ["shipping", "shippingInfo"]),
        &PAYMENT,
        &RETURNS,
        &address!("billingAddress", ["billingAddress"]),
        &address!("shippingAddress", ["shippingAddress"]),
        &address!("itemShippingAddresses", ["itemShippingAddresses"]),
        &address!("shipping.shippingAddress", ["shipping", "shippingAddress"]),
    ],
    groups: &[
        ("billingAddress.", "billingAddress.all"),
        ("shippingAddress.", "shippingAddress.all"),
        ("itemShippingAddresses.", "itemShippingAddresses.all"),
        ("shipping.shippingAddress.", "shipping.shippingAddress.all"),
    ],
    localized_custom_fields: true,
    customs: &[
        ("lineItems.custom.", &["lineItems"]),
        ("customLineItems.custom.", &["customLineItems"]),
        ("shippingInfo.deliveries.custom.", &["shippingInfo", "deliveries"]),
        ("shippingInfo.deliveries.parcels.custom.", &["shippingInfo", "deliveries", "parcels"]),
        ("shipping.shippingInfo.deliveries.custom.", &["shipping", "shippingInfo", "deliveries"]),
        (
            "shipping.shippingInfo.deliveries.parcels.custom.",
            &["shipping", "shippingInfo", "deliveries", "parcels"],
        ),
        ("shipping.shippingAddress.custom.", &["shipping", "shippingAddress"]),
        ("shippingCustomFields.", &[SHIPPING_CUSTOM]),
        ("shipping.shippingCustomFields.", &["shipping", SHIPPING_CUSTOM]),
        ("billingAddress.custom.", &["billingAddress"]),
        ("shippingAddress.custom.", &["shippingAddress"]),
        ("itemShippingAddresses.custom.", &["itemShippingAddresses"]),
        ("paymentInfo.payments.custom.", &["paymentInfo", "payments"]),
        ("paymentInfo.payments.transactions.custom.", &["paymentInfo", "payments", "transactions"]),
        ("returnInfo.items.custom.", &["returnInfo", "items"]),
    ],
};

const ORDER: [Column; 38] = [
    Column::new("id", &["id"], Keyword),
    Column::new("version", &["version"], Long),
    Column::new("createdAt", &["createdAt"], Moment),
    Column::new("lastModifiedAt", &["lastModifiedAt"], Moment),
    Column::new("completedAt", &["completedAt"], Moment),
    Column::new("orderNumber", &["orderNumber"], Text),
    Column::new("purchaseOrderNumber", &["purchaseOrderNumber"], Text),
    Column::new("customerId", &["customerId"], Keyword),
    Column::new("customerEmail", &["customerEmail"], Text),
    Column::new("customerGroup.id", &["customerGroup", "id"], Keyword),
    Column::new("anonymousId", &["anonymousId"], Keyword),
    Column::new("businessUnit.key", &["businessUnit", "key"], Keyword),
    Column::new(STORE, &["store", "key"], Keyword),
    Column::new("store.name", &["store", "name"], Localized),
    Column::new("orderState", &["orderState"], Keyword),
    Column::new("shipmentState", &["shipmentState"], Keyword),
    Column::new("paymentState", &["paymentState"], Keyword),
    Column::new("state.id", &["state", "id"], Keyword),
    Column::new("country", &["country"], Keyword),
    Column::new("locale", &["locale"], Keyword),
    Column::new("origin", &["origin"], Keyword),
    Column::new("cart.id", &["cart", "id"], Keyword),
    Column::new("quote.id", &["quote", "id"], Keyword),
    Column::new("recurringOrder.id", &["recurringOrder", "id"], Keyword),
    Column::new("shippingMode", &["shippingMode"], Keyword),
    Column::new("shippingKey", &["shippingKey"], Text),
    Column::new("shipping.shippingKey", &["shipping", "shippingKey"], Text),
    Column::new("taxMode", &["taxMode"], Keyword),
    Column::new("inventoryMode", &["inventoryMode"], Keyword),
    Column::new("refusedGifts.id", &["refusedGifts", "id"], Keyword),
    Column::new("totalPrice.centAmount", &["totalPrice", "centAmount"], Long),
    Column::new("totalPrice.currencyCode", &["totalPrice", "currencyCode"], Keyword),
    Column::new("taxedPrice.totalNet.centAmount", &["taxedPrice", "totalNet", "centAmount"], Long),
    Column::new("taxedPrice.totalGross.centAmount", &["taxedPrice", "totalGross", "centAmount"], Long),
    Column::new("discountCodes.discountCode.id", &["discountCodes", "discountCode", "id"], Keyword),
    Column::new("syncInfo.channel.id", &["syncInfo", "channel", "id"], Keyword),
    Column::new("syncInfo.externalId", &["syncInfo", "externalId"], Text),
    Column::new("syncInfo.syncedAt", &["syncInfo", "syncedAt"], Moment),
];

const ITEMS: [Column; 27] = [
    Column::new("lineItems.id", &["lineItems", "id"], Keyword),
    Column::new("lineItems.key", &["lineItems", "key"], Text),
    Column::new("lineItems.name", &["lineItems", "name"], Localized),
    Column::new("lineItems.productId", &["lineItems", "productId"], Keyword),
    Column::new("lineItems.productKey", &["lineItems", "productKey"], Text),
    Column::new("lineItems.productSlug", &["lineItems", "productSlug"], Localized),
    Column::new("lineItems.productType.id", &["lineItems", "productType", "id"], Keyword),
    Column::new("lineItems.variant.sku", &["lineItems", "variant", "sku"], Text),
    Column::new("lineItems.variant.key", &["lineItems", "variant", "key"], Text),
    Column::new("lineItems.quantity", &["lineItems", "quantity"], Long),
    Column::new("lineItems.price.value.centAmount", &["lineItems", "price", "value", "centAmount"], Long),
    Column::new("lineItems.totalPrice.centAmount", &["lineItems", "totalPrice", "centAmount"], Long),
    Column::new("lineItems.state.state.id", &["lineItems", "state", "state", "id"], Keyword),
    Column::new("lineItems.state.quantity", &["lineItems", "state", "quantity"], Long),
    Column::new("lineItems.supplyChannel.id", &["lineItems", "supplyChannel", "id"], Keyword),
    Column::new("lineItems.distributionChannel.id", &["lineItems", "distributionChannel", "id"], Keyword),
    Column::new("lineItems.inventoryMode", &["lineItems", "inventoryMode"], Keyword),
    Column::new("customLineItems.id", &["customLineItems", "id"], Keyword),
    Column::new("customLineItems.key", &["customLineItems", "key"], Text),
    Column::new("customLineItems.name", &["customLineItems", "name"], Localized),
    Column::new("customLineItems.slug", &["customLineItems", "slug"], Text),
    Column::new("customLineItems.quantity", &["customLineItems", "quantity"], Long),
    Column::new("customLineItems.money.centAmount", &["customLineItems", "money", "centAmount"], Long),
    Column::new(
        "customLineItems.totalPrice.centAmount",
        &["customLineItems", "totalPrice", "centAmount"],
        Long,
    ),
    Column::new("customLineItems.taxCategory.id", &["customLineItems", "taxCategory", "id"], Keyword),
    Column::new("customLineItems.state.state.id", &["customLineItems", "state", "state", "id"], Keyword),
    Column::new("customLineItems.state.quantity", &["customLineItems", "state", "quantity"], Long),
];

/// A column of the Payments, or of their transactions.
macro_rules! payment {
    ($name:literal, [$($step:literal),+], $content:expr) => {
        Column::new(concat!("paymentInfo.payments.", $name), &["paymentInfo", "payments", $($step),+], $content)
    };
}

const PAYMENT: [Column; 17] = [
    Column::new(PAYMENTS, &["paymentInfo", "payments", "id"], Keyword),
    payment!("key", ["key"], Text),
    payment!("interfaceId", ["interfaceId"], Text),
    payment!("customer.id", ["customer", "id"], Keyword),
    payment!("amountPlanned.centAmount", ["amountPlanned", "centAmount"], Long),
    payment!("amountPlanned.currencyCode", ["amountPlanned", "currencyCode"], Keyword),
    payment!("paymentMethodInfo.method", ["paymentMethodInfo", "method"], Text),
    payment!("paymentMethodInfo.name", ["paymentMethodInfo", "name"], Localized),
    payment!("paymentMethodInfo.paymentInterface", ["paymentMethodInfo", "paymentInterface"], Text),
    payment!("paymentStatus.interfaceCode", ["paymentStatus", "interfaceCode"], Text),
    payment!("paymentStatus.state.id", ["paymentStatus", "state", "id"], Keyword),
    payment!("transactions.id", ["transactions", "id"], Keyword),
    payment!("transactions.type", ["transactions", "type"], Keyword),
    payment!("transactions.state", ["transactions", "state"], Keyword),
    payment!("transactions.interactionId", ["transactions", "interactionId"], Text),
    payment!("transactions.amount.centAmount", ["transactions", "amount", "centAmount"], Long),
    payment!("transactions.timestamp", ["transactions", "timestamp"], Moment),
];

const RETURNS: [Column; 13] = [
    Column::new("returnInfo.returnTrackingId", &["returnInfo", "returnTrackingId"], Text),
    Column::new("returnInfo.returnDate", &["returnInfo", "returnDate"], Moment),
    Column::new("returnInfo.items.id", &["returnInfo", "items", "id"], Keyword),
    Column::new("returnInfo.items.key", &["returnInfo", "items", "key"], Text),
    Column::new("returnInfo.items.type", &["returnInfo", "items", "type"], Keyword),
    Column::new("returnInfo.items.quantity", &["returnInfo", "items", "quantity"], Long),
    Column::new("returnInfo.items.lineItemId", &["returnInfo", "items", "lineItemId"], Keyword),
    Column::new("returnInfo.items.customLineItemId", &["returnInfo", "items", "customLineItemId"], Keyword),
    Column::new("returnInfo.items.comment", &["returnInfo", "items", "comment"], Text),
    Column::new("returnInfo.items.shipmentState", &["returnInfo", "items", "shipmentState"], Keyword),
    Column::new("returnInfo.items.paymentState", &["returnInfo", "items", "paymentState"], Keyword),
    Column::new("returnInfo.items.createdAt", &["returnInfo", "items", "createdAt"], Moment),
    Column::new("returnInfo.items.lastModifiedAt", &["returnInfo", "items", "lastModifiedAt"], Moment),
];

/// The rules of Order Search.
#[derive(Debug)]
pub(super) struct OrderSearch;

impl Searchable for OrderSearch {
    fn name(&self) -> &'static str {
        "orders"
    }

    fn setting(&self) -> &'static str {
        "orders"
    }

    fn kind(&self) -> &'static str {
        "order"
    }

    fn sources(&self) -> &'static [&'static str] {
        &["payment", "store"]
    }

    fn fields(&self, rules: &Rules<'_>) -> ApiResult<Arc<dyn SearchableFields>> {
        Ok(TABLE.fields(rules.project))
    }

    fn shapes(&self) -> &'static [&'static str] {
        &[]
    }

    fn deactivation(&self) -> Value {
        json!({"action": "changeOrderSearchStatus", "status": "Deactivated"})
    }

    fn generation(&self, rules: &Rules<'_>) -> ApiResult<u64> {
        Ok(generation(ENTRY_CODE, rules.project, ()))
    }

    fn entry(&self, document: &Document, rules: &Rules<'_>) -> ApiResult<Option<SearchEntry>> {
        TABLE.entry(&with_targets(document, rules)?, rules)
    }

    fn affected_entries(
        &self,
        kind: &str,
        id: &str,
        rules: &Rules<'_>,
        held: &dyn IndexContent,
    ) -> ApiResult<Vec<String>> {
        match kind {
            "payment" => held.ids_with(PAYMENTS, id),
            "store" => match rules.peek_type(kind, id)? {
                Some(store) => held.ids_with(STORE, must_text(&store, &["key"])?),
                None => Ok(Vec::new()),
            },
            _ => Ok(Vec::new()),
        }
    }
}

/// Returns the Order with references to Payments and Store replaced by their documents, and with all custom fields at
/// the paths that entries read.
fn with_targets(order: &Document, rules: &Rules<'_>) -> ApiResult<Document> {
    let mut order = order.clone();
    let mut payments = Vec::new();
    for reference in list(&order, &["paymentInfo", "payments"]) {
        let id = must_field(reference, "id")?;
        let payment = rules.peek_type("payment", id)?;
        payments.push(payment.map_or_else(|| reference.clone(), |payment| Value::Object((*payment).clone())));
    }
    if !payments.is_empty() {
        order.insert("paymentInfo", json!({"payments": payments}));
    }
    if let (Some(kind), Some(key)) = (rules.model.store_kind(), text(&order, &["store", "key"]))
        && let Some(store) = rules.peek_key(kind, key)?
    {
        order.insert("store", json!({"key": key, "name": store.get("name")}));
    }
    hold_shipping_fields(&mut order);
    for method in order.get_mut("shipping").and_then(Value::as_array_mut).into_iter().flatten() {
        method.as_object_mut().map(hold_shipping_fields);
    }
    Ok(order)
}

/// Moves the custom fields of a shipping entry to `custom`, where all other objects have them.
fn hold_shipping_fields(holder: &mut Document) {
    if let Some(custom) = holder.get_mut(SHIPPING_CUSTOM) {
        *custom = json!({"custom": custom.take()});
    }
}
