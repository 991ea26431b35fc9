//! `POST /oauth/token`, client credentials.

use kontor_auth::OAuthRequest;
use kontor_json::json;
use pollster::block_on;

use crate::service::{NOON_MS, Service, basic, request};

#[test]
fn a_client_gets_a_token_with_all_its_scopes() {
    let service = Service::new();
    let client = service.client("view_states:demo manage_my_orders:demo");

    let response = service.token(&client, "grant_type=client_credentials").unwrap();

    assert_eq!(response["token_type"], "Bearer");
    assert_eq!(response["expires_in"], 172_800);
    assert_eq!(response["scope"], "view_states:demo manage_my_orders:demo");
    assert_eq!(response["access_token"].as_str().unwrap().len(), 32);
    assert_eq!(response.as_object().unwrap().len(), 4, "no refresh token in this flow: {response}");
}

#[test]
fn a_client_can_ask_for_less_than_it_holds() {
    let service = Service::new();
    let client = service.client("view_states:demo manage_orders:demo manage_orders:demo:berlin");

    let form = "grant_type=client_credentials&scope=manage_orders:demo:berlin+view_states:demo";
    let response = service.token(&client, form).unwrap();

    assert_eq!(response["scope"], "manage_orders:demo:berlin view_states:demo");
    let grant = service.grant(response["access_token"].as_str().unwrap()).unwrap();
    assert_eq!(grant.scopes().to_string(), "view_states:demo manage_orders:demo:berlin");
}

#[test]
fn a_scope_without_words_is_no_scope() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    for form in ["grant_type=client_credentials&scope=", "grant_type=client_credentials&scope=+"] {
        assert_eq!(service.token(&client, form).unwrap()["scope"], "view_states:demo", "{form}");
    }
}

#[test]
fn a_client_cannot_ask_for_more_than_it_holds() {
    let service = Service::new();
    let client = service.client("manage_products:demo");
    for scope in [
        "manage_orders:demo",
        "manage_products:demo+view_states:demo",
        "manage_products:other",
        // Implied by its scopes, but refused all the same, as on the platform.
        "view_products:demo",
    ] {
        let error =
            service.token(&client, &format!("grant_type=client_credentials&scope={scope}")).unwrap_err();
        let sentence =
            "Permissions exceeded. Only the following permissions can be requested: manage_products:demo";
        assert_eq!(
            (error.status(), error.error(), error.description()),
            (400, "invalid_scope", sentence),
            "{scope}"
        );
    }
}

#[test]
fn a_scope_that_does_not_exist_is_refused() {
    let service = Service::new();
    let client = service.client("manage_project:demo");

    let error = service.token(&client, "grant_type=client_credentials&scope=manage_all:demo").unwrap_err();

    let sentence = "Malformed parameter: scope: Invalid scope.";
    assert_eq!(
        error.body(),
        json!({
            "statusCode": 400,
            "message": sentence,
            "errors": [{"code": "invalid_scope", "message": sentence}],
            "error": "invalid_scope",
            "error_description": sentence,
        })
    );
}

#[test]
fn without_valid_credentials_there_is_no_token() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let id = client.client.id();
    let form = "grant_type=client_credentials";

    for (id, secret) in [("unknown", "secret"), (id, "wrong"), (id, ""), ("", "")] {
        let error = service.token_as(id, &secret.to_owned().into(), form).unwrap_err();
        assert_eq!((error.status(), error.error()), (401, "invalid_client"), "{id}");
        assert!(error.www_authenticate().is_some());
    }
    for authorization in [None, Some("Bearer abc"), Some("Basic !")] {
        let sent = OAuthRequest { authorization, ..request("", form) };
        let error = block_on(service.auth.token(&sent, &|_: &str| NOON_MS)).unwrap_err();
        assert_eq!((error.status(), error.error()), (401, "invalid_client"), "{authorization:?}");
    }
}

#[test]
fn a_request_that_makes_no_sense_is_refused() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    for (form, code) in [
        ("", "invalid_request"),
        ("grant_type=", "invalid_request"),
        ("scope=view_states:demo", "invalid_request"),
        ("grant_type=client_credentials&grant_type=client_credentials", "invalid_request"),
        ("grant_type=authorization_code", "unsupported_grant_type"),
        ("grant_type=Client_Credentials", "unsupported_grant_type"),
    ] {
        let error = service.token(&client, form).unwrap_err();
        assert_eq!((error.status(), error.error()), (400, code), "{form}");
    }
    let authorization = basic(client.client.id(), &client.secret);
    let json = OAuthRequest {
        content_type: Some("application/json"),
        ..request(&authorization, "{\"grant_type\":\"client_credentials\"}")
    };
    let error = block_on(service.auth.token(&json, &|_: &str| NOON_MS)).unwrap_err();
    assert_eq!((error.status(), error.error()), (400, "invalid_request"));
}

#[test]
fn reads_parameters_from_the_query() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let authorization = basic(client.client.id(), &client.secret);
    let sent = OAuthRequest {
        authorization: Some(&authorization),
        query: "grant_type=client_credentials&scope=view_states%3Ademo",
        ..OAuthRequest::default()
    };
    assert!(block_on(service.auth.token(&sent, &|_: &str| NOON_MS)).is_ok());
}

#[test]
fn the_time_is_that_of_the_clients_project() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let authorization = basic(client.client.id(), &client.secret);
    let sent = request(&authorization, "grant_type=client_credentials");
    let clock = |project: &str| if project == "demo" { 0 } else { NOON_MS };
    let response = block_on(service.auth.token(&sent, &clock)).unwrap().to_json();
    let grant = service.auth.authenticate(response["access_token"].as_str().unwrap(), 0).unwrap();
    assert_eq!((grant.issued_at_ms(), grant.expires_at_ms()), (0, 172_800_000));
}
