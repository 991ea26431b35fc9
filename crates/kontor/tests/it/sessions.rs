//! A password reset revokes the customer's tokens, even after a crash between the writes to the two files involved.

use crate::harness::{ServerUnderTest, folder, wait_until};
use kontor_json::json;
use rusqlite::Connection;
use std::path::Path;

/// Creates a customer and signs in. Returns the customer's id and a token.
fn signed_in(server: &ServerUnderTest) -> (String, String) {
    let draft = json!({"email": "maria@example.com", "password": "first"});
    let (status, created) = server.client().post("/shop/customers", &draft);
    assert_eq!(status, 201, "{created}");
    let id = created["customer"]["id"].as_str().unwrap().to_owned();
    let path = "/oauth/shop/customers/token?grant_type=password&username=maria@example.com&password=first";
    let (status, token) =
        server.with_authorization(&crate::harness::basic("id", "secret")).post(path, &json!({}));
    assert_eq!(status, 200, "{token}");
    (id, token["access_token"].as_str().unwrap().to_owned())
}

/// Resets the password of a customer while the file of the tokens is locked. Returns the lock when the new password is
/// on disk; the response is ignored.
fn reset_while_tokens_are_locked(server: &ServerUnderTest, data: &Path, customer: &str) -> Connection {
    let client = server.client();
    let (status, token) =
        client.post("/shop/customers/password-token", &json!({"email": "maria@example.com"}));
    assert_eq!(status, 200, "{token}");
    let lock = Connection::open(data.join("system.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let reset = client.clone();
    std::thread::spawn(move || {
        let body = json!({"tokenValue": token["value"], "newPassword": "second"});
        drop(reset.try_post("/shop/customers/password/reset", &body));
    });
    let is_reset = || client.get(&format!("/shop/customers/{customer}")).1["version"] == 2;
    wait_until(is_reset);
    lock
}

#[test]
fn revokes_tokens_after_a_kill_during_a_reset() {
    let data = folder();
    let mut server = ServerUnderTest::start(data.path());
    let (customer, token) = signed_in(&server);
    assert_eq!(server.with_token(&token).get("/shop/me").0, 200);
    let lock = reset_while_tokens_are_locked(&server, data.path(), &customer);
    server.kill();
    drop(lock);
    let server = ServerUnderTest::start(data.path());
    let (status, refused) = server.with_token(&token).get("/shop/me");
    assert_eq!(status, 401, "{refused}");
    // The revocation is not repeated: a token that is issued now stays valid.
    let path = "/oauth/shop/customers/token?grant_type=password&username=maria@example.com&password=second";
    let (status, next) =
        server.with_authorization(&crate::harness::basic("id", "secret")).post(path, &json!({}));
    assert_eq!(status, 200, "{next}");
    drop(server);
    let server = ServerUnderTest::start(data.path());
    assert_eq!(server.with_token(next["access_token"].as_str().unwrap()).get("/shop/me").0, 200);
}

#[test]
fn retries_revocations() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let (customer, token) = signed_in(&server);
    let lock = reset_while_tokens_are_locked(&server, data.path(), &customer);
    drop(lock);
    wait_until(|| server.with_token(&token).get("/shop/me").0 == 401);
}

#[test]
fn a_token_is_redeemed_once_by_concurrent_requests() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let (customer, _) = signed_in(&server);
    let client = server.client();
    let (_, token) = client.post("/shop/customers/password-token", &json!({"email": "maria@example.com"}));
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let redeem = |number: usize| {
            let (client, token) = (client.clone(), &token["value"]);
            scope.spawn(move || {
                let body = json!({"tokenValue": token, "newPassword": format!("password-{number}")});
                client.post("/shop/customers/password/reset", &body).0
            })
        };
        let threads: Vec<_> = (0..8).map(redeem).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 200 | 400 | 404 | 409)), "{statuses:?}");
    assert_eq!(client.get(&format!("/shop/customers/{customer}")).1["version"], 2);
}
