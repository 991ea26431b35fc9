//! SQS queues and Kafka brokers that are unreachable, silent, or have untrusted certificates: other destinations do not
//! wait for them, no secrets are sent to them, and a queue that recovers gets all notifications in order.

use crate::failing_destinations::{FakeDestination, renamed_group, serving_any_destination};
use crate::harness::{folder, wait_until};
use crate::in_store_application::callback;
use kontor_json::{Value, json};
use std::net::TcpListener;

/// The versions of a document in the notifications to a queue, without duplicates.
fn queued_versions(at: &FakeDestination, id: &Value) -> Vec<u64> {
    let received = at.received.lock().unwrap();
    let told = received
        .iter()
        .map(|(_, body)| -> Value { kontor_json::from_str(body["MessageBody"].as_str().unwrap()).unwrap() });
    let mine = told.filter(|told| told["resource"]["id"] == *id);
    let mut versions: Vec<u64> = mine.map(|told| told["version"].as_u64().unwrap()).collect();
    versions.dedup();
    versions
}

#[test]
fn unreachable_and_untrusted_brokers_delay_no_others() {
    let (well, silent, data) =
        (FakeDestination::start(), TcpListener::bind("127.0.0.1:0").unwrap(), folder());
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // The server does not trust this certificate.
    let (untrusted, heads) = callback();
    let server = serving_any_destination(data.path());
    let admin = server.client();
    let kafka = |server: String| {
        json!({
            "type": "ConfluentCloud", "bootstrapServer": server, "apiKey": "key", "apiSecret": "s3cret", "acks": "all",
            "topic": "orders",
        })
    };
    let queue = |server: String| {
        json!({
            "type": "SQS", "queueUrl": format!("{server}/123456789012/orders"), "region": "eu-west-1", "accessKey": "AKIA",
            "accessSecret": "s3cret",
        })
    };
    let down = [
        ("kafka-gone", kafka(format!("SASL_PLAINTEXT://{gone}"))),
        ("kafka-silent", kafka(format!("SASL_PLAINTEXT://{}", silent.local_addr().unwrap()))),
        ("kafka-untrusted", kafka(format!("localhost:{untrusted}"))),
        ("queue-gone", queue(format!("http://{gone}"))),
        ("queue-untrusted", queue(format!("https://localhost:{untrusted}"))),
    ];
    let url = format!("{}/well", well.url);
    let all = down.iter().cloned().chain([("well", json!({"type": "HTTP", "url": url}))]);
    for (key, destination) in all {
        let changes = json!([{"resourceTypeId": "customer-group"}]);
        let draft = json!({"key": key, "destination": destination, "changes": changes});
        let (status, made) = admin.post("/shop/subscriptions", &draft);
        assert_eq!(status, 201, "{key}: {made}");
    }

    let (group, all) = renamed_group(&admin);
    wait_until(|| well.versions("/well", &group["id"]) == all);
    let status = |key: &str| admin.get(&format!("/shop/subscriptions/key={key}")).1["status"].clone();
    for (key, _) in &down {
        wait_until(|| status(key) == "TemporaryError");
    }
    assert_eq!(status("well"), "Healthy");
    let said = heads.lock().unwrap().clone();
    assert!(said.iter().all(String::is_empty), "nothing is said to who is not trusted: {said:?}");

    let back = FakeDestination::at(gone);
    wait_until(|| queued_versions(&back, &group["id"]) == all);
    wait_until(|| status("queue-gone") == "Healthy");
}
