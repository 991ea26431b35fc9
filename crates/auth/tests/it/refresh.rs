//! `grant_type=refresh_token`: how sessions are continued, and how they end.

use kontor_auth::{AuthError, ClientDraft, CreatedClient, TokenSubject};
use kontor_json::Value;
use pollster::block_on;

use crate::service::{DAY_MS, HOUR_MS, Service, text};

const SCOPE: &str = "create_anonymous_token:demo manage_my_orders:demo";

fn begin(service: &Service, client: &CreatedClient) -> Value {
    let form = "grant_type=client_credentials&scope=manage_my_orders:demo&anonymous_id=visitor-1";
    service.anonymous_token(client, form).unwrap()
}

fn assert_refused(service: &Service, client: &CreatedClient, token: &str) {
    let error = service.refresh(client, token).unwrap_err();
    assert_eq!(
        (error.status(), error.error(), error.description()),
        (400, "invalid_grant", "The refresh token was not found. It may have expired.")
    );
}

#[test]
fn a_session_goes_on_with_the_same_scopes_and_the_same_visitor() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);

    let response = service.refresh(&client, text(&session, "refresh_token")).unwrap();

    assert_eq!(response["scope"], session["scope"]);
    assert_eq!(response["expires_in"], 172_800);
    assert_eq!(response.as_object().unwrap().len(), 4, "the refresh token stays what it is: {response}");
    let grant = service.grant(text(&response, "access_token")).unwrap();
    assert_eq!(grant.subject(), &TokenSubject::Anonymous { id: "visitor-1".into() });
    assert!(service.grant(text(&session, "access_token")).is_ok(), "the old access token lives on");
}

#[test]
fn it_ends_200_days_after_its_last_use() {
    let mut service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);
    let token = text(&session, "refresh_token");

    service.now_ms += 199 * DAY_MS;
    service.refresh(&client, token).unwrap();
    service = service.restart();
    service.now_ms += 200 * DAY_MS - 1;
    service.refresh(&client, token).unwrap();
    service.now_ms += 200 * DAY_MS;
    assert_refused(&service, &client, token);
}

#[test]
fn a_client_may_say_how_long() {
    let mut service = Service::new();
    let draft = ClientDraft {
        name: "Short".into(),
        scope: SCOPE.into(),
        refresh_token_validity_s: Some(3_600),
        ..ClientDraft::default()
    };
    let client = block_on(service.auth.create_client("demo", draft, service.now_ms)).unwrap();
    let session = begin(&service, &client);
    service.now_ms += HOUR_MS - 1;
    service.refresh(&client, text(&session, "refresh_token")).unwrap();
    service.now_ms += HOUR_MS;
    assert_refused(&service, &client, text(&session, "refresh_token"));
}

#[test]
fn only_the_client_that_got_it_can_use_it_and_only_for_this() {
    let service = Service::new();
    let (client, other) = (service.client(SCOPE), service.client(SCOPE));
    let session = begin(&service, &client);
    let (access, refresh) = (text(&session, "access_token"), text(&session, "refresh_token"));
    assert_refused(&service, &other, refresh);
    assert_refused(&service, &client, access);
    assert_refused(&service, &client, "unknown");
    assert!(matches!(service.grant(refresh), Err(AuthError::Unknown)), "it opens no door");
    assert_eq!(service.token(&client, "grant_type=refresh_token").unwrap_err().error(), "invalid_request");
}

#[test]
fn revoking_it_ends_its_access_tokens_too() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);
    let refresh = text(&session, "refresh_token");
    let later = service.refresh(&client, refresh).unwrap();
    let unrelated = service.access_token(&client);
    let tokens = [text(&session, "access_token"), text(&later, "access_token")];
    assert!(tokens.iter().all(|token| service.grant(token).is_ok()), "they are in memory");

    let stranger = service.client(SCOPE);
    service.revoke(&stranger, &format!("token={refresh}")).unwrap();
    assert!(service.refresh(&client, refresh).is_ok(), "a stranger ends nothing");

    service.revoke(&client, &format!("token={refresh}&token_type_hint=access_token")).unwrap();
    assert_refused(&service, &client, refresh);
    assert!(tokens.iter().all(|token| matches!(service.grant(token), Err(AuthError::Unknown))));
    assert!(service.grant(&unrelated).is_ok());
}

#[test]
fn revoking_an_access_token_leaves_the_session() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);
    service.revoke(&client, &format!("token={}", text(&session, "access_token"))).unwrap();
    assert!(service.refresh(&client, text(&session, "refresh_token")).is_ok());
}

#[test]
fn a_deleted_client_takes_its_sessions_along() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);
    block_on(service.auth.delete_client("demo", client.client.id(), service.now_ms)).unwrap();
    assert_eq!(
        service.refresh(&client, text(&session, "refresh_token")).unwrap_err().error(),
        "invalid_client"
    );
    // Its rows go with the next sweep, and the id of the session is free.
    let swept = block_on(service.auth.sweep("demo", service.now_ms, 10)).unwrap();
    assert_eq!(swept.tokens, 2, "{swept:?}");
    begin(&service, &service.client(SCOPE));
}

#[test]
fn expired_sessions_are_swept() {
    let mut service = Service::new();
    let client = service.client(SCOPE);
    begin(&service, &client);
    service.now_ms += 199 * DAY_MS;
    assert_eq!(block_on(service.auth.sweep("demo", service.now_ms, 10)).unwrap().tokens, 1);
    service.now_ms += DAY_MS;
    assert_eq!(block_on(service.auth.sweep("demo", service.now_ms, 10)).unwrap().tokens, 1);
}

#[test]
fn a_client_can_introspect_its_refresh_tokens() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);
    let told = service.introspect(&client, text(&session, "refresh_token"));
    assert_eq!(told["scope"], session["scope"]);
    assert_eq!(told["exp"], service.now_ms + 200 * DAY_MS);
}

#[test]
fn stores_neither_token_in_the_clear() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let session = begin(&service, &client);
    let disk = service.bytes_on_disk();
    for field in ["access_token", "refresh_token"] {
        let token = text(&session, field).as_bytes();
        assert!(!disk.windows(token.len()).any(|bytes| bytes == token), "{field}");
    }
}
