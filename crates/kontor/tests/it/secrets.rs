//! Secrets are shown once, to their creator, and are in no log, error, export, metric or file.

use crate::fake_server::FakeServer;
use crate::harness::{ApiCaller, ServerUnderTest, basic, folder, run, serve, wait_until};
use kontor_json::{Value, json};
use std::fs::{self, File};

/// All secrets that a test used, with a description.
type UsedSecrets = Vec<(&'static str, String)>;

fn text(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_else(|| panic!("no {field}: {body}")).to_owned()
}

/// Uses every kind of secret, right and wrong ones. Returns all secrets, and the text of all error responses.
fn use_all_secrets(server: &ServerUnderTest) -> (UsedSecrets, String) {
    let mut secrets: UsedSecrets = vec![
        ("the secret of a client", "hush-client".into()),
        ("a wrong secret of a client", "hush-wrong-client".into()),
        ("a password", "hush-password".into()),
        ("a wrong password", "hush-wrong-password".into()),
        ("a new password", "hush-new-password".into()),
        ("the header of an external server", "hush-external".into()),
        ("an unknown token", "hush-unknown-token".into()),
        ("an unknown password token", "hush-unknown-password-token".into()),
    ];
    let mut refusals = String::new();
    let caller = server.caller("other", "hush-client");
    let mut refused = |(status, body): (u16, Value)| {
        assert!(status >= 400, "{body}");
        refusals.push_str(&body.to_string());
    };
    secrets.push(("an access token", caller.token().to_owned()));

    // Clients and their tokens.
    let client = server.with_authorization(&basic("other", "hush-client"));
    let wrong = server.with_authorization(&basic("other", "hush-wrong-client"));
    refused(wrong.post("/oauth/token?grant_type=client_credentials", &Value::Null));
    refused(
        client.post("/oauth/token?grant_type=refresh_token&refresh_token=hush-unknown-token", &Value::Null),
    );
    refused(client.post("/oauth/introspect?token=hush-unknown-token&token=hush-unknown-token", &Value::Null));
    refused(server.with_token("hush-unknown-token").get("/shop/states"));
    let (_, session) = client.post("/oauth/shop/anonymous/token?grant_type=client_credentials", &Value::Null);
    secrets.push(("a refresh token", text(&session, "refresh_token")));
    secrets.push(("the token of a session", text(&session, "access_token")));
    let refresh =
        format!("/oauth/token?grant_type=refresh_token&refresh_token={}", text(&session, "refresh_token"));
    let (_, again) = client.post(&refresh, &Value::Null);
    secrets.push(("a token of a refresh token", text(&again, "access_token")));
    client.post(&format!("/oauth/token/revoke?token={}", text(&session, "refresh_token")), &Value::Null);
    refused(client.post(&refresh, &Value::Null));
    let draft = json!({"name": "third", "scope": "view_states:shop"});
    let (_, third) = caller.post("/shop/api-clients", &draft);
    secrets.push(("the secret of a client made by the API", text(&third, "secret")));
    let (_, shown) = caller.get(&format!("/shop/api-clients/{}", text(&third, "id")));
    assert!(shown.get("secret").is_none(), "{shown}");

    // Customers, their passwords and tokens.
    let (_, created) =
        caller.post("/shop/customers", &json!({"email": "ann@example.com", "password": "hush-password"}));
    let id = text(&created["customer"], "id");
    assert!(!created.to_string().contains("hush"), "{created}");
    refused(
        caller.post("/shop/customers", &json!({"email": "ann@example.com", "password": "hush-password"})),
    );
    refused(caller.post("/shop/customers", &json!({"email": 1, "password": "hush-password"})));
    refused(
        caller.post("/shop/customers", &json!({"email": "bob@example.com", "password": ["hush-password"]})),
    );
    refused(
        caller.post("/shop/login", &json!({"email": "bob@example.com", "password": {"hush-password": 1}})),
    );
    refused(
        caller.post("/shop/login", &json!({"email": "ann@example.com", "password": "hush-wrong-password"})),
    );
    let (_, token) = caller.post("/shop/customers/password-token", &json!({"email": "ann@example.com"}));
    let token = text(&token, "value");
    assert_eq!(caller.get(&format!("/shop/customers/password-token={token}")).0, 200);
    refused(caller.get("/shop/customers/password-token=hush-unknown-password-token"));
    let reset = json!({"tokenValue": token, "newPassword": "hush-new-password"});
    assert_eq!(caller.post("/shop/customers/password/reset", &reset).0, 200);
    refused(caller.post("/shop/customers/password/reset", &reset));
    secrets.push(("a password token", token));
    let (_, token) = caller.post("/shop/customers/email-token", &json!({"id": id, "ttlMinutes": 600}));
    let token = text(&token, "value");
    assert_eq!(caller.get(&format!("/shop/customers/email-token={token}")).0, 200);
    assert_eq!(caller.post("/shop/customers/email/confirm", &json!({"tokenValue": token})).0, 200);
    secrets.push(("an email token", token));

    // The external OAuth server, which is unreachable.
    let external = json!({"url": "http://127.0.0.1:1/", "authorizationHeader": "Bearer hush-external"});
    let (_, project) = caller.get("/shop");
    let set = json!({"version": project["version"], "actions": [
        {"action": "changeMessagesConfiguration", "messagesConfiguration": {"enabled": true, "deleteDaysAfterCreation": 15}},
        {"action": "setExternalOAuth", "externalOAuth": external},
    ]});
    assert_eq!(caller.post("/shop", &set).0, 200);
    refused(server.with_token("hush-unknown-token").get("/shop/states"));
    // Messages contain only tokens that are valid for an hour at most; these are valid for longer.
    let (_, messages) = caller.get("/shop/messages?limit=500");
    refusals.push_str(&messages.to_string());
    (secrets, refusals)
}

#[test]
fn no_secret_is_in_logs_errors_exports_or_metrics() {
    let data = folder();
    let log = data.path().join("log");
    let mut command = serve(data.path());
    command.env("KONTOR_LOG", "trace");
    let server = ServerUnderTest::start_with(command, File::create(&log).unwrap().into());
    let created = ["client", "create", "--project", "shop", "--id", "other", "--secret", "hush-client"];
    run(data.path(), &created).ok();
    let (secrets, refusals) = use_all_secrets(&server);

    let seen_from_outside =
        ["/metrics", "/openapi.json", "/health"].map(|path| server.nobody().get_text(path));
    let listed = run(data.path(), &["client", "list", "--project", "shop"]).ok();
    let exported = run(data.path(), &["export", "--project", "shop"]).ok();
    let documents = run(data.path(), &["export", "--project", "shop", "--documents"]).ok();
    assert!(server.terminate().success());
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains("/shop/customers"), "much is logged: {log}");

    let places = [
        ("the log", &log),
        ("a refusal or a message", &refusals),
        ("what anybody sees", &seen_from_outside.concat()),
        ("client list", &listed),
        ("the export of drafts", &exported),
        ("the export of documents", &documents),
    ];
    for (what, secret) in &secrets {
        for (place, said) in places {
            let line = said.lines().find(|line| line.contains(secret.as_str()));
            assert!(line.is_none(), "{what} is in {place}: {line:?}");
        }
    }
}

#[test]
fn stores_no_secrets() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let created = ["client", "create", "--project", "shop", "--id", "other", "--secret", "hush-client"];
    run(data.path(), &created).ok();
    let (secrets, _) = use_all_secrets(&server);
    assert!(server.terminate().success());
    let stored = ["system.db", "projects/shop.db"]
        .iter()
        .flat_map(|file| [file.to_string(), format!("{file}-wal")])
        .filter_map(|file| fs::read(data.path().join(file)).ok())
        .collect::<Vec<_>>()
        .concat();
    for (what, secret) in secrets {
        // The only secret that Kontor must send to another server.
        if what == "the header of an external server" {
            continue;
        }
        assert!(!stored.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{what} is stored");
    }
}

#[test]
fn tokens_in_messages_are_read_and_delivered_but_in_no_file() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let data = folder();
    let start = || {
        let mut command = serve(data.path());
        command.args(["--allow-private-destinations", "--accept-unreachable-destinations"]);
        ServerUnderTest::start_with(command, std::process::Stdio::null())
    };
    let server = start();
    let caller = server.client();
    let (_, project) = caller.get("/shop");
    let messages = json!({"enabled": true, "deleteDaysAfterCreation": 15});
    let action = json!({"action": "changeMessagesConfiguration", "messagesConfiguration": messages});
    assert_eq!(caller.post("/shop", &json!({"version": project["version"], "actions": [action]})).0, 200);
    let subscribe = |key: &str, url: &str| {
        let destination = json!({"type": "HTTP", "url": url, "secret": "some-long-secret"});
        let draft =
            json!({"key": key, "destination": destination, "messages": [{"resourceTypeId": "customer"}]});
        assert_eq!(caller.post("/shop/subscriptions", &draft).0, 201);
    };
    subscribe("peer", &format!("{}/told", peer.url));
    // This destination is unreachable: its notifications stay in the file.
    subscribe("dead-end", "http://127.0.0.1:9/");
    let draft = json!({"email": "ann@example.com", "password": "hush-password"});
    let (_, created) = caller.post("/shop/customers", &draft);
    let password = json!({"email": "ann@example.com", "ttlMinutes": 60});
    let (_, password) = caller.post("/shop/customers/password-token", &password);
    let email = json!({"id": created["customer"]["id"], "ttlMinutes": 1});
    let (_, email) = caller.post("/shop/customers/email-token", &email);
    let tokens = [text(&password, "value"), text(&email, "value")];

    let told = || format!("{:?}", peer.received("/told"));
    wait_until(|| tokens.iter().all(|token| told().contains(token.as_str())));
    let read = |caller: &ApiCaller| caller.get("/shop/messages?limit=500").1.to_string();
    assert!(tokens.iter().all(|token| read(&caller).contains(token.as_str())));
    let backup = data.path().join("all.tar");
    run(data.path(), &["backup", backup.to_str().unwrap()]).ok();
    let is_in_a_file = || {
        let stored = ["projects/shop.db", "projects/shop.db-wal", "all.tar"]
            .iter()
            .filter_map(|file| fs::read(data.path().join(file)).ok())
            .collect::<Vec<_>>()
            .concat();
        assert!(stored.windows(9).any(|bytes| bytes == b"sealed:1:"));
        tokens.iter().any(|token| stored.windows(token.len()).any(|bytes| bytes == token.as_bytes()))
    };
    assert!(!is_in_a_file());
    assert!(server.terminate().success());
    assert!(!is_in_a_file());
    let server = start();
    assert!(tokens.iter().all(|token| read(&server.client()).contains(token.as_str())), "also later");
}
