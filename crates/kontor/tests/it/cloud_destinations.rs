//! Destinations at Google Cloud and Azure, emulated by local sockets: the requests and the keys they would receive.

use crate::fake_server::FakeServer;
use crate::harness::{ServerUnderTest, folder, serve, wait_until};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use kontor_json::{Value, json};
use std::process::Stdio;

#[test]
fn sends_each_cloud_its_own_format() {
    let peer = FakeServer::start(|_, _| (201, "{}".to_owned()));
    let host = peer.url.strip_prefix("http://").unwrap();
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--allow-private-destinations").env("PUBSUB_EMULATOR_HOST", host);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let admin = server.client();
    let subscribe = |destination: Value, format: &str| {
        let mut draft = json!({"destination": destination, "changes": [{"resourceTypeId": "zone"}]});
        draft["format"] = match format {
            "Platform" => json!({"type": "Platform"}),
            format => json!({"type": format, "cloudEventsVersion": "1.0"}),
        };
        admin.post("/shop/subscriptions", &draft)
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
    ] {
        let (status, made) = subscribe(destination, format);
        assert_eq!(status, 201, "{made}");
    }
    let nowhere =
        json!({"type": "AzureServiceBus", "connectionString": connection.replace("EntityPath=orders;", "")});
    assert_eq!(subscribe(nowhere, "Platform").0, 400);
    let (status, zone) = admin.post("/shop/zones", &json!({"name": "Here"}));
    assert_eq!(status, 201, "{zone}");

    // The test notification comes first, then that of the zone.
    let second = |path: &str| {
        wait_until(|| peer.received(path).len() == 2);
        peer.received(path).remove(1)
    };
    let (_, message) = second("/v1/projects/p-1/topics/t-1:publish");
    let message = &message["messages"][0];
    assert_eq!(message["attributes"]["content-type"], "application/cloudevents+json; charset=utf-8");
    let event = BASE64_STANDARD.decode(message["data"].as_str().unwrap()).unwrap();
    let event: Value = kontor_json::from_slice(&event).unwrap();
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
}

/// The claims of a token, without checking its signature.
fn claims(token: &str) -> Value {
    let part = token.split('.').nth(1).unwrap();
    kontor_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[test]
fn google_functions_get_an_identity_token() {
    let peer = FakeServer::start(|path, _| match path {
        "/tokens" => (200, json!({"id_token": "header.claims.signature"}).to_string()),
        "/refused" => (403, "<html>Forbidden</html>".to_owned()),
        _ => (200, json!({"actions": [{"action": "setKey", "key": "by-function"}]}).to_string()),
    });
    let data = folder();
    let account = data.path().join("account.json");
    let file = json!({
        "type": "service_account", "client_email": "shop@project.example", "private_key_id": "k-1",
        "token_uri": format!("{}/tokens", peer.url),
        "private_key": include_str!("../../../events/tests/data/account.pem"),
    });
    std::fs::write(&account, file.to_string()).unwrap();
    let mut command = serve(data.path());
    command.args(["--allow-private-destinations", "--use-server-credentials"]);
    command.env("GOOGLE_APPLICATION_CREDENTIALS", &account);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let admin = server.client();
    let extension = |path: &str, kind: &str| {
        let draft = json!({
            "destination": {"type": "GoogleCloudFunction", "url": format!("{}{path}", peer.url)},
            "triggers": [{"resourceTypeId": kind, "actions": ["Create"]}],
        });
        let (status, made) = admin.post("/shop/extensions", &draft);
        assert_eq!(status, 201, "{made}");
    };
    extension("/function", "customer-group");
    extension("/refused", "shopping-list");
    for name in ["Friends", "Others"] {
        let (status, group) = admin.post("/shop/customer-groups", &json!({"groupName": name}));
        if name == "Friends" {
            assert_eq!((status, &group["key"]), (201, &json!("by-function")), "{group}");
        }
    }
    // The service account signs one token request for both calls; the function gets that token.
    let requested = peer.received("/tokens");
    assert_eq!(requested.len(), 1);
    let form = requested[0].1.as_str().unwrap();
    let (grant, assertion) = form.split_once("&assertion=").unwrap();
    assert_eq!(grant, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer");
    let told = claims(assertion);
    assert_eq!(told["target_audience"], format!("{}/function", peer.url));
    assert_eq!((&told["iss"], &told["aud"]), (&json!("shop@project.example"), &file["token_uri"]));
    let calls = peer.received("/function");
    assert_eq!(calls.len(), 2);
    for (head, _) in calls {
        assert!(head.contains("authorization: bearer header.claims.signature"), "{head}");
    }
    // An error page of Google is no valid response of an extension.
    let (status, refused) = admin.post("/shop/shopping-lists", &json!({"name": {"en": "Wishes"}}));
    assert_eq!((status, &refused["errors"][0]["code"]), (502, &json!("ExtensionBadResponse")), "{refused}");
}
