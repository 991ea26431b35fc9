//! Measures the catalog: Products created (compared with raw SQLite), read with price selection, found, changed and
//! published; and how long writers wait while a Product Discount, or stock, updates all of them.

mod background_updates;
pub(super) mod drafts;

use super::{Bench, load_limits, measure, thousands};
use crate::document::{CONNECTIONS, RepeatedUpdater, VersionedDocument};
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, LoadResult, ensure_success, queue, run as run_load};
use crate::making::create_documents;
use crate::peers::measure_group_commit;
use crate::process::MeasuredServer;
use crate::states::Random;
use crate::table::{BenchRow, BenchTarget};
use anyhow::Context as _;
use drafts::{CATEGORIES, ProductWidth};
use hyper::StatusCode;
use kontor_json::{Value, json};
use std::time::Duration;

/// Products with 4 variants of 16 prices each, at most.
const WIDE_MAX: usize = 5_000;
/// Variants of the Product that is changed again and again.
const VARIANTS: usize = 100;
/// The time limit per created Product, in milliseconds.
const LOAD_MS_PER_PRODUCT_MAX: u64 = 40;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let size = bench.sizes.iter().copied().max().unwrap_or(WIDE_MAX);
    let wide = size.min(WIDE_MAX);
    let server = bench.kontor.start(&bench.folder("catalog")).await?;
    drafts::prepare(&server).await?;
    let (ids, created) = create(&server, 0..wide, ProductWidth::Wide).await?;
    import_row(bench, &server, wide, &created).await?;
    projections(bench, &server, &ids).await?;
    let few = (changes(&server).await?, finds(&server, wide).await?);
    publish(bench, &server, &ids).await?;
    if size > wide {
        let (_, thin) = create(&server, wide..size, ProductWidth::Thin).await?;
        bench.table.add(BenchRow {
            name: format!("create up to {} Products with a variant and a price, 64 callers", thousands(size)),
            value: thin.rate(),
            unit: "/s",
            target: BenchTarget::None,
            kontor: thin.line(),
            comparison: "-".into(),
        });
    }
    let many = (changes(&server).await?, finds(&server, size).await?);
    let beside =
        |what: &str| format!("{what} of {} Products: CPU compared with {}", thousands(size), thousands(wide));
    let row = |name: String, many: &LoadResult, few: &LoadResult| BenchRow {
        name,
        value: many.cpu_us() / few.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(1.2),
        kontor: many.line(),
        comparison: few.line(),
    };
    let changed = format!("update of a Product with {VARIANTS} variants, one");
    bench.table.add(row(beside(&changed), &many.0, &few.0));
    for ((what, many), (_, few)) in many.1.iter().zip(&few.1) {
        bench.table.add(row(beside(&format!("query by {what}, a page")), many, few));
    }
    tokio::task::LocalSet::new().run_until(background_updates::run(bench, &server, size)).await?;
    server.stop()
}

/// Adds the row of Products created per second, compared with raw inserts of the stored bytes.
async fn import_row(
    bench: &mut Bench,
    server: &MeasuredServer,
    count: usize,
    created: &LoadResult,
) -> anyhow::Result<()> {
    let page = LoadConnection::open(server).await?.json(LoadRequest::get(path("products?limit=200"))).await?;
    let stored = page["results"].as_array().context("a page without results")?;
    let lines: Vec<String> = stored.iter().map(Value::to_string).collect();
    let bytes = lines.iter().map(String::len).sum::<usize>() / lines.len().max(1);
    let (file, folder) = (bench.folder("products.jsonl"), bench.folder("bare-products"));
    fs_err::write(&file, lines.join("\n"))?;
    fs_err::create_dir(&folder)?;
    let bare = measure_group_commit(bench.cores, &folder, &file, count, CONNECTIONS, true)?;
    bench.table.add(BenchRow {
        name: format!(
            "create {} Products of 4 variants with 16 prices each ({bytes} bytes), 64 callers, on disk",
            thousands(count)
        ),
        value: created.rate(),
        unit: "/s",
        target: BenchTarget::None,
        kontor: created.line(),
        comparison: format!("SQLite group commit of the same bytes: {}", bare.line()),
    });
    Ok(())
}

/// Compares a projection with price selection with one without.
async fn projections(bench: &mut Bench, server: &MeasuredServer, ids: &[String]) -> anyhow::Result<()> {
    let clients = |query: &'static str| -> Vec<_> {
        (0..CONNECTIONS)
            .map(|seed| {
                let (ids, mut random) = (ids.to_vec(), Random::new(seed as u64 + 1));
                move || {
                    let id = &ids[random.next_below(ids.len())];
                    LoadRequest::get(path(&format!("product-projections/{id}?staged=true{query}")))
                }
            })
            .collect()
    };
    let plain = measure(server, clients(""), load_limits(20_000, 10)).await?;
    let priced =
        measure(server, clients("&priceCurrency=EUR&priceCountry=DE"), load_limits(20_000, 10)).await?;
    bench.table.add(BenchRow {
        name: "GET a Product Projection with price selection: CPU".into(),
        value: priced.cpu_us() / plain.cpu_us(),
        unit: "×",
        target: BenchTarget::None,
        kontor: priced.line(),
        comparison: format!("without: {}", plain.line()),
    });
    Ok(())
}

/// Measures updates of one Product with many variants by one caller.
async fn changes(server: &MeasuredServer) -> anyhow::Result<LoadResult> {
    let mut connection = LoadConnection::open(server).await?;
    let key = "large-one";
    let (status, body) = connection.send(LoadRequest::get(path(&format!("products/key={key}")))).await?;
    let document = match status {
        StatusCode::OK => VersionedDocument::from_response(&body)?,
        _ => {
            let draft = drafts::product(usize::MAX >> 1, ProductWidth::Of(VARIANTS), key);
            let (status, body) =
                connection.send(LoadRequest::post(path("products"), draft.to_string())).await?;
            ensure_success(status, &body)?;
            VersionedDocument::from_response(&body)?
        }
    };
    let renamer = RepeatedUpdater::new(
        document,
        "products",
        |product, count| json!([{"action": "changeName", "name": {"en": format!("version {} {count}", product.version)}}]),
    );
    measure(server, vec![renamer], load_limits(400, 20)).await
}

/// Measures queries that find one Product, or a page of a Category.
async fn finds(server: &MeasuredServer, count: usize) -> anyhow::Result<Vec<(&'static str, LoadResult)>> {
    let mut found = Vec::new();
    for what in ["sku", "slug", "category"] {
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|seed| {
                let mut random = Random::new(seed as u64 + 1);
                move || {
                    let number = random.next_below(count);
                    let predicate = match what {
                        "sku" => format!(r#"masterData(current(masterVariant(sku="s{number}-0")))"#),
                        "slug" => format!(r#"masterData(current(slug(en="p{number}")))"#),
                        _ => format!(
                            r#"masterData(current(categories(id="{}")))"#,
                            drafts::category_id(number % CATEGORIES)
                        ),
                    };
                    let encoded: String = form_urlencoded::byte_serialize(predicate.as_bytes()).collect();
                    LoadRequest::get(path(&format!("products?where={encoded}&limit=5&withTotal=false")))
                }
            })
            .collect();
        found.push((what, measure(server, clients, load_limits(4_000, 10)).await?));
    }
    Ok(found)
}

/// Measures publishing each Product once.
async fn publish(bench: &mut Bench, server: &MeasuredServer, ids: &[String]) -> anyhow::Result<()> {
    let body = json!({"version": 1, "actions": [{"action": "publish"}]}).to_string();
    let asks: Vec<LoadRequest> =
        ids.iter().map(|id| LoadRequest::post(path(&format!("products/{id}")), body.clone())).collect();
    let clients = queue(asks.into_iter(), CONNECTIONS);
    let (measured, _) = run_load(server, clients, load_limits(ids.len() as u64, 60)).await?;
    bench.table.add(BenchRow {
        name: "publish a Product of 4 variants with 16 prices each, 64 callers, on disk".into(),
        value: measured.rate(),
        unit: "/s",
        target: BenchTarget::None,
        kontor: measured.line(),
        comparison: "-".into(),
    });
    Ok(())
}

/// Creates Products over many connections. Returns their ids and the result of the load.
async fn create(
    server: &MeasuredServer,
    numbers: std::ops::Range<usize>,
    width: ProductWidth,
) -> anyhow::Result<(Vec<String>, LoadResult)> {
    let time =
        Duration::from_secs(10) + Duration::from_millis(LOAD_MS_PER_PRODUCT_MAX * numbers.len() as u64);
    let draft = move |number| drafts::product(number, width, &format!("p{number}")).to_string();
    let (made, measured) = create_documents(server, &path("products"), numbers, time, draft).await?;
    Ok((made.into_iter().map(|document| document.id).collect(), measured))
}
