//! Subscriptions: the notifications that a webhook receives and their order, and that none is lost when the server or
//! the destination fails.

use crate::fake_server::FakeServer;
use crate::harness::{ApiCaller, ServerUnderTest, folder, kontor, serve, wait_until};
use kontor_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

fn server(data: &Path) -> ServerUnderTest {
    let mut command = serve(data);
    command.args(["--allow-private-destinations", "--accept-unreachable-destinations"]);
    ServerUnderTest::start_with(command, Stdio::null())
}

fn subscribe(admin: &ApiCaller, draft: Value) -> Value {
    let (status, made) = admin.post("/shop/subscriptions", &draft);
    assert_eq!(status, 201, "{made}");
    made
}

/// Returns the notifications to a path, without the test notification.
fn notifications_at(peer: &FakeServer, path: &str) -> Vec<Value> {
    peer.received(path).into_iter().skip(1).map(|(_, body)| body).collect()
}

fn rename(admin: &ApiCaller, group: &Value, version: u64, name: &str) {
    let path = format!("/shop/customer-groups/{}", group["id"].as_str().unwrap());
    let body = json!({"version": version, "actions": [{"action": "changeName", "name": name}]});
    let (status, body) = admin.post(&path, &body);
    assert_eq!(status, 200, "{body}");
}

#[test]
fn notifications_match_the_reference() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let data = folder();
    let server = server(data.path());
    let admin = server.client();
    let to = |path: &str| json!({"type": "HTTP", "url": format!("{}{path}", peer.url), "secret": "some-long-secret"});
    subscribe(
        &admin,
        json!({"destination": to("/changes"), "changes": [{"resourceTypeId": "customer-group"}]}),
    );
    subscribe(
        &admin,
        json!({
            "destination": to("/events"), "format": {"type": "CloudEvents", "cloudEventsVersion": "1.0"},
            "messages": [{"resourceTypeId": "category", "types": ["CategoryCreated"]}],
        }),
    );
    subscribe(
        &admin,
        json!({"destination": to("/customers"), "messages": [{"resourceTypeId": "customer", "types": ["CustomerCreated", "CustomerDeleted"]}]}),
    );
    let (status, group) =
        admin.post("/shop/customer-groups", &json!({"groupName": "Friends", "key": "friends"}));
    assert_eq!(status, 201, "{group}");
    rename(&admin, &group, 1, "Foes");
    let path = format!("/shop/customer-groups/{}?version=2&dataErasure=true", group["id"].as_str().unwrap());
    assert_eq!(admin.delete(&path).0, 200);
    wait_until(|| notifications_at(&peer, "/changes").len() == 3);

    let change = |name: &str, version: u64| {
        json!({
            "notificationType": name, "projectKey": "shop", "resource": {"typeId": "customer-group", "id": group["id"]},
            "resourceUserProvidedIdentifiers": {"key": "friends"}, "version": version,
        })
    };
    let mut expected =
        [change("ResourceCreated", 1), change("ResourceUpdated", 2), change("ResourceDeleted", 2)];
    expected[1]["oldVersion"] = json!(1);
    expected[2]["dataErasure"] = json!(true);
    for (mut told, expected) in notifications_at(&peer, "/changes").into_iter().zip(expected) {
        assert!(
            told.as_object_mut().unwrap().remove("modifiedAt").is_some_and(|at| at.is_string()),
            "{told}"
        );
        assert_eq!(told, expected);
    }
    let (head, _) = peer.received("/changes").remove(0);
    assert!(head.contains("x-kontor-signature: sha256="), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");

    // A custom object is identified by container and key.
    subscribe(
        &admin,
        json!({"destination": to("/objects"), "changes": [{"resourceTypeId": "key-value-document"}]}),
    );
    let object = json!({"container": "settings", "key": "theme", "value": "dark"});
    assert_eq!(admin.post("/shop/custom-objects", &object).0, 201);
    wait_until(|| notifications_at(&peer, "/objects").len() == 1);
    assert_eq!(
        notifications_at(&peer, "/objects")[0]["resourceUserProvidedIdentifiers"]["containerAndKey"],
        json!({"container": "settings", "key": "theme"})
    );

    // Messages are delivered although the project stores none.
    let (status, customer) =
        admin.post("/shop/customers", &json!({"email": "a@example.com", "password": "secret", "key": "a1"}));
    assert_eq!(status, 201, "{customer}");
    wait_until(|| notifications_at(&peer, "/customers").len() == 1);
    let message = notifications_at(&peer, "/customers").remove(0);
    assert_eq!(
        (
            &message["notificationType"],
            &message["type"],
            &message["sequenceNumber"],
            &message["resourceVersion"]
        ),
        (&json!("Message"), &json!("CustomerCreated"), &json!(1), &json!(1)),
        "{message}"
    );
    assert_eq!(message["projectKey"], "shop");
    assert_eq!(message["resource"], json!({"typeId": "customer", "id": customer["customer"]["id"]}));
    assert_eq!(message["resourceUserProvidedIdentifiers"]["key"], "a1");
    assert_eq!(message["customer"]["email"], "a@example.com");

    let draft = json!({"name": {"en": "Tea"}, "slug": {"en": "tea"}, "key": "tea"});
    let (status, category) = admin.post("/shop/categories", &draft);
    assert_eq!(status, 201, "{category}");
    wait_until(|| notifications_at(&peer, "/events").len() == 1);
    let (head, event) = peer.received("/events").remove(1);
    assert!(head.contains("content-type: application/cloudevents+json"), "{head}");
    assert_eq!(event["specversion"], "1.0");
    assert_eq!(event["type"], "com.commercetools.category.message.CategoryCreated");
    assert_eq!((&event["source"], &event["subject"]), (&json!("/shop/categories"), &category["id"]));
    assert_eq!((&event["sequence"], &event["sequencetype"]), (&json!("1"), &json!("Integer")));
    assert_eq!(event["time"], category["lastModifiedAt"]);
    assert_eq!(event["dataref"], json!(format!("/shop/messages/{}", event["id"].as_str().unwrap())));
    assert_eq!(event["data"]["category"]["slug"], json!({"en": "tea"}));
    assert_eq!(event["data"]["notificationType"], "Message");
    // The test notification has the same format as all others.
    let (_, test) = peer.received("/events").remove(0);
    assert_eq!(test["type"], "com.commercetools.subscription.change.ResourceCreated");
}

/// Returns an address that is not in use.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn a_destination_that_recovers_gets_all_in_order_after_a_kill() {
    const GROUPS: usize = 20;
    const RENAMES: u64 = 5;
    let (address, data) = (free_address(), folder());
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let mut first = server(data.path());
    let admin = first.client();
    let changes = json!([{"resourceTypeId": "customer-group"}]);
    let down = subscribe(
        &admin,
        json!({"key": "down", "destination": {"type": "HTTP", "url": format!("http://{address}/late")}, "changes": changes}),
    );
    assert_eq!(down["status"], "Healthy");
    subscribe(
        &admin,
        json!({"destination": {"type": "HTTP", "url": format!("{}/up", peer.url)}, "changes": changes}),
    );
    let mut groups = Vec::new();
    for number in 0..GROUPS {
        let (status, group) = admin.post("/shop/customer-groups", &json!({"groupName": format!("{number}")}));
        assert_eq!(status, 201, "{group}");
        for version in 1..=RENAMES {
            rename(&admin, &group, version, &format!("{number} renamed {version}"));
        }
        groups.push(group);
    }
    let all = GROUPS * (1 + usize::try_from(RENAMES).unwrap());
    wait_until(|| notifications_at(&peer, "/up").len() >= all);
    wait_until(|| admin.get("/shop/subscriptions/key=down").1["status"] == "TemporaryError");
    first.kill();

    // No client sends a request to the project; its notifications are delivered nevertheless.
    let late = FakeServer::start_at(&address, |_, _| (200, String::new()));
    let second = server(data.path());
    wait_until(|| late.received("/late").len() >= all);
    for group in &groups {
        let mine =
            late.received("/late").into_iter().filter(|(_, told)| told["resource"]["id"] == group["id"]);
        let mut versions: Vec<u64> = mine.map(|(_, told)| told["version"].as_u64().unwrap()).collect();
        // Delivery is at least once: a notification may repeat if its receipt was not recorded.
        versions.dedup();
        assert_eq!(versions, (1..=RENAMES + 1).collect::<Vec<_>>());
    }
    let admin = second.client();
    wait_until(|| admin.get("/shop/subscriptions/key=down").1["status"] == "Healthy");
    let figures = second.nobody().get_text("/metrics");
    assert!(figures.contains("# HELP kontor_subscription_delivered_total"), "{figures}");
    assert!(figures.contains("kontor_subscription_lag_seconds{project=\"shop\""), "{figures}");
}

/// Notifications of several groups are stored in one batch, and those of one group fail: the delivered ones of the
/// others are not repeated while the server runs (after a kill they may be), and the failed ones are delivered later in
/// order.
#[test]
fn delivers_batches_partially_with_a_kill_between() {
    const GROUPS: usize = 8;
    const RENAMES: u64 = 6;
    static REFUSES: AtomicBool = AtomicBool::new(true);
    let key_of = |told: &Value| told["resourceUserProvidedIdentifiers"]["key"].as_str().map(str::to_owned);
    let (address, data) = (free_address(), folder());
    let mut first = server(data.path());
    let admin = first.client();
    let url = format!("http://{address}/all");
    let changes = json!([{"resourceTypeId": "customer-group"}]);
    subscribe(&admin, json!({"destination": {"type": "HTTP", "url": url}, "changes": changes}));
    let keys: Vec<String> = (0..GROUPS).map(|group| format!("group-{group}")).collect();
    std::thread::scope(|threads| {
        for key in &keys {
            let admin = first.client();
            threads.spawn(move || {
                let (status, group) =
                    admin.post("/shop/customer-groups", &json!({"groupName": key, "key": key}));
                assert_eq!(status, 201, "{group}");
                (1..=RENAMES)
                    .for_each(|version| rename(&admin, &group, version, &format!("{key} {version}")));
            });
        }
    });

    let peer = FakeServer::start_at(&address, |_, told| {
        let is_refused = told["resourceUserProvidedIdentifiers"]["key"] == "group-3";
        (if is_refused && REFUSES.load(Ordering::SeqCst) { 500 } else { 200 }, String::new())
    });
    let versions = |key: &str| -> Vec<u64> {
        let told = peer.received("/all").into_iter().map(|(_, told)| told);
        told.filter(|told| key_of(told).as_deref() == Some(key))
            .filter_map(|told| told["version"].as_u64())
            .collect()
    };
    let all: Vec<u64> = (1..=RENAMES + 1).collect();
    let others = || keys.iter().filter(|key| *key != "group-3");
    wait_until(|| others().all(|key| versions(key).len() >= all.len()));
    let attempts = versions("group-3").len();
    wait_until(|| versions("group-3").len() > attempts);
    others().for_each(|key| assert_eq!(versions(key), all, "{key}: once, in sequence"));
    assert!(
        versions("group-3").iter().all(|version| *version == 1),
        "none is sent before the one that it follows"
    );
    first.kill();

    let refused = versions("group-3").len();
    REFUSES.store(false, Ordering::SeqCst);
    let second = server(data.path());
    wait_until(|| versions("group-3").len() >= refused + all.len());
    assert_eq!(versions("group-3")[refused..], all, "nothing is lost");
    for key in others() {
        let mut again = versions(key).split_off(all.len());
        let known = again.len();
        again.dedup();
        assert_eq!(again.len(), known, "{key}: each once more at most");
        assert!(again.is_sorted(), "{key}: {again:?}");
    }
    drop(second);
}

#[test]
fn the_next_server_delivers_queued_notifications() {
    let (address, data) = (free_address(), folder());
    let first = server(data.path());
    let admin = first.client();
    subscribe(
        &admin,
        json!({"key": "down", "destination": {"type": "HTTP", "url": format!("http://{address}/late")}, "changes": [{"resourceTypeId": "zone"}]}),
    );
    assert_eq!(admin.post("/shop/zones", &json!({"name": "Here"})).0, 201);
    wait_until(|| admin.get("/shop/subscriptions/key=down").1["status"] == "TemporaryError");
    assert!(first.terminate().success());

    let late = FakeServer::start_at(&address, |_, _| (200, String::new()));
    let mut command = kontor(data.path());
    command.args(["serve", "--allow-private-destinations"]);
    let _second = ServerUnderTest::start_with(command, Stdio::null());
    wait_until(|| late.received("/late").len() == 1);
}

#[test]
fn marks_payloads_that_are_too_large() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let data = folder();
    let server = server(data.path());
    let admin = server.client();
    subscribe(
        &admin,
        json!({"destination": {"type": "HTTP", "url": format!("{}/all", peer.url)}, "messages": [{"resourceTypeId": "category"}]}),
    );
    let draft =
        json!({"name": {"en": "Tea"}, "slug": {"en": "tea"}, "description": {"en": "x".repeat(300_000)}});
    assert_eq!(admin.post("/shop/categories", &draft).0, 201);
    wait_until(|| notifications_at(&peer, "/all").len() == 1);
    let message = notifications_at(&peer, "/all").remove(0);
    assert_eq!(
        message["payloadNotIncluded"],
        json!({"reason": "Payload too large.", "payloadType": "CategoryCreated"})
    );
    assert_eq!((message.get("category"), &message["sequenceNumber"]), (None, &json!(1)));
}

#[test]
fn events_of_imports_arrive() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let data = folder();
    let server = server(data.path());
    let admin = server.client();
    subscribe(
        &admin,
        json!({
            "destination": {"type": "HTTP", "url": format!("{}/events", peer.url)},
            "events": [{"resourceTypeId": "import-api", "types": ["ImportContainerCreated", "ImportUnresolved", "ImportContainerDeleted"]}],
        }),
    );
    let (status, container) = admin.post("/import/shop/import-containers", &json!({"key": "all"}));
    assert_eq!(status, 201, "{container}");
    let orphan = json!({"type": "category", "resources": [{
        "key": "tea", "name": {"en": "Tea"}, "slug": {"en": "tea"}, "parent": {"typeId": "category", "key": "drinks"},
    }]});
    assert_eq!(admin.post("/import/shop/categories/import-containers/all", &orphan).0, 201);
    wait_until(|| notifications_at(&peer, "/events").len() == 2);
    assert_eq!(admin.delete("/import/shop/import-containers/all").0, 200);
    wait_until(|| notifications_at(&peer, "/events").len() == 3);
    let told = notifications_at(&peer, "/events");
    let types: Vec<&Value> = told.iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["ImportContainerCreated", "ImportUnresolved", "ImportContainerDeleted"]);
    let created = &told[0];
    assert_eq!(
        (&created["notificationType"], &created["resourceType"]),
        (&json!("Event"), &json!("import-api"))
    );
    let data = json!({"key": "all", "version": 1, "createdAt": container["createdAt"], "lastModifiedAt": container["lastModifiedAt"]});
    assert_eq!(created["data"], data);
    assert!(created["id"].is_string() && created["createdAt"].is_string(), "{created}");
    assert_eq!(told[1]["data"]["importContainerKey"], "all");
    assert_eq!(told[2]["data"], json!({"key": "all", "version": 1}));
}

#[test]
fn delivers_checkout_events_to_their_subscriptions() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let data = folder();
    let server = server(data.path());
    let admin = server.client();
    for (path, types) in [
        ("/all", json!([])),
        ("/charged", json!(["CheckoutPaymentCharged"])),
        ("/none", json!(["CheckoutPaymentRefunded"])),
    ] {
        subscribe(
            &admin,
            json!({
                "destination": {"type": "HTTP", "url": format!("{}{path}", peer.url)},
                "events": [{"resourceTypeId": "checkout", "types": types}],
            }),
        );
    }
    let payment = json!({"payment": {"typeId": "payment", "id": "p-1"}, "transactionId": "t-1"});
    let mut told_of = Vec::new();
    for name in ["CheckoutPaymentAuthorized", "CheckoutPaymentCharged"] {
        let (status, event) = admin.post("/checkout/shop/events", &json!({"type": name, "data": payment}));
        assert_eq!(status, 200, "{event}");
        told_of.push(event);
    }
    wait_until(|| {
        notifications_at(&peer, "/all").len() == 2 && notifications_at(&peer, "/charged").len() == 1
    });
    assert_eq!(notifications_at(&peer, "/all"), told_of);
    assert_eq!(notifications_at(&peer, "/charged"), told_of[1..]);
    assert!(notifications_at(&peer, "/none").is_empty());
}

#[test]
fn notifies_tokens_and_not_order_edits() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let data = folder();
    let server = server(data.path());
    let admin = server.client();
    let post = |path: &str, body: Value| {
        let (status, response) = admin.post(path, &body);
        assert!(status < 300, "{path}: {response}");
        response
    };
    let kinds = ["customer-email-token", "customer-password-token", "order", "order-edit"];
    let changes = kinds.map(|kind| json!({"resourceTypeId": kind}));
    subscribe(
        &admin,
        json!({"destination": {"type": "HTTP", "url": format!("{}/all", peer.url)}, "changes": changes}),
    );
    let seen = || {
        let all = notifications_at(&peer, "/all");
        let name = |at: &Value| at.as_str().unwrap().to_owned();
        all.iter()
            .map(|told| (name(&told["resource"]["typeId"]), name(&told["notificationType"])))
            .collect::<Vec<_>>()
    };
    let expect = |kind: &str, name: &str| {
        let expected = (kind.to_owned(), name.to_owned());
        wait_until(|| seen().last() == Some(&expected));
    };

    let customer = post("/shop/customers", json!({"email": "a@example.com", "password": "secret"}));
    let id = &customer["customer"]["id"];
    let token = post("/shop/customers/email-token", json!({"id": id, "ttlMinutes": 5}));
    expect("customer-email-token", "ResourceCreated");
    assert_eq!(notifications_at(&peer, "/all")[0]["resource"]["id"], token["id"]);
    assert!(!notifications_at(&peer, "/all")[0].to_string().contains(token["value"].as_str().unwrap()));
    post("/shop/customers/email/confirm", json!({"tokenValue": token["value"]}));
    expect("customer-email-token", "ResourceDeleted");
    post("/shop/customers/password-token", json!({"email": "a@example.com"}));
    expect("customer-password-token", "ResourceCreated");

    let rate = json!({"name": "r", "amount": 0.1, "includedInPrice": true, "country": "DE"});
    post("/shop/tax-categories", json!({"name": "Standard", "key": "standard", "rates": [rate]}));
    let item = json!({
        "name": {"en": "Tea"}, "slug": "tea", "quantity": 1, "money": {"currencyCode": "EUR", "centAmount": 100},
        "taxCategory": {"typeId": "tax-category", "key": "standard"},
    });
    let draft = json!({"currency": "EUR", "shippingAddress": {"country": "DE"}, "customLineItems": [item]});
    let cart = post("/shop/carts", draft);
    let cart = json!({"version": cart["version"], "cart": {"typeId": "cart", "id": cart["id"]}});
    let order = post("/shop/orders", cart);
    expect("order", "ResourceCreated");
    let action = json!({"action": "setCustomerEmail", "customerEmail": "b@example.com"});
    let edit = json!({"resource": {"typeId": "order", "id": order["id"]}, "stagedActions": [action]});
    let edit = post("/shop/orders/edits", edit);
    let apply = json!({"editVersion": edit["version"], "resourceVersion": order["version"]});
    post(&format!("/shop/orders/edits/{}/apply", edit["id"].as_str().unwrap()), apply);
    expect("order-edit", "ResourceUpdated");
    let of_order = |seen: &&(String, String)| seen.0 == "order";
    assert_eq!(seen().iter().filter(of_order).count(), 1, "its birth alone: {:?}", seen());
}

/// Some notifications are being sent when the server stops: those delivered by then are not repeated.
#[test]
fn a_clean_stop_repeats_no_delivery() {
    const WRITERS: usize = 4;
    const EACH: usize = 30;
    let data = folder();
    let peer = FakeServer::start(|_, _| {
        std::thread::sleep(std::time::Duration::from_millis(60));
        (200, String::new())
    });
    let mut running = server(data.path());
    let admin = running.client();
    let destination = json!({"type": "HTTP", "url": format!("{}/slow", peer.url)});
    let changes = json!([{"resourceTypeId": "key-value-document"}]);
    subscribe(&admin, json!({"destination": destination, "changes": changes}));
    std::thread::scope(|threads| {
        for writer in 0..WRITERS {
            let admin = running.client();
            threads.spawn(move || {
                for number in 0..EACH {
                    let key = format!("{writer}-{number}");
                    let draft = json!({"container": "c", "key": key, "value": number});
                    assert_eq!(admin.post("/shop/custom-objects", &draft).0, 201);
                }
            });
        }
    });
    // Stops in the middle of the delivery, several times.
    for _ in 0..3 {
        let known = notifications_at(&peer, "/slow").len();
        wait_until(|| notifications_at(&peer, "/slow").len() > known || known == WRITERS * EACH);
        assert!(running.terminate().success());
        running = server(data.path());
    }
    wait_until(|| notifications_at(&peer, "/slow").len() >= WRITERS * EACH);
    assert!(running.terminate().success());
    let mut ids: Vec<String> =
        notifications_at(&peer, "/slow").iter().map(|told| told["resource"]["id"].to_string()).collect();
    ids.sort();
    let all = ids.len();
    ids.dedup();
    assert_eq!((ids.len(), all), (WRITERS * EACH, WRITERS * EACH));
}
