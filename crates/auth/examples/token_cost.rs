//! Measures the authorization service: tokens issued a second, and the time to authenticate a request.
//!
//! `cargo run --release -p kontor-auth --example token_cost`; numbers after `--` measure the refreshing of tokens among so
//! many, for example `-- 10000 1000000`.

// A measurement has no caller for its errors, and prints its results.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{hint::black_box, thread, time::Instant};

use base64::{Engine, prelude::BASE64_STANDARD};
use kontor_auth::{AuthService, ClientDraft, OAuthRequest, ScopeName, SystemDurability};
use pollster::block_on;
use secrecy::ExposeSecret;

const NOW_MS: i64 = 1_772_366_400_000;
const TOKENS_PER_CALLER: usize = 500;
const LOOKS: usize = 1_000_000;
const REFRESHES: usize = 10_000;

fn main() {
    for durability in [SystemDurability::InMemory, SystemDurability::OnDisk] {
        let folder = tempfile::tempdir().unwrap();
        let auth = AuthService::open(&folder.path().join("system.db"), durability)
            .unwrap()
            .with_token_requests_a_second(None);
        block_on(auth.create_project("demo", "Demo", NOW_MS)).unwrap();
        let draft = ClientDraft {
            name: "Measure".into(),
            scope: "manage_project:demo".into(),
            ..ClientDraft::default()
        };
        let client = block_on(auth.create_client("demo", draft, NOW_MS)).unwrap();
        let credentials = format!("{}:{}", client.client.id(), client.secret.expose_secret());
        let authorization = format!("Basic {}", BASE64_STANDARD.encode(credentials));

        let mut last = String::new();
        for callers in [1, 8, 64] {
            let start = Instant::now();
            let tokens: Vec<_> = thread::scope(|scope| {
                let callers: Vec<_> =
                    (0..callers).map(|_| scope.spawn(|| issue(&auth, &authorization))).collect();
                callers.into_iter().map(|caller| caller.join().unwrap()).collect()
            });
            let a_second = (callers * TOKENS_PER_CALLER) as f64 / start.elapsed().as_secs_f64();
            println!("{durability:?}: {callers} callers: {a_second:.0} tokens issued a second");
            last = tokens.into_iter().last().unwrap();
        }

        let start = Instant::now();
        for _ in 0..LOOKS {
            let grant = auth.authenticate(black_box(&last), NOW_MS).unwrap();
            black_box(grant.require("demo", &[ScopeName::ViewStates])).unwrap();
        }
        println!(
            "{durability:?}: {} ns to authenticate a request",
            start.elapsed().as_nanos() / LOOKS as u128
        );
    }
    let sessions = std::env::args().skip(1).map(|count| count.parse().unwrap());
    sessions.for_each(measure_refresh);
}

/// Refreshes at random among so many sessions.
fn measure_refresh(sessions: usize) {
    let folder = tempfile::tempdir().unwrap();
    let auth = AuthService::open(&folder.path().join("system.db"), SystemDurability::InMemory)
        .unwrap()
        .with_token_requests_a_second(None);
    block_on(auth.create_project("demo", "Demo", NOW_MS)).unwrap();
    let draft =
        ClientDraft { name: "Measure".into(), scope: "manage_project:demo".into(), ..ClientDraft::default() };
    let client = block_on(auth.create_client("demo", draft, NOW_MS)).unwrap();
    let credentials = format!("{}:{}", client.client.id(), client.secret.expose_secret());
    let authorization = format!("Basic {}", BASE64_STANDARD.encode(credentials));

    let begin = OAuthRequest {
        authorization: Some(&authorization),
        query: "grant_type=client_credentials",
        ..OAuthRequest::default()
    };
    let step = (sessions / REFRESHES).max(1);
    let mut kept = Vec::new();
    for number in 0..sessions {
        let response =
            block_on(auth.anonymous_token("demo", &begin, &|_: &str| NOW_MS + number as i64)).unwrap();
        if number % step == 0 {
            kept.push(response.refresh_token.unwrap());
        }
    }
    let later = NOW_MS + sessions as i64;
    let start = Instant::now();
    for token in &kept {
        let query = format!("grant_type=refresh_token&refresh_token={}", token.expose_secret());
        let request =
            OAuthRequest { authorization: Some(&authorization), query: &query, ..OAuthRequest::default() };
        black_box(block_on(auth.token(&request, &|_: &str| later)).unwrap());
    }
    let each = start.elapsed().as_micros() / kept.len() as u128;
    println!("{sessions} refresh tokens: {each} µs a refresh, one after the other, not waiting for the disk");
}

/// Issues tokens one after the other; the last one.
fn issue(auth: &AuthService, authorization: &str) -> String {
    let request = OAuthRequest {
        authorization: Some(authorization),
        content_type: Some("application/x-www-form-urlencoded"),
        query: "",
        body: b"grant_type=client_credentials",
        address: None,
    };
    let mut last = String::new();
    for _ in 0..TOKENS_PER_CALLER {
        let response = block_on(auth.token(&request, &|_: &str| NOW_MS)).unwrap();
        last = response.access_token.expose_secret().to_owned();
    }
    last
}
