//! Measures finding Orders: by number, by Customer, and with Order Search.

use super::order_shop::{buyers, import, order_number, wait_until};
use super::{Bench, load_limits, measure, thousands};
use crate::document::CONNECTIONS;
use crate::kontor::PROJECT;
use crate::kontor::path;
use crate::load::{LoadConnection, LoadRequest, LoadResult};
use crate::process::MeasuredServer;
use crate::states::Random;
use crate::table::{BenchRow, BenchTarget};
use kontor_json::json;
use std::rc::Rc;
use std::time::Duration;

/// Few Orders, and many; with `--large`.
const FEW: usize = 1_000;
const MANY: usize = 100_000;
const MANY_LARGE: usize = 1_000_000;
const QUERIES: u64 = 20_000;
const SEARCHES: u64 = 2_000;
const READY_SECONDS_MAX: u64 = 1_200;
/// The target ratio of a query's cost with many Orders to that with few.
const GROWTH_MAX: f64 = 1.2;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let many = if bench.large { MANY_LARGE } else { MANY };
    let server = bench.kontor.start(&bench.folder("found-orders")).await?;
    let buyers = buyers(&server).await?;
    import(&server, 0..FEW, &buyers).await?;
    let first = measure_order_queries(&server, FEW, &buyers).await?;
    let imported = import(&server, FEW..many, &buyers).await?;
    let then = measure_order_queries(&server, many, &buyers).await?;
    for ((what, few), (_, all)) in first.into_iter().zip(then) {
        bench.table.add(BenchRow {
            name: format!("{what}, {} Orders compared with {}: CPU", thousands(many), thousands(FEW)),
            value: all.cpu_us() / few.cpu_us(),
            unit: "×",
            target: BenchTarget::AtMost(GROWTH_MAX),
            kontor: all.line(),
            comparison: format!("{} Orders: {}", thousands(FEW), few.line()),
        });
    }
    let found = measure_order_search(&server, many).await?;
    server.stop()?;
    bench.table.add(BenchRow {
        name: format!(
            "Order Search over {} Orders, by number or total, sorted by time: p50",
            thousands(many)
        ),
        value: found.percentile_ms(50.0),
        unit: " ms",
        target: BenchTarget::None,
        kontor: found.line(),
        comparison: format!("imported: {}", imported.line()),
    });
    Ok(())
}

/// Runs the queries and returns the result of each.
async fn measure_order_queries(
    server: &MeasuredServer,
    count: usize,
    buyers: &[String],
) -> anyhow::Result<Vec<(&'static str, LoadResult)>> {
    let buyers = Rc::<[String]>::from(buyers);
    let by_number = move |number| format!("orders/order-number={}", order_number(number));
    let by_where = move |number| format!("orders?where=orderNumber%3D%22{}%22", order_number(number));
    let of_buyer =
        move |number: usize| format!("orders?where=customerId%3D%22{}%22", buyers[number % buyers.len()]);
    Ok(vec![
        ("an Order by its number", measure_queries(server, count, by_number).await?),
        ("`where` by number", measure_queries(server, count, by_where).await?),
        ("`where` by Customer", measure_queries(server, count, of_buyer).await?),
    ])
}

async fn measure_queries(
    server: &MeasuredServer,
    count: usize,
    target: impl Fn(usize) -> String + Clone + 'static,
) -> anyhow::Result<LoadResult> {
    let asker = |seed: usize| {
        let (mut random, target) = (Random::new(seed as u64 + 1), target.clone());
        move || LoadRequest::get(path(&target(random.next_below(count))))
    };
    measure(server, (0..CONNECTIONS).map(asker).collect(), load_limits(QUERIES, 10)).await
}

async fn measure_order_search(server: &MeasuredServer, count: usize) -> anyhow::Result<LoadResult> {
    let mut shop = LoadConnection::open(server).await?;
    let settings = shop.json(LoadRequest::get(format!("/{PROJECT}"))).await?;
    let activate = json!({"action": "changeOrderSearchStatus", "status": "Activated"});
    let update = json!({"version": settings["version"], "actions": [activate]});
    shop.json(LoadRequest::post(format!("/{PROJECT}"), update.to_string())).await?;
    let ready = Duration::from_secs(READY_SECONDS_MAX);
    wait_until(&mut shop, ready, "orders/search/indexing-status", |response| response["status"] == "Ready")
        .await?;
    let asker = |seed: usize| {
        let mut random = Random::new(seed as u64 + 1);
        move || {
            let number = random.next_below(count);
            let wanted = json!({"exact": {"field": "orderNumber", "value": order_number(number)}});
            let near =
                json!({"range": {"field": "totalPrice.centAmount", "gte": number, "lt": number + 1_000}});
            let sort = json!([{"field": "createdAt", "order": "desc"}]);
            let query = json!({"query": {"or": [wanted, near]}, "sort": sort, "limit": 20});
            LoadRequest::post(path("orders/search"), query.to_string())
        }
    };
    measure(server, (0..CONNECTIONS).map(asker).collect(), load_limits(SEARCHES, 20)).await
}
