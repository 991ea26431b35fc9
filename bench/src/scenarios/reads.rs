//! Measures reads with a thousand States and more: GET by id, `where` by key, pages with and without total.
//! Loading the States measures creation; starting on them measures the start.

use super::{Bench, load_limits, measure, measure_in_turns, start, thousands};
use crate::document::CONNECTIONS;
use crate::load::{LoadConnection, LoadRequest, LoadResult, run as run_load};
use crate::node_peer::MOCK;
use crate::peers::{CapturedResponse, measure_group_commit};
use crate::process::MeasuredServer;
use crate::states::{Random, StateWidth, create, first_page, key, path};
use crate::table::{BenchRow, BenchTarget};
use std::rc::Rc;

const LARGE: usize = 1_000_000;
/// How often each State is read beforehand, on average.
const WARM_UP_ROUNDS: u64 = 3;
/// Beyond it, the cache cannot hold them all.
const WARM_UP_STATES_MAX: usize = 100_000;
/// The number of States with which the mock is queried by key.
const MOCK_SIZE: usize = 10_000;
/// The mock reads all documents for each query, so that more callers only wait for each other.
const MOCK_QUERY_CONNECTIONS: usize = 4;

/// The results with one number of States. Pairs were measured in turns.
struct SizeResults {
    size: usize,
    /// The documents that were created, each in a line: those of a page.
    lines: Vec<String>,
    created: LoadResult,
    /// GET by id, and bare hyper.
    get: (LoadResult, LoadResult),
    /// The query by key, and the same query with the fewest States.
    by_key: (LoadResult, LoadResult),
    /// The page with total, and the page without.
    page: (LoadResult, LoadResult),
    ready_ms: f64,
    idle_mb: f64,
    served_mb: f64,
}

/// The server with the fewest States. It keeps running, so that the others are compared with it.
struct BaselineServer {
    server: MeasuredServer,
    size: usize,
    ids: Rc<Vec<String>>,
}

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let large = bench.large.then_some(LARGE);
    let sizes: Vec<usize> = bench.sizes.iter().copied().chain(large).collect();
    let (mut all, mut first) = (Vec::new(), None);
    for size in sizes {
        eprintln!("bench: {} States", thousands(size));
        all.push(at_size(bench, size, &mut first).await?);
    }
    let Some(first) = first else { return Ok(()) };
    get_rows(bench, &all);
    by_key_rows(bench, &all, first.size);
    page_rows(bench, &all);
    size_rows(bench, &all);
    created_rows(bench, &all)?;
    if bench.with_mock {
        beside_mock(bench, &all, &first).await?;
    }
    first.server.stop()
}

async fn at_size(
    bench: &Bench,
    size: usize,
    first: &mut Option<BaselineServer>,
) -> anyhow::Result<SizeResults> {
    let data = bench.folder(&format!("states-{size}"));
    let server = bench.kontor.start(&data).await?;
    let (ids, created) = create(&server, 0..size, StateWidth::Usual).await?;
    let lines = first_page(&server).await?;
    server.stop()?;
    let start::StartResult { server, ready_ms, idle_mb } = start::start(bench, &data).await?;
    let ids = Rc::new(ids);
    let response = LoadConnection::open(&server)
        .await?
        .send_for_response(LoadRequest::get(path(&format!("/{}", ids[0]))))
        .await?;
    let bare = CapturedResponse::capture(response).serve(bench.cores, &bench.folder("answer.json"))?;
    // As a server is that has been up for a while: what its cache holds of these States, it has.
    let warm_up = load_limits(WARM_UP_ROUNDS * size.min(WARM_UP_STATES_MAX) as u64, 20);
    run_load(&server, getters(&ids), warm_up).await?;
    run_load(&server, query_clients(CONNECTIONS, size), warm_up).await?;
    let get =
        measure_in_turns((&server, getters(&ids)), (&bare, getters(&ids)), load_limits(50_000, 3)).await?;
    let (other, other_size) = first.as_ref().map_or((&server, size), |first| (&first.server, first.size));
    let askers_here = query_clients(CONNECTIONS, size);
    let by_key = measure_in_turns(
        (&server, askers_here),
        (other, query_clients(CONNECTIONS, other_size)),
        load_limits(30_000, 3),
    )
    .await?;
    let page = measure_in_turns(
        (&server, listers("?limit=20")),
        (&server, listers("?limit=20&withTotal=false")),
        load_limits(10_000, 3),
    )
    .await?;
    let served_mb = start::anonymous_mb(&server)?;
    match first {
        None => *first = Some(BaselineServer { server, size, ids }),
        Some(_) => server.stop()?,
    }
    Ok(SizeResults { size, lines, created, get, by_key, page, ready_ms, idle_mb, served_mb })
}

/// Returns clients that get States by id.
fn getters(ids: &Rc<Vec<String>>) -> Vec<impl FnMut() -> LoadRequest + use<>> {
    let getter = |seed| {
        let (ids, mut random) = (Rc::clone(ids), Random::new(seed as u64 + 1));
        move || LoadRequest::get(path(&format!("/{}", ids[random.next_below(ids.len())])))
    };
    (0..CONNECTIONS).map(getter).collect()
}

/// Returns clients that query States by key.
fn query_clients(connections: usize, size: usize) -> Vec<impl FnMut() -> LoadRequest> {
    let asker = |seed| {
        let mut random = Random::new(seed as u64 + 1);
        move || LoadRequest::get(path(&format!("?where=key%3D%22{}%22", key(random.next_below(size)))))
    };
    (0..connections).map(asker).collect()
}

/// Returns clients that read the same page.
fn listers(query: &'static str) -> Vec<impl FnMut() -> LoadRequest> {
    (0..CONNECTIONS).map(|_| move || LoadRequest::get(path(query))).collect()
}

fn get_rows(bench: &mut Bench, all: &[SizeResults]) {
    for SizeResults { size, get: (get, bare), .. } in all {
        let row = |what: &str, value: f64, target| BenchRow {
            name: format!("GET by id, {} States, 64 connections: {what}", thousands(*size)),
            value,
            unit: "×",
            target,
            kontor: get.line(),
            comparison: format!("bare hyper: {}", bare.line()),
        };
        bench.table.add(row("CPU", get.cpu_us() / bare.cpu_us(), BenchTarget::AtMost(1.5)));
        bench.table.add(row("throughput", get.rate() / bare.rate(), BenchTarget::AtLeast(0.6)));
    }
}

fn by_key_rows(bench: &mut Bench, all: &[SizeResults], first: usize) {
    for SizeResults { size, by_key: (by_key, beside), .. } in all.iter().skip(1) {
        bench.table.add(BenchRow {
            name: format!(
                "`where` by key, {} States compared with {}: CPU",
                thousands(*size),
                thousands(first)
            ),
            value: by_key.cpu_us() / beside.cpu_us(),
            unit: "×",
            target: BenchTarget::AtMost(1.2),
            kontor: by_key.line(),
            comparison: format!("{} States: {}", thousands(first), beside.line()),
        });
    }
}

fn page_rows(bench: &mut Bench, all: &[SizeResults]) {
    for SizeResults { size, page: (page, without_total), .. } in all {
        bench.table.add(BenchRow {
            name: format!("page of 20 with total, {} States: CPU", thousands(*size)),
            value: page.cpu_us() / without_total.cpu_us(),
            unit: "×",
            target: BenchTarget::AtMost(2.0),
            kontor: page.line(),
            comparison: format!("withTotal=false: {}", without_total.line()),
        });
    }
}

fn size_rows(bench: &mut Bench, all: &[SizeResults]) {
    for SizeResults { size, ready_ms, idle_mb, served_mb, .. } in all {
        bench.table.add(BenchRow {
            name: format!("start to ready, {} States", thousands(*size)),
            value: *ready_ms,
            unit: " ms",
            target: if *size == LARGE { BenchTarget::AtMost(250.0) } else { BenchTarget::None },
            kontor: format!("{idle_mb:.1} MB anonymous when ready"),
            comparison: "-".into(),
        });
        bench.table.add(BenchRow {
            name: format!("memory (anonymous) after reads over {} States", thousands(*size)),
            value: *served_mb,
            unit: " MB",
            target: if *size <= 100_000 { BenchTarget::AtMost(200.0) } else { BenchTarget::None },
            kontor: "the cache of documents included".into(),
            comparison: "-".into(),
        });
    }
}

fn created_rows(bench: &mut Bench, all: &[SizeResults]) -> anyhow::Result<()> {
    for SizeResults { size, lines, created, .. } in all {
        let documents = bench.folder("created.jsonl");
        fs_err::write(&documents, lines.join("\n"))?;
        let folder = bench.folder(&format!("created-{size}"));
        fs_err::create_dir(&folder)?;
        let bare = measure_group_commit(
            bench.cores,
            &folder,
            &documents,
            (*size).clamp(20_000, 100_000),
            CONNECTIONS,
            true,
        )?;
        bench.table.add(BenchRow {
            name: format!("create up to {} States, 64 callers, on disk: CPU", thousands(*size)),
            value: created.cpu_us() / bare.cpu_us(),
            unit: "×",
            target: BenchTarget::None,
            kontor: created.line(),
            comparison: format!("SQLite group commit: {}", bare.line()),
        });
    }
    Ok(())
}

async fn beside_mock(bench: &mut Bench, all: &[SizeResults], first: &BaselineServer) -> anyhow::Result<()> {
    let server = MOCK.start(bench.cores, &[])?;
    let (ids, created) = create(&server, 0..first.size, StateWidth::Usual).await?;
    let at = load_limits(20_000, 3);
    let (ours, get) =
        measure_in_turns((&first.server, getters(&first.ids)), (&server, getters(&Rc::new(ids))), at).await?;
    let row = |what: &str, ours: &LoadResult, mock: &LoadResult, value: f64, target| BenchRow {
        name: what.to_owned(),
        value,
        unit: "×",
        target,
        kontor: ours.line(),
        comparison: format!("mock: {}", mock.line()),
    };
    let rate = |ours: &LoadResult, mock: &LoadResult| ours.rate() / mock.rate();
    let states = thousands(first.size);
    let what = format!("GET by id, {states} States, compared with the mock: throughput");
    bench.table.add(row(&what, &ours, &get, rate(&ours, &get), BenchTarget::AtLeast(3.0)));
    if let Some(SizeResults { created: ours, .. }) = all.first() {
        let what = format!("create {states} States on disk, compared with the mock in memory: throughput");
        bench.table.add(row(&what, ours, &created, rate(ours, &created), BenchTarget::None));
    }
    if let Some(SizeResults { by_key: (ours, _), .. }) = all.iter().find(|at| at.size == MOCK_SIZE) {
        create(&server, first.size..MOCK_SIZE, StateWidth::Usual).await?;
        let mock =
            measure(&server, query_clients(MOCK_QUERY_CONNECTIONS, MOCK_SIZE), load_limits(200, 10)).await?;
        let what = "`where` by key, 10,000 States, compared with the mock: CPU";
        let value = mock.cpu_us() / ours.cpu_us();
        bench.table.add(row(what, ours, &mock, value, BenchTarget::AtLeast(500.0)));
    }
    Ok(())
}
