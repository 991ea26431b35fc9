//! Destinations at other clouds than AWS, with sockets of ours in their place: what they would receive, and by which key.

use crate::harness::{Server, folder, serve, wait_until};
use crate::peer::Peer;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::process::Stdio;

#[test]
fn each_cloud_receives_what_it_takes() {
    let peer = Peer::start(|path, _| match path {
        "/kafka/v3/clusters" => (200, json!({"data": [{"cluster_id": "lkc-1"}]}).to_string()),
        "/kafka/v3/clusters/lkc-1/topics/full/records" => (200, json!({"error_code": 40_403}).to_string()),
        path if path.starts_with("/kafka/") => (200, json!({"error_code": 200}).to_string()),
        _ => (201, "{}".to_owned()),
    });
    let host = peer.url.strip_prefix("http://").unwrap();
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--allow-private-destinations").env("PUBSUB_EMULATOR_HOST", host);
    let server = Server::start_with(command, Stdio::null());
    let admin = server.client();
    let subscribe = |destination: Value, format: &str| {
        let mut draft = json!({"destination": destination, "changes": [{"resourceTypeId": "zone"}]});
        draft["format"] = match format {
            "Platform" => json!({"type": "Platform"}),
            format => json!({"type": format, "cloudEventsVersion": "1.0"}),
        };
        admin.post("/shop/subscriptions", &draft)
    };
    let kafka = |topic: &str| {
        json!({"type": "ConfluentCloud", "bootstrapServer": peer.url, "apiKey": "some-key", "apiSecret": "some-secret", "acks": "all",
            "topic": topic, "key": "k"})
    };
    let connection = format!(
        "Endpoint=sb://{host}/;SharedAccessKeyName=send;SharedAccessKey=abcdefgh;EntityPath=orders;UseDevelopmentEmulator=true"
    );
    for (destination, format) in [
        (json!({"type": "GoogleCloudPubSub", "projectId": "p-1", "topic": "t-1"}), "CloudEvents"),
        (json!({"type": "AzureServiceBus", "connectionString": connection}), "Platform"),
        (
            json!({"type": "EventGrid", "uri": format!("{}/grid", peer.url), "accessKey": "some-key"}),
            "CloudEvents",
        ),
        (kafka("news"), "Platform"),
    ] {
        let (status, made) = subscribe(destination, format);
        assert_eq!(status, 201, "{made}");
    }
    let (status, refused) = subscribe(kafka("full"), "Platform");
    assert_eq!((status, &refused["errors"][0]["code"]), (400, &json!("InvalidInput")), "{refused}");
    let nowhere =
        json!({"type": "AzureServiceBus", "connectionString": connection.replace("EntityPath=orders;", "")});
    assert_eq!(subscribe(nowhere, "Platform").0, 400);
    let (status, zone) = admin.post("/shop/zones", &json!({"name": "Here"}));
    assert_eq!(status, 201, "{zone}");

    // The test notification, and that of the Zone.
    let second = |path: &str| {
        wait_until(|| peer.asked(path).len() == 2);
        peer.asked(path).remove(1)
    };
    let (_, message) = second("/v1/projects/p-1/topics/t-1:publish");
    let message = &message["messages"][0];
    assert_eq!(message["attributes"]["content-type"], "application/cloudevents+json; charset=utf-8");
    let event = BASE64_STANDARD.decode(message["data"].as_str().unwrap()).unwrap();
    let event: Value = serde_json::from_slice(&event).unwrap();
    assert_eq!(
        (&event["type"], &event["subject"]),
        (&json!("com.commercetools.zone.change.ResourceCreated"), &zone["id"])
    );

    let (head, message) = second("/orders/messages");
    assert!(head.contains("authorization: sharedaccesssignature sr=http%3a%2f%2f127.0.0.1%3a"), "{head}");
    assert_eq!(message["resource"]["id"], zone["id"]);

    let (head, event) = second("/grid");
    assert!(head.contains("aeg-sas-key: some-key"), "{head}");
    assert!(head.contains("content-type: application/cloudevents+json"), "{head}");
    assert_eq!(event["data"]["resource"]["id"], zone["id"]);

    let (head, record) = second("/kafka/v3/clusters/lkc-1/topics/news/records");
    let keys = BASE64_STANDARD.encode("some-key:some-secret").to_ascii_lowercase();
    assert!(head.contains(&format!("authorization: basic {keys}")), "{head}");
    assert_eq!(record["key"], json!({"type": "STRING", "data": "k"}));
    assert_eq!(record["value"]["data"]["resource"]["id"], zone["id"]);
}
