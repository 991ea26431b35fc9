//! `POST /oauth/{projectKey}/anonymous/token`: sessions of visitors without an account.

use kontor_auth::{ANONYMOUS_ID_CHARS_MAX, OAuthRequest, TokenSubject};
use pollster::block_on;

use crate::service::{DAY_MS, Service, basic, request, text};

const SCOPE: &str = "create_anonymous_token:demo manage_my_orders:demo";
const FORM: &str = "grant_type=client_credentials";

#[test]
fn a_visitor_gets_a_session_with_a_refresh_token() {
    let service = Service::new();
    let client = service.client(SCOPE);

    let form = format!("{FORM}&scope=manage_my_orders:demo&anonymous_id=visitor-1");
    let response = service.anonymous_token(&client, &form).unwrap();

    assert_eq!(response["token_type"], "Bearer");
    assert_eq!(response["expires_in"], 172_800);
    assert_eq!(response["scope"], "manage_my_orders:demo anonymous_id:visitor-1 anonymous_id=visitor-1");
    assert_ne!(text(&response, "refresh_token"), text(&response, "access_token"));
    let grant = service.grant(text(&response, "access_token")).unwrap();
    assert_eq!(grant.subject(), &TokenSubject::Anonymous { id: "visitor-1".into() });
    assert_eq!(grant.scopes().to_string(), "manage_my_orders:demo");
    let told = service.introspect(&client, text(&response, "access_token"));
    assert_eq!(told["scope"], response["scope"]);
}

#[test]
fn without_an_id_each_session_gets_one_of_its_own() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let scope = || text(&service.anonymous_token(&client, FORM).unwrap(), "scope").to_owned();
    let (one, other) = (scope(), scope());
    let (held, id) = one.split_once(" anonymous_id:").unwrap();
    let (id, again) = id.split_once(" anonymous_id=").unwrap();
    assert_eq!(held, SCOPE);
    assert_eq!(id.len(), 36);
    assert_eq!(id, again);
    assert_ne!(one, other);
}

#[test]
fn an_id_is_taken_as_long_as_its_session_lives() {
    let mut service = Service::new();
    let client = service.client(SCOPE);
    let form = format!("{FORM}&anonymous_id=visitor-1");
    service.anonymous_token(&client, &form).unwrap();

    let error = service.anonymous_token(&client, &form).unwrap_err();
    assert_eq!(
        (error.status(), error.error(), error.description()),
        (400, "invalid_request", "The given anonymous ID is already in use.")
    );

    service.now_ms += 200 * DAY_MS;
    assert!(service.anonymous_token(&client, &form).is_ok());
    assert!(service.anonymous_token(&client, &form).is_err());
}

#[test]
fn projects_have_their_own_sessions() {
    let service = Service::new();
    block_on(service.auth.create_project("other", "Other", service.now_ms)).unwrap();
    let form = format!("{FORM}&anonymous_id=visitor-1");
    service.anonymous_token(&service.client(SCOPE), &form).unwrap();

    let other = service.client_of("other", "create_anonymous_token:other");
    let authorization = basic(other.client.id(), &other.secret);
    let sent = request(&authorization, &form);
    assert!(block_on(service.auth.anonymous_token("other", &sent, &|_: &str| 0)).is_ok());
    let error = block_on(service.auth.anonymous_token("demo", &sent, &|_: &str| 0)).unwrap_err();
    assert_eq!((error.status(), error.error()), (403, "insufficient_scope"), "a client of another project");
}

#[test]
fn the_client_needs_the_scope_for_it() {
    let service = Service::new();
    let error = service.anonymous_token(&service.client("manage_my_orders:demo"), FORM).unwrap_err();
    assert_eq!((error.status(), error.error()), (403, "insufficient_scope"));
    assert!(error.description().contains("create_anonymous_token"));
    assert!(service.anonymous_token(&service.client("manage_project:demo"), FORM).is_ok(), "it is implied");
}

#[test]
fn an_id_that_is_no_word_is_refused() {
    let service = Service::new();
    let client = service.client(SCOPE);
    let long = "a".repeat(ANONYMOUS_ID_CHARS_MAX + 1);
    for id in ["a%20manage_project:demo", "a%0Ab", "a%00", "a%E2%80%83b", &long] {
        let error = service.anonymous_token(&client, &format!("{FORM}&anonymous_id={id}")).unwrap_err();
        assert_eq!((error.status(), error.error()), (400, "invalid_request"), "{id}");
    }
    assert!(service.anonymous_token(&client, &format!("{FORM}&anonymous_id={}", &long[1..])).is_ok());
}

#[test]
fn other_grants_have_no_place_here() {
    let service = Service::new();
    let client = service.client(SCOPE);
    for grant in ["password", "refresh_token"] {
        let error = service.anonymous_token(&client, &format!("grant_type={grant}")).unwrap_err();
        assert_eq!(error.error(), "unsupported_grant_type", "{grant}");
    }
    let sent = OAuthRequest { query: FORM, ..OAuthRequest::default() };
    let error = block_on(service.auth.anonymous_token("demo", &sent, &|_: &str| 0)).unwrap_err();
    assert_eq!(error.error(), "invalid_client");
}
