//! The shop of the Order scenarios: Carts that can be ordered, and clients that order them.

use crate::document::{VersionedDocument, distribute};
use crate::kontor::path;
use crate::load::{LoadClient, LoadConnection, LoadRequest, LoadResult, ensure_success};
use crate::making::create_documents;
use crate::process::MeasuredServer;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::StatusCode;
use kontor_json::{Value, json};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Line items of a Cart, and Products that are sold.
pub(super) const LINE_ITEMS: usize = 10;
/// The time limit for creating the documents of a scenario.
pub(super) const MAKING_MAX: Duration = Duration::from_secs(3_600);

pub(super) fn euros(cents: usize) -> Value {
    json!({"currencyCode": "EUR", "centAmount": cents})
}

pub(super) async fn create_resource(
    connection: &mut LoadConnection,
    kind: &str,
    draft: Value,
) -> anyhow::Result<Value> {
    connection.json(LoadRequest::post(path(kind), draft.to_string())).await
}

/// Creates the resources that Products and Carts refer to. Returns a connection.
pub(super) async fn create_shop(server: &MeasuredServer) -> anyhow::Result<LoadConnection> {
    let mut shop = LoadConnection::open(server).await?;
    create_resource(
        &mut shop,
        "product-types",
        json!({"key": "any", "name": "Any", "description": "Anything"}),
    )
    .await?;
    let rate = json!({"name": "19 %", "amount": 0.19, "includedInPrice": true, "country": "DE"});
    create_resource(
        &mut shop,
        "tax-categories",
        json!({"key": "standard", "name": "Standard", "rates": [rate]}),
    )
    .await?;
    let germany = json!({"key": "germany", "name": "Germany", "locations": [{"country": "DE"}]});
    create_resource(&mut shop, "zones", germany).await?;
    shipping_method(&mut shop, "post").await?;
    Ok(shop)
}

pub(super) async fn shipping_method(shop: &mut LoadConnection, key: &str) -> anyhow::Result<()> {
    let zone_rate = json!({"zone": {"key": "germany"}, "shippingRates": [{"price": euros(490)}]});
    let method = json!({
        "key": key, "name": key, "taxCategory": {"key": "standard"}, "isDefault": false, "zoneRates": [zone_rate],
    });
    create_resource(shop, "shipping-methods", method).await.map(drop)
}

/// A lamp with a number, which is in its SKU too.
pub(super) fn product(number: usize, prices: &[Value]) -> Value {
    let key = format!("lamp-{number}");
    json!({
        "key": key, "productType": {"key": "any"}, "name": {"en": "Lamp"}, "slug": {"en": key}, "publish": true,
        "taxCategory": {"key": "standard"}, "masterVariant": {"sku": key, "prices": prices},
    })
}

/// Creates Products, their stock, shipping, and the Recurrence Policy.
pub(super) async fn create_products(server: &MeasuredServer, pieces: usize) -> anyhow::Result<()> {
    let mut shop = create_shop(server).await?;
    let monthly = json!({"type": "standard", "value": 1, "intervalUnit": "Months"});
    let policy = json!({"key": "monthly", "name": {"en": "Monthly"}, "schedule": monthly});
    create_resource(&mut shop, "recurrence-policies", policy).await?;
    for number in 0..LINE_ITEMS {
        let price = json!({"value": euros(1_000)});
        let recurring = json!({"value": euros(900), "recurrencePolicy": {"key": "monthly"}});
        create_resource(&mut shop, "products", product(number, &[price, recurring])).await?;
        let stock = json!({"sku": format!("lamp-{number}"), "quantityOnStock": pieces});
        create_resource(&mut shop, "inventory", stock).await?;
    }
    Ok(())
}

/// A Cart that can be ordered.
pub(super) fn cart(items: usize) -> Value {
    let line_items: Vec<Value> = (0..items).map(|number| json!({"sku": format!("lamp-{number}")})).collect();
    json!({
        "currency": "EUR", "country": "DE", "inventoryMode": "ReserveOnOrder", "lineItems": line_items,
        "shippingAddress": {"country": "DE"}, "shippingMethod": {"typeId": "shipping-method", "key": "post"},
    })
}

/// Creates this number of Carts from a draft.
pub(super) async fn carts(
    server: &MeasuredServer,
    draft: &Value,
    count: usize,
) -> anyhow::Result<Vec<VersionedDocument>> {
    let draft = draft.to_string();
    Ok(create_documents(server, &path("carts"), 0..count, MAKING_MAX, move |_| draft.clone()).await?.0)
}

/// Customers who have bought something, and how many Orders each of them has, however many there are in all.
pub(super) const BUYERS: usize = 20;
pub(super) const ORDERS_OF_BUYER: usize = 10;

/// Creates the buyers and returns their ids.
pub(super) async fn buyers(server: &MeasuredServer) -> anyhow::Result<Vec<String>> {
    let draft = |at| json!({"email": format!("buyer-{at}@example.com"), "password": "secret"}).to_string();
    let mut shop = LoadConnection::open(server).await?;
    let mut ids = Vec::new();
    for at in 0..BUYERS {
        let reply = shop.json(LoadRequest::post(path("customers"), draft(at))).await?;
        ids.push(reply["customer"]["id"].as_str().context("a Customer without id")?.to_owned());
    }
    Ok(ids)
}

/// Imports Orders with these numbers: the first ones are those of the buyers.
pub(super) async fn import(
    server: &MeasuredServer,
    numbers: Range<usize>,
    buyers: &[String],
) -> anyhow::Result<LoadResult> {
    let buyers = buyers.to_vec();
    let draft = move |number: usize| import_draft(number, buyers.get(number / ORDERS_OF_BUYER)).to_string();
    Ok(create_documents(server, &path("orders/import"), numbers, MAKING_MAX, draft).await?.1)
}

/// The number of an Order that was imported.
pub(super) fn order_number(number: usize) -> String {
    format!("N-{number}")
}

fn import_draft(number: usize, buyer: Option<&String>) -> Value {
    let wrap = json!({"name": {"en": "Wrap"}, "slug": "wrap", "quantity": 1, "money": euros(number)});
    json!({
        "orderNumber": order_number(number), "customerId": buyer, "customerEmail": "buyer@example.com",
        "country": "DE", "totalPrice": euros(number), "customLineItems": [wrap],
    })
}

pub(super) fn order_of(cart: &VersionedDocument) -> LoadRequest {
    let of = json!({"typeId": "cart", "id": cart.id});
    LoadRequest::post(path("orders"), json!({"cart": of, "version": cart.version}).to_string())
}

/// A client that orders existing Carts, each once.
pub(super) struct OrderingClient {
    carts: Vec<VersionedDocument>,
    /// Counts the Orders and accepts refusals with `OutOfStock`; with `None` every refusal is an error.
    sold: Option<Rc<Cell<usize>>>,
}

impl LoadClient for OrderingClient {
    fn next(&mut self) -> Option<LoadRequest> {
        self.carts.pop().as_ref().map(order_of)
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        match &self.sold {
            Some(sold) if status == StatusCode::CREATED => sold.set(sold.get() + 1),
            Some(_) if status == StatusCode::BAD_REQUEST && contains(body, "OutOfStock") => {}
            _ => ensure_success(status, body)?,
        }
        Ok(())
    }
}

fn contains(body: &Bytes, word: &str) -> bool {
    String::from_utf8_lossy(body).contains(word)
}

/// Returns one ordering client for each connection, each with its own Carts.
pub(super) fn ordering_clients(
    carts: &[VersionedDocument],
    sold: Option<&Rc<Cell<usize>>>,
) -> Vec<OrderingClient> {
    distribute(carts).map(|carts| OrderingClient { carts, sold: sold.cloned() }).collect()
}

/// Repeats a request until the response is as expected.
pub(super) async fn wait_until(
    connection: &mut LoadConnection,
    at_most: Duration,
    what: &str,
    is_it: impl Fn(&Value) -> bool,
) -> anyhow::Result<()> {
    let started = Instant::now();
    while !is_it(&connection.json(LoadRequest::get(path(what))).await?) {
        ensure!(started.elapsed() < at_most, "{what} was waited for in vain");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}
