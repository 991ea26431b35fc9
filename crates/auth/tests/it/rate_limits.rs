//! The rate limit of token requests, and the rate limit of wrong secrets.

use std::{net::IpAddr, num::NonZeroU32};

use kontor_auth::OAuthRequest;
use pollster::block_on;

use crate::service::{NOON_MS, Service, basic, request};

#[test]
fn responds_with_retry_after_to_too_many_token_requests() {
    let mut service = Service::new();
    service.auth = service.auth.with_token_requests_a_second(NonZeroU32::new(3));
    let (client, other) = (service.client("view_states:demo"), service.client("view_states:demo"));
    let form = "grant_type=client_credentials";
    let refused = (0..100).find_map(|_| service.token(&client, form).err()).unwrap();
    assert_eq!(
        (refused.status(), refused.error(), refused.retry_after_s()),
        (429, "too_many_requests", Some(1))
    );
    assert!(refused.body()["errors"][0]["code"] == "too_many_requests");
    assert!(service.token(&other, form).is_ok(), "others are not in its way");
}

#[test]
fn limits_guesses_even_when_one_is_right() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let from = |address: [u8; 4], secret: &kontor_auth::Secret| {
        let authorization = basic(client.client.id(), secret);
        let sent = OAuthRequest {
            address: Some(IpAddr::from(address)),
            ..request(&authorization, "grant_type=client_credentials")
        };
        block_on(service.auth.token(&sent, &|_: &str| NOON_MS)).map_or_else(|error| error.status(), |_| 200)
    };
    let wrong = "wrong".to_owned().into();
    let guesses: Vec<u16> = (0..60).map(|_| from([10, 0, 0, 1], &wrong)).collect();
    assert!(guesses[..20].iter().all(|status| *status == 401), "{guesses:?}");
    assert_eq!(guesses[59], 429, "{guesses:?}");
    assert_eq!(from([10, 0, 0, 1], &client.secret), 429);
    assert_eq!(from([10, 0, 0, 2], &client.secret), 200, "the client itself goes on");
}

#[test]
fn counts_all_spellings_of_a_client_id_together() {
    let service = Service::new();
    let client = service.client("view_states:demo");
    let id = client.client.id();
    // Each guess escapes other letters of the id: `%61bc`, `a%62c`, ...
    let spelled = |position: usize| -> String {
        let escape = |(at, byte): (usize, u8)| match at == position % id.len() {
            true => format!("%{byte:02x}"),
            false => char::from(byte).to_string(),
        };
        id.bytes().enumerate().map(escape).collect()
    };
    let guess = |position: usize| {
        let authorization = basic(&spelled(position), &"wrong".to_owned().into());
        let sent = OAuthRequest {
            address: Some(IpAddr::from([10, 0, 0, 1])),
            ..request(&authorization, "grant_type=client_credentials")
        };
        block_on(service.auth.token(&sent, &|_: &str| NOON_MS)).map_or_else(|error| error.status(), |_| 200)
    };
    let guesses: Vec<u16> = (0..60).map(guess).collect();
    assert_eq!(guesses[59], 429, "{guesses:?}");
}
