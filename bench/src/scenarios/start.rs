//! Measures an empty server: the time until it is ready, and its memory at rest.

use super::Bench;
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use std::path::Path;
use std::time::Duration;

/// How often a server is started; the median counts.
const STARTS: usize = 7;
/// Let the server come to rest before its memory is read.
const REST: Duration = Duration::from_millis(500);
const MEGABYTE: f64 = 1_000_000.0;

/// A started server, the median of its starts in milliseconds, and its memory at rest in megabytes.
pub(super) struct StartResult {
    pub(super) server: MeasuredServer,
    pub(super) ready_ms: f64,
    pub(super) idle_mb: f64,
}

/// Starts a server on a folder several times.
pub(super) async fn start(bench: &Bench, data: &Path) -> anyhow::Result<StartResult> {
    let mut ready_ms = Vec::new();
    for _ in 0..STARTS {
        let server = bench.kontor.start(data).await?;
        ready_ms.push(server.ready_after.as_secs_f64() * 1000.0);
        server.stop()?;
    }
    ready_ms.sort_by(f64::total_cmp);
    let server = bench.kontor.start(data).await?;
    tokio::time::sleep(REST).await;
    let idle_mb = anonymous_mb(&server)?;
    Ok(StartResult { server, ready_ms: ready_ms[STARTS / 2], idle_mb })
}

/// Memory of a server that belongs to no file, in megabytes.
pub(super) fn anonymous_mb(server: &MeasuredServer) -> anyhow::Result<f64> {
    Ok(server.anonymous_bytes()? as f64 / MEGABYTE)
}

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let started = start(bench, &bench.folder("empty")).await?;
    bench.table.add(BenchRow {
        name: "start to ready, one empty project".into(),
        value: started.ready_ms,
        unit: " ms",
        target: BenchTarget::AtMost(50.0),
        kontor: format!("median of {STARTS} starts"),
        comparison: "-".into(),
    });
    bench.table.add(BenchRow {
        name: "memory (anonymous), idle with one project".into(),
        value: started.idle_mb,
        unit: " MB",
        target: BenchTarget::AtMost(30.0),
        kontor: "after one token was given".into(),
        comparison: "-".into(),
    });
    started.server.stop()
}
