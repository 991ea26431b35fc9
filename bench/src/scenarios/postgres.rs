//! Measures Kontor over PostgreSQL, both processes together, compared with the embedded storage and with another shop
//! server over PostgreSQL.

use super::beside_shops::{beside, vendure};
use super::order_shop::{LINE_ITEMS, cart, carts, fill};
use super::orders::{Buyer, CALLS};
use super::{Bench, bounds, measure};
use crate::document::{Again, CONNECTIONS};
use crate::load::{Ask, Bounds, Client, Measured, run as run_load};
use crate::machine::Cores;
use crate::process::Server;
use crate::states::{Random, Width, create, path, renamers};
use crate::table::{Row, Target};
use anyhow::Context as _;
use kontor_json::json;
use kontor_tests_postgres::Server as Postgres;

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
struct Taken {
    get: Measured,
    page: Measured,
    update: Measured,
    addition: Measured,
    checkout: Measured,
}

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let embedded = {
        let server = bench.kontor.start(&bench.folder("embedded")).await?;
        let taken = taken(&server).await?;
        server.stop()?;
        taken
    };
    let database = database(bench, bench.cores)?;
    let server = start(bench, &database, "over-postgres").await?;
    let shared = taken(&server).await?;
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

async fn start(bench: &Bench, database: &Postgres, folder: &str) -> anyhow::Result<Server> {
    let mut server =
        bench.kontor.start_with(&bench.folder(folder), &["--database-url", &database.url()]).await?;
    server.helper = Some(database.process()?);
    Ok(server)
}

async fn taken(server: &Server) -> anyhow::Result<Taken> {
    let (ids, _) = create(server, 0..STATES, Width::Usual).await?;
    let get = measure(server, getters(&ids), bounds(READS, 10)).await?;
    let lister = |_| || Ask::get(path("?limit=20"));
    let page = measure(server, (0..CONNECTIONS).map(lister).collect(), bounds(READS / 4, 10)).await?;
    let update = measure(server, renamers(&ids), bounds(UPDATES, 10)).await?;
    fill(server, 1_000_000).await?;
    let ready = carts(server, &cart(LINE_ITEMS), CONNECTIONS).await?;
    // Adds one piece of a line item that the Cart already has.
    let adder = |cart| {
        Again::new(cart, "carts", |_, _| json!([{"action": "addLineItem", "sku": "lamp-0", "quantity": 1}]))
    };
    let adders = ready.into_iter().map(adder).collect();
    let addition = measure(server, adders, bounds(ADDITIONS, 15)).await?;
    let buyers = (0..CONNECTIONS).map(|_| Buyer::new()).collect();
    let checkout = measure(server, buyers, bounds(CALLS * CHECKOUTS, 15)).await?;
    Ok(Taken { get, page, update, addition, checkout })
}

/// Returns clients that read random documents.
fn getters(ids: &[String]) -> Vec<impl FnMut() -> Ask + use<>> {
    let getter = |seed: usize| {
        let (ids, mut random) = (ids.to_vec(), Random::new(seed as u64 + 1));
        move || Ask::get(path(&format!("/{}", ids[random.below(ids.len())])))
    };
    (0..CONNECTIONS).map(getter).collect()
}

fn rows(bench: &mut Bench, embedded: &Taken, shared: &Taken) {
    let pairs = [
        ("GET by id", &embedded.get, &shared.get, Target::None),
        ("page of 20", &embedded.page, &shared.page, Target::None),
        ("versioned update, 64 callers", &embedded.update, &shared.update, Target::AtMost(4.0)),
        ("add to a Cart of 10", &embedded.addition, &shared.addition, Target::None),
        ("checkout of six calls", &embedded.checkout, &shared.checkout, Target::None),
    ];
    for (what, embedded, shared, target) in pairs {
        bench.table.add(Row {
            what: format!("over PostgreSQL, {what}: CPU"),
            value: shared.cpu_us() / embedded.cpu_us(),
            unit: "×",
            target,
            kontor: shared.line(),
            beside: format!("embedded: {}", embedded.line()),
        });
    }
}

/// Compares with Vendure, which has a database of its own: in Kontor's it would pay for vacuuming after Kontor.
async fn beside_vendure(bench: &mut Bench, shared: &Taken) -> anyhow::Result<()> {
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
        bench.table.add(beside(&what, peer, ours, calls, OF_VENDURE));
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
    let (ids, _) = create(&first, 0..STATES, Width::Usual).await?;
    // The first one knows what it has made. The second one reads it, as a server does that has been up for a while.
    run_load(&second, getters(&ids), bounds(READS, 10)).await?;
    let servers = (&first, &second);
    let reads = by_one_and_two(servers, getters(&ids), bounds(READS, 10)).await?;
    let updates = by_one_and_two(servers, renamers(&ids), bounds(UPDATES, 10)).await?;
    first.stop()?;
    second.stop()?;
    let rows =
        [("reads by id", reads, Target::None), ("updates", updates, Target::AtLeast(UPDATES_A_SECOND))];
    for (what, (one, [ours, theirs]), target) in rows {
        bench.table.add(Row {
            what: format!("over PostgreSQL, {what} of one project, 64 callers, on all cores with the one who asks: a second"),
            value: one.rate(),
            unit: "/s",
            target,
            kontor: one.line(),
            beside: format!(
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
async fn by_one_and_two<C: Client + 'static>(
    (first, second): (&Server, &Server),
    clients: Vec<C>,
    bounds: Bounds,
) -> anyhow::Result<(Measured, [Measured; 2])> {
    let (one, mut ours) = run_load(first, clients, bounds).await?;
    let theirs = ours.split_off(ours.len() / 2);
    let both = tokio::join!(run_load(first, ours, bounds), run_load(second, theirs, bounds));
    Ok((one, [both.0?.0, both.1?.0]))
}
