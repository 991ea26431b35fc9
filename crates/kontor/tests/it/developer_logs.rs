//! The logs of requests and deliveries on a server without test controls.

use crate::fake_server::FakeServer;
use crate::harness::{ServerUnderTest, folder, serve, wait_until};
use kontor_json::{Value, json};
use std::process::Stdio;

/// Starts a server, with the access log or without.
fn server(data: &std::path::Path, log: &str) -> ServerUnderTest {
    let mut command = serve(data);
    command.args(["--log", log, "--allow-private-destinations"]);
    ServerUnderTest::start_with(command, Stdio::null())
}

fn results(response: (u16, Value)) -> Vec<Value> {
    assert_eq!(response.0, 200, "{}", response.1);
    response.1["results"].as_array().unwrap().clone()
}

#[test]
fn refusals_are_recorded_without_the_access_log_and_other_requests_after_a_look() {
    let data = folder();
    let server = server(data.path(), "warn");
    let client = server.client();
    assert_eq!(client.post("/shop/zones", &json!({"key": "north", "name": "North"})).0, 201);
    assert_eq!(client.get("/shop/zones/key=north").0, 200);
    // This one is refused on the fast path.
    assert_eq!(client.get("/shop/zones/key=none").0, 404);
    let requests = results(client.get("/shop/kontor/requests?path=/zones"));
    let request = &requests[0];
    assert_eq!((requests.len(), &request["status"], &request["clientId"]), (1, &json!(404), &json!("id")));
    assert!(request["reason"].as_str().unwrap().starts_with("ResourceNotFound: "), "{request}");
    assert!(request["correlationId"].is_string() && request["at"].is_string(), "{request}");
    assert_eq!(client.get("/shop/zones/key=north").0, 200);
    let requests = results(client.get("/shop/kontor/requests?path=/zones"));
    assert_eq!((requests.len(), &requests[0]["path"]), (2, &json!("/shop/zones/key=north")));
    assert!(
        requests[0]["body"].is_null()
            && !requests.iter().any(|request| request["path"] == "/shop/kontor/requests")
    );
}

#[test]
fn all_requests_are_recorded_with_the_access_log() {
    let data = folder();
    let server = server(data.path(), "info");
    let client = server.client();
    assert_eq!(client.get("/shop/zones").0, 200);
    assert_eq!(server.with_token("wrong").get("/shop/zones").0, 401);
    let requests = results(client.get("/shop/kontor/requests?path=/shop/zones"));
    assert_eq!((&requests[0]["status"], &requests[1]["status"]), (&json!(401), &json!(200)));
    assert!(requests[0]["clientId"].is_null(), "{requests:?}");
    // A removed project leaves nothing behind.
    assert_eq!(server.nobody().get("/_test").0, 404);
}

#[test]
fn deliveries_have_the_responses_of_destinations_and_lose_erased_resources() {
    let peer = FakeServer::start(|path, _| match path {
        "/veto" => (400, json!({"errors": [{"code": "InvalidInput", "message": "No."}]}).to_string()),
        _ => (202, "thanks".to_owned()),
    });
    let data = folder();
    let server = server(data.path(), "warn");
    let client = server.client();
    let destination = |path: &str| json!({"type": "HTTP", "url": format!("{}{path}", peer.url)});
    let draft = json!({"destination": destination("/hook"), "messages": [{"resourceTypeId": "customer"}]});
    let (status, subscription) = client.post("/shop/subscriptions", &draft);
    assert_eq!(status, 201, "{subscription}");
    let path = format!("/shop/kontor/deliveries?subscription={}", subscription["id"].as_str().unwrap());
    let test = &results(client.get(&path))[0];
    assert_eq!((&test["httpStatus"], &test["responseBody"]), (&json!(202), &json!("thanks")), "{test}");

    let draft = json!({"email": "erna@example.com", "password": "secret"});
    let (_, made) = client.post("/shop/customers", &draft);
    let erna = made["customer"]["id"].as_str().unwrap().to_owned();
    let about =
        || results(client.get(&path)).iter().filter(|found| found["resource"]["id"] == json!(erna)).count();
    wait_until(|| about() == 1);
    let (status, deleted) = client.delete(&format!("/shop/customers/{erna}?version=1&dataErasure=true"));
    assert_eq!(status, 200, "{deleted}");
    // The Message of the deletion has no personal data, and may be delivered already.
    assert!(about() <= 1);
    let left = results(client.get(&path));
    assert!(!left.iter().any(|found| found.to_string().contains("erna@example.com")), "{left:?}");

    let draft = json!({
        "destination": destination("/veto"), "triggers": [{"resourceTypeId": "customer", "actions": ["Create"]}],
    });
    assert_eq!(client.post("/shop/extensions", &draft).0, 201);
    assert_eq!(client.post("/shop/customers", &json!({"email": "a@b.example", "password": "secret"})).0, 400);
    let call = &results(client.get("/shop/kontor/deliveries?status=failed"))[0];
    assert_eq!(
        (&call["kind"], &call["httpStatus"], &call["error"]),
        (&json!("extension"), &json!(400), &json!("No.")),
        "{call}"
    );
}
