//! Derived data and limits are right although other documents change at the same moment.

use crate::harness::{ApiCaller, ServerUnderTest, folder, serve};
use kontor_json::{Value, json};
use std::process::Stdio;

/// Number of products (and prices) that are written while another document changes.
const DOCUMENTS: usize = 24;
/// How often the other document changes meanwhile.
const CHANGES: usize = 8;
/// The final discount, in 1/10000.
const PERMYRIAD: i64 = 2_000;

fn shop() -> (tempfile::TempDir, ServerUnderTest, ApiCaller) {
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--test-controls");
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    create_resource(
        &client,
        "product-types",
        json!({"key": "any", "name": "Any", "description": "Anything"}),
    );
    (data, server, client)
}

fn create_resource(client: &ApiCaller, kind: &str, draft: Value) -> Value {
    let (status, response) = client.post(&format!("/shop/{kind}"), &draft);
    assert_eq!(status, 201, "{response}");
    response
}

fn discount(permyriad: i64) -> Value {
    json!({
        "key": "sale", "name": {"en": "Sale"}, "value": {"type": "relative", "permyriad": permyriad},
        "predicate": "1=1", "sortOrder": "0.5", "isActive": true,
    })
}

fn product(number: usize, prices: &Value) -> Value {
    json!({
        "key": format!("p{number}"), "productType": {"key": "any"}, "name": {"en": "P"},
        "slug": {"en": format!("p{number}")}, "masterVariant": {"sku": format!("s{number}"), "prices": prices},
    })
}

fn money(cents: i64) -> Value {
    json!({"currencyCode": "EUR", "centAmount": cents})
}

fn settle(client: &ApiCaller) {
    let (status, response) = client.post("/_test/projects/shop/settle", &json!({}));
    assert!(status < 300, "{response}");
}

#[test]
fn a_product_written_while_a_discount_changes_has_the_new_price() {
    let (_data, _server, client) = shop();
    let mut version =
        create_resource(&client, "product-discounts", discount(1_000))["version"].as_i64().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let client = client.clone();
            scope.spawn(move || {
                for number in (writer..DOCUMENTS).step_by(3) {
                    create_resource(&client, "products", product(number, &json!([{"value": money(1_000)}])));
                    let actions = json!([{"action": "addPrice", "variantId": 1, "price": {"value": money(2_000), "country": "DE"}}]);
                    let update = json!({"version": 1, "actions": actions});
                    let (status, response) = client.post(&format!("/shop/products/key=p{number}"), &update);
                    assert_eq!(status, 200, "{response}");
                }
            });
        }
        for change in 0..CHANGES {
            let last = change + 1 == CHANGES;
            let value = if last { PERMYRIAD } else { 100 * (1 + change as i64) };
            let actions =
                json!([{"action": "changeValue", "value": {"type": "relative", "permyriad": value}}]);
            let update = json!({"version": version, "actions": actions});
            let (status, response) = client.post("/shop/product-discounts/key=sale", &update);
            assert_eq!(status, 200, "{response}");
            version = response["version"].as_i64().unwrap();
        }
    });
    settle(&client);
    for number in 0..DOCUMENTS {
        let (_, found) = client.get(&format!("/shop/products/key=p{number}"));
        let prices = &found["masterData"]["staged"]["masterVariant"]["prices"];
        assert_eq!(prices[0]["discounted"]["value"]["centAmount"], 800, "{prices}");
        assert_eq!(prices[1]["discounted"]["value"]["centAmount"], 1_600, "{prices}");
    }
}

#[test]
fn links_concurrently_created_prices_and_products() {
    let (_data, _server, client) = shop();
    create_resource(&client, "product-discounts", discount(PERMYRIAD));
    for number in 0..DOCUMENTS {
        std::thread::scope(|scope| {
            let other = client.clone();
            scope.spawn(move || create_resource(&other, "products", product(number, &json!([]))));
            let price =
                json!({"key": format!("price{number}"), "sku": format!("s{number}"), "value": money(1_000)});
            create_resource(&client, "standalone-prices", price);
        });
    }
    settle(&client);
    for number in 0..DOCUMENTS {
        let (_, price) = client.get(&format!("/shop/standalone-prices/key=price{number}"));
        assert_eq!(price["discounted"]["value"]["centAmount"], 800, "{price}");
    }
}

/// Number of requests at the same moment.
const AT_ONCE: usize = 100;

/// Sends [`AT_ONCE`] requests at the same moment, each with another draft. Returns their statuses.
fn statuses(client: &ApiCaller, kind: &str, draft: impl Fn(usize) -> Value + Sync) -> Vec<u16> {
    let ready = std::sync::Barrier::new(AT_ONCE);
    std::thread::scope(|scope| {
        let (ready, draft) = (&ready, &draft);
        let requested: Vec<_> = (0..AT_ONCE)
            .map(|number| {
                let client = client.clone();
                scope.spawn(move || {
                    ready.wait();
                    client.post(&format!("/shop/{kind}"), &draft(number)).0
                })
            })
            .collect();
        requested.into_iter().map(|requested| requested.join().unwrap()).collect()
    })
}

#[test]
fn queues_concurrent_requests() {
    let (_data, _server, client) = shop();
    let types = statuses(&client, "types", |number| {
        let field =
            json!({"name": "note", "label": {"en": "x"}, "required": false, "type": {"name": "String"}});
        json!({"key": format!("type-{number}"), "name": {"en": "x"}, "resourceTypeIds": ["channel"], "fieldDefinitions": [field]})
    });
    assert!(types.iter().all(|status| *status == 201), "{types:?}");
    let product_types = statuses(&client, "product-types", |number| {
        let attribute =
            json!({"name": "size", "label": {"en": "x"}, "isRequired": false, "type": {"name": "text"}});
        json!({"key": format!("type-{number}"), "name": "x", "description": "x", "attributes": [attribute]})
    });
    assert!(product_types.iter().all(|status| *status == 201), "{product_types:?}");
    let upserts = statuses(
        &client,
        "custom-objects",
        |number| json!({"container": "one", "key": "one", "value": number}),
    );
    assert_eq!(upserts.iter().filter(|status| **status == 201).count(), 1, "{upserts:?}");
    assert!(upserts.iter().all(|status| [200, 201].contains(status)), "{upserts:?}");
    let (_, object) = client.get("/shop/custom-objects/one/one");
    assert_eq!(object["version"], AT_ONCE, "{object}");
}

/// The application limit of the discount code.
const APPLICATIONS: usize = 10;

#[test]
fn concurrent_orders_respect_the_discount_code_limit() {
    let (_data, _server, client) = shop();
    let discount = json!({
        "key": "tenth", "name": {"en": "10 %"}, "cartPredicate": "true", "sortOrder": "0.5", "requiresDiscountCode": true,
        "value": {"type": "relative", "permyriad": 1000}, "target": {"type": "customLineItems", "predicate": "true"},
    });
    create_resource(&client, "cart-discounts", discount);
    let discounts = json!([{"typeId": "cart-discount", "key": "tenth"}]);
    let code =
        json!({"code": "TENTH", "key": "tenth", "cartDiscounts": discounts, "maxApplications": APPLICATIONS});
    create_resource(&client, "discount-codes", code);
    let wrap = json!({"name": {"en": "Wrap"}, "slug": "wrap", "money": money(1_000)});
    let cart = json!({
        "currency": "EUR", "taxMode": "Disabled", "shippingAddress": {"country": "DE"}, "customLineItems": [wrap],
        "discountCodes": ["TENTH"],
    });
    let carts: Vec<Value> = (0..AT_ONCE).map(|_| create_resource(&client, "carts", cart.clone())).collect();

    let orders = statuses(
        &client,
        "orders",
        |number| json!({"cart": {"typeId": "cart", "id": carts[number]["id"]}, "version": carts[number]["version"]}),
    );
    assert_eq!(orders.iter().filter(|status| **status == 201).count(), APPLICATIONS, "{orders:?}");
    assert!(orders.iter().all(|status| [201, 400].contains(status)), "{orders:?}");
    let query =
        json!({"query": "{discountCodes(where: \"code=\\\"TENTH\\\"\") {results {applicationCount}}}"});
    let (_, counted) = client.post("/shop/graphql", &query);
    assert_eq!(counted["data"]["discountCodes"]["results"][0]["applicationCount"], APPLICATIONS, "{counted}");
    let (_, discounted) = client.get("/shop/orders?limit=500&where=totalPrice(centAmount=900)");
    assert_eq!(discounted["total"], APPLICATIONS, "{discounted}");
}
