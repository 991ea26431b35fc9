//! `POST /oauth/introspect`.

use kontor_json::json;
use pollster::block_on;

use crate::service::{DAY_MS, Service, basic, request};

#[test]
fn a_client_sees_its_own_token() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let token = service.access_token(&client);
    assert_eq!(
        service.introspect(&client, &token),
        json!({
            "active": true,
            "scope": "view_states:demo",
            "exp": service.now_ms + 2 * DAY_MS,
            "client_id": client.client.id(),
        })
    );
}

#[test]
fn the_token_of_another_takes_a_scope() {
    let service = Service::new();
    let owner = service.client("view_states:demo");
    let token = service.access_token(&owner);
    for (scope, is_seen) in [
        ("introspect_oauth_tokens:demo", true),
        ("manage_project:demo", true),
        ("manage_orders:demo view_states:demo", false),
        ("manage_api_clients:demo", false),
    ] {
        let seen = service.introspect(&service.client(scope), &token);
        if is_seen {
            assert_eq!(
                (&seen["active"], &seen["client_id"]),
                (&json!(true), &json!(owner.client.id())),
                "{scope}"
            );
        } else {
            assert_eq!(seen, json!({"active": false}), "{scope}");
        }
    }
}

#[test]
fn no_scope_shows_the_tokens_of_another_project() {
    let service = Service::new();
    block_on(service.auth.create_project("other", "Other", service.now_ms)).unwrap();
    let token = service.access_token(&service.client("view_states:demo"));
    let stranger = service.client_of("other", "manage_project:other introspect_oauth_tokens:other");
    assert_eq!(service.introspect(&stranger, &token), json!({"active": false}));
}

#[test]
fn invalid_tokens_are_inactive() {
    let mut service = Service::new();
    let client = service.client("manage_project:demo");
    let (expired, revoked) = (service.access_token(&client), service.access_token(&client));
    service.revoke(&client, &format!("token={revoked}")).unwrap();
    assert_eq!(service.introspect(&client, &revoked), json!({"active": false}));
    assert_eq!(service.introspect(&client, "nonsense"), json!({"active": false}));
    service.now_ms += 2 * DAY_MS;
    assert_eq!(service.introspect(&client, &expired), json!({"active": false}));
}

#[test]
fn a_request_without_credentials_or_token_is_refused() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let clock = |_: &str| service.now_ms;
    let error = service.auth.introspect(&request("", "token=abc"), &clock).unwrap_err();
    assert_eq!((error.status(), error.error()), (401, "invalid_client"));
    let authorization = basic(client.client.id(), &client.secret);
    let error = service.auth.introspect(&request(&authorization, "tok=abc"), &clock).unwrap_err();
    assert_eq!((error.status(), error.error()), (400, "invalid_request"));
}
