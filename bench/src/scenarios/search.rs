//! Compares the embedded search index with a flat one, in one process for each size.

use super::Bench;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use kontor_json::Value;
use std::process::Stdio;

/// Entries.
const SIZES: [usize; 2] = [10_000, 100_000];
const LARGE: usize = 1_000_000;

pub(super) fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let mut runs: Vec<(usize, bool)> = SIZES.iter().map(|size| (*size, false)).collect();
    runs.push((SIZES[1], true));
    if bench.large {
        runs.extend([(LARGE, false), (LARGE, true)]);
    }
    for (size, one_level) in runs {
        measure(bench, size, one_level.then_some("--one-level"))?;
    }
    Ok(())
}

/// Business Units.
pub(super) fn run_units(bench: &mut Bench) -> anyhow::Result<()> {
    measure(bench, if bench.large { LARGE } else { SIZES[1] }, Some("--units"))
}

/// Measures entries of a shape in a process of its own.
fn measure(bench: &mut Bench, size: usize, shape: Option<&str>) -> anyhow::Result<()> {
    let folder = bench.folder(&format!("search-{size}{}", shape.unwrap_or_default()));
    let mut command = bench.cores.server_command(std::env::current_exe()?.as_os_str());
    command.arg("peer-search").arg(&folder).args(["--size", &size.to_string()]).args(shape);
    let output = command.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the measurement of {size} entries failed");
    for line in String::from_utf8(output.stdout)?.lines() {
        bench.table.add(row(line).with_context(|| format!("not a row: {line}"))?);
    }
    fs_err::remove_dir_all(&folder)?;
    Ok(())
}

fn row(line: &str) -> Option<BenchRow> {
    let row: Value = kontor_json::from_str(line).ok()?;
    let text = |name: &str| row.get(name)?.as_str().map(str::to_owned);
    let unit = text("unit")?;
    Some(BenchRow {
        name: text("what")?,
        value: row.get("value")?.as_f64()?,
        unit: ["×", " ms", " MB", "/s"].into_iter().find(|known| *known == unit)?,
        target: row["atMost"].as_f64().map_or(BenchTarget::None, BenchTarget::AtMost),
        kontor: text("kontor")?,
        comparison: text("beside")?,
    })
}
