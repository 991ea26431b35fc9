//! Expensive requests: their total memory is limited, and the cost of each grows linearly with its size.

use crate::harness::{ServerUnderTest, folder, kontor, wait_until};
use kontor_json::{Value, json};
use std::cell::RefCell;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

/// The body size limit of anonymous sessions.
const BODY_BYTES: usize = 1024 * 1024;
/// More bodies than all anonymous sessions together may send at the same time.
const BODIES: usize = 80;
/// A number of bodies that they may send.
const BODIES_HELD: usize = 64;

/// Sends a request without the last byte of its body.
fn all_but_a_byte(server: &ServerUnderTest, token: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let head = format!(
        "POST /shop/me/shopping-lists HTTP/1.1\r\nHost: k\r\nAuthorization: Bearer {token}\r\nContent-Length: {BODY_BYTES}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Writing fails if the server rejects the request meanwhile and closes the connection.
    let _ = stream.write_all(&vec![b' '; BODY_BYTES - 1]);
    stream.set_nonblocking(true).unwrap();
    stream
}

#[test]
fn incomplete_bodies_share_a_limit_that_leaves_room_for_clients() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let session = "/oauth/shop/anonymous/token?grant_type=client_credentials";
    let id = server.with_authorization(&crate::harness::basic("id", "secret"));
    let (status, visitor) = id.post(session, &Value::Null);
    assert_eq!(status, 200, "{visitor}");
    let token = visitor["access_token"].as_str().unwrap();
    let mut streams: Vec<TcpStream> = (0..BODIES).map(|_| all_but_a_byte(&server, token)).collect();

    let is_refused = |stream: &TcpStream| {
        let mut line = [0; 12];
        stream.peek(&mut line).is_ok_and(|read| read > 0) && &line == b"HTTP/1.1 503"
    };
    wait_until(|| streams.iter().filter(|stream| is_refused(stream)).count() >= BODIES - BODIES_HELD);
    let refused = streams.iter_mut().find(|stream| is_refused(stream)).unwrap();
    refused.set_nonblocking(false).unwrap();
    let mut head = [0; 1024];
    let read = refused.read(&mut head).unwrap();
    let head = String::from_utf8_lossy(&head[..read]).to_lowercase();
    assert!(head.contains("\r\nretry-after: "), "{head}");

    // Meanwhile API clients can send large bodies.
    let large = json!({"key": "large", "type": "OrderState", "description": {"en": "x".repeat(BODY_BYTES)}});
    assert_eq!(client.post("/shop/states", &large).0, 201);
    drop(streams);
    let list = json!({"name": {"en": "Wishes"}});
    let visitor = server.with_token(token);
    wait_until(|| visitor.post("/shop/me/shopping-lists", &list).0 == 201);
}

#[test]
fn address_positions_take_linear_time() {
    // With quadratic comparisons, this would take much longer than the timeout of the caller.
    const ADDRESSES: usize = 60_000;
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let positions: Vec<usize> = (0..ADDRESSES).collect();
    let draft = json!({
        "email": "ann@example.com", "authenticationMode": "ExternalAuth",
        "addresses": vec![json!({"country": "DE"}); ADDRESSES],
        "shippingAddresses": positions, "billingAddresses": positions, "defaultShippingAddress": ADDRESSES - 1,
    });
    let response = server.client().try_post("/shop/customers", &draft);
    let (status, created) = response.expect("an answer within the time that anything takes here");
    assert_eq!(status, 201);
    let customer = &created["customer"];
    let ids = |field: &str| customer[field].as_array().unwrap().len();
    assert_eq!((ids("shippingAddressIds"), ids("billingAddressIds")), (ADDRESSES, ADDRESSES));
    assert_eq!(customer["shippingAddressIds"][0], customer["defaultShippingAddressId"]);
    // The other direction: an export converts ids to positions.
    let mut export = kontor(data.path());
    let export = export.args(["export", "--project", "shop"]).stdout(Stdio::null()).spawn().unwrap();
    let export = RefCell::new(export);
    wait_until(|| export.borrow_mut().try_wait().unwrap().is_some_and(|ended| ended.success()));
}

#[test]
fn long_lists_take_linear_time() {
    // With quadratic comparisons, this would take much longer than the timeout of the caller.
    const MANY: usize = 28_000;
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let done = |path: &str, body: &Value| {
        let (status, response) =
            client.try_post(path, body).expect("an answer within the time that anything takes here");
        assert!(status < 300, "{path}: {}", response["message"]);
        response
    };
    let keys: Vec<String> = (0..MANY).map(|number| format!("key-{number}")).collect();
    let values: Vec<Value> = keys.iter().map(|key| json!({"key": key, "label": "x"})).collect();
    let size = json!({"name": "size", "label": {"en": "Size"}, "required": false, "type": {"name": "Enum", "values": values}});
    let of_type = json!({"key": "sizes", "name": {"en": "Sizes"}, "resourceTypeIds": ["order"], "fieldDefinitions": [size]});
    done("/shop/types", &of_type);
    let backwards: Vec<&String> = keys.iter().rev().collect();
    let order = json!({"action": "changeEnumValueOrder", "fieldName": "size", "keys": backwards});
    done("/shop/types/key=sizes", &json!({"version": 1, "actions": [order]}));

    let cart = done(
        "/shop/carts",
        &json!({"currency": "EUR", "taxMode": "External", "shippingAddress": {"country": "DE"}}),
    );
    let portions: Vec<Value> = keys.iter().map(|key| json!({"name": key, "amount": 0.000_001})).collect();
    let rate = json!({"name": "many", "country": "DE", "subRates": portions});
    let item = json!({"action": "addCustomLineItem", "name": {"en": "Chairs"}, "slug": "chairs", "quantity": MANY,
        "money": {"currencyCode": "EUR", "centAmount": 100}, "externalTaxRate": rate});
    let cart = done(
        &format!("/shop/carts/{}", cart["id"].as_str().unwrap()),
        &json!({"version": 1, "actions": [item]}),
    );
    assert_eq!(cart["taxedPrice"]["taxPortions"].as_array().unwrap().len(), MANY);

    let order = json!({"orderNumber": "1", "totalPrice": {"currencyCode": "EUR", "centAmount": 100}, "customLineItems": [
        {"name": {"en": "Chairs"}, "slug": "chairs", "quantity": MANY, "money": {"currencyCode": "EUR", "centAmount": 1},
            "taxRate": {"name": "none", "amount": 0, "includedInPrice": true, "country": "DE"}}]});
    let order = done("/shop/orders/import", &order);
    let chairs = &order["customLineItems"][0]["id"];
    let returned = |key: &String| json!({"customLineItemId": chairs, "quantity": 1, "shipmentState": "Returned", "key": key});
    let action = json!({"action": "addReturnInfo", "items": keys.iter().map(returned).collect::<Vec<_>>()});
    let order =
        done("/shop/orders/order-number=1", &json!({"version": order["version"], "actions": [action]}));
    assert_eq!(order["returnInfo"][0]["items"].as_array().unwrap().len(), MANY);
}

#[test]
fn compares_product_types_once_each() {
    // If each attribute read all product types that have it, this would take much longer than the caller's timeout.
    const ATTRIBUTES: usize = 4_000;
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let attribute = |number: usize, of_type: &str| json!({"name": format!("a{number}"), "label": {"en": "x"}, "isRequired": false, "type": {"name": of_type}});
    let post = |key: &str, last: &str| {
        let mut attributes: Vec<Value> = (1..ATTRIBUTES).map(|number| attribute(number, "text")).collect();
        attributes.push(attribute(ATTRIBUTES, last));
        let draft = json!({"key": key, "name": key, "description": "", "attributes": attributes});
        server
            .client()
            .try_post("/shop/product-types", &draft)
            .expect("an answer within the time that anything takes here")
    };
    for key in ["chairs", "tables", "lamps"] {
        assert_eq!(post(key, "text").0, 201);
    }
    let (status, refused) = post("beds", "number");
    assert_eq!((status, &refused["errors"][0]["code"]), (400, &json!("AttributeDefinitionTypeConflict")));
    assert_eq!(refused["errors"][0]["conflictingAttributeName"], format!("a{ATTRIBUTES}"));
}

#[test]
fn rejects_changes_whose_messages_are_too_large() {
    const PARCELS: usize = 1_000;
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let order = json!({"orderNumber": "1", "totalPrice": {"currencyCode": "EUR", "centAmount": 1}, "customLineItems": [
        {"name": {"en": "Chairs"}, "slug": "chairs", "quantity": 1, "money": {"currencyCode": "EUR", "centAmount": 1},
            "taxRate": {"name": "none", "amount": 0, "includedInPrice": true, "country": "DE"}}],
        "shippingInfo": {"shippingMethodName": "by post", "price": {"currencyCode": "EUR", "centAmount": 0},
            "shippingRate": {"price": {"currencyCode": "EUR", "centAmount": 0}}}});
    let (status, order) = client.post("/shop/orders/import", &order);
    assert_eq!(status, 201, "{order}");
    let item = json!({"id": order["customLineItems"][0]["id"], "quantity": 1});
    let parcel = json!({"items": vec![item; 10]});
    let delivered = |version: &Value| {
        let delivery = json!({"action": "addDelivery", "parcels": vec![parcel.clone(); PARCELS]});
        client.post("/shop/orders/order-number=1", &json!({"version": version, "actions": [delivery]}))
    };
    let keep = |version: &Value, keeps: bool| {
        let messages = json!({"enabled": keeps, "deleteDaysAfterCreation": 15});
        let action = json!({"action": "changeMessagesConfiguration", "messagesConfiguration": messages});
        let (status, project) = client.post("/shop", &json!({"version": version, "actions": [action]}));
        assert_eq!(status, 200, "{project}");
        project["version"].clone()
    };
    // Each message about a parcel contains the delivery with all of its parcels.
    let project = keep(&client.get("/shop").1["version"], true);
    let (status, refused) = delivered(&order["version"]);
    assert_eq!(
        (status, &refused["errors"][0]["code"]),
        (400, &json!("ResourceSizeLimitExceeded")),
        "{}",
        refused["message"]
    );
    let (_, unchanged) = client.get("/shop/orders/order-number=1");
    assert_eq!(unchanged["version"], order["version"]);
    keep(&project, false);
    let (status, changed) = delivered(&order["version"]);
    assert_eq!(status, 200, "{}", changed["message"]);
}

#[test]
fn limits_bodies_of_anonymous_sessions() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let id = server.with_authorization(&crate::harness::basic("id", "secret"));
    let (_, visitor) = id.post("/oauth/shop/anonymous/token?grant_type=client_credentials", &Value::Null);
    let visitor = server.with_token(visitor["access_token"].as_str().unwrap());
    let list = |bytes: usize| json!({"name": {"en": "Wishes"}, "description": {"en": "x".repeat(bytes)}});
    assert_eq!(visitor.post("/shop/me/shopping-lists", &list(BODY_BYTES / 2)).0, 201);
    let (status, said) = visitor.post("/shop/me/shopping-lists", &list(BODY_BYTES));
    assert_eq!(status, 413, "{}", said["message"]);
    let query = json!({"query": format!("{{__typename}}{}", " ".repeat(BODY_BYTES))});
    assert_eq!(visitor.post("/shop/graphql", &query).0, 413);
    assert_eq!(server.client().post("/shop/shopping-lists", &list(8 * BODY_BYTES)).0, 201);
}
