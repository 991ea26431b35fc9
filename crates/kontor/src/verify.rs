//! `kontor verify`: checks a data folder or a backup for damage.
//!
//! Reads every file completely, also while a server has it open, and changes nothing. [`kontor_storage::verify_file`]
//! lists the checks.

use crate::arguments::VerifyArguments;
use crate::data_folder::{DataFolder, PROJECTS, SYSTEM_FILE};
use crate::restore;
use anyhow::{Context as _, bail};
use kontor_auth::verify_system_file;
use kontor_storage::{VerifyReport, verify_file};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command. Returns exit code 1 if a file is damaged.
pub(crate) fn run(arguments: VerifyArguments) -> anyhow::Result<ExitCode> {
    let path = arguments.path.unwrap_or(arguments.data);
    let is_whole = if path.is_dir() { verify_folder(&path)? } else { verify_backup(&path)? };
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn verify_backup(file: &Path) -> anyhow::Result<bool> {
    let parts = tempfile::Builder::new().prefix("kontor-verify-").tempdir()?;
    // This compares the files with the checksums in the backup.
    restore::unpack(file, parts.path()).with_context(|| format!("{} is damaged", file.display()))?;
    verify_folder(parts.path())
}

fn verify_folder(folder: &Path) -> anyhow::Result<bool> {
    if !DataFolder::is_data_folder(folder) {
        bail!("{} is no data folder and no backup", folder.display());
    }
    let mut is_whole = true;
    let mut out = io::stdout();
    match verify_system_file(&folder.join(SYSTEM_FILE)) {
        Ok(verified) => is_whole &= report(&mut out, SYSTEM_FILE, "rows", &verified)?,
        Err(error) => {
            is_whole = false;
            writeln!(out, "{SYSTEM_FILE}: {error}")?;
        }
    }
    for file in project_files(&folder.join(PROJECTS))? {
        let key = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match verify_file(&file) {
            Ok(verified) => {
                is_whole &= report(&mut out, &format!("project '{key}'"), "documents", &verified)?
            }
            Err(error) => {
                is_whole = false;
                writeln!(out, "project '{key}': {error}")?;
            }
        }
    }
    Ok(is_whole)
}

fn project_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "db") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Prints the result of a file, one line per finding. Returns whether it is undamaged.
fn report(out: &mut impl io::Write, name: &str, counted: &str, verified: &VerifyReport) -> io::Result<bool> {
    let VerifyReport { documents, without_checksum, findings, more } = verified;
    if findings.is_empty() {
        let not_yet = match without_checksum {
            0 => String::new(),
            rows => format!(", {rows} of them written by an earlier release, without a checksum"),
        };
        writeln!(out, "{name}: whole, {documents} {counted}{not_yet}")?;
        return Ok(true);
    }
    for finding in findings {
        writeln!(out, "{name}: {finding}")?;
    }
    if *more > 0 {
        writeln!(out, "{name}: and {more} more")?;
    }
    Ok(false)
}
