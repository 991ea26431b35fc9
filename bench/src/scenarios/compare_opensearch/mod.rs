//! Compares SampleProduct Search with OpenSearch: the same Products and the same searches, on one machine and in turns.
//!
//! OpenSearch has the Products twice: in a mapping with their structure (Variants and their prices nested), and in one
//! tuned by hand (a field for each market's price, facet fields outside of the Variants). Kontor is compared with the
//! better of the two. The results of all three are compared before anything is timed.

mod products;
mod questions;
mod search_system;

use super::search_http::indexed;
use super::{Bench, thousands};
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest};
use crate::making::create_documents;
use crate::process::MeasuredServer;
use crate::search::SeededRandom;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::Method;
use kontor_json::{Value, json};
use kontor_tests_opensearch::OpenSearchServer as OpenSearch;
use products::{CATEGORIES, SampleProduct, category, market_field, product_type};
use questions::{ComparedSearch, QUESTIONS, SearchVariants};
use search_system::SearchSystem;
use std::time::{Duration, Instant};

/// The number of Products; `PRODUCTS_LARGE` with `--large`.
const PRODUCTS: usize = 20_000;
const PRODUCTS_LARGE: usize = 100_000;
/// The time limit per created SampleProduct, in milliseconds.
const LOAD_MS_PER_PRODUCT_MAX: u64 = 40;
/// How long to wait after a build: the index is merged once more, and its writer is closed.
const SETTLES_AFTER: Duration = Duration::from_secs(15);
/// Documents of a bulk.
const BULK: usize = 1_000;
/// The number of searches of each kind, with different values.
const WORDINGS: usize = 40;
/// The number of searches of each kind whose results are compared.
const COMPARED: usize = 10;
/// The warm-up time of all kinds, and of each kind again in each system.
const WARM_UP: Duration = Duration::from_secs(40);
const WARM_UP_AGAIN: Duration = Duration::from_millis(400);
/// How long a block is at least: processor time is counted in hundredths of seconds.
const BLOCK: Duration = Duration::from_millis(250);
/// Blocks of each system, in turns.
const TURNS: usize = 5;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let Some(opensearch) = OpenSearch::start_to_measure()? else { return Ok(()) };
    let process = opensearch.process().context("OpenSearch has ended")?;
    bench.cores.move_here(process);
    let smaller = bench.sizes.iter().copied().max().unwrap_or(PRODUCTS).min(PRODUCTS);
    let size = if bench.large { PRODUCTS_LARGE } else { smaller };
    let server = bench.kontor.start(&bench.folder("beside-opensearch")).await?;
    let category_ids = prepare(&server).await?;
    let ids = load(&server, size).await?;
    indexed(&server, size).await?;
    let authority = opensearch.url().trim_start_matches("http://").to_owned();
    let version = index_elsewhere(&authority, &ids, &category_ids).await?;
    tokio::time::sleep(SETTLES_AFTER).await;

    let what = format!("search compared with OpenSearch {version}, {} Products", thousands(size));
    let elsewhere = async |index: &str| {
        anyhow::Ok(SearchSystem {
            connection: LoadConnection::connect(&authority, None).await?,
            process: process.to_string(),
            path: format!("/{index}/_search?request_cache=false"),
            is_kontor: false,
        })
    };
    let kontor = SearchSystem {
        connection: LoadConnection::open(&server).await?,
        process: server.id().to_string(),
        path: path("products/search"),
        is_kontor: true,
    };
    let mut systems = [kontor, elsewhere("plain").await?, elsewhere("tuned").await?];
    warm_up(&category_ids, &mut systems).await?;
    for question in &QUESTIONS {
        let row = measure_search(question, &category_ids, &mut systems, &what).await;
        bench.table.add(row.with_context(|| format!("the question {:?}", question.0))?);
    }
    bench.table.add(BenchRow {
        name: format!("{what}: memory of the server (anonymous)"),
        value: server.anonymous_bytes()? as f64 / 1e6,
        unit: " MB",
        target: BenchTarget::AtMost(250.0),
        kontor: "after all questions, the cache of documents included".into(),
        comparison: "-".into(),
    });
    server.stop()
}

/// Creates the documents that the Products refer to. Returns the ids of the Categories by number.
async fn prepare(server: &MeasuredServer) -> anyhow::Result<Vec<String>> {
    let mut connection = LoadConnection::open(server).await?;
    connection.json(LoadRequest::post(path("product-types"), product_type().to_string())).await?;
    let mut ids = Vec::new();
    for number in 0..CATEGORIES {
        let key = category(number);
        let draft = json!({"key": key, "name": {"en": key}, "slug": {"en": key}});
        let made = connection.json(LoadRequest::post(path("categories"), draft.to_string())).await?;
        ids.push(made["id"].as_str().context("no id")?.to_owned());
    }
    Ok(ids)
}

/// Creates the Products. Returns their ids by number.
async fn load(server: &MeasuredServer, size: usize) -> anyhow::Result<Vec<String>> {
    let draft = |number| SampleProduct::new(number).draft().to_string();
    let time = Duration::from_secs(size as u64 * LOAD_MS_PER_PRODUCT_MAX / 1_000 + 60);
    let (made, _) = create_documents(server, &path("products"), 0..size, time, draft).await?;
    Ok(made.into_iter().map(|document| document.id).collect())
}

/// Puts the Products into both mappings, each merged into one segment. Returns the version of the server.
async fn index_elsewhere(authority: &str, ids: &[String], category_ids: &[String]) -> anyhow::Result<String> {
    let mut connection = LoadConnection::connect(authority, None).await?;
    let about = connection.json(LoadRequest::get("/")).await?;
    for (index, is_tuned) in [("plain", false), ("tuned", true)] {
        let make = LoadRequest {
            method: Method::PUT,
            ..LoadRequest::post(format!("/{index}"), mapping(is_tuned).to_string())
        };
        connection.json(make).await?;
        for start in (0..ids.len()).step_by(BULK) {
            let mut lines = String::new();
            for (number, id) in ids.iter().enumerate().skip(start).take(BULK) {
                lines.push_str(&json!({"index": {"_id": id}}).to_string());
                lines.push('\n');
                lines.push_str(&SampleProduct::new(number).document(category_ids, is_tuned).to_string());
                lines.push('\n');
            }
            let response = connection.json(LoadRequest::post(format!("/{index}/_bulk"), lines)).await?;
            ensure!(response["errors"] == false, "a bulk had errors");
        }
        for step in ["_refresh", "_forcemerge?max_num_segments=1", "_refresh"] {
            connection.json(LoadRequest::post(format!("/{index}/{step}"), Bytes::new())).await?;
        }
    }
    Ok(about["version"]["number"].as_str().context("no version")?.to_owned())
}

fn mapping(is_tuned: bool) -> Value {
    let keyword = json!({"type": "keyword"});
    let long = json!({"type": "long"});
    let raw = if is_tuned { json!({"type": "wildcard"}) } else { keyword.clone() };
    let mut fields = json!({
        "key": keyword, "categories": keyword, "weight": long,
        "name": {"type": "text", "analyzer": "english", "fields": {"raw": raw}},
        "description": {"type": "text", "analyzer": "english"},
    });
    let mut variant = json!({"sku": keyword, "length": long});
    for name in ["brand", "material", "season", "gender"] {
        fields[name] = keyword.clone();
    }
    for name in ["color", "size", "fit", "pattern"] {
        variant[name] = keyword.clone();
    }
    if is_tuned {
        fields["colors"] = keyword.clone();
        fields["sizes"] = keyword;
        for market in products::MARKETS {
            fields[market_field(market)] = long.clone();
            variant[market_field(market)] = long.clone();
        }
    } else {
        let price = json!({"currency": keyword, "country": keyword, "cents": long});
        variant["prices"] = json!({"type": "nested", "properties": price});
    }
    fields["variants"] = json!({"type": "nested", "properties": variant});
    json!({
        "settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": -1},
        "mappings": {"dynamic": "strict", "properties": fields},
    })
}

/// Runs all kinds of searches in turns, since the Java compiler optimizes code that runs often.
async fn warm_up(category_ids: &[String], systems: &mut [SearchSystem; 3]) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut chance = SeededRandom::new(7);
    while begun.elapsed() < WARM_UP {
        for (.., question) in &QUESTIONS {
            let SearchVariants { kontor, plain, tuned, .. } = question(&mut chance, category_ids);
            for (system, body) in systems.iter_mut().zip([kontor, plain, tuned]) {
                system.find(&body).await?;
            }
        }
    }
    Ok(())
}

/// Measures one kind of search in all systems.
async fn measure_search(
    (name, most, question): &ComparedSearch,
    category_ids: &[String],
    systems: &mut [SearchSystem; 3],
    what: &str,
) -> anyhow::Result<BenchRow> {
    let mut chance = SeededRandom::new(42);
    let request: Vec<SearchVariants> = (0..WORDINGS).map(|_| question(&mut chance, category_ids)).collect();
    let total = compare(&request, systems).await?;
    let text = |of: fn(&SearchVariants) -> &Value| {
        request.iter().map(|asked| of(asked).to_string()).collect::<Vec<_>>()
    };
    let bodies = [text(|request| &request.kontor), text(|asked| &asked.plain), text(|asked| &asked.tuned)];
    for (system, bodies) in systems.iter_mut().zip(&bodies) {
        system.measure(bodies, WARM_UP_AGAIN).await?;
    }
    let mut figures = [const { Vec::new() }; 3];
    for _ in 0..TURNS {
        for ((system, bodies), figures) in systems.iter_mut().zip(&bodies).zip(&mut figures) {
            figures.push(system.measure(bodies, BLOCK).await?);
        }
    }
    let [kontor, plain, tuned] = figures.map(Figure::from_blocks);
    Ok(BenchRow {
        name: format!("{what}: {name}: CPU"),
        value: kontor.median / plain.median.min(tuned.median).max(1.0),
        unit: "×",
        target: most.map_or(BenchTarget::None, BenchTarget::AtMost),
        kontor: format!("{}, {total} hits", kontor.line()),
        comparison: format!(
            "plain: {} ({:.2}×); tuned: {}",
            plain.line(),
            kontor.median / plain.median.max(1.0),
            tuned.line()
        ),
    })
}

/// Checks that the results of all systems are equal. Returns the mean number of hits.
async fn compare(request: &[SearchVariants], systems: &mut [SearchSystem; 3]) -> anyhow::Result<u64> {
    let mut total = 0;
    for request in request.iter().take(COMPARED) {
        let [kontor, plain, tuned] = systems;
        let ours = kontor.find(&request.kontor).await?;
        for (theirs, body) in [
            (plain.find(&request.plain).await?, &request.plain),
            (tuned.find(&request.tuned).await?, &request.tuned),
        ] {
            let is_same = ours.total == theirs.total
                && ours.facets == theirs.facets
                && (!request.has_sequence || ours.hits == theirs.hits);
            ensure!(is_same, "{} finds {ours:?}, {body} finds {theirs:?}", request.kontor);
        }
        total += ours.total;
    }
    Ok(total / request.len().min(COMPARED) as u64)
}

/// Microseconds of CPU of a question.
struct Figure {
    median: f64,
    least: f64,
    most: f64,
}

impl Figure {
    fn from_blocks(mut blocks: Vec<f64>) -> Self {
        blocks.sort_by(f64::total_cmp);
        let at = |place: usize| blocks.get(place).copied().unwrap_or(0.0);
        Self { median: at(blocks.len() / 2), least: at(0), most: at(blocks.len().saturating_sub(1)) }
    }

    fn line(&self) -> String {
        format!("{:.0} µs ({:.0} to {:.0})", self.median, self.least, self.most)
    }
}
