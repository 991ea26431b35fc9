//! Measures Kontor over PostgreSQL, both processes together, compared with the embedded storage and with another shop
//! server over PostgreSQL.

use super::compare_shops::{compare_with_kontor, vendure};
use super::order_shop::{LINE_ITEMS, cart, carts, create_products};
use super::orders::{CALLS, CheckoutClient};
use super::{Bench, load_limits, measure};
use crate::document::{CONNECTIONS, RepeatedUpdater};
use crate::load::{LoadClient, LoadLimits, LoadRequest, LoadResult, run as run_load};
use crate::machine::Cores;
use crate::process::MeasuredServer;
use crate::states::{Random, StateWidth, create, path, renamers};
use crate::table::{BenchRow, BenchTarget};
use anyhow::Context as _;
use kontor_json::json;
use kontor_tests_postgres::PostgresServer as Postgres;

const STATES: usize = 1_000;
const READS: u64 = 10_000;
const UPDATES: u64 = 8_000;
const ADDITIONS: u64 = 2_000;
const CHECKOUTS: u64 = 200;
/// The target: how many times the CPU of Kontor Vendure takes.
const OF_VENDURE: f64 = 20.0;
/// Updates a second of one project, on all cores.
const UPDATES_A_SECOND: f64 = 3_000.0;

/// The results over one storage.
struct StorageResults {
    get: LoadResult,
    page: LoadResult,
    update: LoadResult,
    addition: LoadResult,
    checkout: LoadResult,
}

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let embedded = {
        let server = bench.kontor.start(&bench.folder("embedded")).await?;
        let taken = measure_storage(&server).await?;
        server.stop()?;
        taken
    };
    let database = database(bench, bench.cores)?;
    let server = start(bench, &database, "over-postgres").await?;
    let shared = measure_storage(&server).await?;
    server.stop()?;
    rows(bench, &embedded, &shared);
    drop(database);
    beside_vendure(bench, &shared).await?;
    on_all_cores(bench).await
}

/// Starts a database on the servers' cores. Its folder is in that of all runs, since other users cannot read that of
/// this run.
fn database(bench: &Bench, cores: Cores) -> anyhow::Result<Postgres> {
    let below = bench.scratch.path().parent().context("no folder for a database")?;
    Postgres::start_on_disk(below, cores.of_servers())
}

async fn start(bench: &Bench, database: &Postgres, folder: &str) -> anyhow::Result<MeasuredServer> {
    let mut server =
        bench.kontor.start_with(&bench.folder(folder), &["--database-url", &database.url()]).await?;
    server.helper = Some(database.process()?);
    Ok(server)
}

async fn measure_storage(server: &MeasuredServer) -> anyhow::Result<StorageResults> {
    let (ids, _) = create(server, 0..STATES, StateWidth::Usual).await?;
    let get = measure(server, getters(&ids), load_limits(READS, 10)).await?;
    let lister = |_| || LoadRequest::get(path("?limit=20"));
    let page = measure(server, (0..CONNECTIONS).map(lister).collect(), load_limits(READS / 4, 10)).await?;
    let update = measure(server, renamers(&ids), load_limits(UPDATES, 10)).await?;
    create_products(server, 1_000_000).await?;
    let ready = carts(server, &cart(LINE_ITEMS), CONNECTIONS).await?;
    // Adds one piece of a line item that the Cart already has.
    let adder = |cart| {
        RepeatedUpdater::new(
            cart,
            "carts",
            |_, _| json!([{"action": "addLineItem", "sku": "lamp-0", "quantity": 1}]),
        )
    };
    let adders = ready.into_iter().map(adder).collect();
    let addition = measure(server, adders, load_limits(ADDITIONS, 15)).await?;
    let buyers = (0..CONNECTIONS).map(|_| CheckoutClient::new()).collect();
    let checkout = measure(server, buyers, load_limits(CALLS * CHECKOUTS, 15)).await?;
    Ok(StorageResults { get, page, update, addition, checkout })
}

/// Returns clients that read random documents.
fn getters(ids: &[String]) -> Vec<impl FnMut() -> LoadRequest + use<>> {
    let getter = |seed: usize| {
        let (ids, mut random) = (ids.to_vec(), Random::new(seed as u64 + 1));
        move || LoadRequest::get(path(&format!("/{}", ids[random.next_below(ids.len())])))
    };
    (0..CONNECTIONS).map(getter).collect()
}

fn rows(bench: &mut Bench, embedded: &StorageResults, shared: &StorageResults) {
    let pairs = [
        ("GET by id", &embedded.get, &shared.get, BenchTarget::None),
        ("page of 20", &embedded.page, &shared.page, BenchTarget::None),
        ("versioned update, 64 callers", &embedded.update, &shared.update, BenchTarget::AtMost(4.0)),
        ("add to a Cart of 10", &embedded.addition, &shared.addition, BenchTarget::None),
        ("checkout of six calls", &embedded.checkout, &shared.checkout, BenchTarget::None),
    ];
    for (what, embedded, shared, target) in pairs {
        bench.table.add(BenchRow {
            name: format!("over PostgreSQL, {what}: CPU"),
            value: shared.cpu_us() / embedded.cpu_us(),
            unit: "×",
            target,
            kontor: shared.line(),
            comparison: format!("embedded: {}", embedded.line()),
        });
    }
}

/// Compares with Vendure, which has a database of its own: in Kontor's it would pay for vacuuming after Kontor.
async fn beside_vendure(bench: &mut Bench, shared: &StorageResults) -> anyhow::Result<()> {
    if !bench.with_mock {
        return Ok(());
    }
    let database = database(bench, bench.cores)?;
    let (addition, checkout) = vendure(bench, &database).await?;
    let pairs = [
        ("add to a Cart of 10", &shared.addition, &addition, 1),
        ("checkout of six calls", &shared.checkout, &checkout, CALLS),
    ];
    for (what, ours, theirs, calls) in pairs {
        let what = format!("over PostgreSQL, {what}");
        let peer = ("Vendure over PostgreSQL", theirs);
        bench.table.add(compare_with_kontor(&what, peer, ours, calls, OF_VENDURE));
    }
    Ok(())
}

/// Measures one project with one server and with two, on all cores, which the database and the load generator share.
async fn on_all_cores(bench: &mut Bench) -> anyhow::Result<()> {
    let pinned = bench.kontor.cores;
    bench.kontor.cores = pinned.freed();
    let database = database(bench, pinned.freed())?;
    let first = start(bench, &database, "first").await?;
    let mut second = start(bench, &database, "second").await?;
    // It would be counted twice.
    second.helper = None;
    bench.kontor.cores = pinned;
    let (ids, _) = create(&first, 0..STATES, StateWidth::Usual).await?;
    // The first one knows what it has made. The second one reads it, as a server does that has been up for a while.
    run_load(&second, getters(&ids), load_limits(READS, 10)).await?;
    let servers = (&first, &second);
    let reads = by_one_and_two(servers, getters(&ids), load_limits(READS, 10)).await?;
    let updates = by_one_and_two(servers, renamers(&ids), load_limits(UPDATES, 10)).await?;
    first.stop()?;
    second.stop()?;
    let rows = [
        ("reads by id", reads, BenchTarget::None),
        ("updates", updates, BenchTarget::AtLeast(UPDATES_A_SECOND)),
    ];
    for (what, (one, [ours, theirs]), target) in rows {
        bench.table.add(BenchRow {
            name: format!("over PostgreSQL, {what} of one project, 64 callers, on all cores with the one who asks: a second"),
            value: one.rate(),
            unit: "/s",
            target,
            kontor: one.line(),
            comparison: format!(
                "two servers: {:.0}/s together; p99 {:.2} and {:.2} ms",
                ours.rate() + theirs.rate(),
                ours.percentile_ms(99.0),
                theirs.percentile_ms(99.0)
            ),
        });
    }
    Ok(())
}

/// Runs the same clients against the first server, and then half of them against each.
async fn by_one_and_two<C: LoadClient + 'static>(
    (first, second): (&MeasuredServer, &MeasuredServer),
    clients: Vec<C>,
    bounds: LoadLimits,
) -> anyhow::Result<(LoadResult, [LoadResult; 2])> {
    let (one, mut ours) = run_load(first, clients, bounds).await?;
    let theirs = ours.split_off(ours.len() / 2);
    let both = tokio::join!(run_load(first, ours, bounds), run_load(second, theirs, bounds));
    Ok((one, [both.0?.0, both.1?.0]))
}
