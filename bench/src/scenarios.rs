//! Runs the scenarios. Each scenario is a file and adds its rows to the table. Begin at [`run`].

mod associates;
mod auth;
mod build;
mod carts;
mod catalog;
mod catalog_growth;
mod category_move;
mod compare_opensearch;
mod compare_shops;
mod extensions;
mod graphql;
mod history;
mod import;
mod imports;
mod order_queries;
mod order_shop;
mod orders;
mod postgres;
mod reads;
mod recurring;
mod scan;
mod search;
mod search_http;
mod start;
mod subscriptions;
mod writes;

use crate::RunArguments;
use crate::kontor::Kontor;
use crate::load::{LoadClient, LoadLimits, LoadResult, run as run_load};
use crate::machine::{Cores, describe};
use crate::node_peer::MOCK;
use crate::process::MeasuredServer;
use crate::table::{BenchTable, thousands, write_into, write_rows_into};
use anyhow::Context as _;
use clap::ValueEnum;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// The number of measurements of a load; the median by CPU counts.
const ROUNDS: usize = 3;
/// The number of measurements of two alternating loads.
const TURNS: usize = 5;
/// The divisor of a load's limits for its warm-up.
const WARM_UP_SHARE: u64 = 10;

/// The name of a scenario on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScenarioName {
    /// GET by id, where by key, pages, creation, start and memory, at each size.
    Reads,
    /// Predicates over fields without an index.
    Scan,
    /// The embedded search index compared with a flat one.
    Search,
    /// Business Units in the embedded index compared with a flat one; with `--large` a million.
    SearchUnits,
    /// Product Search over HTTP, and how soon changes are found.
    SearchHttp,
    /// Product Search compared with OpenSearch; with `--large` 100,000 Products. Needs Java 21.
    BesideOpensearch,
    /// Durable updates.
    Writes,
    /// A State through GraphQL compared with REST, reads of references, deriving the schema.
    Graphql,
    /// Tokens: issued, introspected, refreshed, and what it costs to know them.
    Auth,
    /// Permissions of Associates in deep hierarchies of Business Units.
    Associates,
    /// Products: created, read, found, changed, published, discounted, stocked.
    Catalog,
    /// A catalog of real-sized Products that grows: bytes and CPU for each; with `--large` 100,000.
    CatalogGrowth,
    /// Carts: pure calculation, line items that are added, discounts, large projects.
    Carts,
    /// Orders of Carts, checkouts, the last pieces.
    Orders,
    /// Carts and checkouts compared with another shop server and the mock; not with `--no-mock`.
    BesideShops,
    /// PostgreSQL compared with the embedded storage, and two servers on one database.
    Postgres,
    /// Recurring Orders that are due at once.
    Recurring,
    /// Orders by number and by Customer, and Order Search; with `--large` a million.
    FoundOrders,
    /// Files of drafts through `kontor import`.
    Import,
    /// Requests to the Import API: Products, and Categories in any order.
    Imports,
    /// Durable updates with and without Change History, and its queries.
    History,
    /// Latency of writes while a large category moves.
    CategoryMove,
    /// Durable updates with a Subscription, and the delivery of their messages.
    Subscriptions,
    /// The latency that an API Extension adds to an update.
    Extensions,
    /// Start and memory of a server with nothing in it.
    Start,
    /// The time of `cargo check` after a change of the model.
    Build,
}

/// The state that the scenarios share.
pub(crate) struct Bench {
    kontor: Kontor,
    cores: Cores,
    /// Removed at the end.
    scratch: tempfile::TempDir,
    /// The numbers of States to measure with.
    sizes: Vec<usize>,
    /// Whether to measure with a million too.
    large: bool,
    with_mock: bool,
    /// Folders of drafts to import.
    drafts: Vec<PathBuf>,
    table: BenchTable,
}

/// Runs the scenarios and prints the table.
pub(crate) async fn run(arguments: &RunArguments, cores: Cores) -> anyhow::Result<()> {
    let program =
        fs_err::canonicalize(&arguments.server).context("`cargo build --release -p kontor` makes it")?;
    fs_err::create_dir_all(&arguments.scratch)?;
    let scratch =
        tempfile::Builder::new().prefix("run-").tempdir_in(fs_err::canonicalize(&arguments.scratch)?)?;
    if !arguments.no_mock {
        MOCK.install(cores)?;
    }
    let mut bench = Bench {
        kontor: Kontor { program, cores },
        cores,
        scratch,
        sizes: arguments.sizes.clone(),
        large: arguments.large,
        with_mock: !arguments.no_mock,
        drafts: arguments.drafts.clone(),
        table: BenchTable::default(),
    };
    run_wanted(&mut bench, &arguments.only).await?;
    let results = bench.table.markdown(&describe(cores));
    write!(std::io::stdout(), "{results}")?;
    if arguments.write {
        let readme = crate::folder().join("README.md");
        match arguments.only.is_empty() {
            true => write_into(&readme, &results)?,
            false => write_rows_into(&readme, &bench.table)?,
        }
    }
    Ok(())
}

/// Runs the named scenarios, or all if there are no names.
async fn run_wanted(bench: &mut Bench, only: &[ScenarioName]) -> anyhow::Result<()> {
    let wanted = |name| only.is_empty() || only.contains(&name);
    if wanted(ScenarioName::Start) {
        start::run(bench).await?;
    }
    if wanted(ScenarioName::Reads) {
        reads::run(bench).await?;
    }
    if wanted(ScenarioName::Scan) {
        scan::run(bench).await?;
    }
    if wanted(ScenarioName::Search) {
        search::run(bench)?;
    }
    if wanted(ScenarioName::SearchUnits) {
        search::run_units(bench)?;
    }
    if wanted(ScenarioName::SearchHttp) {
        search_http::run(bench).await?;
    }
    if wanted(ScenarioName::BesideOpensearch) {
        compare_opensearch::run(bench).await?;
    }
    if wanted(ScenarioName::Writes) {
        writes::run(bench).await?;
    }
    if wanted(ScenarioName::Graphql) {
        graphql::run(bench).await?;
    }
    if wanted(ScenarioName::Auth) {
        auth::run(bench).await?;
    }
    if wanted(ScenarioName::Associates) {
        associates::run(bench).await?;
    }
    run_catalogs(bench, wanted).await?;
    if wanted(ScenarioName::Carts) {
        carts::run(bench).await?;
    }
    run_orders(bench, wanted).await?;
    if wanted(ScenarioName::Postgres) {
        postgres::run(bench).await?;
    }
    if wanted(ScenarioName::Import) {
        import::run(bench)?;
    }
    if wanted(ScenarioName::Imports) {
        imports::run(bench).await?;
    }
    if wanted(ScenarioName::History) {
        history::run(bench).await?;
    }
    if wanted(ScenarioName::CategoryMove) {
        category_move::run(bench).await?;
    }
    if wanted(ScenarioName::Subscriptions) {
        subscriptions::run(bench).await?;
    }
    if wanted(ScenarioName::Extensions) {
        extensions::run(bench).await?;
    }
    if wanted(ScenarioName::Build) {
        build::run(bench)?;
    }
    Ok(())
}

/// Runs the scenarios about Products.
async fn run_catalogs(bench: &mut Bench, wanted: impl Fn(ScenarioName) -> bool) -> anyhow::Result<()> {
    if wanted(ScenarioName::Catalog) {
        catalog::run(bench).await?;
    }
    if wanted(ScenarioName::CatalogGrowth) {
        catalog_growth::run(bench).await?;
    }
    Ok(())
}

/// Runs the scenarios about Orders.
async fn run_orders(bench: &mut Bench, wanted: impl Fn(ScenarioName) -> bool) -> anyhow::Result<()> {
    if wanted(ScenarioName::Orders) {
        orders::run(bench).await?;
    }
    if wanted(ScenarioName::BesideShops) {
        compare_shops::run(bench).await?;
    }
    if wanted(ScenarioName::Recurring) {
        recurring::run(bench).await?;
    }
    if wanted(ScenarioName::FoundOrders) {
        order_queries::run(bench).await?;
    }
    Ok(())
}

impl Bench {
    /// A new folder below the scratch folder.
    fn folder(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }
}

/// Measures a load: once to warm up, then several times. Returns the median by CPU.
async fn measure<C: LoadClient + 'static>(
    server: &MeasuredServer,
    clients: Vec<C>,
    bounds: LoadLimits,
) -> anyhow::Result<LoadResult> {
    Ok(measure_again(server, clients, bounds).await?.0)
}

/// Like [`measure`], with clients that can continue afterwards.
async fn measure_again<C: LoadClient + 'static>(
    server: &MeasuredServer,
    mut clients: Vec<C>,
    bounds: LoadLimits,
) -> anyhow::Result<(LoadResult, Vec<C>)> {
    let warm_up = LoadLimits { requests: (bounds.requests / WARM_UP_SHARE).max(1), ..bounds };
    (_, clients) = run_load(server, clients, warm_up).await?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let (measured, again) = run_load(server, clients, bounds).await?;
        clients = again;
        rounds.push(measured);
    }
    rounds.sort_by(|one, other| one.cpu_us().total_cmp(&other.cpu_us()));
    Ok((rounds.swap_remove(ROUNDS / 2), clients))
}

/// Measures two loads alternately, so that other work of the machine affects both. Returns both results of the turn
/// whose ratio by CPU is the median.
async fn measure_in_turns<C: LoadClient + 'static, D: LoadClient + 'static>(
    ours: (&MeasuredServer, Vec<C>),
    other: (&MeasuredServer, Vec<D>),
    each: LoadLimits,
) -> anyhow::Result<(LoadResult, LoadResult)> {
    measure_each_in_turns((ours.0, ours.1, each), (other.0, other.1, each)).await
}

/// Like [`measure_in_turns`], with different limits for the two loads.
async fn measure_each_in_turns<C: LoadClient + 'static, D: LoadClient + 'static>(
    ours: (&MeasuredServer, Vec<C>, LoadLimits),
    other: (&MeasuredServer, Vec<D>, LoadLimits),
) -> anyhow::Result<(LoadResult, LoadResult)> {
    let warm_up =
        |bounds: LoadLimits| LoadLimits { requests: (bounds.requests / WARM_UP_SHARE).max(1), ..bounds };
    let (_, mut our_clients) = run_load(ours.0, ours.1, warm_up(ours.2)).await?;
    let (_, mut other_clients) = run_load(other.0, other.1, warm_up(other.2)).await?;
    let mut turns = Vec::new();
    for _ in 0..TURNS {
        let (first, again) = run_load(ours.0, our_clients, ours.2).await?;
        our_clients = again;
        let (second, again) = run_load(other.0, other_clients, other.2).await?;
        other_clients = again;
        turns.push((first, second));
    }
    let ratio = |turn: &(LoadResult, LoadResult)| turn.0.cpu_us() / turn.1.cpu_us();
    turns.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    Ok(turns.swap_remove(TURNS / 2))
}

/// Returns limits in requests and in seconds.
const fn load_limits(requests: u64, seconds: u64) -> LoadLimits {
    LoadLimits { requests, time: Duration::from_secs(seconds) }
}
