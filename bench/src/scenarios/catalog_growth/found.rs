//! The index over the catalog: how fast it is built, and how fast Products come that are found as they come.

use super::super::search_http::indexed as switch_on;
use super::super::{Bench, thousands};
use super::Part;
use crate::kontor::path;
use crate::load::{Ask, Connection};
use crate::process::Server;
use crate::table::{Row, Target};
use anyhow::ensure;
use kontor_json::{Value, json};
use std::time::{Duration, Instant};

/// Products that come while the index follows.
const COMING: usize = 2_000;
/// How long all may take to be found.
const FOUND_AFTER_MAX: Duration = Duration::from_secs(900);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Turns the search on, and waits until it finds all.
pub(super) async fn indexed(bench: &mut Bench, server: &Server, size: usize) -> anyhow::Result<()> {
    let cpu = server.cpu_seconds()?;
    let seconds = switch_on(server, size).await?;
    let cpu_us = (server.cpu_seconds()? - cpu) * 1e6 / size as f64;
    bench.table.add(Row {
        what: format!("index over {} published Products, switched on: built", thousands(size)),
        value: size as f64 / seconds,
        unit: "/s",
        target: Target::AtLeast(10_000.0),
        kontor: format!("{seconds:.1} s, {cpu_us:.0} µs CPU each"),
        beside: "-".into(),
    });
    Ok(())
}

/// Products that are created and published while the index follows.
pub(super) async fn as_they_come(bench: &mut Bench, server: &Server, size: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    let part = Part::load(server, size..size + COMING).await?;
    let mut connection = Connection::open(server).await?;
    until_found(&mut connection, size + COMING).await?;
    bench.table.add(Row {
        what: "Products created, published and found as they come".into(),
        value: COMING as f64 / started.elapsed().as_secs_f64(),
        unit: "/s",
        target: Target::AtLeast(2_000.0),
        kontor: part.line(),
        beside: "-".into(),
    });
    Ok(())
}

async fn until_found(connection: &mut Connection, size: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    loop {
        let ask = Ask::post(path("products/search"), json!({"limit": 0}).to_string());
        let (status, body) = connection.ask(ask).await?;
        if status.is_success() && kontor_json::from_slice::<Value>(&body)?["total"] == size {
            return Ok(());
        }
        ensure!(started.elapsed() < FOUND_AFTER_MAX, "not all {size} Products are found");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
