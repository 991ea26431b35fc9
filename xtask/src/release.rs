//! `cargo xtask release`: the distributed binary, and its debug information in a separate file.

use crate::run::{run, run_quietly, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Settings of cargo for a binary that is distributed: lines for backtraces, in the crates of the workspace only.
pub(crate) const PROFILE: [&str; 4] = [
    "--config",
    r#"profile.release.debug="line-tables-only""#,
    "--config",
    r#"profile.release.package."*".debug=false"#,
];

/// Writes `dist/kontor`, stripped, and `dist/kontor.debug` to cargo's target folder. Backtraces and debuggers find the
/// second file by its name in the folder of the first.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err("expected no argument".to_owned());
    }
    let build = ["build", "--release", "--locked", "--package", "kontor"];
    run("cargo", &[build.as_slice(), &PROFILE].concat())?;
    let target = target()?;
    let dist = target.join("dist");
    std::fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    let (stripped, debug) = split_debug_information(&target.join("release/kontor"), &dist)?;
    eprintln!("wrote {} and {}", stripped.display(), debug.display());
    Ok(())
}

/// Writes the stripped binary and its debug information to a folder, as `kontor` and `kontor.debug`. Returns their paths.
pub(crate) fn split_debug_information(built: &Path, folder: &Path) -> Result<(PathBuf, PathBuf), String> {
    let (stripped, debug) = (folder.join("kontor"), folder.join("kontor.debug"));
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&debug);
    // `objcopy` is part of GNU binutils, which come with every C compiler of Linux. Sections that are no symbols stay, e.g.
    // the list of dependencies.
    run_quietly(Command::new("objcopy").arg("--only-keep-debug").arg(built).arg(&debug))?;
    run_quietly(Command::new("objcopy").arg("--strip-all").arg(link).arg(built).arg(&stripped))?;
    Ok((stripped, debug))
}
