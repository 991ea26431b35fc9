//! `dataErasure=true` (GDPR): a minute later no file of the data folder, nor a new backup, has personal data of the
//! customer.

use crate::harness::{ApiCaller, ServerUnderTest, folder, run, serve, text, wait_until};
use kontor_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Personal data of the customer to erase, which many resources contain.
const PERSON: &[&str] = &[
    "erna.erased",
    "Ernestine-Erased",
    "Erasureberg",
    "Erased-Street",
    "+49-erased-phone",
    "erased-custom-value",
    "erased-comment",
    "erased-company",
];
/// The email address of a customer that is not erased.
const OTHER: &str = "otto.other@example.com";
/// The time limit of an erasure (`docs/decisions/0054-erasure.md`).
const GONE_AFTER_MAX: Duration = Duration::from_secs(60);

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

/// Returns the personal data that a file contains, in any case: search indexes have words in lower case.
fn found_in(file: &Path) -> Vec<String> {
    let bytes = fs::read(file).unwrap_or_default().to_ascii_lowercase();
    let is_in = |value: &&&str| {
        let value = value.to_ascii_lowercase().into_bytes();
        bytes.windows(value.len()).any(|part| part == value)
    };
    PERSON.iter().filter(is_in).map(|value| format!("{value} in {}", file.display())).collect()
}

fn found_below(folder: &Path) -> Vec<String> {
    files(folder).iter().flat_map(|file| found_in(file)).collect()
}

fn posted(client: &ApiCaller, path: &str, draft: &Value) -> Value {
    let (status, made) = client.post(path, draft);
    assert!(status < 300, "{path}: {made}");
    made
}

fn deleted(client: &ApiCaller, path: &str, resource: &Value, key: &str) -> Value {
    let path = format!(
        "{path}/{}?version={}&dataErasure=true",
        resource[key].as_str().unwrap(),
        resource["version"]
    );
    let (status, made) = client.delete(&path);
    assert_eq!(status, 200, "{made}");
    made
}

/// Switches on every feature that stores data of customers and orders.
fn prepare(client: &ApiCaller, dead_end: &str) {
    let (_, project) = client.get("/shop");
    let messages = json!({"enabled": true, "deleteDaysAfterCreation": 15});
    let actions = json!([
        {"action": "changeMessagesConfiguration", "messagesConfiguration": messages},
        {"action": "changeCustomerSearchStatus", "status": "Activated"},
        {"action": "changeOrderSearchStatus", "status": "Activated"},
    ]);
    posted(client, "/shop", &json!({"version": project["version"], "actions": actions}));
    let messages = json!([{"resourceTypeId": "customer"}, {"resourceTypeId": "order"}]);
    let destination = json!({"type": "HTTP", "url": dead_end, "secret": "some-long-secret"});
    let changes = json!([{"resourceTypeId": "customer"}]);
    let draft =
        json!({"key": "dead-end", "destination": destination, "messages": messages, "changes": changes});
    posted(client, "/shop/subscriptions", &draft);
    let fields =
        json!([{"name": "note", "label": {"en": "Note"}, "required": false, "type": {"name": "String"}}]);
    let kinds = json!(["customer", "order", "review", "shopping-list", "payment", "business-unit"]);
    let draft = json!({"key": "noted", "name": {"en": "Noted"}, "resourceTypeIds": kinds, "fieldDefinitions": fields});
    posted(client, "/shop/types", &draft);
    posted(client, "/import/shop/import-containers", &json!({"key": "all"}));
}

fn custom() -> Value {
    json!({"type": {"key": "noted"}, "fields": {"note": "erased-custom-value"}})
}

fn address() -> Value {
    json!({
        "key": "home", "country": "DE", "firstName": "Ernestine-Erased", "city": "Erasureberg", "streetName": "Erased-Street",
        "phone": "+49-erased-phone", "email": "erna.erased@example.com", "company": "erased-company",
    })
}

/// Creates a customer with a history: imported, changed often, with tokens.
fn customer(client: &ApiCaller) -> Value {
    let resources = json!([{"key": "erna", "email": "erna.erased@example.com", "password": "hush", "firstName": "Ernestine-Erased"}]);
    posted(
        client,
        "/import/shop/customers/import-containers/all",
        &json!({"type": "customer", "resources": resources}),
    );
    wait_until(|| client.get("/shop/customers/key=erna").0 == 200);
    let mut customer = client.get("/shop/customers/key=erna").1;
    for round in 0..20 {
        let addresses = (0..round).map(|_| json!({"action": "addAddress", "address": address()}));
        let change = [
            json!({"action": "setLastName", "lastName": format!("Ernestine-Erased-{round}")}),
            json!({"action": "setCompanyName", "companyName": format!("erased-company-{round}")}),
            json!({"action": "setCustomType", "type": {"key": "noted"}, "fields": custom()["fields"]}),
        ];
        let mut actions: Vec<Value> = addresses
            .map(|mut one| {
                one["address"].as_object_mut().unwrap().shift_remove("key");
                one
            })
            .collect();
        actions.extend(change);
        let path = format!("/shop/customers/{}", customer["id"].as_str().unwrap());
        customer = posted(client, &path, &json!({"version": customer["version"], "actions": actions}));
    }
    let draft = json!({"email": "erna.erased@example.com", "ttlMinutes": 30});
    posted(client, "/shop/customers/password-token", &draft);
    client.get(&format!("/shop/customers/{}", customer["id"].as_str().unwrap())).1
}

fn order(client: &ApiCaller) -> Value {
    let item = json!({"name": {"en": "Wrap"}, "quantity": 1, "money": {"currencyCode": "EUR", "centAmount": 100}, "slug": "wrap"});
    let draft = json!({
        "orderNumber": "E-1", "totalPrice": {"currencyCode": "EUR", "centAmount": 100}, "customLineItems": [item],
        "customerEmail": "erna.erased@example.com", "shippingAddress": address(), "billingAddress": address(),
        "itemShippingAddresses": [address()], "custom": custom(),
    });
    let order = posted(client, "/shop/orders/import", &draft);
    let item = json!({"customLineItemId": order["customLineItems"][0]["id"], "quantity": 1, "shipmentState": "Returned", "comment": "erased-comment"});
    let change = json!({"action": "setReturnInfo", "items": [{"items": [item]}]});
    let path = format!("/shop/orders/{}", order["id"].as_str().unwrap());
    posted(client, &path, &json!({"version": order["version"], "actions": [change]}))
}

/// Creates a resource of each other type that supports `dataErasure`. Returns the paths and resources.
fn others(client: &ApiCaller) -> Vec<(&'static str, Value)> {
    let money = json!({"currencyCode": "EUR", "centAmount": 100});
    let unit = json!({
        "key": "erna-ltd", "name": "erased-company", "unitType": "Company", "contactEmail": "erna.erased@example.com",
        "addresses": [address()], "custom": custom(),
    });
    let drafts = [
        (
            "/shop/carts",
            json!({"currency": "EUR", "customerEmail": "erna.erased@example.com", "shippingAddress": address()}),
        ),
        (
            "/shop/reviews",
            json!({"authorName": "Ernestine-Erased", "text": "erased-comment", "custom": custom()}),
        ),
        ("/shop/shopping-lists", json!({"name": {"en": "erased-comment"}, "custom": custom()})),
        (
            "/shop/payments",
            json!({"amountPlanned": money, "interfaceId": "erased-company", "custom": custom()}),
        ),
        ("/shop/business-units", unit),
    ];
    drafts.map(|(path, draft)| (path, posted(client, path, &draft))).to_vec()
}

#[test]
fn nothing_of_an_erased_person_is_in_any_file() {
    let (data, elsewhere) = (folder(), folder());
    let mut command = serve(data.path());
    command.args(["--allow-private-destinations", "--accept-unreachable-destinations"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    // The destination is unreachable, so its notifications stay queued.
    prepare(&client, "http://127.0.0.1:9/");
    posted(&client, "/shop/customers", &json!({"key": "otto", "email": OTHER, "password": "hush"}));
    let (customer, order, others) = (customer(&client), order(&client), others(&client));
    let custom_object =
        json!({"container": "notes", "key": "erna", "value": {"text": "erased-comment".repeat(500)}});
    let custom_object = posted(&client, "/shop/custom-objects", &custom_object);
    let has = |path: &str, word: &str| {
        let query = json!({"query": {"fullText": {"field": "all", "value": word}}});
        client.post(path, &query).1["total"] == 1
    };
    wait_until(|| has("/shop/customers/search", "erna.erased@example.com"));
    let query = json!({"query": {"exact": {"field": "orderNumber", "value": "E-1"}}});
    wait_until(|| client.post("/shop/orders/search", &query).1["total"] == 1);
    let before = found_below(data.path());
    assert!(PERSON.iter().all(|value| before.iter().any(|found| found.starts_with(value))), "{before:#?}");
    assert!(before.iter().any(|found| found.contains("/search/")), "{before:#?}");

    let gone = deleted(&client, "/shop/customers", &customer, "id");
    assert_eq!(gone["email"], "erna.erased@example.com", "who erases is answered with what there was");
    deleted(&client, "/shop/orders", &order, "id");
    others.iter().for_each(|(path, made)| drop(deleted(&client, path, made, "id")));
    deleted(&client, "/shop/custom-objects/notes", &custom_object, "key");
    let began = Instant::now();
    // Another client keeps writing meanwhile.
    let mut written = 0;
    loop {
        let draft =
            json!({"container": "busy", "key": format!("n{}", written % 20), "value": "x".repeat(3_000)});
        posted(&client, "/shop/custom-objects", &draft);
        written += 1;
        let found = if written % 50 == 0 { found_below(data.path()) } else { continue };
        if found.is_empty() {
            break;
        }
        assert!(began.elapsed() < GONE_AFTER_MAX, "{:?} later: {found:#?}", began.elapsed());
    }
    let (_, messages) = client.get("/shop/messages?limit=500");
    let text_of_messages = messages.to_string();
    assert!(text_of_messages.contains("CustomerDeleted") && text_of_messages.contains("OrderDeleted"));
    let backup = elsewhere.path().join("all.tar");
    run(data.path(), &["backup", text(&backup)]).ok();
    assert_eq!(found_below(elsewhere.path()), Vec::<String>::new());
    assert!(server.terminate().success());
    assert_eq!(found_below(data.path()), Vec::<String>::new());

    let restored = elsewhere.path().join("restored");
    run(&restored, &["restore", text(&backup)]).ok();
    let client = ServerUnderTest::start(&restored);
    assert_eq!(client.client().get("/shop/customers/key=otto").1["email"], OTHER);
}

#[test]
fn finishes_an_erasure_after_a_kill() {
    let data = folder();
    let mut server = ServerUnderTest::start(data.path());
    let client = server.client();
    let draft = json!({"key": "erna", "email": "erna.erased@example.com", "password": "hush"});
    let made = posted(&client, "/shop/customers", &draft);
    deleted(&client, "/shop/customers", &made["customer"], "id");
    server.kill();
    assert!(!found_below(data.path()).is_empty());
    let server = ServerUnderTest::start(data.path());
    assert_eq!(server.client().get("/shop").0, 200);
    let began = Instant::now();
    while !found_below(data.path()).is_empty() {
        assert!(began.elapsed() < GONE_AFTER_MAX, "{:#?}", found_below(data.path()));
        std::thread::sleep(Duration::from_millis(100));
    }
}
