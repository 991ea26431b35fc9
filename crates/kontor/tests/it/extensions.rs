//! API Extensions, emulated by a local socket: the requests they get, the effect of their responses, and missing or
//! invalid responses. Also the test notification of a Subscription.

use crate::fake_server::FakeServer;
use crate::harness::{ServerUnderTest, folder, serve, wait_until};
use kontor_json::{Value, json};
use std::process::Stdio;

fn server_with_private_destinations() -> (tempfile::TempDir, ServerUnderTest) {
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--allow-private-destinations");
    let server = ServerUnderTest::start_with(command, Stdio::null());
    (data, server)
}

fn extension(admin: &impl Fn(&str, Value) -> (u16, Value), draft: Value) -> Value {
    let (status, made) = admin("/shop/extensions", draft);
    assert_eq!(status, 201, "{made}");
    made
}

fn code(body: &Value) -> &str {
    body["errors"][0]["code"].as_str().unwrap_or_default()
}

#[test]
fn applies_update_actions_of_extensions_in_the_same_commit() {
    let peer = FakeServer::start(|path, body| match path {
        "/name" if body["action"] == "Create" => {
            // Unknown fields are ignored, as in requests of clients.
            let action = json!({"action": "setKey", "key": "named-by-extension", "surprise": true});
            (200, json!({"actions": [action], "also": 1}).to_string())
        }
        "/after" => {
            let name = format!("{} after", body["resource"]["obj"]["key"].as_str().unwrap_or_default());
            (201, json!({"actions": [{"action": "changeName", "name": name}]}).to_string())
        }
        _ => (200, String::new()),
    });
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    let post = |path: &str, body: Value| admin.post(path, &body);
    let first = extension(
        &post,
        json!({
            "key": "first", "destination": {"type": "HTTP", "url": format!("{}/name", peer.url),
                "authentication": {"type": "AuthorizationHeader", "headerValue": "Bearer open-sesame"}},
            "triggers": [{"resourceTypeId": "customer-group", "actions": ["Create", "Update"]}],
            "additionalContext": {"includeOldResource": true},
        }),
    );
    extension(
        &post,
        json!({
            "destination": {"type": "HTTP", "url": format!("{}/after", peer.url),
                "authentication": {"type": "AzureFunctions", "key": "some-function-key"}},
            "triggers": [{"resourceTypeId": "customer-group", "actions": ["Create"], "condition": "name = \"Friends\""}],
            "dependencies": [{"typeId": "extension", "id": first["id"]}],
        }),
    );

    let (status, group) = admin.post("/shop/customer-groups", &json!({"groupName": "Friends"}));
    assert_eq!((status, &group["version"]), (201, &json!(1)), "{group}");
    assert_eq!(group["key"], "named-by-extension");
    assert_eq!(group["name"], "named-by-extension after", "the second one sees what the first one did");
    let (head, requested) = peer.received("/name").remove(0);
    assert!(head.contains("authorization: bearer open-sesame"), "{head}");
    assert!(head.contains("x-correlation-id: "), "{head}");
    assert_eq!(requested["action"], "Create");
    assert_eq!(requested["resource"]["typeId"], "customer-group");
    assert_eq!(requested["resource"]["id"], group["id"]);
    assert_eq!(requested["resource"]["obj"]["name"], "Friends");
    assert_eq!(requested["resource"]["obj"]["createdBy"], group["createdBy"]);
    assert_eq!(requested["resource"]["obj"]["lastModifiedBy"], group["lastModifiedBy"]);
    assert!(requested.get("oldResource").is_none());
    let (head, _) = peer.received("/after").remove(0);
    assert!(head.contains("x-functions-key: some-function-key"), "{head}");

    let path = format!("/shop/customer-groups/{}", group["id"].as_str().unwrap());
    let (status, group) =
        admin.post(&path, &json!({"version": 1, "actions": [{"action": "changeName", "name": "Foes"}]}));
    assert_eq!((status, &group["version"], &group["name"]), (200, &json!(2), &json!("Foes")), "{group}");
    let (_, requested) = peer.received("/name").remove(1);
    assert_eq!(requested["action"], "Update");
    assert_eq!(requested["resource"]["obj"]["name"], "Foes");
    assert_eq!(requested["resource"]["obj"]["version"], 2);
    assert_eq!(requested["oldResource"]["obj"]["name"], "named-by-extension after");
    // The other extension's condition is false, and it has no trigger for updates.
    assert_eq!(peer.received("/after").len(), 1);
    // An update without changes calls no extension.
    let (status, same) =
        admin.post(&path, &json!({"version": 2, "actions": [{"action": "changeName", "name": "Foes"}]}));
    assert_eq!((status, &same["version"], peer.received("/name").len()), (200, &json!(2), 2));
}

#[test]
fn writes_nothing_when_an_extension_rejects_or_fails() {
    let peer = FakeServer::start(|_, body| {
        match body["resource"]["obj"]["name"].as_str().unwrap_or_default() {
        "refused" => {
            (400, json!({"errors": [{"code": "InvalidInput", "message": "Not that.", "extensionExtraInfo": {"a": 1}}]}).to_string())
        }
        "broken" => (500, "{}".to_owned()),
        "html" => (200, "<html>".to_owned()),
        "late" => (0, String::new()),
        "unknown-action" => (200, json!({"actions": [{"action": "setNothing"}]}).to_string()),
        "no-such-key" => (200, json!({"actions": [{"action": "setKey", "key": "?"}]}).to_string()),
        _ => (200, "{}".to_owned()),
    }
    });
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    let post = |path: &str, body: Value| admin.post(path, &body);
    let made = extension(
        &post,
        json!({
            "key": "judge", "destination": {"type": "HTTP", "url": peer.url},
            "triggers": [{"resourceTypeId": "customer-group", "actions": ["Create"]}], "timeoutInMs": 700,
        }),
    );
    let group = |name: &str| admin.post("/shop/customer-groups", &json!({"groupName": name}));
    let (status, body) = group("refused");
    assert_eq!((status, code(&body)), (400, "InvalidInput"), "{body}");
    assert_eq!(body["errors"][0]["extensionExtraInfo"], json!({"a": 1}));
    assert_eq!(body["errors"][0]["errorByExtension"], json!({"id": made["id"], "key": "judge"}));
    let (status, body) = group("broken");
    assert_eq!((status, code(&body)), (502, "ExtensionBadResponse"), "{body}");
    assert_eq!(body["errors"][0]["extensionStatusCode"], 500);
    assert_eq!((group("html").0, code(&group("html").1)), (502, "ExtensionBadResponse"));
    let (status, body) = group("late");
    assert_eq!((status, code(&body)), (504, "ExtensionNoResponse"), "{body}");
    assert_eq!(body["message"], "Extension did not respond in time.");
    assert_eq!(body["errors"][0]["extensionId"], made["id"]);
    for name in ["unknown-action", "no-such-key"] {
        let (status, body) = group(name);
        assert_eq!((status, code(&body)), (400, "ExtensionUpdateActionsFailed"), "{body}");
        assert_eq!(body["errors"][0]["extensionErrors"][0]["extensionKey"], "judge", "{body}");
    }
    assert_eq!(admin.get("/shop/customer-groups").1["total"], 0);
    assert_eq!(group("fine").0, 201);
    // A deleted extension is not called any more.
    let path = format!("/shop/extensions/{}?version=1", made["id"].as_str().unwrap());
    assert_eq!(admin.delete(&path).0, 200);
    assert_eq!(group("refused").0, 201);
}

/// Release note of 24 September 2026.
#[test]
fn validates_and_completes_products() {
    let peer = FakeServer::start(|_, body| {
        let sku = body["resource"]["obj"]["masterData"]["staged"]["masterVariant"]["sku"].as_str();
        match (body["action"].as_str(), sku) {
            (_, Some("bad")) => {
                (400, json!({"errors": [{"code": "InvalidInput", "message": "Not this SKU."}]}).to_string())
            }
            (Some("Create"), _) => {
                let name = json!({"action": "changeName", "name": {"en": "Named"}, "staged": false});
                (
                    200,
                    json!({"actions": [name, {"action": "setKey", "key": "named-by-extension"}]}).to_string(),
                )
            }
            (_, Some("many")) => {
                let actions = vec![json!({"action": "setKey", "key": "again"}); 101];
                (200, json!({"actions": actions}).to_string())
            }
            _ => (200, String::new()),
        }
    });
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    admin.post("/shop/product-types", &json!({"key": "any", "name": "Any", "description": "Any"}));
    let post = |path: &str, body: Value| admin.post(path, &body);
    extension(
        &post,
        json!({
            "destination": {"type": "HTTP", "url": peer.url}, "additionalContext": {"includeOldResource": true},
            "triggers": [{"resourceTypeId": "product", "actions": ["Create", "Update"], "condition": "masterData(staged(masterVariant(sku is defined)))"}],
        }),
    );
    let draft = |sku: &str| json!({"productType": {"key": "any"}, "name": {"en": "Hat"}, "slug": {"en": format!("hat-{sku}")}, "masterVariant": {"sku": sku}});
    let (status, product) = admin.post("/shop/products", &draft("hat"));
    assert_eq!(
        (status, &product["version"], &product["key"]),
        (201, &json!(1), &json!("named-by-extension")),
        "{product}"
    );
    assert_eq!(product["masterData"]["current"]["name"]["en"], "Named");
    let (_, requested) = peer.received("/").remove(0);
    assert_eq!(requested["resource"]["typeId"], "product");
    assert_eq!(requested["resource"]["id"], product["id"]);
    assert_eq!(requested["resource"]["obj"]["masterData"]["staged"]["name"]["en"], "Hat");

    let (status, body) = admin.post("/shop/products", &draft("bad"));
    assert_eq!((status, code(&body)), (400, "InvalidInput"), "{body}");
    let path = format!("/shop/products/{}", product["id"].as_str().unwrap());
    let set_sku = |sku: &str| {
        admin.post(
            &path,
            &json!({"version": 1, "actions": [{"action": "setSku", "variantId": 1, "sku": sku}]}),
        )
    };
    assert_eq!(code(&set_sku("bad").1), "InvalidInput");
    assert_eq!(code(&set_sku("many").1), "ExtensionBadResponse", "more than 100 actions");
    assert_eq!(admin.get(&path).1["version"], 1, "nothing is half changed");
    let (status, product) = set_sku("cap");
    assert_eq!((status, &product["version"]), (200, &json!(2)), "{product}");
    let (_, requested) = peer.received("/").pop().unwrap();
    assert_eq!(requested["action"], "Update");
    assert_eq!(requested["oldResource"]["obj"]["masterData"]["staged"]["masterVariant"]["sku"], "hat");
}

#[test]
fn calls_no_private_extensions_unless_allowed() {
    let peer = FakeServer::start(|_, _| (200, "{}".to_owned()));
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let admin = server.client();
    let post = |path: &str, body: Value| admin.post(path, &body);
    extension(
        &post,
        json!({
            "destination": {"type": "HTTP", "url": peer.url},
            "triggers": [{"resourceTypeId": "customer-group", "actions": ["Create"]}],
        }),
    );
    let (status, body) = admin.post("/shop/customer-groups", &json!({"groupName": "any"}));
    assert_eq!((status, code(&body)), (504, "ExtensionNoResponse"), "{body}");
    let (status, body) = admin.post(
        "/shop/subscriptions",
        &json!({"destination": {"type": "HTTP", "url": peer.url}, "changes": [{"resourceTypeId": "order"}]}),
    );
    assert_eq!((status, code(&body)), (400, "InvalidInput"), "{body}");
    assert_eq!(peer.received("/").len(), 0);
}

#[test]
fn rejects_destinations_that_fail_the_test_notification() {
    let peer = FakeServer::start(|path, _| (if path == "/good" { 204 } else { 403 }, String::new()));
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    let to =
        |path: &str| json!({"type": "HTTP", "url": format!("{}{path}", peer.url), "secret": "a-long-secret"});
    let changes = json!([{"resourceTypeId": "order"}]);
    let (status, body) =
        admin.post("/shop/subscriptions", &json!({"destination": to("/bad"), "changes": changes}));
    assert_eq!((status, code(&body)), (400, "InvalidInput"), "{body}");
    let (status, made) = admin
        .post("/shop/subscriptions", &json!({"key": "good", "destination": to("/good"), "changes": changes}));
    assert_eq!((status, &made["destination"]["secret"]), (201, &json!("****cret")), "{made}");
    let (_, told) = peer.received("/good").remove(0);
    assert_eq!(told["notificationType"], "ResourceCreated");
    assert_eq!(told["projectKey"], "shop");
    assert_eq!(told["resource"], json!({"typeId": "subscription", "id": made["id"]}));
    assert_eq!(told["resourceUserProvidedIdentifiers"], json!({"key": "good"}));
    assert_eq!(told["version"], 1);
    let (status, body) = admin.post(
        "/shop/subscriptions/key=good",
        &json!({"version": 1, "actions": [{"action": "changeDestination", "destination": to("/bad")}]}),
    );
    assert_eq!((status, code(&body)), (400, "InvalidInput"), "{body}");
    assert_eq!(admin.get("/shop/subscriptions/key=good").1["version"], 1);
}

#[test]
fn a_cart_gets_a_custom_line_item_and_its_order_a_number() {
    let peer = FakeServer::start(|path, body| match (path, body["action"].as_str()) {
        ("/cart", Some("Create")) => {
            let fee = json!({
                "action": "addCustomLineItem", "name": {"en": "Fee"}, "slug": "fee", "quantity": 2,
                "money": {"currencyCode": "EUR", "centAmount": 150},
            });
            (200, json!({"actions": [fee]}).to_string())
        }
        ("/order", _) => {
            let cart = body["resource"]["obj"]["cart"]["obj"]["totalPrice"]["centAmount"].as_i64();
            let number = format!("number-of-{}", cart.unwrap_or_default());
            (200, json!({"actions": [{"action": "setOrderNumber", "orderNumber": number}]}).to_string())
        }
        _ => (200, "{}".to_owned()),
    });
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    let post = |path: &str, body: Value| admin.post(path, &body);
    for kind in ["cart", "order"] {
        extension(
            &post,
            json!({
                "destination": {"type": "HTTP", "url": format!("{}/{kind}", peer.url)},
                "triggers": [{"resourceTypeId": kind, "actions": ["Create", "Update"]}],
                "expansionPaths": ["cart"],
            }),
        );
    }
    let draft = json!({"currency": "EUR", "taxMode": "Disabled", "shippingAddress": {"country": "DE"}});
    let (status, cart) = admin.post("/shop/carts", &draft);
    assert_eq!((status, &cart["version"]), (201, &json!(1)), "{cart}");
    assert_eq!(cart["totalPrice"]["centAmount"], 300);
    assert_eq!(cart["customLineItems"][0]["slug"], "fee");
    let path = format!("/shop/carts/{}", cart["id"].as_str().unwrap());
    assert_eq!(admin.get(&path).1["customLineItems"][0]["quantity"], 2, "it is stored");
    let ordered = json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": 1});
    let (status, order) = admin.post("/shop/orders", &ordered);
    assert_eq!(status, 201, "{order}");
    assert_eq!(order["orderNumber"], "number-of-300");
    assert_eq!(order["totalPrice"]["centAmount"], 300);
    let by_number = admin.get("/shop/orders/order-number=number-of-300");
    assert_eq!((by_number.0, &by_number.1["id"]), (200, &order["id"]));
}

#[test]
fn calls_extensions_for_orders_that_an_edit_changes() {
    let peer =
        FakeServer::start(|path, body| match (path, body["resource"]["obj"]["customerEmail"].as_str()) {
            ("/order", Some("nobody@example.com")) => {
                let error = json!({"code": "InvalidInput", "message": "No mail goes there."});
                (400, json!({"errors": [error]}).to_string())
            }
            ("/order", Some(_)) => {
                let action =
                    json!({"action": "setPurchaseOrderNumber", "purchaseOrderNumber": "by-extension"});
                (200, json!({"actions": [action]}).to_string())
            }
            _ => (200, "{}".to_owned()),
        });
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    let post = |path: &str, body: Value| admin.post(path, &body);
    let to = |path: &str| json!({"type": "HTTP", "url": format!("{}{path}", peer.url)});
    let draft = json!({"currency": "EUR", "taxMode": "Disabled", "shippingAddress": {"country": "DE"},
        "customLineItems": [{"name": {"en": "Tea"}, "slug": "tea", "quantity": 1, "money": {"currencyCode": "EUR", "centAmount": 100}}]});
    let cart = post("/shop/carts", draft).1;
    let (status, order) = post(
        "/shop/orders",
        json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": cart["version"]}),
    );
    assert_eq!(status, 201, "{order}");
    extension(
        &post,
        json!({
            "destination": to("/order"), "triggers": [{"resourceTypeId": "order", "actions": ["Update"]}],
            "additionalContext": {"includeOldResource": true},
        }),
    );
    let message_fields = json!({"destination": to("/told"), "messages": [{"resourceTypeId": "order"}]});
    assert_eq!(post("/shop/subscriptions", message_fields).0, 201);
    let edit = |email: &str| {
        let action = json!({"action": "setCustomerEmail", "email": email});
        let draft = json!({"resource": {"typeId": "order", "id": order["id"]}, "stagedActions": [action]});
        let edit = post("/shop/orders/edits", draft).1;
        let path = format!("/shop/orders/edits/{}/apply", edit["id"].as_str().unwrap());
        post(&path, json!({"editVersion": edit["version"], "resourceVersion": 1}))
    };
    let path = format!("/shop/orders/{}", order["id"].as_str().unwrap());

    let (status, refused) = edit("nobody@example.com");
    assert_eq!((status, code(&refused)), (400, "InvalidInput"), "{refused}");
    assert_eq!(refused["message"], "No mail goes there.");
    assert_eq!(admin.get(&path).1, order, "nothing is written");

    let (status, applied) = edit("somebody@example.com");
    assert_eq!((status, &applied["result"]["type"]), (200, &json!("Applied")), "{applied}");
    let after = admin.get(&path).1;
    assert_eq!((&after["version"], &after["customerEmail"]), (&json!(2), &json!("somebody@example.com")));
    assert_eq!(after["purchaseOrderNumber"], "by-extension");
    let (_, requested) = peer.received("/order").pop().unwrap();
    assert_eq!(
        (&requested["action"], &requested["resource"]["obj"]["version"]),
        (&json!("Update"), &json!(2))
    );
    assert_eq!(requested["oldResource"]["obj"], order);
    assert_eq!(peer.received("/order").len(), 2, "each is asked about once");
    let types = || -> Vec<Value> {
        peer.received("/told").into_iter().skip(1).map(|(_, told)| told["type"].clone()).collect()
    };
    wait_until(|| types().len() == 3);
    assert_eq!(types(), ["OrderCustomerEmailSet", "OrderEditApplied", "OrderPurchaseOrderNumberSet"]);
}

#[test]
fn tells_a_broken_connection_from_a_timeout() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let hangs_up = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // Reads a part of the request and closes the connection.
            std::io::Read::read(&mut stream.unwrap(), &mut [0; 16]).unwrap();
        }
    });
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (_data, server) = server_with_private_destinations();
    let admin = server.client();
    let post = |path: &str, body: Value| admin.post(path, &body);
    for (address, expected) in [
        (hangs_up, "Extension closed the connection without a response."),
        (gone, "Extension could not be reached."),
    ] {
        let made = extension(
            &post,
            json!({
                "destination": {"type": "HTTP", "url": format!("http://{address}/")},
                "triggers": [{"resourceTypeId": "customer-group", "actions": ["Create"]}],
            }),
        );
        let (status, body) = admin.post("/shop/customer-groups", &json!({"groupName": "any"}));
        assert_eq!((status, code(&body)), (504, "ExtensionNoResponse"), "{body}");
        assert_eq!(body["message"], expected);
        let path = format!("/shop/extensions/{}?version=1", made["id"].as_str().unwrap());
        assert_eq!(admin.delete(&path).0, 200);
    }
}
