//! Durable updates: each is on disk before it is acknowledged, and many share one sync.

use super::{Bench, TURNS, load_limits, measure, measure_again, thousands};
use crate::document::CONNECTIONS;
use crate::kontor::commits;
use crate::load::{LoadConnection, LoadRequest, LoadResult, run as run_load};
use crate::node_peer::MOCK;
use crate::peers::{CapturedResponse, PeerCost, measure_group_commit, measure_storage_alone};
use crate::states::{StateWidth, create, first_page, path, renamers};
use crate::table::{BenchRow, BenchTarget};

/// No more than a page holds, so that the bare loop has the same.
const DOCUMENTS: usize = 500;
const UPDATES: u64 = 40_000;
/// Of those without HTTP: a write takes microseconds, and the system counts CPU in hundredths of a second.
const BARE_UPDATES: usize = 400_000;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let UpdateResults { ours, syncs, reply: answer, lines, ids } = updated(bench).await?;
    let (bare, alone) = without_http(bench, &lines)?;
    let http = answer.serve(bench.cores, &bench.folder("update.json"))?;
    let http = measure(&http, renamers(&ids), load_limits(UPDATES, 10)).await?;
    let both_us = bare.cpu_us() + http.cpu_us();
    let row = |what: &str, value, unit, target, comparison| BenchRow {
        name: format!("durable updates of {} States, 64 callers{what}", thousands(DOCUMENTS)),
        value,
        unit,
        target,
        kontor: ours.line(),
        comparison,
    };
    let beside = || format!("SQLite group commit: {}", bare.line());
    let alone_cpu = alone.cpu_us() / bare.cpu_us();
    let mut rows = vec![
        BenchRow {
            kontor: alone.line(),
            ..row(", storage alone: CPU", alone_cpu, "×", BenchTarget::AtMost(1.5), beside())
        },
        row(": CPU", ours.cpu_us() / bare.cpu_us(), "×", BenchTarget::None, beside()),
        row(
            ": CPU compared with group commit and HTTP together",
            ours.cpu_us() / both_us,
            "×",
            BenchTarget::None,
            format!("{both_us:.1} µs CPU, of which bare hyper {:.1} µs", http.cpu_us()),
        ),
        row(": throughput", ours.rate() / bare.rate(), "×", BenchTarget::None, beside()),
        row(
            ": syncs per 1,000 acknowledgements",
            syncs,
            "",
            BenchTarget::None,
            "commits of the write-ahead log".into(),
        ),
    ];
    if bench.with_mock {
        let mock = mocked(bench).await?;
        let beside = format!("mock, in memory: {}", mock.line());
        let rate = ours.rate() / mock.rate();
        rows.push(row(": throughput compared with the mock", rate, "×", BenchTarget::AtLeast(1.5), beside));
    }
    rows.into_iter().for_each(|row| bench.table.add(row));
    Ok(())
}

/// The results of the server, and the data that its peers need.
struct UpdateResults {
    ours: LoadResult,
    /// For each thousand acknowledgements.
    syncs: f64,
    /// A response of the server, for the peer that speaks HTTP only.
    reply: CapturedResponse,
    /// The documents, for the peers that only write.
    lines: Vec<String>,
    ids: Vec<String>,
}

async fn updated(bench: &Bench) -> anyhow::Result<UpdateResults> {
    let data = bench.folder("updates");
    let server = bench.kontor.start(&data).await?;
    let (ids, _) = create(&server, 0..DOCUMENTS, StateWidth::Usual).await?;
    let (ours, clients) = measure_again(&server, renamers(&ids), load_limits(UPDATES, 20)).await?;
    let before = commits(&data)?;
    let (counted, _) = run_load(&server, clients, load_limits(UPDATES, 20)).await?;
    let syncs = f64::from(commits(&data)?.wrapping_sub(before)) * 1000.0 / counted.requests as f64;
    let reply = LoadConnection::open(&server)
        .await?
        .send_for_response(LoadRequest::get(path(&format!("/{}", ids[0]))))
        .await?;
    let lines = first_page(&server).await?;
    server.stop()?;
    Ok(UpdateResults { ours, syncs, reply: CapturedResponse::capture(reply), lines, ids })
}

/// The bare loop and the storage alone, measured in turns on the same documents.
fn without_http(bench: &Bench, lines: &[String]) -> anyhow::Result<(PeerCost, PeerCost)> {
    let (file, folder) = (bench.folder("updates.jsonl"), bench.folder("bare-updates"));
    fs_err::write(&file, lines.join("\n"))?;
    fs_err::create_dir(&folder)?;
    let (mut bares, mut alones) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let folder = folder.join(turn.to_string());
        fs_err::create_dir(&folder)?;
        bares.push(measure_group_commit(bench.cores, &folder, &file, BARE_UPDATES, CONNECTIONS, false)?);
        let alone = folder.join("alone.db");
        alones.push(measure_storage_alone(bench.cores, &alone, &file, BARE_UPDATES, CONNECTIONS)?);
    }
    Ok((median(bares), median(alones)))
}

/// Measures the mock, which writes nothing to disk.
async fn mocked(bench: &Bench) -> anyhow::Result<LoadResult> {
    let server = MOCK.start(bench.cores, &[])?;
    let (ids, _) = create(&server, 0..DOCUMENTS, StateWidth::Usual).await?;
    measure(&server, renamers(&ids), load_limits(UPDATES / 4, 10)).await
}

/// The one in the middle by CPU.
fn median(mut outcomes: Vec<PeerCost>) -> PeerCost {
    outcomes.sort_by(|one, other| one.cpu_us().total_cmp(&other.cpu_us()));
    outcomes[outcomes.len() / 2]
}
