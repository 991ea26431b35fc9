//! Measures a growing catalog: CPU and bytes on disk to create and publish a Product, at the beginning and at the end;
//! single changes, the search index over all Products, and the size of the file. Creation is compared with raw SQLite
//! inserts of the same bytes.

mod changes;
mod drafts;
mod index_growth;

use super::{Bench, load_limits, measure, thousands};
use crate::document::{CONNECTIONS, VersionedDocument};
use crate::kontor::{Kontor, PROJECT, path};
use crate::load::{LoadConnection, LoadRequest, LoadResult, queue, run as run_load};
use crate::making::create_documents;
use crate::peers::measure_group_commit;
use crate::process::MeasuredServer;
use crate::states::Random;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::{Value, json};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Products, and with `--large`.
const PRODUCTS: usize = 10_000;
const PRODUCTS_LARGE: usize = 100_000;
/// The first and the last part are compared.
const PARTS: usize = 10;
/// Of a Product that is measured by itself.
const PRICES_MAX: usize = 9;
/// Seconds that a part may take.
const PART_SECONDS_MAX: u64 = 900;
/// How long index rows and the log may take to come to rest.
const REST: Duration = Duration::from_secs(15);

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let size = if bench.large { PRODUCTS_LARGE } else { PRODUCTS };
    let folder = bench.folder("catalog-growth");
    let server = bench.kontor.start(&folder).await?;
    prepare(&server).await?;
    let mut parts = Vec::new();
    for part in 0..PARTS {
        let numbers = size * part / PARTS..size * (part + 1) / PARTS;
        parts.push(CatalogPart::load(&server, numbers).await?);
    }
    let stored = stored(&server, &parts).await?;
    rows_of_loading(bench, size, &parts, &stored)?;
    beside_raw_inserts(bench, &parts, &stored)?;
    projections(bench, &server, &parts).await?;
    // Writes that loading has left pending must not count for the changes.
    tokio::time::sleep(REST).await;
    changes::single(bench, &server, &parts).await?;
    file_size(bench, &folder, size, &parts)?;
    server.stop()?;
    // The targets for the index assume two cores.
    let on_both_cores = Kontor { cores: bench.cores.freed(), ..bench.kontor.clone() };
    let server = on_both_cores.start(&folder).await?;
    index_growth::activate_search(bench, &server, size).await?;
    index_growth::measure_while_indexing(bench, &server, size).await?;
    server.stop()
}

async fn prepare(server: &MeasuredServer) -> anyhow::Result<()> {
    let mut connection = LoadConnection::open(server).await?;
    connection.json(LoadRequest::post(path("product-types"), drafts::product_type().to_string())).await?;
    for number in 0..drafts::CATEGORIES {
        connection.json(LoadRequest::post(path("categories"), drafts::category(number).to_string())).await?;
    }
    Ok(())
}

/// Products that were created together, and then published.
struct CatalogPart {
    ids: Vec<String>,
    draft_bytes: usize,
    created: LoadResult,
    published: LoadResult,
    written_bytes: u64,
}

impl CatalogPart {
    async fn load(server: &MeasuredServer, numbers: Range<usize>) -> anyhow::Result<Self> {
        let count = numbers.len() as u64;
        let written = server.written_bytes()?;
        let draft_bytes = Rc::<Cell<usize>>::default();
        let sent = Rc::clone(&draft_bytes);
        let draft = move |number| {
            let draft = drafts::product(number, PRICES_MAX).to_string();
            sent.set(sent.get() + draft.len());
            draft
        };
        let time = Duration::from_secs(PART_SECONDS_MAX);
        let (made, created) = create_documents(server, &path("products"), numbers, time, draft).await?;
        let publishers = queue(made.clone().into_iter().rev().map(publication), CONNECTIONS);
        let (published, _) = run_load(server, publishers, load_limits(count, PART_SECONDS_MAX)).await?;
        ensure!(published.requests == count, "publishing {count} Products took too long");
        let ids = made.into_iter().map(|document| document.id).collect();
        let written_bytes = server.written_bytes()? - written;
        Ok(CatalogPart { ids, draft_bytes: draft_bytes.get(), created, published, written_bytes })
    }

    /// Products that were created and published in a second.
    fn rate(&self) -> f64 {
        self.ids.len() as f64 / (self.created.seconds + self.published.seconds)
    }

    fn line(&self) -> String {
        format!("create {}; publish {}", self.created.line(), self.published.line())
    }
}

/// Returns the request that publishes a Product.
fn publication(document: VersionedDocument) -> LoadRequest {
    let body = json!({"version": document.version, "actions": [{"action": "publish"}]});
    LoadRequest::post(path(&format!("products/{}", document.id)), body.to_string())
}

/// Returns some stored Products, one JSON line each.
async fn stored(server: &MeasuredServer, parts: &[CatalogPart]) -> anyhow::Result<Vec<String>> {
    const SOME: usize = 200;
    let mut connection = LoadConnection::open(server).await?;
    let mut stored = Vec::with_capacity(SOME);
    for id in parts.iter().flat_map(|part| &part.ids).take(SOME) {
        let product: Value = connection.json(LoadRequest::get(path(&format!("products/{id}")))).await?;
        stored.push(product.to_string());
    }
    Ok(stored)
}

fn mean_bytes(lines: &[String]) -> f64 {
    lines.iter().map(String::len).sum::<usize>() as f64 / lines.len().max(1) as f64
}

fn rows_of_loading(
    bench: &mut Bench,
    size: usize,
    parts: &[CatalogPart],
    stored: &[String],
) -> anyhow::Result<()> {
    let (first, last) = (parts.first().context("no part")?, parts.last().context("no part")?);
    let what = format!("{} Products of 4 Variants, 10 Attributes and 9 prices", thousands(size));
    let bytes = mean_bytes(stored);
    let written = |part: &CatalogPart| part.written_bytes as f64 / part.ids.len() as f64;
    bench.table.add(BenchRow {
        name: format!(
            "{what}: bytes written for one, created and published, compared with those of the document"
        ),
        value: written(last) / bytes,
        unit: "×",
        target: BenchTarget::AtMost(10.0),
        kontor: format!(
            "{:.0} kB for each of the last, {:.0} of the first",
            written(last) / 1e3,
            written(first) / 1e3
        ),
        comparison: format!("{bytes:.0} bytes, both sides"),
    });
    bench.table.add(BenchRow {
        name: format!("{what}: rate of the last tenth compared with the first"),
        value: last.rate() / first.rate(),
        unit: "×",
        target: BenchTarget::AtLeast(0.85),
        kontor: last.line(),
        comparison: first.line(),
    });
    bench.table.add(BenchRow {
        name: format!("{what}: publish one"),
        value: last.published.cpu_us(),
        unit: " µs CPU",
        target: BenchTarget::AtMost(300.0),
        kontor: last.published.line(),
        comparison: "-".into(),
    });
    Ok(())
}

fn beside_raw_inserts(bench: &mut Bench, parts: &[CatalogPart], stored: &[String]) -> anyhow::Result<()> {
    let last = parts.last().context("no part")?;
    let (file, folder) = (bench.folder("growth.jsonl"), bench.folder("bare-growth"));
    fs_err::write(&file, stored.join("\n"))?;
    fs_err::create_dir(&folder)?;
    let bare = measure_group_commit(bench.cores, &folder, &file, last.ids.len(), CONNECTIONS, true)?;
    bench.table.add(BenchRow {
        name: "create a Product of 4 Variants, 10 Attributes and 9 prices compared with a raw insert: CPU"
            .into(),
        value: last.created.cpu_us() / bare.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(8.0),
        kontor: last.created.line(),
        comparison: format!("SQLite group commit of the same bytes: {}", bare.line()),
    });
    Ok(())
}

/// Measures a projection with price selection.
async fn projections(
    bench: &mut Bench,
    server: &MeasuredServer,
    parts: &[CatalogPart],
) -> anyhow::Result<()> {
    let ids: Rc<Vec<String>> = Rc::new(parts.iter().flat_map(|part| part.ids.clone()).collect());
    let client = |seed: usize| {
        let (ids, mut random) = (Rc::clone(&ids), Random::new(seed as u64 + 1));
        move || {
            let id = &ids[random.next_below(ids.len())];
            LoadRequest::get(path(&format!("product-projections/{id}?priceCurrency=EUR&priceCountry=DE")))
        }
    };
    let priced = measure(server, (0..CONNECTIONS).map(client).collect(), load_limits(20_000, 10)).await?;
    bench.table.add(BenchRow {
        name: "GET a Product Projection of 4 Variants with price selection".into(),
        value: priced.cpu_us(),
        unit: " µs CPU",
        target: BenchTarget::AtMost(80.0),
        kontor: priced.line(),
        comparison: "-".into(),
    });
    Ok(())
}

fn file_size(
    bench: &mut Bench,
    folder: &std::path::Path,
    size: usize,
    parts: &[CatalogPart],
) -> anyhow::Result<()> {
    let file = folder.join("projects").join(format!("{PROJECT}.db"));
    let bytes = fs_err::metadata(file)?.len() as f64;
    let drafts = parts.iter().map(|part| part.draft_bytes).sum::<usize>() as f64;
    bench.table.add(BenchRow {
        name: format!("{} published Products: the file compared with their drafts", thousands(size)),
        value: bytes / drafts,
        unit: "×",
        target: BenchTarget::AtMost(4.0),
        kontor: format!("{:.0} MB", bytes / 1e6),
        comparison: format!("{:.0} MB", drafts / 1e6),
    });
    Ok(())
}
