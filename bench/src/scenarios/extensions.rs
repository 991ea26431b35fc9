//! Measures the latency that an API Extension adds to an update, in addition to the round trip to it. The Extension
//! responds at once.

use super::subscriptions::destination;
use super::{Bench, load_limits};
use crate::document::{RepeatedUpdater, VersionedDocument};
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, LoadResult, ensure_success, run as run_load};
use crate::machine::Cores;
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use anyhow::anyhow;
use bytes::Bytes;
use kontor_json::json;
use std::time::Instant;

const UPDATES: u64 = 2_000;
/// How often both are measured, and the round trip between them.
const TURNS: usize = 5;
/// The reference type of the updated resource: one for which Extensions are called.
const KIND: &str = "customer-group";

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let flags = ["--allow-private-destinations"];
    let asking = bench.kontor.start_with(&bench.folder("asking"), &flags).await?;
    let alone = bench.kontor.start_with(&bench.folder("asking-nobody"), &flags).await?;
    let (mut requested, mut unasked) = (vec![renamer(&asking).await?], vec![renamer(&alone).await?]);
    let (address, _) = destination().await?;
    let draft = json!({
        "destination": {"type": "HTTP", "url": address}, "triggers": [{"resourceTypeId": KIND, "actions": ["Update"]}],
    });
    LoadConnection::open(&asking)
        .await?
        .json(LoadRequest::post(path("extensions"), draft.to_string()))
        .await?;
    let mut turns: Vec<(f64, LoadResult, LoadResult, f64)> = Vec::new();
    for _ in 0..=TURNS {
        let (with, again) = run_load(&asking, requested, load_limits(UPDATES, 15)).await?;
        requested = again;
        let (without, again) = run_load(&alone, unasked, load_limits(UPDATES, 15)).await?;
        unasked = again;
        let trip =
            round_trip_us(bench.kontor.cores, &address, extension_request_body(&requested[0].document))?;
        let added = (with.percentile_ms(50.0) - without.percentile_ms(50.0)) * 1000.0 - trip;
        turns.push((added, with, without, trip));
    }
    // The first turn warms up.
    turns.remove(0);
    turns.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (added, with, without, trip) = turns.swap_remove(TURNS / 2);
    bench.table.add(BenchRow {
        name: "an API Extension that responds at once: added to the median of one caller's update, in addition to its round trip".to_owned(),
        value: added,
        unit: " µs",
        target: BenchTarget::AtMost(100.0),
        kontor: with.line(),
        comparison: format!("no Extension: {}; a round trip: {trip:.0} µs", without.line()),
    });
    Ok(())
}

/// Returns a client that renames one Customer Group repeatedly.
async fn renamer(server: &MeasuredServer) -> anyhow::Result<RepeatedUpdater> {
    let ask = LoadRequest::post(path("customer-groups"), json!({"groupName": "0"}).to_string());
    let (status, body) = LoadConnection::open(server).await?.send(ask).await?;
    ensure_success(status, &body)?;
    Ok(RepeatedUpdater::new(
        VersionedDocument::from_response(&body)?,
        "customer-groups",
        |group, _| json!([{"action": "changeName", "name": group.version.to_string()}]),
    ))
}

/// Returns a body as long as that of a request to the Extension.
fn extension_request_body(group: &VersionedDocument) -> Bytes {
    json!({"action": "Update", "resource": {"typeId": KIND, "id": group.id, "obj": {
        "id": group.id, "version": group.version, "name": "1", "createdAt": "2026-01-01T00:00:00.000Z",
        "lastModifiedAt": "2026-01-01T00:00:00.000Z",
    }}})
    .to_string()
    .into()
}

/// Like [`round_trips_us`], from a thread on the servers' core, so that the round trip crosses cores as a server's
/// does.
fn round_trip_us(cores: Cores, address: &str, body: Bytes) -> anyhow::Result<f64> {
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            cores.move_this_thread_to_servers();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(round_trips_us(address, body))
        });
        asking.join().map_err(|_| anyhow!("who measures the round trip panicked"))?
    })
}

/// The median of posts over one connection, in microseconds.
async fn round_trips_us(address: &str, body: Bytes) -> anyhow::Result<f64> {
    let authority = address.trim_start_matches("http://").trim_end_matches('/');
    let mut connection = LoadConnection::connect(authority, None).await?;
    let mut all = Vec::new();
    for _ in 0..UPDATES {
        let requested = Instant::now();
        connection.send(LoadRequest::post("/", body.clone())).await?;
        all.push(requested.elapsed().as_secs_f64() * 1e6);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[all.len() / 2])
}
