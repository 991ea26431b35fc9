//! Measures how soon a search finds a change while many are made.

use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, ensure_success};
use crate::process::MeasuredServer;
use crate::scenarios::Bench;
use crate::scenarios::category_move::Latencies;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;

/// Between two changes: a hundred a second.
const CHANGE_EVERY: Duration = Duration::from_millis(10);
/// The number of changes.
const CHANGES: usize = 2_000;
/// One change in this number is searched for until it is found.
const LOOKED_FOR: usize = 10;
/// The polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The timeout for a change to be found.
const VISIBLE_AFTER_MAX: Duration = Duration::from_secs(60);
/// The number of clients that write in turn, so that none waits for the disk of another.
const WRITERS: usize = 20;
/// A prime, so that no Product is changed twice.
const STRIDE: usize = 7_919;
/// The documented target, in milliseconds.
const P99_MS_MAX: f64 = 1_000.0;

/// Changes a hundred Products a second and looks for some of them, from when the change was sent.
pub(super) async fn visible(
    bench: &mut Bench,
    server: &MeasuredServer,
    size: usize,
    what: &str,
) -> anyhow::Result<()> {
    let mut tasks = Vec::new();
    let started = Instant::now();
    for writer in 0..WRITERS {
        let (mut writing, mut looking) =
            (LoadConnection::open(server).await?, LoadConnection::open(server).await?);
        tasks.push(tokio::task::spawn_local(async move {
            let mut found_after = Vec::new();
            let mut due = tokio::time::interval_at(
                tokio::time::Instant::now() + CHANGE_EVERY * writer as u32,
                CHANGE_EVERY * WRITERS as u32,
            );
            due.set_missed_tick_behavior(MissedTickBehavior::Delay);
            for round in (writer..CHANGES.min(size)).step_by(WRITERS) {
                due.tick().await;
                let name = format!("fresh {round}");
                let change = json!({"version": 1, "actions": [
                    {"action": "changeName", "name": {"en": name}, "staged": false},
                ]});
                let key = round * STRIDE % size;
                let sent = Instant::now();
                let ask = LoadRequest::post(path(&format!("products/key=p{key}")), change.to_string());
                let (status, body) = writing.send(ask).await?;
                ensure_success(status, &body)?;
                if (round / WRITERS) % LOOKED_FOR == writer % LOOKED_FOR {
                    look_for(&mut looking, &name, sent).await?;
                    found_after.push(sent.elapsed().as_secs_f64() * 1000.0);
                }
            }
            anyhow::Ok(found_after)
        }));
    }
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.context("a writer went down")??);
    }
    let rate = CHANGES.min(size) as f64 / started.elapsed().as_secs_f64();
    let latencies = Latencies::from_milliseconds(all);
    bench.table.add(BenchRow {
        name: format!("{what}: from an update until a search finds it, 100 changes a second: p99"),
        value: latencies.percentile(99.0),
        unit: " ms",
        target: BenchTarget::AtMost(P99_MS_MAX),
        kontor: format!("{}, {rate:.0} changes a second made", latencies.line()),
        comparison: "-".into(),
    });
    Ok(())
}

async fn look_for(connection: &mut LoadConnection, name: &str, sent: Instant) -> anyhow::Result<()> {
    let query = json!({"exact": {"field": "name", "language": "en", "value": name}});
    let request = json!({"query": query, "limit": 1}).to_string();
    loop {
        let found: Value =
            connection.json(LoadRequest::post(path("products/search"), request.clone())).await?;
        if found["total"] == 1 {
            return Ok(());
        }
        ensure!(sent.elapsed() < VISIBLE_AFTER_MAX, "{name:?} was never found");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
