//! Compares GraphQL with REST: the same State through both APIs, the cost of references, and the time to derive the
//! schema.

use super::{Bench, load_limits, measure, measure_in_turns};
use crate::document::CONNECTIONS;
use crate::kontor::PROJECT;
use crate::load::{LoadConnection, LoadRequest, LoadResult};
use crate::process::MeasuredServer;
use crate::states::{Random, StateWidth, create, path};
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::json;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The number of States read by id.
const STATES: usize = 1_000;
/// The number of chains of Categories; each has a root and [`LEVELS`] Categories below it.
const CHAINS: usize = 25;
/// References that a query follows.
const LEVELS: usize = 3;
/// How many starts there are to derive the schema in; the median counts.
const STARTS: usize = 5;
/// The timeout for deriving the schema.
const DERIVED_AFTER_MAX: Duration = Duration::from_secs(10);
/// The number of requests for the page with references when its reads are counted.
const LOOKS: u64 = 20;

/// The State as a whole: each of its fields, both languages.
const STATE: &str = "query($id: String!) { state(id: $id) { id version createdAt lastModifiedAt key type \
    nameAllLocales { locale value } descriptionAllLocales { locale value } initial builtIn } }";

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let schema_ms = schema_ms(bench).await?;
    let server = bench.kontor.start(&bench.folder("graphql")).await?;
    let (ids, _) = create(&server, 0..STATES, StateWidth::Usual).await?;
    let ids = Rc::new(ids);
    let (graphql, rest) =
        measure_in_turns((&server, state_clients(&ids)), (&server, getters(&ids)), load_limits(30_000, 3))
            .await?;
    categories(&server).await?;
    let few = reads(&server, 10, LEVELS).await?;
    let many = reads(&server, 100, LEVELS).await?;
    let without = measure(&server, pages(100, 0), load_limits(2_000, 3)).await?;
    let with = measure(&server, pages(100, LEVELS), load_limits(2_000, 3)).await?;
    server.stop()?;
    add_rows(bench, schema_ms, (&graphql, &rest), (few, many), (&with, &without));
    ensure!(many == few, "a query read {few} times for 10 resources and {many} times for 100");
    Ok(())
}

fn add_rows(
    bench: &mut Bench,
    schema_ms: f64,
    (graphql, rest): (&LoadResult, &LoadResult),
    (few, many): (u64, u64),
    (with, without): (&LoadResult, &LoadResult),
) {
    let state = |what: &str, value: f64, target| BenchRow {
        name: format!("a State by id through GraphQL compared with REST, {CONNECTIONS} connections: {what}"),
        value,
        unit: "×",
        target,
        kontor: graphql.line(),
        comparison: format!("REST: {}", rest.line()),
    };
    bench.table.add(state("CPU", graphql.cpu_us() / rest.cpu_us(), BenchTarget::AtMost(2.0)));
    bench.table.add(state("throughput", graphql.rate() / rest.rate(), BenchTarget::None));
    bench.table.add(BenchRow {
        name: format!("100 resources with {LEVELS} levels of references: reads of the references"),
        value: many as f64,
        unit: "",
        target: BenchTarget::AtMost(LEVELS as f64),
        kontor: "one for each level".into(),
        comparison: format!("10 resources: {few}"),
    });
    bench.table.add(BenchRow {
        name: format!("100 resources with {LEVELS} levels of references: CPU"),
        value: with.cpu_us() / without.cpu_us(),
        unit: "×",
        target: BenchTarget::None,
        kontor: with.line(),
        comparison: format!("without references: {}", without.line()),
    });
    bench.table.add(BenchRow {
        name: "deriving the GraphQL schema at start".into(),
        value: schema_ms,
        unit: " ms",
        target: BenchTarget::AtMost(50.0),
        kontor: format!("median of {STARTS} starts, while serving"),
        comparison: "-".into(),
    });
}

/// How long a server derives its schema, in milliseconds.
async fn schema_ms(bench: &Bench) -> anyhow::Result<f64> {
    let mut all = Vec::new();
    for _ in 0..STARTS {
        let server = bench.kontor.start(&bench.folder("schema")).await?;
        let started = Instant::now();
        let seconds = loop {
            if let Some(seconds) = metric(&server, "kontor_graphql_schema_seconds").await? {
                break seconds;
            }
            ensure!(started.elapsed() < DERIVED_AFTER_MAX, "the schema was not derived in time");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        all.push(seconds * 1000.0);
        server.stop()?;
    }
    all.sort_by(f64::total_cmp);
    Ok(all[STARTS / 2])
}

/// Returns the value of a metric of `/metrics`, if it exists.
async fn metric(server: &MeasuredServer, name: &str) -> anyhow::Result<Option<f64>> {
    let (_, text) = LoadConnection::open(server).await?.send(LoadRequest::get("/metrics")).await?;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map(|figure| figure.trim().parse().context("a strange figure in /metrics")).transpose()
}

/// Returns clients that read States by id through GraphQL.
fn state_clients(ids: &Rc<Vec<String>>) -> Vec<impl FnMut() -> LoadRequest + use<>> {
    let asker = |seed| {
        let (ids, mut random) = (Rc::clone(ids), Random::new(seed as u64 + 1));
        move || {
            graphql_request(&json!({"query": STATE, "variables": {"id": ids[random.next_below(ids.len())]}}))
        }
    };
    (0..CONNECTIONS).map(asker).collect()
}

/// Returns clients that get States by id through REST.
fn getters(ids: &Rc<Vec<String>>) -> Vec<impl FnMut() -> LoadRequest + use<>> {
    let getter = |seed| {
        let (ids, mut random) = (Rc::clone(ids), Random::new(seed as u64 + 1));
        move || LoadRequest::get(path(&format!("/{}", ids[random.next_below(ids.len())])))
    };
    (0..CONNECTIONS).map(getter).collect()
}

fn graphql_request(body: &kontor_json::Value) -> LoadRequest {
    LoadRequest::post(format!("/{PROJECT}/graphql"), body.to_string())
}

/// Returns the query for a page of Categories, the deepest first, with this number of levels of parents.
fn page(limit: usize, levels: usize) -> LoadRequest {
    let parents = (0..levels).fold(String::new(), |inner, _| format!("parent {{ id key {inner} }}"));
    let query = format!(
        "query($limit: Int!) {{ categories(limit: $limit, sort: [\"key desc\"]) {{ results {{ id key {parents} }} }} }}"
    );
    graphql_request(&json!({"query": query, "variables": {"limit": limit}}))
}

fn pages(limit: usize, levels: usize) -> Vec<impl FnMut() -> LoadRequest> {
    (0..4).map(|_| move || page(limit, levels)).collect()
}

/// How often the documents of references are read for one page.
async fn reads(server: &MeasuredServer, limit: usize, levels: usize) -> anyhow::Result<u64> {
    const READS: &str = "kontor_graphql_reads_total";
    let before = metric(server, READS).await?.unwrap_or(0.0);
    let mut connection = LoadConnection::open(server).await?;
    for _ in 0..LOOKS {
        let body = connection.json(page(limit, levels)).await?;
        let results = body["data"]["categories"]["results"].as_array().context("no results")?;
        ensure!(results.len() == limit, "{} results instead of {limit}: {body}", results.len());
    }
    let after = metric(server, READS).await?.unwrap_or(0.0);
    Ok(((after - before) / LOOKS as f64).round() as u64)
}

/// Chains of Categories. The deepest have the last keys.
async fn categories(server: &MeasuredServer) -> anyhow::Result<()> {
    let mut connection = LoadConnection::open(server).await?;
    for chain in 0..CHAINS {
        for level in 0..=LEVELS {
            let key = |level: usize| format!("level-{level}-chain-{chain:03}");
            let mut draft =
                json!({"key": key(level), "name": {"en": key(level)}, "slug": {"en": key(level)}});
            if level > 0 {
                draft["parent"] = json!({"typeId": "category", "key": key(level - 1)});
            }
            connection.json(LoadRequest::post(format!("/{PROJECT}/categories"), draft.to_string())).await?;
        }
    }
    Ok(())
}
