//! Compares the embedded search index with a flat one: a process for each size builds both from the same entries,
//! searches them in turns, and prints one row of JSON a line.
//!
//! It measures the CPU time of the searching thread (`/proc/thread-self/schedstat`), which does not depend on other
//! work of the machine.

mod catalog;
mod flat;
mod questions;
mod units;

use crate::table::{BenchRow, BenchTarget};
use anyhow::Context as _;
pub(crate) use catalog::{COLORS, Catalog, CatalogShape, MARKETS, SeededRandom, categories, category, word};
use clap::Args;
use flat::Flat;
use kontor_json::json;
use kontor_search::{EmbeddedIndex, IndexBatch, IndexPosition, SearchEntry, SearchIndex as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Entries of a batch while the index is built.
const BATCH: usize = 1_000;
/// The number of single changes that are timed until a search finds them.
const UPDATES: usize = 200;
/// The number of searches of each kind, with different values.
const ROUNDS: usize = 60;
/// How long each kind of search runs.
const QUESTION_TIME: Duration = Duration::from_secs(4);

/// The arguments of the process of one size.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// Where the indexes are written.
    folder: PathBuf,
    /// Entries.
    #[arg(long)]
    size: usize,
    /// Without children, as Business Units are.
    #[arg(long)]
    one_level: bool,
    /// Business Units in place of products.
    #[arg(long)]
    units: bool,
}

/// Measures one size and prints its rows.
pub(crate) fn measure(arguments: &SearchArguments) -> anyhow::Result<()> {
    if arguments.units {
        return units::measure(arguments);
    }
    let shape = if arguments.one_level { CatalogShape::OneLevel } else { CatalogShape::Products };
    let catalog = Catalog::new(shape);
    let what = format!("{} {}", crate::table::thousands(arguments.size), shape.name());
    let folder = arguments.folder.join("entries");
    let index = EmbeddedIndex::open(&folder)?;
    let started = Instant::now();
    let cpu = crate::process::cpu_seconds_of("self")?;
    let mut generating = Duration::ZERO;
    for start in (0..arguments.size).step_by(BATCH) {
        let before = Instant::now();
        let end = arguments.size.min(start + BATCH);
        let put: Vec<SearchEntry> = (start..end).map(|number| catalog.entry(number, 0)).collect();
        generating += before.elapsed();
        index.apply(IndexBatch {
            put,
            position: position(end, end == arguments.size),
            ..IndexBatch::default()
        })?;
    }
    let took = (started.elapsed() - generating).as_secs_f64();
    let cpu = crate::process::cpu_seconds_of("self")? - cpu - generating.as_secs_f64();
    print(&BenchRow {
        name: format!("search, {what}: entries indexed a second"),
        value: arguments.size as f64 / took,
        unit: "/s",
        target: BenchTarget::None,
        kontor: format!("{took:.1} s, {:.0} µs CPU an entry", cpu * 1e6 / arguments.size as f64),
        comparison: "-".into(),
    })?;
    drop(index);
    let opened = Instant::now();
    let index = EmbeddedIndex::open(&folder)?;
    let opened = opened.elapsed();
    print(&BenchRow {
        name: format!("search, {what}: on disk"),
        value: size_of(&folder)? as f64 / 1e6,
        unit: " MB",
        target: BenchTarget::None,
        kontor: format!("opens in {:.0} ms", opened.as_secs_f64() * 1e3),
        comparison: "-".into(),
    })?;
    questions::settle(&index, &catalog, arguments.size)?;
    let flat = Flat::build(&arguments.folder.join("flat"), &catalog, arguments.size)?;
    questions::measure_searches(&index, &flat, &catalog, &what)?;
    print(&BenchRow {
        name: format!("search, {what}: memory (anonymous)"),
        value: anonymous_bytes()? as f64 / 1e6,
        unit: " MB",
        target: BenchTarget::None,
        kontor: "after all questions, the flat index and the generator included".into(),
        comparison: "-".into(),
    })?;
    updates(&index, &|number, version| catalog.entry(number, version), arguments.size, &what)
}

/// Measures single changes, each until a search finds it.
fn updates(
    index: &EmbeddedIndex,
    entry: &dyn Fn(usize, u64) -> SearchEntry,
    size: usize,
    what: &str,
) -> anyhow::Result<()> {
    let mut times = Vec::with_capacity(UPDATES);
    for round in 0..UPDATES {
        let put = vec![entry(round * 7919 % size, 1 + round as u64)];
        let started = Instant::now();
        index.apply(IndexBatch { put, position: position(size + round, true), ..IndexBatch::default() })?;
        times.push(started.elapsed());
    }
    times.sort();
    let ms = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    print(&BenchRow {
        name: format!("search, {what}: from an update until it is visible, p99"),
        value: ms(0.99),
        unit: " ms",
        target: BenchTarget::AtMost(1000.0),
        kontor: format!("p50 {:.1} ms, one update a batch", ms(0.5)),
        comparison: "-".into(),
    })
}

fn position(seq: usize, is_complete: bool) -> IndexPosition {
    IndexPosition { epoch: 1, seq: seq as u64, generation: 1, is_complete }
}

/// Returns the CPU time of this thread so far.
fn thread_cpu() -> anyhow::Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let ns = text.split_whitespace().next().context("an empty schedstat")?.parse()?;
    Ok(Duration::from_nanos(ns))
}

fn anonymous_bytes() -> anyhow::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:")).context("no line Anonymous")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}

fn size_of(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for file in fs_err::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}

/// Prints a row for the process that started this one.
fn print(row: &BenchRow) -> anyhow::Result<()> {
    let target = match row.target {
        BenchTarget::AtMost(most) => Some(most),
        BenchTarget::AtLeast(_) | BenchTarget::None => None,
    };
    let row = json!({
        "what": row.name, "value": row.value, "unit": row.unit, "atMost": target,
        "kontor": row.kontor, "beside": row.comparison,
    });
    writeln!(std::io::stdout(), "{row}")?;
    Ok(())
}
