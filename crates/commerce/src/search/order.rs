//! Order Search: the table of indexed fields. Entries also contain fields of the Order's Payments and Store, which are
//! looked up. Start at [`OrderSearch`].
//!
//! Source: document A, "Orders, Carts, Shipping" (custom fields of Payments and transactions, return items); reference
//! types `OrderSearchRequest`, `Order`; public documentation, "Order Search".

use super::flat::ColumnContent::{Boolean, Keyword, Localized, Long, Moment, Text};
use super::flat::{FlatColumn, FlatFieldTable};
use super::languages::generation;
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
        FlatColumn::new(concat!($of, ".", $name), &[$($step),+, $($further),+], $content)
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
        FlatColumn::new(
            concat!($of, ".deliveries.parcels.trackingData.", $name),
            &[$($step),+, "deliveries", "parcels", "trackingData", $name],
            $content,
        )
    };
}

static TABLE: FlatFieldTable = FlatFieldTable {
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

const ORDER: [FlatColumn; 38] = [
    FlatColumn::new("id", &["id"], Keyword),
    FlatColumn::new("version", &["version"], Long),
    FlatColumn::new("createdAt", &["createdAt"], Moment),
    FlatColumn::new("lastModifiedAt", &["lastModifiedAt"], Moment),
    FlatColumn::new("completedAt", &["completedAt"], Moment),
    FlatColumn::new("orderNumber", &["orderNumber"], Text),
    FlatColumn::new("purchaseOrderNumber", &["purchaseOrderNumber"], Text),
    FlatColumn::new("customerId", &["customerId"], Keyword),
    FlatColumn::new("customerEmail", &["customerEmail"], Text),
    FlatColumn::new("customerGroup.id", &["customerGroup", "id"], Keyword),
    FlatColumn::new("anonymousId", &["anonymousId"], Keyword),
    FlatColumn::new("businessUnit.key", &["businessUnit", "key"], Keyword),
    FlatColumn::new(STORE, &["store", "key"], Keyword),
    FlatColumn::new("store.name", &["store", "name"], Localized),
    FlatColumn::new("orderState", &["orderState"], Keyword),
    FlatColumn::new("shipmentState", &["shipmentState"], Keyword),
    FlatColumn::new("paymentState", &["paymentState"], Keyword),
    FlatColumn::new("state.id", &["state", "id"], Keyword),
    FlatColumn::new("country", &["country"], Keyword),
    FlatColumn::new("locale", &["locale"], Keyword),
    FlatColumn::new("origin", &["origin"], Keyword),
    FlatColumn::new("cart.id", &["cart", "id"], Keyword),
    FlatColumn::new("quote.id", &["quote", "id"], Keyword),
    FlatColumn::new("recurringOrder.id", &["recurringOrder", "id"], Keyword),
    FlatColumn::new("shippingMode", &["shippingMode"], Keyword),
    FlatColumn::new("shippingKey", &["shippingKey"], Text),
    FlatColumn::new("shipping.shippingKey", &["shipping", "shippingKey"], Text),
    FlatColumn::new("taxMode", &["taxMode"], Keyword),
    FlatColumn::new("inventoryMode", &["inventoryMode"], Keyword),
    FlatColumn::new("refusedGifts.id", &["refusedGifts", "id"], Keyword),
    FlatColumn::new("totalPrice.centAmount", &["totalPrice", "centAmount"], Long),
    FlatColumn::new("totalPrice.currencyCode", &["totalPrice", "currencyCode"], Keyword),
    FlatColumn::new("taxedPrice.totalNet.centAmount", &["taxedPrice", "totalNet", "centAmount"], Long),
    FlatColumn::new("taxedPrice.totalGross.centAmount", &["taxedPrice", "totalGross", "centAmount"], Long),
    FlatColumn::new("discountCodes.discountCode.id", &["discountCodes", "discountCode", "id"], Keyword),
    FlatColumn::new("syncInfo.channel.id", &["syncInfo", "channel", "id"], Keyword),
    FlatColumn::new("syncInfo.externalId", &["syncInfo", "externalId"], Text),
    FlatColumn::new("syncInfo.syncedAt", &["syncInfo", "syncedAt"], Moment),
];

const ITEMS: [FlatColumn; 27] = [
    FlatColumn::new("lineItems.id", &["lineItems", "id"], Keyword),
    FlatColumn::new("lineItems.key", &["lineItems", "key"], Text),
    FlatColumn::new("lineItems.name", &["lineItems", "name"], Localized),
    FlatColumn::new("lineItems.productId", &["lineItems", "productId"], Keyword),
    FlatColumn::new("lineItems.productKey", &["lineItems", "productKey"], Text),
    FlatColumn::new("lineItems.productSlug", &["lineItems", "productSlug"], Localized),
    FlatColumn::new("lineItems.productType.id", &["lineItems", "productType", "id"], Keyword),
    FlatColumn::new("lineItems.variant.sku", &["lineItems", "variant", "sku"], Text),
    FlatColumn::new("lineItems.variant.key", &["lineItems", "variant", "key"], Text),
    FlatColumn::new("lineItems.quantity", &["lineItems", "quantity"], Long),
    FlatColumn::new("lineItems.price.value.centAmount", &["lineItems", "price", "value", "centAmount"], Long),
    FlatColumn::new("lineItems.totalPrice.centAmount", &["lineItems", "totalPrice", "centAmount"], Long),
    FlatColumn::new("lineItems.state.state.id", &["lineItems", "state", "state", "id"], Keyword),
    FlatColumn::new("lineItems.state.quantity", &["lineItems", "state", "quantity"], Long),
    FlatColumn::new("lineItems.supplyChannel.id", &["lineItems", "supplyChannel", "id"], Keyword),
    FlatColumn::new("lineItems.distributionChannel.id", &["lineItems", "distributionChannel", "id"], Keyword),
    FlatColumn::new("lineItems.inventoryMode", &["lineItems", "inventoryMode"], Keyword),
    FlatColumn::new("customLineItems.id", &["customLineItems", "id"], Keyword),
    FlatColumn::new("customLineItems.key", &["customLineItems", "key"], Text),
    FlatColumn::new("customLineItems.name", &["customLineItems", "name"], Localized),
    FlatColumn::new("customLineItems.slug", &["customLineItems", "slug"], Text),
    FlatColumn::new("customLineItems.quantity", &["customLineItems", "quantity"], Long),
    FlatColumn::new("customLineItems.money.centAmount", &["customLineItems", "money", "centAmount"], Long),
    FlatColumn::new(
        "customLineItems.totalPrice.centAmount",
        &["customLineItems", "totalPrice", "centAmount"],
        Long,
    ),
    FlatColumn::new("customLineItems.taxCategory.id", &["customLineItems", "taxCategory", "id"], Keyword),
    FlatColumn::new("customLineItems.state.state.id", &["customLineItems", "state", "state", "id"], Keyword),
    FlatColumn::new("customLineItems.state.quantity", &["customLineItems", "state", "quantity"], Long),
];

/// A column of the Payments, or of their transactions.
macro_rules! payment {
    ($name:literal, [$($step:literal),+], $content:expr) => {
        FlatColumn::new(concat!("paymentInfo.payments.", $name), &["paymentInfo", "payments", $($step),+], $content)
    };
}

const PAYMENT: [FlatColumn; 17] = [
    FlatColumn::new(PAYMENTS, &["paymentInfo", "payments", "id"], Keyword),
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

const RETURNS: [FlatColumn; 13] = [
    FlatColumn::new("returnInfo.returnTrackingId", &["returnInfo", "returnTrackingId"], Text),
    FlatColumn::new("returnInfo.returnDate", &["returnInfo", "returnDate"], Moment),
    FlatColumn::new("returnInfo.items.id", &["returnInfo", "items", "id"], Keyword),
    FlatColumn::new("returnInfo.items.key", &["returnInfo", "items", "key"], Text),
    FlatColumn::new("returnInfo.items.type", &["returnInfo", "items", "type"], Keyword),
    FlatColumn::new("returnInfo.items.quantity", &["returnInfo", "items", "quantity"], Long),
    FlatColumn::new("returnInfo.items.lineItemId", &["returnInfo", "items", "lineItemId"], Keyword),
    FlatColumn::new(
        "returnInfo.items.customLineItemId",
        &["returnInfo", "items", "customLineItemId"],
        Keyword,
    ),
    FlatColumn::new("returnInfo.items.comment", &["returnInfo", "items", "comment"], Text),
    FlatColumn::new("returnInfo.items.shipmentState", &["returnInfo", "items", "shipmentState"], Keyword),
    FlatColumn::new("returnInfo.items.paymentState", &["returnInfo", "items", "paymentState"], Keyword),
    FlatColumn::new("returnInfo.items.createdAt", &["returnInfo", "items", "createdAt"], Moment),
    FlatColumn::new("returnInfo.items.lastModifiedAt", &["returnInfo", "items", "lastModifiedAt"], Moment),
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
        content: &dyn IndexContent,
    ) -> ApiResult<Vec<String>> {
        match kind {
            "payment" => content.ids_with(PAYMENTS, id),
            "store" => match rules.peek_type(kind, id)? {
                Some(store) => content.ids_with(STORE, must_text(&store, &["key"])?),
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
