//! Measures the Import API: Products in requests of 20, compared with `kontor import` of the same Products; and
//! Categories with parents in any order.

use super::catalog::drafts::{self, ProductWidth};
use super::{Bench, import, load_limits, thousands};
use crate::document::CONNECTIONS;
use crate::kontor::PROJECT;
use crate::load::{LoadConnection, LoadRequest, ensure_success, run as run_load};
use crate::process::MeasuredServer;
use crate::states::Random;
use crate::table::{BenchRow, BenchTarget, figure};
use anyhow::ensure;
use kontor_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The number of resources in a request (reference: Import API, "up to 20").
const AT_ONCE: usize = 20;
const PRODUCTS: usize = 2_000;
const TREE: usize = 100_000;
/// The number of children of each Category.
const CHILDREN: usize = 10;
/// The timeout of the whole import.
const IMPORTED_SECONDS_MAX: u64 = 600;
const CONTAINER: &str = "bench";

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    products(bench).await?;
    categories(bench).await
}

async fn products(bench: &mut Bench) -> anyhow::Result<()> {
    let command = import::products_a_second(bench, "imports-beside", PRODUCTS)?;
    let server = bench.kontor.start(&bench.folder("imports-products")).await?;
    let mut first = LoadConnection::open(&server).await?;
    let of_type = drafts::product_type();
    first.json(LoadRequest::post(format!("/{PROJECT}/product-types"), of_type.to_string())).await?;
    for number in 0..drafts::CATEGORIES {
        let draft = drafts::category(number);
        first.json(LoadRequest::post(format!("/{PROJECT}/categories"), draft.to_string())).await?;
    }
    let all = (0..PRODUCTS)
        .map(|number| imported(drafts::product(number, ProductWidth::Wide, &format!("p{number}"))));
    let seconds = sent_and_imported(&server, "product-drafts", "product-draft", all.collect()).await?;
    server.stop()?;
    let rate = PRODUCTS as f64 / seconds;
    bench.table.add(BenchRow {
        name: format!(
            "Import API, {} Products of 4 variants with 16 prices each in requests of {AT_ONCE}: compared with `kontor import`",
            thousands(PRODUCTS)
        ),
        value: rate / command,
        unit: "×",
        target: BenchTarget::AtLeast(0.5),
        kontor: format!("{rate:.0} Products a second, from the first request until all were imported"),
        comparison: format!("`kontor import`: {command:.0}/s"),
    });
    Ok(())
}

async fn categories(bench: &mut Bench) -> anyhow::Result<()> {
    // Ten times the default limit of a project.
    let limit = format!("categories={TREE}");
    let server = bench.kontor.start_with(&bench.folder("imports-categories"), &["--limit", &limit]).await?;
    let mut all: Vec<Value> = (0..TREE).map(category).collect();
    let mut random = Random::new(23);
    for at in (1..TREE).rev() {
        all.swap(at, random.next_below(at + 1));
    }
    let seconds = sent_and_imported(&server, "categories", "category", all).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!("Import API, {} Categories in any sequence of parents: time", thousands(TREE)),
        value: seconds,
        unit: " s",
        target: BenchTarget::None,
        kontor: format!("{} Categories a second", figure(TREE as f64 / seconds)),
        comparison: "-".into(),
    });
    Ok(())
}

/// Sends all resources and waits until they are imported. Returns the seconds.
async fn sent_and_imported(
    server: &MeasuredServer,
    path: &str,
    ty: &str,
    all: Vec<Value>,
) -> anyhow::Result<f64> {
    let total = all.len() as u64;
    let mut first = LoadConnection::open(server).await?;
    let container = json!({"key": CONTAINER}).to_string();
    let (status, body) =
        first.send(LoadRequest::post(format!("/import/{PROJECT}/import-containers"), container)).await?;
    ensure_success(status, &body)?;
    let requests: Vec<String> =
        all.chunks(AT_ONCE).map(|part| json!({"type": ty, "resources": part}).to_string()).collect();
    let (count, requests) = (requests.len() as u64, Rc::new(RefCell::new(requests)));
    let target = format!("/import/{PROJECT}/{path}/import-containers/{CONTAINER}");
    let client = |_| {
        let (requests, target) = (Rc::clone(&requests), target.clone());
        // When no requests are left, the connection polls the summary.
        move || match requests.borrow_mut().pop() {
            Some(body) => LoadRequest::post(target.clone(), body),
            None => LoadRequest::get(summary()),
        }
    };
    let started = Instant::now();
    run_load(server, (0..CONNECTIONS).map(client).collect(), load_limits(count, IMPORTED_SECONDS_MAX))
        .await?;
    loop {
        let states = first.json(LoadRequest::get(summary())).await?["states"].take();
        if states["imported"] == total {
            return Ok(started.elapsed().as_secs_f64());
        }
        ensure!(
            started.elapsed() < Duration::from_secs(IMPORTED_SECONDS_MAX),
            "not all were imported: {states}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn summary() -> String {
    format!("/import/{PROJECT}/import-containers/{CONTAINER}/import-summaries")
}

fn category(number: usize) -> Value {
    let key = format!("category-{number}");
    let mut category = json!({"key": key, "name": {"en": key}, "slug": {"en": key}});
    if number > 0 {
        let parent = format!("category-{}", (number - 1) / CHILDREN);
        category["parent"] = json!({"typeId": "category", "key": parent});
    }
    category
}

/// Converts an API draft to the form of the Import API: references by key, keys of nested objects, and types of values.
fn imported(mut product: Value) -> Value {
    product["productType"]["typeId"] = json!("product-type");
    for category in product["categories"].as_array_mut().into_iter().flatten() {
        category["typeId"] = json!("category");
    }
    let mut variants = vec![product["masterVariant"].take()];
    variants.extend(product["variants"].as_array_mut().into_iter().flatten().map(Value::take));
    for variant in &mut variants {
        variant["key"] = variant["sku"].clone();
        let sku = variant["sku"].as_str().unwrap_or_default().to_owned();
        for (place, price) in variant["prices"].as_array_mut().into_iter().flatten().enumerate() {
            price["key"] = json!(format!("{sku}-{place}"));
            price["value"]["type"] = json!("centPrecision");
            price["value"]["fractionDigits"] = json!(2);
        }
        for attribute in variant["attributes"].as_array_mut().into_iter().flatten() {
            attribute["type"] = json!(if attribute["value"].is_number() { "number" } else { "text" });
        }
    }
    product["variants"] = Value::Array(variants.split_off(1));
    product["masterVariant"] = variants.swap_remove(0);
    product
}
