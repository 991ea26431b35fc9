//! Measures how many bytes single changes of Products write to the disk, over few connections.

use super::super::{Bench, load_limits};
use super::{CatalogPart, REST, drafts};
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, queue, run as run_load};
use crate::process::MeasuredServer;
use crate::table::{BenchRow, BenchTarget};
use anyhow::Context as _;
use kontor_json::{Value, json};

/// The number of connections.
const CONNECTIONS: usize = 8;
/// The number of Products that are changed, once in each way.
const CHANGED: usize = 1_000;

/// Adds a row for each way of changing a published Product.
pub(super) async fn single(
    bench: &mut Bench,
    server: &MeasuredServer,
    parts: &[CatalogPart],
) -> anyhow::Result<()> {
    let ids: Vec<&String> = parts.iter().flat_map(|part| &part.ids).collect();
    let every = (ids.len() / CHANGED).max(1);
    let mut connection = LoadConnection::open(server).await?;
    for what in ["name", "price", "stock"] {
        let mut asks = Vec::new();
        for (number, id) in ids.iter().enumerate().step_by(every) {
            let product = connection.json(LoadRequest::get(path(&format!("products/{id}")))).await?;
            asks.push(change_request(what, number, &product)?);
        }
        let count = asks.len() as u64;
        let clients = queue(asks.into_iter().rev(), CONNECTIONS);
        let before = server.written_bytes()?;
        let (measured, _) = run_load(server, clients, load_limits(count, 120)).await?;
        // Background work that follows the changes counts too.
        tokio::time::sleep(REST).await;
        let written = (server.written_bytes()? - before) as f64 / measured.requests as f64 / 1e3;
        bench.table.add(BenchRow {
            name: format!("change the {what} of a published Product, {CONNECTIONS} connections: written"),
            value: written,
            unit: " kB",
            target: BenchTarget::AtMost(20.0),
            kontor: measured.line(),
            comparison: "-".into(),
        });
    }
    Ok(())
}

fn change_request(what: &str, number: usize, product: &Value) -> anyhow::Result<LoadRequest> {
    if what == "stock" {
        let draft = json!({"sku": drafts::sku(number), "quantityOnStock": 5});
        return Ok(LoadRequest::post(path("inventory"), draft.to_string()));
    }
    let action = match what {
        "name" => {
            json!({"action": "changeName", "name": {"en": format!("changed {number}")}, "staged": false})
        }
        _ => {
            let price = &product["masterData"]["current"]["masterVariant"]["prices"][0];
            let value = json!({"currencyCode": "EUR", "centAmount": 7_000 + number});
            let draft = json!({"value": value, "country": price["country"]});
            json!({"action": "changePrice", "priceId": price["id"], "price": draft, "staged": false})
        }
    };
    let id = product["id"].as_str().context("no id")?;
    let body = json!({"version": product["version"], "actions": [action]});
    Ok(LoadRequest::post(path(&format!("products/{id}")), body.to_string()))
}
