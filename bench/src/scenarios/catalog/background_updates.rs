//! Measures how long writers wait while a Product Discount, or a change of stock, updates all Products.

use crate::document::VersionedDocument;
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, ensure_success};
use crate::process::MeasuredServer;
use crate::scenarios::category_move::Latencies;
use crate::scenarios::{Bench, thousands};
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::json;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The timeout for a discount to reach the last Product.
const DISCOUNTED_AFTER_MAX: Duration = Duration::from_secs(600);
/// The timeout for stock to show in a Product.
const AVAILABLE_AFTER_MAX: Duration = Duration::from_secs(30);
/// The polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The number of SKUs whose stock changes.
const STOCKED: usize = 200;
/// The target for the latency of writers, in milliseconds.
const P99_MS_MAX: f64 = 50.0;

pub(super) async fn run(bench: &mut Bench, server: &MeasuredServer, products: usize) -> anyhow::Result<()> {
    let (writers, seconds) = discounted(server, products).await?;
    let meanwhile = format!("while a Product Discount goes through {} Products", thousands(products));
    bench.table.add(row(
        format!("update of a Category {meanwhile}: p99"),
        writers.percentile(99.0),
        " ms",
        BenchTarget::AtMost(P99_MS_MAX),
        writers.line(),
    ));
    bench.table.add(row(
        format!("until the last of {} Products is discounted", thousands(products)),
        seconds,
        " s",
        BenchTarget::None,
        format!("{:.0} Products a second", products as f64 / seconds),
    ));
    let (writers, slowest_ms) = stocked(server, products).await?;
    bench.table.add(row(
        "until a variant shows what the Inventory has: the slowest".into(),
        slowest_ms,
        " ms",
        BenchTarget::AtMost(1000.0),
        format!("of {STOCKED} SKUs, one after the other"),
    ));
    bench.table.add(row(
        "update of a Category while stock changes: p99".into(),
        writers.percentile(99.0),
        " ms",
        BenchTarget::AtMost(P99_MS_MAX),
        writers.line(),
    ));
    Ok(())
}

fn row(name: String, value: f64, unit: &'static str, target: BenchTarget, kontor: String) -> BenchRow {
    BenchRow { name, value, unit, target, kontor, comparison: "-".into() }
}

/// A discount of everything: what writers waited, and seconds until the Product with the highest id has it.
async fn discounted(server: &MeasuredServer, _products: usize) -> anyhow::Result<(Latencies, f64)> {
    let mut connection = LoadConnection::open(server).await?;
    let last =
        connection.json(LoadRequest::get(path("products?sort=id%20desc&limit=1&withTotal=false"))).await?;
    let last = last["results"][0]["id"].as_str().context("no Product")?.to_owned();
    let writer = CategoryWriter::start(server).await?;
    let started = Instant::now();
    let draft = json!({
        "name": {"en": "All"}, "value": {"type": "relative", "permyriad": 1000}, "predicate": "1=1", "sortOrder": "0.5",
        "isActive": true,
    });
    connection.json(LoadRequest::post(path("product-discounts"), draft.to_string())).await?;
    loop {
        let found = connection.json(LoadRequest::get(path(&format!("products/{last}")))).await?;
        if found["masterData"]["staged"]["masterVariant"]["prices"][0]["discounted"].is_object() {
            break;
        }
        ensure!(started.elapsed() < DISCOUNTED_AFTER_MAX, "the last Product was never discounted");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok((writer.stop().await?, seconds))
}

/// Stock of SKUs: what writers waited, and the longest time until a variant showed it.
async fn stocked(server: &MeasuredServer, products: usize) -> anyhow::Result<(Latencies, f64)> {
    let mut connection = LoadConnection::open(server).await?;
    let writer = CategoryWriter::start(server).await?;
    let mut slowest = Duration::ZERO;
    for at in 0..STOCKED.min(products) {
        let number = at * (products / STOCKED.min(products));
        let draft = json!({"sku": format!("s{number}-0"), "quantityOnStock": 7}).to_string();
        let started = Instant::now();
        connection.json(LoadRequest::post(path("inventory"), draft)).await?;
        loop {
            let found = connection.json(LoadRequest::get(path(&format!("products/key=p{number}")))).await?;
            if found["masterData"]["staged"]["masterVariant"]["availability"]["availableQuantity"] == 7 {
                break;
            }
            ensure!(started.elapsed() < AVAILABLE_AFTER_MAX, "the stock never showed");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        slowest = slowest.max(started.elapsed());
    }
    Ok((writer.stop().await?, slowest.as_secs_f64() * 1000.0))
}

/// A client that renames one Category repeatedly.
struct CategoryWriter {
    stop: Rc<Cell<bool>>,
    task: tokio::task::JoinHandle<anyhow::Result<Latencies>>,
}

impl CategoryWriter {
    async fn start(server: &MeasuredServer) -> anyhow::Result<Self> {
        let mut connection = LoadConnection::open(server).await?;
        let (status, body) = connection.send(LoadRequest::get(path("categories/key=category-0"))).await?;
        ensure_success(status, &body)?;
        let mut document = VersionedDocument::from_response(&body)?;
        let stop = Rc::new(Cell::new(false));
        let stopped = Rc::clone(&stop);
        let task = tokio::task::spawn_local(async move {
            let mut latencies = Vec::new();
            while !stopped.get() {
                let name = json!({"en": format!("renamed {}", document.version)});
                let actions = json!([{"action": "changeName", "name": name}]);
                let body = json!({"version": document.version, "actions": actions}).to_string();
                let started = Instant::now();
                let target = path(&format!("categories/{}", document.id));
                let (status, body) = connection.send(LoadRequest::post(target, body)).await?;
                latencies.push(started.elapsed().as_secs_f64() * 1000.0);
                ensure_success(status, &body)?;
                document = VersionedDocument::from_response(&body)?;
            }
            Ok(Latencies::from_milliseconds(latencies))
        });
        Ok(Self { stop, task })
    }

    async fn stop(self) -> anyhow::Result<Latencies> {
        self.stop.set(true);
        self.task.await?
    }
}
