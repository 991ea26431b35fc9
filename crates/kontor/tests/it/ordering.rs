//! Creating an order is atomic, also with a kill at the same moment, or with other clients that buy the same pieces.

use crate::harness::{ApiCaller, ServerUnderTest, folder, wait_until};
use kontor_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

fn made(client: &ApiCaller, kind: &str, draft: Value) -> Value {
    let (status, response) = client.post(&format!("/shop/{kind}"), &draft);
    assert_eq!(status, 201, "{response}");
    response
}

/// Creates a product with inventory and a discount code, and switches messages on.
fn fill(client: &ApiCaller, pieces: usize) {
    let (_, project) = client.get("/shop");
    let messages = json!({"enabled": true, "deleteDaysAfterCreation": 15});
    let action = json!({"action": "changeMessagesConfiguration", "messagesConfiguration": messages});
    let (status, response) =
        client.post("/shop", &json!({"version": project["version"], "actions": [action]}));
    assert_eq!(status, 200, "{response}");
    made(client, "product-types", json!({"key": "any", "name": "Any", "description": "Anything"}));
    let price = json!({"value": {"currencyCode": "EUR", "centAmount": 1_000}});
    let product = json!({
        "key": "lamp", "productType": {"key": "any"}, "name": {"en": "Lamp"}, "slug": {"en": "lamp"}, "publish": true,
        "masterVariant": {"sku": "lamp", "prices": [price]},
    });
    made(client, "products", product);
    made(client, "inventory", json!({"key": "lamp", "sku": "lamp", "quantityOnStock": pieces}));
    let discount = json!({
        "key": "tenth", "name": {"en": "10 %"}, "cartPredicate": "true", "sortOrder": "0.5", "requiresDiscountCode": true,
        "value": {"type": "relative", "permyriad": 1_000}, "target": {"type": "lineItems", "predicate": "true"},
    });
    made(client, "cart-discounts", discount);
    let discounts = json!([{"typeId": "cart-discount", "key": "tenth"}]);
    made(client, "discount-codes", json!({"code": "TENTH", "key": "tenth", "cartDiscounts": discounts}));
}

/// The draft of a cart with one piece, ready to be ordered.
fn cart() -> Value {
    json!({
        "currency": "EUR", "taxMode": "Disabled", "inventoryMode": "ReserveOnOrder", "shippingAddress": {"country": "DE"},
        "lineItems": [{"sku": "lamp"}], "discountCodes": ["TENTH"],
    })
}

fn order_of(cart: &Value, number: &str) -> Value {
    let of = json!({"typeId": "cart", "id": cart["id"]});
    json!({"cart": of, "version": cart["version"], "orderNumber": number})
}

/// Asserts that inventory, carts, messages and discount code all agree with the number of orders.
fn assert_agreed(client: &ApiCaller, orders: usize, pieces: usize) {
    let (_, stock) = client.get("/shop/inventory/key=lamp");
    assert_eq!(stock["availableQuantity"], pieces - orders, "{stock}");
    let (_, ordered) = client.get("/shop/carts?limit=0&where=cartState%3D%22Ordered%22");
    assert_eq!(ordered["total"], orders, "Carts");
    let (_, told) = client.get("/shop/messages?limit=0&where=type%3D%22OrderCreated%22");
    assert_eq!(told["total"], orders, "Messages");
    let query = json!({"query": "{discountCode(key: \"tenth\") {applicationCount}}"});
    let (_, counted) = client.post("/shop/graphql", &query);
    assert_eq!(counted["data"]["discountCode"]["applicationCount"], orders, "{counted}");
}

/// Number of pieces in stock before the kills.
const PIECES: usize = 1_000;
const ROUNDS: usize = 3;
const BUYERS: usize = 6;
/// Number of acknowledged orders per round before the server is killed.
const ORDERS: usize = 30;

#[test]
fn orders_are_atomic_with_kills() {
    let data = folder();
    let acknowledged: Mutex<BTreeSet<String>> = Mutex::default();
    for round in 0..=ROUNDS {
        let mut server = ServerUnderTest::start(data.path());
        let client = server.client();
        if round == 0 {
            fill(&client, PIECES);
        }
        let (_, found) = client.get("/shop/orders?limit=500");
        let numbers: BTreeSet<String> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|order| order["orderNumber"].as_str().unwrap().to_owned())
            .collect();
        let lost: Vec<String> = acknowledged.lock().unwrap().difference(&numbers).cloned().collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        assert_agreed(&client, numbers.len(), PIECES);
        if round == ROUNDS {
            break;
        }
        let count = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for buyer in 0..BUYERS {
                let (client, acknowledged, count) = (client.clone(), &acknowledged, &count);
                scope.spawn(move || {
                    for number in 0.. {
                        let Some((status, cart)) = client.try_post("/shop/carts", &cart()) else { return };
                        assert_eq!(status, 201, "{cart}");
                        let number = format!("r{round}-b{buyer}-n{number}");
                        let order = order_of(&cart, &number);
                        let Some((status, order)) = client.try_post("/shop/orders", &order) else { return };
                        assert_eq!(status, 201, "{order}");
                        acknowledged.lock().unwrap().insert(number);
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            wait_until(|| count.load(Ordering::SeqCst) >= ORDERS);
            server.kill();
        });
    }
    assert!(acknowledged.lock().unwrap().len() >= ROUNDS * ORDERS);
}

/// Number of clients that want the last pieces at the same moment, and how often each tries.
const CALLERS: usize = 64;
const TRIES: usize = 2;
/// Number of pieces in stock.
const LAST_PIECES: usize = 100;

#[test]
fn sells_the_last_pieces_once_each() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    fill(&client, LAST_PIECES);
    let carts: Vec<Value> = (0..CALLERS * TRIES).map(|_| made(&client, "carts", cart())).collect();

    let ready = Barrier::new(CALLERS);
    let (sold, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for (caller, carts) in carts.chunks(TRIES).enumerate() {
            let (client, ready, sold, refused) = (client.clone(), &ready, &sold, &refused);
            scope.spawn(move || {
                ready.wait();
                for (index, cart) in carts.iter().enumerate() {
                    let order = order_of(cart, &format!("c{caller}-{index}"));
                    let (status, response) = client.post("/shop/orders", &order);
                    match status {
                        201 => sold.fetch_add(1, Ordering::SeqCst),
                        _ => {
                            assert_eq!((status, &response["errors"][0]["code"]), (400, &json!("OutOfStock")));
                            refused.fetch_add(1, Ordering::SeqCst)
                        }
                    };
                }
            });
        }
    });
    assert_eq!(sold.load(Ordering::SeqCst), LAST_PIECES);
    assert_eq!(refused.load(Ordering::SeqCst), CALLERS * TRIES - LAST_PIECES);
    assert_eq!(client.total("/shop/orders"), LAST_PIECES as u64);
    assert_agreed(&client, LAST_PIECES, LAST_PIECES);
}
