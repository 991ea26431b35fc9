//! `SHA256SUMS`, its signature, and the table of all artifacts.

use super::archive::sha256;
use super::step::{Step, is_installed, skip_without};
use super::write;
use crate::run::run_quietly;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUMS: &str = "SHA256SUMS";
/// Names the file of a secret key of minisign, for the signature.
const KEY: &str = "KONTOR_SIGNING_KEY";

/// Writes the checksums of all artifacts, in the format of `sha256sum --check`, and signs them if there is a key.
pub(crate) fn write_sums(out: &Path) -> Result<Step, String> {
    let mut text = String::new();
    for file in list_files(out)? {
        text += &format!("{}  {}\n", sha256(&out.join(&file))?, file.display());
    }
    let sums = out.join(SUMS);
    write(&sums, text.as_bytes())?;
    let Some(key) = std::env::var_os(KEY) else {
        return Ok(Step::Skipped(format!("{KEY} names no key of minisign")));
    };
    if !is_installed("minisign") {
        return Ok(skip_without("minisign"));
    }
    run_quietly(Command::new("minisign").arg("-S").arg("-s").arg(key).arg("-m").arg(&sums))?;
    Ok(Step::Done)
}

/// Prints the size and the checksum of each artifact.
pub(crate) fn print_table(out: &Path) -> Result<(), String> {
    eprintln!("\n{:>10}  {:12}  {}", "bytes", "SHA-256", out.display());
    for file in list_files(out)? {
        let path = out.join(&file);
        let length = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        eprintln!("{length:>10}  {:12}  {}", &sha256(&path)?[..12], file.display());
    }
    eprintln!();
    Ok(())
}

/// All files below a folder, sorted.
pub(crate) fn list_files(out: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut folders = vec![out.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(out).unwrap_or(&path).to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}
