//! Concurrent requests: many tokens issued at once, tokens revoked and clients deleted while in use.

use std::{collections::HashSet, sync::Mutex, thread};

use pollster::block_on;

use crate::service::Service;

#[test]
fn tokens_that_are_issued_at_once_are_all_valid_and_all_different() {
    let service = Service::new();
    let clients = [service.client("view_states:demo"), service.client("manage_orders:demo")];
    let tokens = Mutex::new(HashSet::new());
    thread::scope(|scope| {
        for caller in 0..8 {
            let (service, client, tokens) = (&service, &clients[caller % 2], &tokens);
            scope.spawn(move || {
                for _ in 0..50 {
                    let token = service.access_token(client);
                    let grant = service.grant(&token).unwrap();
                    assert_eq!(grant.client_id(), Some(client.client.id()));
                    tokens.lock().unwrap().insert(token);
                }
            });
        }
    });
    assert_eq!(tokens.into_inner().unwrap().len(), 400);
}

#[test]
fn a_token_that_is_used_while_it_is_revoked_is_not_remembered() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    for _ in 0..200 {
        let token = service.access_token(&client);
        thread::scope(|scope| {
            // The first lookup reads the file and would cache the token permanently.
            scope.spawn(|| service.grant(&token).is_ok());
            scope.spawn(|| service.revoke(&client, &format!("token={token}")).unwrap());
        });
        assert!(service.grant(&token).is_err());
    }
}

#[test]
fn issues_no_token_to_a_client_deleted_meanwhile() {
    let service = Service::new();
    for _ in 0..20 {
        let client = service.client("view_states:demo");
        let tokens = Mutex::new(Vec::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                while let Ok(response) = service.token(&client, "grant_type=client_credentials") {
                    tokens.lock().unwrap().push(response["access_token"].as_str().unwrap().to_owned());
                }
            });
            scope.spawn(|| {
                block_on(service.auth.delete_client("demo", client.client.id(), service.now_ms)).unwrap()
            });
        });
        assert!(tokens.into_inner().unwrap().iter().all(|token| service.grant(token).is_err()));
    }
}

#[test]
fn creates_a_project_once_under_concurrency() {
    let service = Service::new();
    let created: usize = thread::scope(|scope| {
        let callers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| block_on(service.auth.create_project("new", "New", service.now_ms)).is_ok())
            })
            .collect();
        callers.into_iter().map(|caller| usize::from(caller.join().unwrap())).sum()
    });
    assert_eq!(created, 1);
}

#[test]
fn futures_of_writes_are_send() {
    fn is_send<T: Send>(_: &T) {}
    let service = Service::new();
    let clock = |_: &str| service.now_ms;
    let request = kontor_auth::OAuthRequest::default();
    is_send(&service.auth.token(&request, &clock));
    is_send(&service.auth.revoke(&request, &clock));
    is_send(&service.auth.delete_client("demo", "id", 0));
    is_send(&service.auth.sweep("demo", 0, 1));
}
