//! Acknowledged changes survive a restart.

use pollster::block_on;
use secrecy::ExposeSecret;

use crate::service::Service;

#[test]
fn projects_clients_and_tokens_are_there_after_a_restart() {
    let service = Service::new();
    let client = service.client("view_states:demo manage_orders:demo");
    let token = service.access_token(&client);
    let narrow = service.token(&client, "grant_type=client_credentials&scope=view_states:demo").unwrap();
    let revoked = service.access_token(&client);
    service.revoke(&client, &format!("token={revoked}")).unwrap();
    let document = client.client.to_json();

    let service = service.restart();

    assert_eq!(service.auth.projects().len(), 1);
    let found = service.auth.client("demo", client.client.id(), service.now_ms).unwrap();
    assert_eq!(found.to_json(), document, "with the date of the last use");
    let grant = service.grant(&token).unwrap();
    assert_eq!(grant.scopes(), client.client.scopes());
    let grant = service.grant(narrow["access_token"].as_str().unwrap()).unwrap();
    assert_eq!(grant.scopes().to_string(), "view_states:demo");
    assert!(service.grant(&revoked).is_err());
    assert!(service.token(&client, "grant_type=client_credentials").is_ok());
}

#[test]
fn deletions_survive_a_restart() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let token = service.access_token(&client);
    block_on(service.auth.delete_client("demo", client.client.id(), service.now_ms)).unwrap();
    let service = service.restart();
    assert!(service.grant(&token).is_err());
    assert!(service.token(&client, "grant_type=client_credentials").is_err());
}

#[test]
fn no_secret_is_on_disk() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let token = service.access_token(&client);
    let bytes = service.bytes_on_disk();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds(client.client.id()), "the search finds what is there");
    assert!(!holds(client.secret.expose_secret()));
    assert!(!holds(&token));
}
