//! Measures Product Search over HTTP: the latency of a caller, with the catalog of the scenario `search`, and how soon
//! a change is found while many are made.

mod changes;
mod questions;

use super::{Bench, thousands};
use crate::kontor::{PROJECT, path};
use crate::load::{LoadConnection, LoadRequest};
use crate::making::create_documents;
use crate::process::MeasuredServer;
use crate::search::{Catalog, CatalogShape};
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::{Value, json};
use kontor_search::{EntryNode, SearchEntry, SearchValue as Word};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Products at most.
const PRODUCTS_MAX: usize = 100_000;
/// The time limit per created Product, in milliseconds.
const LOAD_MS_PER_PRODUCT_MAX: u64 = 40;
/// The timeout for building the index.
const INDEXED_AFTER_MAX: Duration = Duration::from_secs(900);
/// The polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let size = bench.sizes.iter().copied().max().unwrap_or(PRODUCTS_MAX).min(PRODUCTS_MAX);
    let what = format!("search over HTTP, {} products", thousands(size));
    let server = bench.kontor.start(&bench.folder("search-http")).await?;
    let categories = prepare(&server).await?;
    load(&server, size).await?;
    let seconds = indexed(&server, size).await?;
    bench.table.add(BenchRow {
        name: format!("{what}: indexed a second"),
        value: size as f64 / seconds,
        unit: "/s",
        target: BenchTarget::None,
        kontor: format!("{seconds:.1} s from turning it on, documents read and prices selected"),
        comparison: "-".into(),
    });
    questions::measure_searches(bench, &server, &categories, &what).await?;
    bench.table.add(BenchRow {
        name: format!("{what}: memory of the server (anonymous)"),
        value: server.anonymous_bytes()? as f64 / 1e6,
        unit: " MB",
        target: BenchTarget::None,
        kontor: "after all questions, the cache of documents included".into(),
        comparison: "-".into(),
    });
    tokio::task::LocalSet::new().run_until(changes::visible(bench, &server, size, &what)).await?;
    server.stop()
}

/// Creates the documents that the Products refer to. Returns the ids of the Categories by key.
async fn prepare(server: &MeasuredServer) -> anyhow::Result<HashMap<String, String>> {
    let mut connection = LoadConnection::open(server).await?;
    let attribute = |name: &str, level: &str| {
        json!({"name": name, "label": {"en": name}, "type": {"name": "text"}, "level": level, "isRequired": false,
               "isSearchable": true})
    };
    let attributes =
        [attribute("brand", "Product"), attribute("color", "Variant"), attribute("size", "Variant")];
    let draft = json!({"key": "bench", "name": "Bench", "description": "Measured", "attributes": attributes});
    connection.json(LoadRequest::post(path("product-types"), draft.to_string())).await?;
    let mut ids = HashMap::new();
    for key in crate::search::categories() {
        let draft = json!({"key": key, "name": {"en": key}, "slug": {"en": key}});
        let made = connection.json(LoadRequest::post(path("categories"), draft.to_string())).await?;
        ids.insert(key, made["id"].as_str().context("no id")?.to_owned());
    }
    Ok(ids)
}

/// Creates the Products.
async fn load(server: &MeasuredServer, size: usize) -> anyhow::Result<()> {
    let catalog = Catalog::new(CatalogShape::Products);
    let draft = move |number| draft(number, &catalog.entry(number, 0)).to_string();
    let time = Duration::from_secs(size as u64 * LOAD_MS_PER_PRODUCT_MAX / 1_000 + 60);
    create_documents(server, &path("products"), 0..size, time, draft).await.map(drop)
}

/// An entry of the catalog as the draft of a Product.
fn draft(number: usize, entry: &SearchEntry) -> Value {
    let mut variants = entry.root.children.iter().map(variant);
    let master = variants.next();
    let categories: Vec<Value> = texts(&entry.root, "categories").map(|key| json!({"key": key})).collect();
    json!({
        "key": format!("p{number}"),
        "productType": {"key": "bench"},
        "name": {"en": texts(&entry.root, "name").next()},
        "slug": {"en": format!("p{number}")},
        "description": {"en": texts(&entry.root, "description").next()},
        "categories": categories,
        "attributes": [{"name": "brand", "value": texts(&entry.root, "attributes.brand").next()}],
        "masterVariant": master,
        "variants": variants.collect::<Vec<_>>(),
        "publish": true,
    })
}

fn variant(node: &EntryNode) -> Value {
    let attribute = |name: &str| json!({"name": name, "value": texts(node, &format!("variants.attributes.{name}")).next()});
    let price = |node: &EntryNode| {
        let currency = texts(node, "variants.prices.currencyCode").next();
        let cents = node.values.iter().find_map(|value| match value.value {
            Word::Long(cents) => Some(cents),
            _ => None,
        });
        json!({
            "value": {"currencyCode": currency, "centAmount": cents},
            "country": texts(node, "variants.prices.country").next(),
        })
    };
    json!({
        "sku": texts(node, "variants.sku").next(),
        "attributes": [attribute("color"), attribute("size")],
        "prices": node.children.iter().map(price).collect::<Vec<_>>(),
    })
}

fn texts<'a>(node: &'a EntryNode, field: &'a str) -> impl Iterator<Item = &'a str> {
    node.values.iter().filter(move |value| &*value.field.name == field).filter_map(|value| {
        match &value.value {
            Word::Text(text) => Some(text.as_str()),
            _ => None,
        }
    })
}

/// Turns the search on. Returns the seconds until it finds all.
pub(super) async fn indexed(server: &MeasuredServer, size: usize) -> anyhow::Result<f64> {
    let mut connection = LoadConnection::open(server).await?;
    let project = connection.json(LoadRequest::get(format!("/{PROJECT}"))).await?;
    let action =
        json!({"action": "changeProductSearchIndexingEnabled", "enabled": true, "mode": "ProductsSearch"});
    let change = json!({"version": project["version"], "actions": [action]});
    let started = Instant::now();
    connection.json(LoadRequest::post(format!("/{PROJECT}"), change.to_string())).await?;
    loop {
        let ask = LoadRequest::post(path("products/search"), json!({"limit": 0}).to_string());
        let (status, body) = connection.send(ask).await?;
        if status.is_success() {
            let found: Value = kontor_json::from_slice(&body)?;
            ensure!(found["total"] == size, "of {size} Products {} are found", found["total"]);
            return Ok(started.elapsed().as_secs_f64());
        }
        ensure!(started.elapsed() < INDEXED_AFTER_MAX, "the index never answered");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
