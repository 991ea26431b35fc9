//! Measures the cost of the history record of each durable update, and whether queries of one resource depend on the
//! number of records of others.

use super::{Bench, load_limits, measure, measure_in_turns, thousands};
use crate::document::distribute;
use crate::kontor::PROJECT;
use crate::load::{LoadLimits, LoadRequest, run as run_load};
use crate::process::MeasuredServer;
use crate::states::{StateWidth, create, renamers};
use crate::table::{BenchRow, BenchTarget};
use std::time::Duration;

const DOCUMENTS: usize = 500;
const UPDATES: u64 = 40_000;
/// Records of the small shop and of the large one.
const FEW: u64 = 5_000;
const MANY: u64 = 1_000_000;
/// How long writing the records may take.
const FILLED_SECONDS_MAX: u64 = 100;
const QUERIES: u64 = 4_000;

pub(super) async fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let recording = bench.kontor.start(&bench.folder("recording")).await?;
    let silent =
        bench.kontor.start_with(&bench.folder("recording-nothing"), &["--no-change-history"]).await?;
    let (ids, _) = create(&recording, 0..DOCUMENTS, StateWidth::Usual).await?;
    let (others, _) = create(&silent, 0..DOCUMENTS, StateWidth::Usual).await?;
    let (kept, beside) = measure_in_turns(
        (&recording, renamers(&ids)),
        (&silent, renamers(&others)),
        load_limits(UPDATES, 10),
    )
    .await?;
    recording.stop()?;
    silent.stop()?;
    bench.table.add(BenchRow {
        name: format!("durable updates of {} States with Change History: CPU", thousands(DOCUMENTS)),
        value: kept.cpu_us() / beside.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(1.15),
        kontor: kept.line(),
        comparison: format!("nothing is recorded: {}", beside.line()),
    });
    queries(bench).await
}

async fn queries(bench: &mut Bench) -> anyhow::Result<()> {
    let few = bench.kontor.start(&bench.folder("few-records")).await?;
    let (of_few, _) = filled(&few, FEW).await?;
    let small = measure(&few, readers(&of_few), load_limits(QUERIES, 10)).await?;
    few.stop()?;
    let many = bench.kontor.start(&bench.folder("many-records")).await?;
    let (of_many, records) = filled(&many, MANY).await?;
    let large = measure(&many, readers(&of_many), load_limits(QUERIES, 10)).await?;
    many.stop()?;
    bench.table.add(BenchRow {
        name: format!("the newest record of one resource, of {} records: CPU", thousands(records as usize)),
        value: large.cpu_us() / small.cpu_us(),
        unit: "×",
        target: BenchTarget::AtMost(1.5),
        kontor: large.line(),
        comparison: format!("of {} records: {}", thousands(FEW as usize), small.line()),
    });
    Ok(())
}

/// Writes records of changes. Returns the resources, and the number of records that were written in time.
async fn filled(server: &MeasuredServer, records: u64) -> anyhow::Result<(Vec<String>, u64)> {
    // Each with ten records, so that what differs is how many others there are.
    let resources = usize::try_from(records / 10)?;
    let (ids, _) = create(server, 0..resources, StateWidth::Usual).await?;
    let bounds =
        LoadLimits { requests: records - resources as u64, time: Duration::from_secs(FILLED_SECONDS_MAX) };
    let (written, _) = run_load(server, renamers(&ids), bounds).await?;
    Ok((ids, written.requests + resources as u64))
}

fn readers(ids: &[String]) -> Vec<impl FnMut() -> LoadRequest + use<>> {
    let reader = |mut mine: Vec<String>| {
        mine.truncate(100);
        let mut count = 0;
        move || {
            count += 1;
            LoadRequest::get(format!("/history/{PROJECT}/states/{}?limit=1", mine[count % mine.len()]))
        }
    };
    distribute(ids).map(reader).collect()
}
