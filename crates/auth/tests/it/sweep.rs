//! Deletion of expired tokens and clients.

use kontor_auth::{ClientDraft, SweepResult};
use pollster::block_on;

use crate::service::{DAY_MS, Service};

fn sweep(service: &Service, limit: usize) -> SweepResult {
    block_on(service.auth.sweep("demo", service.now_ms, limit)).unwrap()
}

#[test]
fn expired_tokens_go_in_chunks_and_others_stay() {
    let mut service = Service::new();
    let client = service.client("view_states:demo");
    for _ in 0..5 {
        service.access_token(&client);
    }
    service.now_ms += DAY_MS;
    let young = service.access_token(&client);
    assert_eq!(sweep(&service, 3), SweepResult::default());

    service.now_ms += DAY_MS;
    assert_eq!(sweep(&service, 3), SweepResult { tokens: 3, clients: 0, has_more: true });
    assert_eq!(sweep(&service, 3), SweepResult { tokens: 2, clients: 0, has_more: false });
    assert_eq!(sweep(&service, 3), SweepResult::default());
    assert!(service.restart().grant(&young).is_ok());
}

#[test]
fn the_tokens_of_deleted_clients_go_too() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    for _ in 0..5 {
        service.access_token(&client);
    }
    block_on(service.auth.delete_client("demo", client.client.id(), service.now_ms)).unwrap();
    assert_eq!(sweep(&service, 4), SweepResult { tokens: 4, clients: 0, has_more: true });
    assert_eq!(sweep(&service, 4), SweepResult { tokens: 1, clients: 0, has_more: false });
    assert_eq!(sweep(&service, 4), SweepResult::default());
}

#[test]
fn a_client_that_is_due_goes_with_its_tokens() {
    let mut service = Service::new();
    let draft = ClientDraft {
        name: "Guest".into(),
        scope: "view_states:demo".into(),
        delete_days_after_creation: Some(1),
        ..ClientDraft::default()
    };
    let guest = block_on(service.auth.create_client("demo", draft, service.now_ms)).unwrap();
    service.access_token(&guest);
    service.now_ms += DAY_MS;
    assert_eq!(sweep(&service, 10), SweepResult { tokens: 1, clients: 1, has_more: false });
    assert_eq!(sweep(&service, 10), SweepResult::default());
}

#[test]
fn a_sweep_of_one_project_spares_the_others() {
    let mut service = Service::new();
    block_on(service.auth.create_project("other", "Other", service.now_ms)).unwrap();
    let token = service.access_token(&service.client_of("other", "view_states:other"));
    service.now_ms += 2 * DAY_MS;
    assert_eq!(sweep(&service, 10), SweepResult::default());
    // The clock of the other project may be behind.
    service.now_ms -= 2 * DAY_MS;
    assert!(service.restart().grant(&token).is_ok());
}
