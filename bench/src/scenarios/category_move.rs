//! Measures the move of a category with thousands of descendants: how long other writers wait meanwhile, and when the
//! last descendant shows its new ancestors.

use super::{Bench, thousands};
use crate::document::VersionedDocument;
use crate::kontor::PROJECT;
use crate::load::{LoadConnection, LoadRequest};
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::task::LocalSet;

/// A project may have 10,000 categories: two roots, the one that moves, one that others write, and these below.
const BRANCHES: usize = 100;
const DESCENDANTS: usize = 9_996;
/// The number of moves.
const MOVES: usize = 5;
/// How long the baseline latency is measured.
const CALM: Duration = Duration::from_secs(2);
/// The timeout for the last descendant to show the move.
const SETTLED_AFTER_MAX: Duration = Duration::from_secs(30);
/// The polling interval for the last descendant.
const LOOK_EVERY: Duration = Duration::from_millis(2);

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let server = bench.kontor.start(&bench.folder("categories")).await?;
    let measured = LocalSet::new().run_until(moves(&server)).await?;
    server.stop()?;
    let what = format!("while a category with {} descendants moves", thousands(DESCENDANTS));
    let row = |name: String, value, kontor, target| BenchRow {
        name,
        value,
        unit: " ms",
        target,
        kontor,
        comparison: "-".into(),
    };
    let MoveTimes { calm, moving, answered_ms, settled_ms } = measured;
    let mut add = |row| bench.table.add(row);
    add(BenchRow {
        comparison: format!(
            "nothing moves: p50 {:.2} ms, p99 {:.2} ms",
            calm.percentile(50.0),
            calm.percentile(99.0)
        ),
        ..row(
            format!("update of another category {what}: p99"),
            moving.percentile(99.0),
            moving.line(),
            BenchTarget::AtMost(50.0),
        )
    });
    let responses = format!("median of {MOVES}");
    add(row(
        format!("the move's own answer {what}"),
        median(answered_ms),
        responses.clone(),
        BenchTarget::None,
    ));
    add(row(
        "until the last descendant shows its new ancestors".into(),
        median(settled_ms),
        responses,
        BenchTarget::AtMost(1000.0),
    ));
    Ok(())
}

struct MoveTimes {
    calm: Latencies,
    moving: Latencies,
    answered_ms: Vec<f64>,
    settled_ms: Vec<f64>,
}

/// Sorted latencies in milliseconds.
pub(super) struct Latencies(Vec<f64>);

impl Latencies {
    pub(super) fn from_milliseconds(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_by(f64::total_cmp);
        Self(milliseconds)
    }

    pub(super) fn percentile(&self, percent: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * percent / 100.0).round() as usize).copied().unwrap_or(0.0)
    }

    pub(super) fn line(&self) -> String {
        let (p50, p99, max) = (self.percentile(50.0), self.percentile(99.0), self.percentile(100.0));
        format!("p50 {p50:.2} ms, p99 {p99:.2} ms, max {max:.1} ms of {} updates", self.0.len())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn path(rest: &str) -> String {
    format!("/{PROJECT}/categories{rest}")
}

async fn moves(server: &MeasuredServer) -> anyhow::Result<MoveTimes> {
    let mut connection = LoadConnection::open(server).await?;
    let roots = [
        category(&mut connection, "root-one", None).await?,
        category(&mut connection, "root-two", None).await?,
    ];
    let mut mover = category(&mut connection, "mover", Some(&roots[0].id)).await?;
    let other = category(&mut connection, "other", None).await?;
    let last = descendants(server, &mover.id).await?;

    let calm = DocumentWriter::start(server, other).await?;
    tokio::time::sleep(CALM).await;
    let (calm, other) = calm.stop().await?;
    let moving = DocumentWriter::start(server, other).await?;
    let (mut answered_ms, mut settled_ms) = (Vec::new(), Vec::new());
    for at in 1..=MOVES {
        let root = &roots[at % roots.len()].id;
        let body = json!({
            "version": mover.version,
            "actions": [{"action": "changeParent", "parent": {"typeId": "category", "id": root}}],
        });
        let started = Instant::now();
        let moved =
            connection.json(LoadRequest::post(path(&format!("/{}", mover.id)), body.to_string())).await?;
        answered_ms.push(started.elapsed().as_secs_f64() * 1000.0);
        mover.version = moved["version"].as_i64().context("no version")?;
        loop {
            let last = connection.json(LoadRequest::get(path(&format!("/{last}")))).await?;
            if last["ancestors"][0]["id"] == **root {
                break;
            }
            let limit = SETTLED_AFTER_MAX.as_secs();
            ensure!(
                started.elapsed() < SETTLED_AFTER_MAX,
                "the last descendant kept its ancestors for {limit} s"
            );
            tokio::time::sleep(LOOK_EVERY).await;
        }
        settled_ms.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    let (moving, _) = moving.stop().await?;
    Ok(MoveTimes { calm, moving, answered_ms, settled_ms })
}

async fn category(
    connection: &mut LoadConnection,
    key: &str,
    parent: Option<&str>,
) -> anyhow::Result<VersionedDocument> {
    let mut draft = json!({"key": key, "name": {"en": key}, "slug": {"en": key}, "orderHint": "0.5"});
    if let Some(id) = parent {
        draft["parent"] = json!({"typeId": "category", "id": id});
    }
    let (status, body) = connection.send(LoadRequest::post(path(""), draft.to_string())).await?;
    crate::load::ensure_success(status, &body)?;
    VersionedDocument::from_response(&body)
}

/// Makes the descendants, two levels of them, and returns the id of the last.
async fn descendants(server: &MeasuredServer, above: &str) -> anyhow::Result<String> {
    let mut connection = LoadConnection::open(server).await?;
    let mut tasks = Vec::new();
    for branch in 0..BRANCHES {
        let id = category(&mut connection, &format!("branch-{branch}"), Some(above)).await?.id;
        let leaves =
            (DESCENDANTS - BRANCHES) / BRANCHES + usize::from(branch < (DESCENDANTS - BRANCHES) % BRANCHES);
        let mut connection = LoadConnection::open(server).await?;
        tasks.push(tokio::task::spawn_local(async move {
            let mut last = id.clone();
            for leaf in 0..leaves {
                last = category(&mut connection, &format!("leaf-{branch}-{leaf}"), Some(&id)).await?.id;
            }
            anyhow::Ok(last)
        }));
    }
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await??);
    }
    // Ids that rise with time say which was made last; it is also the last to be brought up to date.
    ids.into_iter().max().context("no descendants")
}

/// A client that updates one document repeatedly.
struct DocumentWriter {
    stop: Rc<Cell<bool>>,
    task: tokio::task::JoinHandle<anyhow::Result<(Latencies, VersionedDocument)>>,
}

impl DocumentWriter {
    async fn start(server: &MeasuredServer, mut document: VersionedDocument) -> anyhow::Result<Self> {
        let mut connection = LoadConnection::open(server).await?;
        let stop = Rc::new(Cell::new(false));
        let stopped = Rc::clone(&stop);
        let task = tokio::task::spawn_local(async move {
            let mut latencies = Vec::new();
            while !stopped.get() {
                let name: Value =
                    json!({"en": format!("other {}", latencies.len()), "de": document.version.to_string()});
                let body =
                    json!({"version": document.version, "actions": [{"action": "changeName", "name": name}]});
                let started = Instant::now();
                let (status, body) = connection
                    .send(LoadRequest::post(path(&format!("/{}", document.id)), body.to_string()))
                    .await?;
                latencies.push(started.elapsed().as_secs_f64() * 1000.0);
                crate::load::ensure_success(status, &body)?;
                document = VersionedDocument::from_response(&body)?;
            }
            Ok((Latencies::from_milliseconds(latencies), document))
        });
        Ok(Self { stop, task })
    }

    async fn stop(self) -> anyhow::Result<(Latencies, VersionedDocument)> {
        self.stop.set(true);
        self.task.await?
    }
}
