//! Measures `kontor import`: Products in a file of drafts, one draft at a time and many at a time, compared with raw
//! SQLite inserts of the stored bytes; and the folders of drafts of `--drafts`.

use super::catalog::drafts::{self, ProductWidth};
use super::{Bench, thousands};
use crate::document::CONNECTIONS;
use crate::kontor::PROJECT;
use crate::peers::measure_group_commit;
use crate::table::{BenchRow, BenchTarget, figure};
use anyhow::{Context as _, ensure};
use kontor_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Products with 4 variants of 16 prices each.
const PRODUCTS: usize = 2_000;
/// The numbers of concurrent drafts to measure. The first is the default of `kontor import`.
const AT_A_TIME: [usize; 2] = [1, 64];
/// The lists of refusals that are expected of folders, by the name of the folder.
const EXPECTED: &str = "tests/import";

pub(super) fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let files = bench.folder("import-drafts");
    write_drafts(&files, PRODUCTS)?;
    for parallel in AT_A_TIME {
        let data = bench.folder(&format!("import-{parallel}"));
        let imported = import(bench, &data, &files, parallel)?;
        let (bytes, bare) = bare_inserts(bench, &data)?;
        bench.table.add(BenchRow {
            name: format!(
                "`kontor import --parallel {parallel}`, {} Products of 4 variants with 16 prices each \
                 ({bytes} bytes): Products",
                thousands(PRODUCTS)
            ),
            value: PRODUCTS as f64 / imported.time.as_secs_f64(),
            unit: "/s",
            target: BenchTarget::None,
            kontor: imported.line(),
            comparison: format!("SQLite group commit of the same bytes: {bare}"),
        });
    }
    for folder in bench.drafts.clone() {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for parallel in AT_A_TIME {
            let data = bench.folder(&format!("import-{name}-{parallel}"));
            let imported = import(bench, &data, &folder, parallel)?;
            bench.table.add(BenchRow {
                name: format!("`kontor import --parallel {parallel}` of the folder {name}: resources"),
                value: imported.created as f64 / imported.time.as_secs_f64(),
                unit: "/s",
                target: BenchTarget::None,
                kontor: imported.line(),
                comparison: "-".into(),
            });
        }
    }
    Ok(())
}

/// The result of importing a folder of drafts.
struct DraftImportResult {
    /// The number of resources created.
    created: usize,
    /// From before the command was started until it ended.
    time: Duration,
}

impl DraftImportResult {
    fn line(&self) -> String {
        format!("{} resources in {} s", thousands(self.created), figure(self.time.as_secs_f64()))
    }
}

/// Imports a folder into a project of its own.
fn import(bench: &Bench, data: &Path, folder: &Path, parallel: usize) -> anyhow::Result<DraftImportResult> {
    kontor(bench, data, &["project", "create", PROJECT])?;
    let parallel = parallel.to_string();
    let mut arguments: Vec<&OsStr> =
        ["import", "--project", PROJECT, "--parallel", &parallel].map(OsStr::new).to_vec();
    let expected = expected_of(folder)?;
    if let Some(list) = &expected {
        arguments.extend([OsStr::new("--expect"), list.as_os_str()]);
    }
    arguments.push(folder.as_os_str());
    let started = Instant::now();
    let printed = kontor(bench, data, &arguments)?;
    Ok(DraftImportResult { created: created(&printed), time: started.elapsed() })
}

/// The list of refusals that are expected of a folder, where there is one.
fn expected_of(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let root = crate::folder().parent().context("no workspace around bench/")?;
    let name = folder.file_name().context("a folder without a name")?.to_string_lossy();
    let list = root.join(EXPECTED).join(format!("{name}.expected.txt"));
    Ok(list.exists().then_some(list))
}

/// Runs a command of Kontor to its end, on the core of the servers; what it printed.
fn kontor<A: AsRef<OsStr>>(bench: &Bench, data: &Path, arguments: &[A]) -> anyhow::Result<String> {
    let output = bench
        .cores
        .server_command(bench.kontor.program.as_os_str())
        .args(arguments)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::null())
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "a command of Kontor failed ({}): {errors}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// The sum of the first column of the report of an import.
fn created(report: &str) -> usize {
    let counts = |line: &str| {
        let columns: Vec<usize> =
            line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
        (columns.len() == 3).then(|| columns[0])
    };
    report.lines().filter_map(counts).sum()
}

/// The bytes of a stored Product, and what it costs SQLite alone to insert them.
fn bare_inserts(bench: &Bench, data: &Path) -> anyhow::Result<(usize, String)> {
    let stored = kontor(bench, data, &["export", "--project", PROJECT, "--kind", "product", "--documents"])?;
    let lines = stored
        .lines()
        .map(|line| Ok(kontor_json::from_str::<Value>(line)?["resource"].to_string()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    ensure!(lines.len() == PRODUCTS, "not all {PRODUCTS} Products were imported");
    let bytes = lines.iter().map(String::len).sum::<usize>() / PRODUCTS;
    let (file, folder) = (data.join("stored.jsonl"), data.join("bare"));
    fs_err::write(&file, lines.join("\n"))?;
    fs_err::create_dir(&folder)?;
    let bare = measure_group_commit(bench.cores, &folder, &file, PRODUCTS, CONNECTIONS, true)?;
    Ok((bytes, bare.line()))
}

/// Imports Products into a project of its own with the default options. Returns the Products per second.
pub(super) fn products_a_second(bench: &Bench, name: &str, count: usize) -> anyhow::Result<f64> {
    let files = bench.folder(&format!("{name}-drafts"));
    write_drafts(&files, count)?;
    let imported = import(bench, &bench.folder(name), &files, AT_A_TIME[0])?;
    Ok(count as f64 / imported.time.as_secs_f64())
}

/// A folder of drafts: the Products, and what they refer to.
fn write_drafts(folder: &Path, count: usize) -> anyhow::Result<()> {
    fs_err::create_dir(folder)?;
    let products: Vec<Value> =
        (0..count).map(|number| drafts::product(number, ProductWidth::Wide, &format!("p{number}"))).collect();
    for (kind, drafts) in [
        ("product-type", json!([drafts::product_type()])),
        ("category", (0..drafts::CATEGORIES).map(drafts::category).collect()),
        ("product", Value::Array(products)),
    ] {
        fs_err::write(folder.join(format!("{kind}-drafts.json")), drafts.to_string())?;
    }
    Ok(())
}
