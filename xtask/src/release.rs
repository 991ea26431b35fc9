//! `cargo xtask release`: the distributed binary, and its debug information in a separate file.

use crate::run::{run, target};

/// Writes `dist/kontor`, stripped, and `dist/kontor.debug` to cargo's target folder. Backtraces and debuggers find the
/// second file by its name in the folder of the first.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    if !arguments.is_empty() {
        return Err("expected no argument".to_owned());
    }
    let lines = r#"profile.release.debug="line-tables-only""#;
    let none = r#"profile.release.package."*".debug=false"#;
    run(
        "cargo",
        &["build", "--release", "--locked", "--package", "kontor", "--config", lines, "--config", none],
    )?;
    let target = target()?;
    let dist = target.join("dist");
    std::fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    let built = target.join("release/kontor").to_string_lossy().into_owned();
    let stripped = dist.join("kontor").to_string_lossy().into_owned();
    let debug = dist.join("kontor.debug").to_string_lossy().into_owned();
    // `objcopy` is part of GNU binutils, which come with every C compiler of Linux.
    run("objcopy", &["--only-keep-debug", &built, &debug])?;
    run("objcopy", &["--strip-all", &format!("--add-gnu-debuglink={debug}"), &built, &stripped])?;
    eprintln!("wrote {stripped} and {debug}");
    Ok(())
}
