//! `cargo xtask dist`: every artifact that people install, written to `dist/` with its checksum. Nothing is published.
//!
//! Each artifact is a file here. A step that needs a missing tool is skipped with a line that names the tool; a tool that is
//! there and fails ends the command. `--check` installs each artifact into an empty environment and uses it once
//! ([`check`]).

mod archive;
mod binary;
mod check;
mod go;
mod image;
mod java;
mod linux_packages;
mod npm;
mod options;
mod platform;
mod python;
mod sbom;
mod step;
mod sums;
mod tarball;
mod tools;

use crate::run::{capture_output, root, target};
use options::DistOptions;
use platform::TargetPlatform;
use std::fs;
use std::path::{Path, PathBuf};
use step::{Step, StepReport};
use tools::Tools;

/// The release that all artifacts are made from.
pub(crate) struct Release {
    pub(crate) version: String,
    pub(crate) platform: &'static TargetPlatform,
    /// The time of all entries of archives, in seconds: that of the commit, so that two builds are the same.
    pub(crate) epoch: u64,
    /// The stripped binary, in a file named `kontor`.
    pub(crate) binary: PathBuf,
    /// False for a binary that needs the C library of this machine.
    pub(crate) is_portable: bool,
    /// Its debug information, in a file named `kontor.debug`.
    pub(crate) debug: Option<PathBuf>,
    /// Its list of dependencies.
    pub(crate) sbom: Option<PathBuf>,
    /// Where artifacts are written.
    pub(crate) out: PathBuf,
    /// An own folder for intermediate files.
    pub(crate) work: PathBuf,
    pub(crate) tools: Tools,
}

/// An artifact and the function that makes it.
type Packer = (&'static str, fn(&Release) -> Result<Step, String>);

const PACKERS: &[Packer] = &[
    ("tar.gz, debug information, install.sh", tarball::pack),
    ("npm packages", npm::pack),
    ("Python wheel", python::pack),
    ("Maven repository", java::pack),
    ("Go module", go::pack),
    ("container image", image::pack),
    (".deb and .rpm", linux_packages::pack),
];

/// Runs the command.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let options = DistOptions::parse(arguments)?;
    let target = target()?;
    let tools = Tools::new(target.join("dist-tools"));
    let mut reports = Vec::new();
    let built = match &options.binary {
        Some(binary) => binary::adopt_binary(binary, &target.join("dist-work"))?,
        None => binary::build(options.platform, &tools, &target)?,
    };
    reports
        .extend(built.note.map(|note| StepReport { name: "portable binary", outcome: Step::Skipped(note) }));
    let mut release = Release {
        version: read_version()?,
        platform: options.platform,
        epoch: read_epoch()?,
        binary: built.binary,
        is_portable: built.is_portable,
        debug: built.debug,
        sbom: None,
        out: options.out.unwrap_or_else(|| root().join("dist")),
        work: target.join("dist-work"),
        tools,
    };
    recreate_folder(&release.out)?;
    let listed = sbom::write_list(&mut release)?;
    reports.push(StepReport { name: "list of dependencies (SBOM)", outcome: listed });
    reports.extend(pack_all(&release)?);
    let signed = sums::write_sums(&release.out)?;
    reports.push(StepReport { name: "signature", outcome: signed });
    sums::print_table(&release.out)?;
    reports.iter().for_each(StepReport::print_skipped);
    if options.check { check::run_all(&release) } else { Ok(()) }
}

/// Makes all artifacts from the binary.
fn pack_all(release: &Release) -> Result<Vec<StepReport>, String> {
    let mut reports = Vec::new();
    for (name, pack) in PACKERS {
        eprintln!("> {name}");
        let outcome = pack(release).map_err(|error| format!("{name}: {error}"))?;
        reports.push(StepReport { name, outcome });
    }
    Ok(reports)
}

/// The version of the workspace, which all packages have.
fn read_version() -> Result<String, String> {
    let manifest = read(&root().join("Cargo.toml"))?;
    let manifest: toml::Table = manifest.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let version =
        manifest.get("workspace").and_then(|workspace| workspace.get("package")?.get("version")?.as_str());
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml has no workspace.package.version".to_owned())
}

/// `SOURCE_DATE_EPOCH`, or the time of the commit.
fn read_epoch() -> Result<u64, String> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(given) => given,
        Err(_) => capture_output("git", &["log", "-1", "--format=%ct"])?,
    };
    text.trim().parse().map_err(|_| format!("expected seconds in SOURCE_DATE_EPOCH, not {text}"))
}

/// A time as text, e.g. `2026-11-30T18:00:00Z`.
fn format_utc(epoch: u64) -> Result<String, String> {
    let printed = capture_output("date", &["--utc", "--date", &format!("@{epoch}"), "+%Y-%m-%dT%H:%M:%SZ"])?;
    Ok(printed.trim().to_owned())
}

/// Creates a folder, or deletes what is in it.
fn recreate_folder(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    create_folder(folder)
}

fn create_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn write(file: &Path, text: &[u8]) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

/// Copies a folder without what builds leave there.
fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    const LEFT: [&str; 6] =
        ["node_modules", "target", "__pycache__", ".pytest_cache", "test-results", "package-lock.json"];
    create_folder(to)?;
    for entry in fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))? {
        let entry = entry.map_err(|error| error.to_string())?;
        let name = entry.file_name();
        if LEFT.iter().any(|left| name == *left) {
            continue;
        }
        let (path, to) = (entry.path(), to.join(&name));
        if path.is_dir() { copy_folder(&path, &to)? } else { copy(&path, &to)? }
    }
    Ok(())
}
