//! Guessing of passwords and secrets is slowed down by a rate limit, and responses reveal nothing.

use crate::harness::{ApiCaller, ServerUnderTest, basic, folder, kontor, run};
use kontor_json::{Value, json};
use std::process::Stdio;

/// More attempts than the rate limit allows for one address and account.
const GUESSES: usize = 60;

fn status_of(reply: &(u16, Value)) -> u16 {
    reply.0
}

fn customer(caller: &ApiCaller, email: &str) -> String {
    let draft = json!({"email": email, "password": "right"});
    let (status, created) = caller.post("/shop/customers", &draft);
    assert_eq!(status, 201, "{created}");
    created["customer"]["id"].as_str().unwrap().to_owned()
}

fn login(caller: &ApiCaller, email: &str, password: &str) -> (u16, Value) {
    caller.post("/shop/login", &json!({"email": email, "password": password}))
}

#[test]
fn rate_limits_password_guesses_per_account_and_address() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let caller = server.client();
    customer(&caller, "ann@example.com");
    customer(&caller, "bob@example.com");
    assert_eq!(login(&caller, "ann@example.com", "right").0, 200);

    let guesses: Vec<(u16, Value)> =
        (0..GUESSES).map(|_| login(&caller, "ANN@example.com", "wrong")).collect();
    let statuses: Vec<u16> = guesses.iter().map(status_of).collect();
    assert!(statuses[..20].iter().all(|status| *status == 400), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
    let (_, refusal) = guesses.iter().find(|guess| guess.0 == 429).unwrap();
    assert_eq!(refusal["errors"][0]["code"], "too_many_requests", "{refusal}");
    // The right password is refused too, so that a guesser learns nothing. One attempt per second passes the rate
    // limit, which on a busy machine may be this one.
    let right_is_refused = || {
        (0..GUESSES).any(|_| login(&caller, "ann@example.com", "wrong").0 == 429)
            && login(&caller, "ann@example.com", "right").0 == 429
    };
    assert!((0..5).any(|_| right_is_refused()));
    assert_eq!(login(&caller, "bob@example.com", "right").0, 200, "others go on");
}

#[test]
fn rate_limits_guesses_of_the_current_password() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let caller = server.client();
    let id = customer(&caller, "ann@example.com");
    let change = json!({"id": id, "version": 1, "currentPassword": "wrong", "newPassword": "x"});
    let statuses: Vec<u16> =
        (0..GUESSES).map(|_| caller.post("/shop/customers/password", &change).0).collect();
    assert!(statuses[..20].iter().all(|status| *status == 400), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
}

#[test]
fn rate_limits_guesses_by_mutations() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let caller = server.client();
    let id = customer(&caller, "ann@example.com");
    customer(&caller, "bob@example.com");
    let codes = |query: &str| -> Vec<Value> {
        let (status, response) = caller.post("/shop/graphql", &json!({"query": query}));
        assert_eq!(status, 200, "{response}");
        let errors = response["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["extensions"]["code"].clone()).collect()
    };
    let sign_in = |name: &str, email: &str, password: &str| {
        format!(
            r#"{name}: customerSignIn(draft: {{email: "{email}", password: "{password}"}}) {{ customer {{ id }} }} "#
        )
    };
    let change = format!(
        r#"mutation {{ customerChangePassword(id: "{id}", version: 1, currentPassword: "wrong", newPassword: "x") {{ id }} }}"#
    );
    // Each attempt within a request counts.
    let many: String = (0..10).map(|at| sign_in(&format!("g{at}"), "ANN@example.com", "wrong")).collect();
    let mut outcome: Vec<Value> = codes(&format!("mutation {{ {many} }}"));
    outcome.extend(
        (0..GUESSES - 10)
            .flat_map(|_| codes(&format!("mutation {{ {} }}", sign_in("g", "ann@example.com", "wrong")))),
    );
    assert!(outcome[..20].iter().all(|code| code == "InvalidCredentials"), "{outcome:?}");
    assert!(outcome.contains(&json!("OverCapacity")), "{outcome:?}");
    // The right password is refused too, with GraphQL and REST; other customers are not affected.
    let right = format!("mutation {{ {} }}", sign_in("s", "ann@example.com", "right"));
    assert_eq!(codes(&right), [json!("OverCapacity")]);
    assert_eq!(login(&caller, "ann@example.com", "right").0, 429);
    let other = format!("mutation {{ {} }}", sign_in("s", "bob@example.com", "right"));
    assert_eq!(codes(&other), Vec::<Value>::new());

    // The current password is the same secret: at most one attempt per second passes.
    let outcome: Vec<Value> = (0..GUESSES).flat_map(|_| codes(&change)).collect();
    assert!(outcome[..3].contains(&json!("OverCapacity")), "{outcome:?}");
}

#[test]
fn counts_wrong_passwords_of_all_endpoints_together() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let caller = server.client();
    let id = customer(&caller, "ann@example.com");
    let change = json!({"id": id, "version": 1, "currentPassword": "wrong", "newPassword": "x"});
    let flow = "/oauth/shop/customers/token?grant_type=password&username=Ann@example.com&password=wrong";
    let guesses: Vec<u16> = (0..GUESSES).map(|_| login(&caller, "ann@example.com", "wrong").0).collect();
    assert!(guesses.contains(&429), "{guesses:?}");
    // One attempt per second passes, which may be the first of these.
    let changes: Vec<u16> = (0..3).map(|_| caller.post("/shop/customers/password", &change).0).collect();
    assert!(changes.contains(&429), "{changes:?}");
    let flows = || server.with_authorization(&basic("id", "secret")).post(flow, &Value::Null).0;
    assert!((0..3).any(|_| flows() == 429));
}

#[test]
fn responds_equally_to_wrong_addresses_and_wrong_passwords() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let caller = server.client();
    customer(&caller, "ann@example.com");
    let (known, unknown) =
        (login(&caller, "ann@example.com", "wrong"), login(&caller, "nobody@example.com", "wrong"));
    assert_eq!(known, unknown);
    assert_eq!((known.0, &known.1["errors"][0]["code"]), (400, &json!("InvalidCredentials")));
    let as_client = |id: &str, secret: &str| {
        let sent = server.with_authorization(&basic(id, secret));
        sent.post("/oauth/token?grant_type=client_credentials", &Value::Null)
    };
    assert_eq!(as_client("id", "wrong"), as_client("nobody", "secret"));
}

#[test]
fn rate_limits_guesses_of_client_secrets() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    run(data.path(), &["client", "create", "--project", "shop", "--id", "other", "--secret", "s"]).ok();
    let ask = |id: &str, secret: &str, path: &str| {
        server.with_authorization(&basic(id, secret)).post(path, &Value::Null).0
    };
    // All endpoints share one count.
    let paths = [
        "/oauth/token?grant_type=client_credentials",
        "/oauth/introspect?token=x",
        "/oauth/token/revoke?token=x",
        "/oauth/shop/anonymous/token?grant_type=client_credentials",
    ];
    let statuses: Vec<u16> =
        paths.iter().cycle().take(GUESSES).map(|path| ask("other", "wrong", path)).collect();
    assert!(statuses[..20].iter().all(|status| *status == 401), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(ask("other", "s", paths[0]), 429);
    assert_eq!(ask("id", "secret", paths[0]), 200, "others go on");
}

#[test]
fn rate_limits_only_the_guesser_behind_a_trusted_proxy() {
    let data = folder();
    let mut command = kontor(data.path());
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command.args(["--trusted-proxies", "127.0.0.0/8,::1"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let ask = |from: &'static str, secret: &str| {
        let sent = server.with_authorization(&basic("id", secret)).with_header(("X-Forwarded-For", from));
        sent.post("/oauth/token?grant_type=client_credentials", &Value::Null).0
    };
    let statuses: Vec<u16> = (0..GUESSES).map(|_| ask("192.0.2.1, 198.51.100.7", "wrong")).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(ask("198.51.100.8", "secret"), 200);
    assert_eq!(ask("192.0.2.99, 198.51.100.7", "secret"), 429, "what stands before is hearsay");
}

#[test]
fn rate_limits_token_requests_of_a_client() {
    let data = folder();
    let mut command = kontor(data.path());
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command.args(["--token-requests-per-second", "5"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let ask = || {
        let sent = server.with_authorization(&basic("id", "secret"));
        sent.post("/oauth/token?grant_type=client_credentials", &Value::Null)
    };
    let (status, body) = (0..200).map(|_| ask()).find(|(status, _)| *status != 200).unwrap();
    assert_eq!((status, &body["error"]), (429, &json!("too_many_requests")), "{body}");
}
