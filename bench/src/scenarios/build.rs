//! Measures `cargo check` of the server after a change of the model.

use super::Bench;
use crate::table::{BenchRow, BenchTarget};
use anyhow::{Context as _, ensure};
use std::path::Path;
use std::process::Stdio;
use std::time::{Instant, SystemTime};

/// The number of measurements; the median counts.
const ROUNDS: usize = 3;
/// The file of the model that is touched.
const MODEL_FILE: &str = "model/state.graphql";

pub(super) fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let root = crate::folder().parent().context("no workspace around bench/")?;
    check(bench, root)?;
    let mut seconds = Vec::new();
    for _ in 0..ROUNDS {
        // Cargo goes by the time of a file, so the file itself stays as it is.
        fs_err::File::options()
            .write(true)
            .open(root.join(MODEL_FILE))?
            .file()
            .set_modified(SystemTime::now())?;
        seconds.push(check(bench, root)?);
    }
    seconds.sort_by(f64::total_cmp);
    bench.table.add(BenchRow {
        name: "`cargo check -p kontor` after a change of the model".into(),
        value: seconds[ROUNDS / 2],
        unit: " s",
        target: BenchTarget::AtMost(10.0),
        kontor: format!("median of {ROUNDS}, all cores"),
        comparison: "-".into(),
    });
    Ok(())
}

fn check(bench: &Bench, root: &Path) -> anyhow::Result<f64> {
    let started = Instant::now();
    let status = bench
        .cores
        .free_command("cargo")
        .args(["check", "--quiet", "--package", "kontor"])
        .current_dir(root)
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "cargo check failed");
    Ok(started.elapsed().as_secs_f64())
}
