//! Topics of a real Kafka broker as destinations, configured like Confluent Cloud with TLS and an API key.

use crate::harness::{ApiCaller, ServerUnderTest, folder, serve, wait_until};
use kontor_json::{Value, json};
use kontor_tests_kafka::{API_KEY, API_SECRET, ReceivedRecord, TestBroker};
use std::process::Stdio;

fn destination(server: &str, topic: &str) -> Value {
    json!({
        "type": "ConfluentCloud", "bootstrapServer": server, "apiKey": API_KEY, "apiSecret": API_SECRET, "acks": "all",
        "topic": topic,
    })
}

fn subscribe(admin: &ApiCaller, key: &str, destination: &Value) -> (u16, Value) {
    let changes = json!([{"resourceTypeId": "zone"}]);
    admin.post("/shop/subscriptions", &json!({"key": key, "destination": destination, "changes": changes}))
}

/// Returns the next records and their parsed values.
fn next(broker: &TestBroker, count: usize) -> Vec<(ReceivedRecord, Value)> {
    let record = |_| {
        let record = broker.next().unwrap();
        let told = kontor_json::from_str(&record.value).unwrap();
        (record, told)
    };
    (0..count).map(record).collect()
}

#[test]
fn topics_receive_keyed_notifications_in_order() {
    let Some(broker) = TestBroker::start(&[("orders", 1), ("many", 8), ("unasked", 1)]).unwrap() else {
        return;
    };
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--allow-private-destinations").env("SSL_CERT_FILE", broker.certificate());
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let admin = server.client();

    // Over TLS, with a configured record key; the test notification comes first.
    let mut keyed = destination(&broker.with_tls(), "orders");
    keyed["key"] = json!("k");
    let (status, made) = subscribe(&admin, "keyed", &keyed);
    assert_eq!(status, 201, "{made}");
    let (record, messages) = next(&broker, 1).remove(0);
    assert_eq!((record.topic.as_str(), record.key.as_deref()), ("orders", Some("k")));
    assert_eq!(
        (&messages["notificationType"], &messages["resource"]["typeId"]),
        (&json!("ResourceCreated"), &json!("subscription"))
    );

    // Unusable settings are rejected, and the error has the broker's reason.
    let refused = |change: &dyn Fn(&mut Value), (code, expected): (&str, &str)| {
        let mut destination = destination(&broker.without_tls(), "orders");
        change(&mut destination);
        let (status, refused) = subscribe(&admin, "refused", &destination);
        assert_eq!((status, &refused["errors"][0]["code"]), (400, &json!(code)), "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(expected), "{refused}");
    };
    refused(&|it| it["apiSecret"] = json!("another"), ("InvalidInput", "SaslAuthenticationFailed"));
    refused(&|it| it["topic"] = json!("nowhere"), ("InvalidInput", "UnknownTopicOrPartition"));
    refused(&|it| it["topic"] = json!("not a topic"), ("InvalidInput", "InvalidTopicException"));
    refused(&|it| it["bootstrapServer"] = json!("127.0.0.1:1"), ("InvalidInput", "cannot be reached"));
    refused(&|it| it["bootstrapServer"] = json!("no-port.example"), ("InvalidField", "<host>:<port>"));

    // Without a record key, all notifications of a resource go to one partition. With `acks` 0 the broker sends no
    // acknowledgement.
    for (key, topic, acks) in [("many", "many", "1"), ("unasked", "unasked", "0")] {
        let mut destination = destination(&broker.without_tls(), topic);
        destination["acks"] = json!(acks);
        let (status, made) = subscribe(&admin, key, &destination);
        assert_eq!(status, 201, "{made}");
    }
    let mut made: Vec<String> = next(&broker, 2).into_iter().map(|(record, _)| record.topic).collect();
    made.sort();
    assert_eq!(made, ["many", "unasked"]);
    let zones: Vec<Value> = (0..4)
        .map(|number| {
            let (status, zone) = admin.post("/shop/zones", &json!({"name": format!("Zone {number}")}));
            assert_eq!(status, 201, "{zone}");
            let changes = json!({"version": 1, "actions": [{"action": "changeName", "name": "Other"}]});
            let path = format!("/shop/zones/{}", zone["id"].as_str().unwrap());
            assert_eq!(admin.post(&path, &changes).0, 200);
            zone["id"].clone()
        })
        .collect();
    let told = next(&broker, 3 * 2 * zones.len());
    for topic in ["orders", "many", "unasked"] {
        for zone in &zones {
            let of_zone: Vec<&(ReceivedRecord, Value)> = told
                .iter()
                .filter(|(record, messages)| record.topic == topic && messages["resource"]["id"] == *zone)
                .collect();
            let mut types: Vec<&str> =
                of_zone.iter().filter_map(|(_, messages)| messages["notificationType"].as_str()).collect();
            // Without acknowledgements, a notification on another connection may overtake an earlier one.
            if topic == "unasked" {
                types.sort_unstable();
            }
            assert_eq!(types, ["ResourceCreated", "ResourceUpdated"], "{topic}");
            assert_eq!(of_zone[0].0.partition, of_zone[1].0.partition);
        }
    }
    assert!(
        told.iter().filter(|(record, _)| record.topic == "orders").all(|(record, _)| record.key.is_some())
    );
    assert!(told.iter().filter(|(record, _)| record.topic == "many").all(|(record, _)| record.key.is_none()));

    // An unreachable broker is retried.
    drop(broker);
    assert_eq!(admin.post("/shop/zones", &json!({"name": "Late"})).0, 201);
    wait_until(|| admin.get("/shop/subscriptions/key=keyed").1["status"] == "TemporaryError");
}
