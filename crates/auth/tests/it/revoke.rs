//! `POST /oauth/token/revoke`.

use kontor_auth::AuthError;
use pollster::block_on;

use crate::service::{Service, request};

#[test]
fn a_revoked_token_is_refused_at_once() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let (token, other) = (service.access_token(&client), service.access_token(&client));
    assert!(service.grant(&token).is_ok(), "known, so held in memory");

    service.revoke(&client, &format!("token={token}&token_type_hint=access_token")).unwrap();

    assert!(matches!(service.grant(&token), Err(AuthError::Unknown)));
    assert!(service.grant(&other).is_ok());
}

#[test]
fn a_wrong_hint_does_no_harm() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    for hint in ["refresh_token", "nonsense", ""] {
        let token = service.access_token(&client);
        service.revoke(&client, &format!("token={token}&token_type_hint={hint}")).unwrap();
        assert!(service.grant(&token).is_err(), "{hint}");
    }
}

#[test]
fn does_not_revoke_tokens_of_other_clients() {
    let service = Service::new();
    let token = service.access_token(&service.client("view_states:demo"));
    let other = service.client("manage_project:demo");
    assert_eq!(service.revoke(&other, &format!("token={token}")), Ok(()));
    assert!(service.grant(&token).is_ok());
}

#[test]
fn a_request_with_nothing_to_revoke_succeeds() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    for form in ["", "token=", "token=nonsense", "token_type_hint=access_token", "token=a&token=b"] {
        assert_eq!(service.revoke(&client, form), Ok(()), "{form}");
    }
}

#[test]
fn only_a_client_revokes() {
    let service = Service::new();
    let token = service.access_token(&service.client("view_states:demo"));
    let form = format!("token={token}");
    let error = block_on(service.auth.revoke(&request("", &form), &|_: &str| service.now_ms)).unwrap_err();
    assert_eq!((error.status(), error.error()), (401, "invalid_client"));
    assert!(service.grant(&token).is_ok());
}
