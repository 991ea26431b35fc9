//! API Clients and projects: created, listed, deleted.

use kontor_auth::{AuthError, ClientDraft};
use kontor_errors::Code;
use kontor_json::json;
use pollster::block_on;
use secrecy::ExposeSecret;

use crate::service::{DAY_MS, HOUR_MS, Service};

#[test]
fn a_client_is_created_with_a_secret_that_is_shown_once() {
    let service = Service::new();
    let draft = ClientDraft::from_json(&json!({
        "name": "Storefront",
        "scope": "view_products:demo  manage_my_orders:demo",
        "deleteDaysAfterCreation": 10,
        "accessTokenValiditySeconds": 3600,
        "refreshTokenValiditySeconds": 30,
    }));
    let created = block_on(service.auth.create_client("demo", draft.unwrap(), service.now_ms)).unwrap();

    let mut document = created.to_json();
    let secret = document.as_object_mut().unwrap().remove("secret").unwrap();
    assert_eq!(secret, created.secret.expose_secret());
    assert_eq!(
        document,
        json!({
            "id": created.client.id(),
            "name": "Storefront",
            "scope": "view_products:demo manage_my_orders:demo",
            "createdAt": "2026-03-01T12:00:00.000Z",
            "deleteAt": "2026-03-11T12:00:00.000Z",
            "accessTokenValiditySeconds": 3600,
            "refreshTokenValiditySeconds": 30,
        })
    );
    let found = service.auth.client("demo", created.client.id(), service.now_ms).unwrap();
    assert_eq!(found.to_json(), document, "without the secret");
}

#[test]
fn applies_defaults_of_missing_draft_fields() {
    let service = Service::new();
    let client = service.client("view_states:demo").client;
    let document = client.to_json();
    let fields: Vec<_> = document.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "name", "scope", "createdAt"]);
    assert_eq!((client.access_token_validity_s(), client.refresh_token_validity_s()), (172_800, 17_280_000));
}

#[test]
fn a_draft_out_of_bounds_is_refused_by_field() {
    let service = Service::new();
    let long = "a".repeat(257);
    for (change, field) in [
        (json!({"name": ""}), "name"),
        (json!({"name": long}), "name"),
        (json!({"scope": " "}), "scope"),
        (json!({"scope": "view_nothing:demo"}), "scope"),
        (json!({"scope": "view_states:other"}), "scope"),
        (json!({"deleteDaysAfterCreation": 0}), "deleteDaysAfterCreation"),
        (json!({"deleteDaysAfterCreation": i64::MAX}), "deleteDaysAfterCreation"),
        (json!({"accessTokenValiditySeconds": 3599}), "accessTokenValiditySeconds"),
        (json!({"accessTokenValiditySeconds": 604_801}), "accessTokenValiditySeconds"),
        (json!({"refreshTokenValiditySeconds": 29}), "refreshTokenValiditySeconds"),
        (json!({"refreshTokenValiditySeconds": 31_536_001}), "refreshTokenValiditySeconds"),
    ] {
        let mut draft = json!({"name": "Shop", "scope": "view_states:demo"});
        draft.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let draft = ClientDraft::from_json(&draft).unwrap();
        let error = block_on(service.auth.create_client("demo", draft, service.now_ms)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidField, "{change}");
        assert_eq!(error.objects()[0].fields["field"], field, "{change}");
    }
    assert_eq!(service.auth.clients("demo", service.now_ms).len(), 0);
}

#[test]
fn a_draft_of_the_wrong_shape_is_refused() {
    for (draft, code) in [
        (json!([]), Code::InvalidJsonInput),
        (json!({"scope": "view_states:demo"}), Code::RequiredField),
        (json!({"name": "Shop"}), Code::RequiredField),
        (json!({"name": 1, "scope": "view_states:demo"}), Code::InvalidJsonInput),
        (json!({"name": "Shop", "scope": "s", "accessTokenValiditySeconds": 1.5}), Code::InvalidJsonInput),
    ] {
        assert_eq!(ClientDraft::from_json(&draft).unwrap_err().code(), code, "{draft}");
    }
}

#[test]
fn an_operator_chooses_id_and_secret() {
    let service = Service::new();
    let draft = || ClientDraft {
        name: "CI".into(),
        scope: "manage_project:demo".into(),
        id: Some("ci".into()),
        secret: Some("top%secret:!".to_owned().into()),
        ..ClientDraft::default()
    };
    let created = block_on(service.auth.create_client("demo", draft(), service.now_ms)).unwrap();
    assert_eq!(created.client.id(), "ci");
    assert!(
        service.token_as("ci", &"top%secret:!".to_owned().into(), "grant_type=client_credentials").is_ok()
    );

    let error = block_on(service.auth.create_client("demo", draft(), service.now_ms)).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateField);
    let colon = ClientDraft { id: Some("c:i".into()), ..draft() };
    assert!(block_on(service.auth.create_client("demo", colon, service.now_ms)).is_err());
}

#[test]
fn a_client_belongs_to_one_project() {
    let service = Service::new();
    block_on(service.auth.create_project("other", "Other", service.now_ms)).unwrap();
    let client = service.client("view_states:demo").client;
    assert!(service.auth.client("other", client.id(), service.now_ms).is_none());
    assert!(service.auth.clients("other", service.now_ms).is_empty());
    let error = block_on(service.auth.delete_client("other", client.id(), service.now_ms)).unwrap_err();
    assert_eq!(error.code(), Code::ResourceNotFound);
    let draft =
        ClientDraft { name: "Shop".into(), scope: "view_states:none".into(), ..ClientDraft::default() };
    let error = block_on(service.auth.create_client("none", draft, service.now_ms)).unwrap_err();
    assert_eq!(error.code(), Code::ResourceNotFound);
}

#[test]
fn deleting_a_client_ends_its_tokens() {
    let service = Service::new();
    let (client, other) = (service.client("view_states:demo"), service.client("view_states:demo"));
    let (held, fresh) = (service.access_token(&client), service.access_token(&client));
    let kept = service.access_token(&other);
    assert!(service.grant(&held).is_ok(), "known, so held in memory");

    let deleted = block_on(service.auth.delete_client("demo", client.client.id(), service.now_ms)).unwrap();

    assert_eq!(deleted.to_json()["id"], client.client.id());
    for token in [&held, &fresh] {
        assert!(matches!(service.grant(token), Err(AuthError::Unknown)));
        assert_eq!(
            service.introspect(&service.client("manage_project:demo"), token),
            json!({"active": false})
        );
    }
    assert!(service.grant(&kept).is_ok());
    let error = service.token(&client, "grant_type=client_credentials").unwrap_err();
    assert_eq!(error.error(), "invalid_client");
    assert!(service.auth.client("demo", client.client.id(), service.now_ms).is_none());
    assert!(block_on(service.auth.delete_client("demo", client.client.id(), service.now_ms)).is_err());
}

#[test]
fn the_tokens_of_a_client_do_not_come_back_with_its_id() {
    let service = Service::new();
    let create = || {
        let draft = ClientDraft {
            name: "CI".into(),
            scope: "manage_project:demo".into(),
            id: Some("ci".into()),
            secret: Some("secret".to_owned().into()),
            ..ClientDraft::default()
        };
        block_on(service.auth.create_client("demo", draft, service.now_ms)).unwrap()
    };
    let old = service.access_token(&create());
    assert!(block_on(service.auth.remove_project("demo")).unwrap());
    assert!(service.auth.clients("demo", service.now_ms).is_empty());
    assert!(!block_on(service.auth.remove_project("demo")).unwrap());
    block_on(service.auth.create_project("demo", "Demo", service.now_ms)).unwrap();
    let new = service.access_token(&create());
    assert!(service.grant(&new).is_ok());
    assert!(matches!(service.grant(&old), Err(AuthError::Unknown)));
}

#[test]
fn refuses_a_client_from_its_time_of_deletion_on() {
    let mut service = Service::new();
    let draft = ClientDraft {
        name: "Guest".into(),
        scope: "view_states:demo".into(),
        delete_days_after_creation: Some(1),
        ..ClientDraft::default()
    };
    let client = block_on(service.auth.create_client("demo", draft, service.now_ms)).unwrap();
    service.now_ms += DAY_MS - 1;
    let token = service.access_token(&client);
    assert!(service.grant(&token).is_ok());
    service.now_ms += 1;
    assert!(matches!(service.grant(&token), Err(AuthError::Unknown)));
    assert_eq!(
        service.token(&client, "grant_type=client_credentials").unwrap_err().error(),
        "invalid_client"
    );
    assert!(service.auth.clients("demo", service.now_ms).is_empty());
}

#[test]
fn the_last_use_is_the_day_of_the_last_token() {
    let mut service = Service::new();
    let client = service.client("view_states:demo");
    assert_eq!(client.client.to_json().get("lastUsedAt"), None);
    let token = service.access_token(&client);
    assert_eq!(client.client.to_json()["lastUsedAt"], "2026-03-01");
    service.now_ms += DAY_MS;
    service.grant(&token).unwrap();
    assert_eq!(client.client.to_json()["lastUsedAt"], "2026-03-01", "requests with the token do not count");
    service.now_ms += HOUR_MS;
    service.access_token(&client);
    assert_eq!(client.client.to_json()["lastUsedAt"], "2026-03-02");
}

#[test]
fn projects_are_listed_by_key_and_taken_once() {
    let service = Service::new();
    block_on(service.auth.create_project("alpha", "Alpha", service.now_ms)).unwrap();
    let keys: Vec<_> = service.auth.projects().iter().map(|project| project.key().to_owned()).collect();
    assert_eq!(keys, ["alpha", "demo"]);
    assert_eq!(service.auth.project("alpha").unwrap().name(), "Alpha");
    let error = block_on(service.auth.create_project("alpha", "Again", service.now_ms)).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateField);
    assert!(block_on(service.auth.create_project("oauth", "Reserved", service.now_ms)).is_err());
}

#[test]
fn debug_output_shows_no_secret() {
    let service = Service::new();
    let created = service.client("view_states:demo");
    let shown = format!("{created:?} {:?} {:?}", created.client, service.auth);
    assert!(shown.contains(created.client.id()));
    assert!(!shown.contains(created.secret.expose_secret()), "{shown}");
}
