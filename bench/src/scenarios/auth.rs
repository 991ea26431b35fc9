//! Measures tokens: issuing, introspecting and refreshing them, and authenticating requests with them.

use super::start::anonymous_mb;
use super::{Bench, load_limits, measure, measure_in_turns, thousands};
use crate::document::CONNECTIONS;
use crate::kontor::{PROJECT, client_authorization};
use crate::load::{LoadClient, LoadConnection, LoadRequest, LoadResult, ensure_success, run as run_load};
use crate::peers::CapturedResponse;
use crate::process::MeasuredServer;
use crate::states::{Random, StateWidth, create, path};
use crate::table::{BenchRow, BenchTarget};
use crate::tokens::{access_token, refresh_token, write_access_tokens, write_refresh_tokens};
use anyhow::Context as _;
use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;
use kontor_json::json;
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

/// The number of live access tokens: more than the cache of tokens holds.
const ACCESS_TOKENS: usize = 200_000;
/// The same with `--large`.
const ACCESS_TOKENS_LARGE: usize = 1_000_000;
/// The number of refresh tokens in the smaller of two system files, and of those in use in both.
const REFRESH_TOKENS_FEW: usize = 10_000;
const REFRESH_TOKENS_MANY: usize = 300_000;
/// The same with `--large`: the most that a project may have, but for those that are in use.
const REFRESH_TOKENS_LARGE: usize = 9_990_000;
const ISSUED: u64 = 20_000;
const READ: u64 = 60_000;
const ASKED: u64 = 10_000;
/// Callers with tokens of an external server: with more, requests would wait too long for the one core that both
/// servers share.
const EXTERNAL_CONNECTIONS: usize = 8;
/// The limit of a round in seconds.
const ROUND_S: u64 = 5;
/// The limit for using all tokens once, in seconds.
const WALK_S: u64 = 120;

/// No limit on requests for tokens: the limit is not what is measured.
const UNLIMITED: [&str; 2] = ["--token-requests-per-second", "0"];

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    refresh(bench).await?;
    issue_and_introspect(bench).await?;
    measure_calls(bench).await
}

async fn issue_and_introspect(bench: &mut Bench) -> anyhow::Result<()> {
    let data = bench.folder("tokens");
    bench.kontor.start_with(&data, &UNLIMITED).await?.stop()?;
    write_access_tokens(&data, 0..REFRESH_TOKENS_FEW)?;
    let mut server = bench.kontor.start_with(&data, &UNLIMITED).await?;
    server.authorization = Some(client_authorization());
    let issue =
        || LoadRequest { body: None, ..LoadRequest::post("/oauth/token?grant_type=client_credentials", "") };
    let issued = measure(&server, vec![issue; CONNECTIONS], load_limits(ISSUED, ROUND_S)).await?;
    bench.table.add(row("tokens issued a second, 64 callers, on disk".into(), issued.rate(), "/s", &issued));
    let introspected =
        measure(&server, token_clients(REFRESH_TOKENS_FEW, introspection), load_limits(READ, ROUND_S))
            .await?;
    let what = "introspections a second, 64 callers".into();
    bench.table.add(row(what, introspected.rate(), "/s", &introspected));
    server.stop()
}

/// Measures calls with tokens that are cached, that must be looked up, and that an external server introspects.
async fn measure_calls(bench: &mut Bench) -> anyhow::Result<()> {
    let count = if bench.large { ACCESS_TOKENS_LARGE } else { ACCESS_TOKENS };
    let data = bench.folder("calls");
    bench.kontor.start(&data).await?.stop()?;
    write_access_tokens(&data, 0..count)?;
    let server = bench.kontor.start(&data).await?;
    let (ids, _) = create(&server, 0..1, StateWidth::Usual).await?;
    let state = path(&format!("/{}", ids.first().context("no State")?));
    let cached = {
        let state = state.clone();
        move || LoadRequest::get(state.clone())
    };
    let uncached = in_turn(count, &state);
    let (usual, looked_up) = measure_in_turns(
        (&server, vec![cached.clone(); CONNECTIONS]),
        (&server, uncached),
        load_limits(READ, ROUND_S),
    )
    .await?;
    bench.table.add(BenchRow {
        comparison: format!("in memory: {}", usual.line()),
        ..row(
            format!("GET by id with a token that is not in memory, one of {}: CPU", thousands(count)),
            looked_up.cpu_us() / usual.cpu_us(),
            "×",
            &looked_up,
        )
    });
    // Use each token once, so that each was in memory before.
    let (all, _) = run_load(&server, in_turn(count, &state), load_limits(count as u64, WALK_S)).await?;
    bench.table.add(BenchRow {
        target: BenchTarget::AtMost(200.0),
        ..row(
            format!("memory (anonymous) after calls with {} live access tokens", thousands(count)),
            anonymous_mb(&server)?,
            " MB",
            &all,
        )
    });
    external(bench, &server, &state, usual).await?;
    server.stop()
}

/// Measures calls with tokens of an external server; a bare HTTP server introspects them.
async fn external(
    bench: &mut Bench,
    server: &MeasuredServer,
    state: &str,
    usual: LoadResult,
) -> anyhow::Result<()> {
    let scope = format!("view_states:{PROJECT}");
    let response = hyper::Response::builder()
        .header(CONTENT_TYPE, "application/json")
        .body(Bytes::from(json!({"active": true, "scope": scope}).to_string()))?;
    let peer = CapturedResponse::capture(response).serve(bench.cores, &bench.folder("introspection.json"))?;
    let mut connection = LoadConnection::open(server).await?;
    let version = connection.json(LoadRequest::get(format!("/{PROJECT}"))).await?["version"].clone();
    let oauth = json!({"url": format!("http://{}/", peer.authority), "authorizationHeader": "Bearer bench"});
    let set =
        json!({"version": version, "actions": [{"action": "setExternalOAuth", "externalOAuth": oauth}]});
    connection.json(LoadRequest::post(format!("/{PROJECT}"), set.to_string())).await?;
    let known = {
        let state = state.to_owned();
        move || LoadRequest::get(state.clone()).with_authorization("Bearer external".to_owned())
    };
    let remembered = measure(server, vec![known; CONNECTIONS], load_limits(READ, ROUND_S)).await?;
    let (next, late) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let strangers = (0..EXTERNAL_CONNECTIONS)
        .map(|_| ExternalTokenClient {
            state: state.to_owned(),
            next: Rc::clone(&next),
            timeouts: Rc::clone(&late),
        })
        .collect();
    let requested = measure(server, strangers, load_limits(ASKED, ROUND_S)).await?;
    eprintln!("{} of {} introspections timed out", late.get(), next.get());
    for (what, measured) in [("in memory", &remembered), ("that is introspected", &requested)] {
        bench.table.add(BenchRow {
            comparison: format!("own token in memory: {}", usual.line()),
            ..row(
                format!("GET by id with a token of an external server, {what}: CPU"),
                measured.cpu_us() / usual.cpu_us(),
                "×",
                measured,
            )
        });
    }
    peer.stop()
}

/// A client with a new token of an external server for each request.
struct ExternalTokenClient {
    state: String,
    next: Rc<Cell<u64>>,
    /// The number of introspections that timed out: on a busy machine that is no error of the server.
    timeouts: Rc<Cell<u64>>,
}

impl LoadClient for ExternalTokenClient {
    fn next(&mut self) -> Option<LoadRequest> {
        self.next.set(self.next.get() + 1);
        Some(
            LoadRequest::get(self.state.clone())
                .with_authorization(format!("Bearer external-{}", self.next.get())),
        )
    }

    fn handle_response(&mut self, status: StatusCode, body: &Bytes) -> anyhow::Result<()> {
        if status == StatusCode::BAD_GATEWAY {
            self.timeouts.set(self.timeouts.get() + 1);
            return Ok(());
        }
        ensure_success(status, body)
    }
}

/// Measures refreshing the same tokens in a small system file and in a large one.
async fn refresh(bench: &mut Bench) -> anyhow::Result<()> {
    let many = if bench.large { REFRESH_TOKENS_LARGE } else { REFRESH_TOKENS_MANY };
    let few = refreshing(bench, "few", 0).await?;
    let many_server = refreshing(bench, "many", many).await?;
    let (among_many, alone) = measure_in_turns(
        (&many_server, token_clients(REFRESH_TOKENS_FEW, refreshment)),
        (&few, token_clients(REFRESH_TOKENS_FEW, refreshment)),
        load_limits(ISSUED, ROUND_S),
    )
    .await?;
    bench.table.add(BenchRow {
        target: BenchTarget::AtMost(1.2),
        comparison: format!("{} refresh tokens: {}", thousands(REFRESH_TOKENS_FEW), alone.line()),
        ..row(
            format!("refresh with {} refresh tokens: CPU", thousands(REFRESH_TOKENS_FEW + many)),
            among_many.cpu_us() / alone.cpu_us(),
            "×",
            &among_many,
        )
    });
    few.stop()?;
    many_server.stop()
}

/// Starts a server with the refresh tokens in use and this number of others.
async fn refreshing(bench: &Bench, name: &str, others: usize) -> anyhow::Result<MeasuredServer> {
    let data = bench.folder(&format!("refresh-{name}"));
    start_and_stop(bench, &data).await?;
    write_refresh_tokens(&data, 0..REFRESH_TOKENS_FEW + others)?;
    let mut server = bench.kontor.start_with(&data, &UNLIMITED).await?;
    server.authorization = Some(client_authorization());
    Ok(server)
}

async fn start_and_stop(bench: &Bench, data: &Path) -> anyhow::Result<()> {
    bench.kontor.start(data).await?.stop()
}

fn introspection(number: usize) -> LoadRequest {
    LoadRequest {
        body: None,
        ..LoadRequest::post(format!("/oauth/introspect?token={}", access_token(number)), "")
    }
}

fn refreshment(number: usize) -> LoadRequest {
    let target = format!("/oauth/token?grant_type=refresh_token&refresh_token={}", refresh_token(number));
    LoadRequest { body: None, ..LoadRequest::post(target, "") }
}

/// Returns one client for each connection; each uses random tokens.
fn token_clients(count: usize, ask: fn(usize) -> LoadRequest) -> Vec<impl FnMut() -> LoadRequest + 'static> {
    (0..CONNECTIONS as u64)
        .map(|seed| {
            let mut random = Random::new(seed + 1);
            move || ask(random.next_below(count))
        })
        .collect()
}

/// Returns one client for each connection; together they take the tokens in order, so that none repeats before all were
/// used.
fn in_turn(count: usize, state: &str) -> Vec<impl FnMut() -> LoadRequest + 'static> {
    let next = Rc::new(Cell::new(0));
    (0..CONNECTIONS)
        .map(|_| {
            let (next, state) = (Rc::clone(&next), state.to_owned());
            move || {
                next.set((next.get() + 1) % count);
                LoadRequest::get(state.clone())
                    .with_authorization(format!("Bearer {}", access_token(next.get())))
            }
        })
        .collect()
}

fn row(name: String, value: f64, unit: &'static str, kontor: &LoadResult) -> BenchRow {
    BenchRow { name, value, unit, target: BenchTarget::None, kontor: kontor.line(), comparison: "-".into() }
}
