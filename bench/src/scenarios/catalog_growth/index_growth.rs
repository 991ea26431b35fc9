//! Measures the search index over the growing catalog: how fast it is built, and how fast it indexes Products as they
//! are created.

use super::super::search_http::indexed as switch_on;
use super::super::{Bench, thousands};
use super::CatalogPart;
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest};
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use anyhow::ensure;
use kontor_json::{Value, json};
use std::time::{Duration, Instant};

/// The number of Products created while the index follows.
const COMING: usize = 2_000;
/// The timeout for the index to contain all Products.
const FOUND_AFTER_MAX: Duration = Duration::from_secs(900);
/// The polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A server that uses less CPU within [`REST_LOOK`] is idle: a few clock ticks.
const RESTS_BELOW_SECONDS: f64 = 0.03;
/// The polling interval for that.
const REST_LOOK: Duration = Duration::from_secs(1);

/// Activates the search and waits until it finds all Products. Also waits for the merge of segments, which counts as
/// CPU time.
pub(super) async fn activate_search(
    bench: &mut Bench,
    server: &MeasuredServer,
    size: usize,
) -> anyhow::Result<()> {
    let cpu = server.cpu_seconds()?;
    let seconds = switch_on(server, size).await?;
    let until_found = server.cpu_seconds()? - cpu;
    wait_until_idle(server).await?;
    let until_found_us = until_found * 1e6 / size as f64;
    let cpu_us = (server.cpu_seconds()? - cpu) * 1e6 / size as f64;
    bench.table.add(BenchRow {
        name: format!("index over {} published Products, switched on, on both cores: built", thousands(size)),
        value: size as f64 / seconds,
        unit: "/s",
        target: BenchTarget::AtLeast(10_000.0),
        kontor: format!(
            "{seconds:.1} s, {until_found_us:.0} µs CPU each; {cpu_us:.0} with segments that become one afterwards"
        ),
        comparison: "-".into(),
    });
    Ok(())
}

/// Measures creating and publishing Products while the index follows.
pub(super) async fn measure_while_indexing(
    bench: &mut Bench,
    server: &MeasuredServer,
    size: usize,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let part = CatalogPart::load(server, size..size + COMING).await?;
    let mut connection = LoadConnection::open(server).await?;
    wait_until_found(&mut connection, size + COMING).await?;
    bench.table.add(BenchRow {
        name: "Products created, published and found as they come, on both cores".into(),
        value: COMING as f64 / started.elapsed().as_secs_f64(),
        unit: "/s",
        target: BenchTarget::AtLeast(2_000.0),
        kontor: part.line(),
        comparison: "-".into(),
    });
    Ok(())
}

/// Waits until a server is idle.
async fn wait_until_idle(server: &MeasuredServer) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut before = server.cpu_seconds()?;
    loop {
        tokio::time::sleep(REST_LOOK).await;
        let now = server.cpu_seconds()?;
        if now - before < RESTS_BELOW_SECONDS {
            return Ok(());
        }
        ensure!(started.elapsed() < FOUND_AFTER_MAX, "the server does not come to rest");
        before = now;
    }
}

async fn wait_until_found(connection: &mut LoadConnection, size: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    loop {
        let ask = LoadRequest::post(path("products/search"), json!({"limit": 0}).to_string());
        let (status, body) = connection.send(ask).await?;
        if status.is_success() && kontor_json::from_slice::<Value>(&body)?["total"] == size {
            return Ok(());
        }
        ensure!(started.elapsed() < FOUND_AFTER_MAX, "not all {size} Products are found");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
