//! Import, export and pull as an API client, over the HTTP API alone.

use crate::export_import_equality::{assert_same, documents};
use crate::harness::{ServerUnderTest, fixture, folder, kontor, run, serve, text};
use kontor_json::json;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;

/// Returns the flags for the project `shop` of a server.
fn shop_at(url: &str) -> Vec<&str> {
    vec!["--url", url, "--project", "shop", "--client-id", "id", "--client-secret", "secret"]
}

fn with<'a>(first: &[&'a str], url: &'a str, last: &[&'a str]) -> Vec<&'a str> {
    [first, &shop_at(url), last].concat()
}

/// Returns the documents of the project `shop` in a folder that API clients can read: approval rules are for
/// associates.
fn client_documents(data: &Path) -> std::collections::BTreeMap<String, std::collections::BTreeSet<String>> {
    let mut documents = documents(data, "shop");
    documents.remove("approval-rule");
    documents
}

#[test]
fn a_project_is_filled_and_copied_over_the_api() {
    let (first, second, third) = (folder(), folder(), folder());
    run(first.path(), &["project", "create", "shop", "--name", "Shop"]).ok();
    run(first.path(), &["import", "--project", "shop", text(&fixture("every-kind.jsonl"))]).ok();
    // The destination of the Subscription in the fixture is unreachable.
    let start = |data: &Path| {
        let mut command = serve(data);
        command.arg("--accept-unreachable-destinations");
        ServerUnderTest::start_with(command, Stdio::null())
    };
    let (one, two) = (start(first.path()), start(second.path()));
    let expected = client_documents(first.path());

    let lines = first.path().join("shop.jsonl");
    run(first.path(), &with(&["export"], &one.url, &[text(&lines)])).ok();
    run(first.path(), &with(&["import"], &two.url, &[text(&lines)])).ok();
    assert_same(&client_documents(second.path()), &expected);
    // Resources without key are recognized, too: a second import creates no duplicates.
    run(first.path(), &with(&["import"], &two.url, &[text(&lines)])).ok();
    assert_same(&client_documents(second.path()), &expected);

    // Directly into a new data folder, without the resource types that must be named.
    run(third.path(), &with(&["pull"], &one.url, &["--to-project", "shop"])).ok();
    let pulled = client_documents(third.path());
    let mut without_history = expected;
    for kind in ["review", "shopping-list"] {
        assert!(!pulled.contains_key(kind), "{kind}");
        without_history.remove(kind);
    }
    // Products have statistics of their reviews, which are not copied.
    without_history.remove("product");
    assert_same(&pulled.into_iter().filter(|(kind, _)| kind != "product").collect(), &without_history);
}

#[test]
fn pull_writes_a_folder_that_can_be_imported() {
    let (data, files) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let draft = json!({"key": "north", "name": "North"});
    assert_eq!(server.client().post("/shop/zones", &draft).0, 201);
    let to = files.path().join("new/shop");
    let said = run(data.path(), &with(&["pull"], &server.url, &[text(&to)]));
    assert!(said.err.contains("resources of 'shop' exported"), "{said:?}");
    said.ok();
    let zones = fs::read_to_string(to.join("zones.json")).unwrap();
    assert!(zones.contains("\"North\"") && !zones.contains("createdAt"), "{zones}");
    let only = run(data.path(), &with(&["pull", "--kind", "zones"], &server.url, &["-"])).ok();
    assert_eq!(only.lines().count(), 1, "{only}");
    assert!(run(data.path(), &["pull", "--project", "shop", "-"]).failed().contains("--url"));
}

#[test]
fn explains_wrong_credentials_and_unknown_projects() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let wrong =
        ["export", "--url", &server.url, "--project", "shop", "--client-id", "id", "--client-secret", "x"];
    assert!(run(data.path(), &wrong).failed().contains("issues no token to client 'id'"));
    let other = [
        "export",
        "--url",
        &server.url,
        "--project",
        "other",
        "--client-id",
        "id",
        "--client-secret",
        "secret",
    ];
    let said = run(data.path(), &other).failed();
    assert!(said.contains("project 'other' at http://") && said.contains("--project"), "{said}");
    let unreached = TcpListener::bind("127.0.0.1:0").unwrap();
    let scope = with(&["export"], &server.url, &["--scope", "view_stores:shop", "-"]);
    assert!(run(data.path(), &scope).failed().contains("scope"));
    drop(unreached);
}

/// Starts a proxy to a server that rejects the first requests with 503. Returns its URL.
fn refusing_first(server: &ServerUnderTest, refusals: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let target = server.url.strip_prefix("http://").unwrap().to_owned();
    std::thread::spawn(move || {
        for (number, connection) in listener.incoming().enumerate() {
            let mut client = connection.unwrap();
            if number < refusals {
                let mut head = [0; 4096];
                let _ = client.read(&mut head);
                let response =
                    "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                client.write_all(response.as_bytes()).unwrap();
                continue;
            }
            let server = TcpStream::connect(&target).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            let (mut from, mut to) = (server, client);
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        }
    });
    url
}

#[test]
fn retries_after_503() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let url = refusing_first(&server, 3);
    let out = run(data.path(), &with(&["export"], &url, &["--kind", "project"])).ok();
    assert_eq!(out.lines().count(), 1, "{out}");
}

#[test]
fn a_server_is_seeded_before_it_listens() {
    let data = folder();
    let start = |data: &Path| {
        let mut command = serve(data);
        command.args(["--import", text(&fixture("every-kind.jsonl"))]);
        ServerUnderTest::start_with(command, Stdio::null())
    };
    let server = start(data.path());
    let client = server.client();
    let (_, jane) = client.get("/shop/customers/key=jane");
    assert_eq!(jane["firstName"], "Jane", "{jane}");
    let action = json!({"action": "setFirstName", "firstName": "Joan"});
    let update = json!({"version": jane["version"], "actions": [action]});
    assert_eq!(client.post("/shop/customers/key=jane", &update).0, 200);
    let before = client.total("/shop/payments");
    drop(server);
    // Existing resources are left unchanged.
    let server = start(data.path());
    assert_eq!(server.client().get("/shop/customers/key=jane").1["firstName"], "Joan");
    assert_eq!(server.client().total("/shop/payments"), before);
    drop(server);

    let mut in_memory = kontor(data.path());
    in_memory.env_remove("KONTOR_DATA").args(["serve", "--in-memory", "--project", "shop"]);
    in_memory.args(["--client-id", "id", "--client-secret", "secret", "--import", text(&fixture("shop"))]);
    // Some drafts of this folder fail, which does not prevent the start.
    let server = ServerUnderTest::start_with(in_memory, Stdio::null());
    assert_eq!(server.client().get("/shop/states/key=open").0, 200);
}

#[test]
fn pulls_orders_with_their_payments() {
    let (data, copy) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let made = |path: &str, draft: &kontor_json::Value| {
        let (status, made) = client.post(path, draft);
        assert_eq!(status, 201, "{made}");
        made
    };
    let amount = json!({"currencyCode": "EUR", "centAmount": 100});
    let payment = made("/shop/payments", &json!({"amountPlanned": amount, "interfaceId": "paid"}));
    let cart = made("/shop/carts", &json!({"currency": "EUR"}));
    let add = json!({"version": cart["version"], "actions": [
        {"action": "addPayment", "payment": {"typeId": "payment", "id": payment["id"]}}]});
    let (status, cart) = client.post(&format!("/shop/carts/{}", cart["id"].as_str().unwrap()), &add);
    assert_eq!(status, 200, "{cart}");

    for (project, more) in [("all", &[][..]), ("carts", &["--kind", "cart"])] {
        let ran =
            run(copy.path(), &with(&["pull"], &server.url, &[&["--to-project", project], more].concat()));
        assert!(ran.status.success(), "{ran:?}");
        for said in ["left out: API clients", "left out: uploaded images"] {
            assert!(ran.err.contains(said), "{ran:?}");
        }
        assert_eq!(ran.err.contains("left out: review,shopping-list"), project == "all", "{ran:?}");
        let copied = documents(copy.path(), project);
        let payments = &copied["payment"];
        assert_eq!((payments.len(), copied["cart"].len()), (1, 1), "{copied:?}");
    }
    let export = |project: &str, kind: &str| {
        run(copy.path(), &["export", "--documents", "--project", project, "--kind", kind]).ok()
    };
    let read = |text: String| kontor_json::from_str::<kontor_json::Value>(&text).unwrap()["resource"].clone();
    let (payment, cart) = (read(export("all", "payment")), read(export("all", "cart")));
    assert_eq!(cart["paymentInfo"]["payments"][0]["id"], payment["id"]);
    assert_eq!(payment["interfaceId"], "paid");

    // A client cannot create a cart as it was, so it is skipped; the other resources are created.
    let elsewhere = folder();
    let second = ServerUnderTest::start(elsewhere.path());
    let to = [
        "--to-project",
        "shop",
        "--to-url",
        &second.url,
        "--to-client-id",
        "id",
        "--to-client-secret",
        "secret",
    ];
    let ran = run(copy.path(), &with(&["pull"], &server.url, &to));
    assert!(ran.status.success(), "{ran:?}");
    assert!(ran.err.contains("left out: ") && ran.err.contains("no client can create them"), "{ran:?}");
    assert_eq!(second.client().total("/shop/payments"), 1);
    assert_eq!(second.client().total("/shop/carts"), 0);
}
