//! Validity and lifetime of tokens.

use kontor_auth::{AuthError, ScopeName::*, TokenSubject};
use kontor_errors::{ApiError, Code};
use kontor_json::json;
use pollster::block_on;

use crate::service::{DAY_MS, Service};

#[test]
fn authenticates_the_client_of_a_token() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let grant = service.grant(&service.access_token(&client)).unwrap();
    assert_eq!(grant.client_id(), Some(client.client.id()));
    assert_eq!(grant.project_key(), "demo");
    assert_eq!(grant.subject(), &TokenSubject::Client);
    assert_eq!(grant.store_key(), None);
}

#[test]
fn a_token_ends_at_the_millisecond() {
    let mut service = Service::new();
    let token = service.access_token(&service.client("view_states:demo"));
    let issued_ms = service.now_ms;
    service.now_ms = issued_ms + 2 * DAY_MS - 1;
    assert!(service.grant(&token).is_ok());
    service.now_ms = issued_ms + 2 * DAY_MS;
    assert!(matches!(service.grant(&token), Err(AuthError::Expired)));
    // A clock may be set back.
    service.now_ms = issued_ms;
    assert!(service.grant(&token).is_ok());
}

#[test]
fn rejects_malformed_and_unknown_tokens() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let token = service.access_token(&client);
    for wrong in ["", "nonsense", &token[1..], client.client.id(), &token.to_uppercase()] {
        assert!(matches!(service.grant(wrong), Err(AuthError::Unknown)), "{wrong}");
    }
}

#[test]
fn a_missing_scope_is_a_403_that_names_it() {
    let service = Service::new();
    let grant = service.grant(&service.access_token(&service.client("view_orders:demo"))).unwrap();

    assert_eq!(grant.require("demo", &[ViewStates, ViewOrders]), Ok(()));
    let error = grant.require("demo", &[ViewStates]).unwrap_err();

    let sentence = "Insufficient scope. One of the following scopes is missing: view_states.";
    assert_eq!(
        error.body(),
        json!({
            "statusCode": 403,
            "message": sentence,
            "errors": [{"code": "insufficient_scope", "message": sentence}],
            "error": "insufficient_scope",
            "error_description": sentence,
        })
    );
}

#[test]
fn a_token_opens_no_other_project() {
    let service = Service::new();
    block_on(service.auth.create_project("other", "Other", service.now_ms)).unwrap();
    let grant = service.grant(&service.access_token(&service.client("manage_project:demo"))).unwrap();
    assert_eq!(grant.require("demo", &[ViewStates]), Ok(()));
    assert_eq!(grant.require("other", &[ViewStates]).unwrap_err().code(), Code::InsufficientScope);
    assert!(!grant.allows_in_store("other", "berlin", &[ViewStates]));
}

#[test]
fn a_token_of_a_store_opens_no_other_store() {
    let service = Service::new();
    let grant = service.grant(&service.access_token(&service.client("manage_orders:demo:berlin"))).unwrap();
    assert_eq!(grant.require_in_store("demo", "berlin", &[ViewOrders]), Ok(()));
    assert_eq!(
        grant.require_in_store("demo", "paris", &[ViewOrders]).map_err(|error| error.code()),
        Err(Code::InsufficientScope)
    );
    assert!(!grant.allows("demo", &[ViewOrders]));
}

#[test]
fn a_refused_token_is_a_401_in_the_words_of_the_platform() {
    let service = Service::new();
    let body = ApiError::from(service.grant("nonsense").unwrap_err()).body();
    assert_eq!(
        body,
        json!({
            "statusCode": 401,
            "message": "invalid_token",
            "errors": [{"code": "invalid_token", "message": "invalid_token"}],
            "error": "invalid_token",
            "error_description": "invalid_token",
        })
    );
}
