//! The Go module, as a module proxy in a folder: `GOPROXY=file:///…/dist/go`.

use super::step::{Step, is_installed, skip_without};
use super::{Release, copy_folder, recreate_folder};
use crate::run::{root, run_quietly};
use std::process::Command;

pub(crate) fn pack(release: &Release) -> Result<Step, String> {
    if !is_installed("go") {
        return Ok(skip_without("go"));
    }
    let work = release.work.join("go");
    recreate_folder(&work)?;
    copy_folder(&root().join("packages/go"), &work)?;
    super::copy(&root().join("LICENSE"), &work.join("LICENSE"))?;
    // Go's own package for the files of a proxy is a library, so a small program calls it.
    let mut go = Command::new("go");
    go.args([
        "run",
        ".",
        "--version",
        &format!("v{}", release.version),
        "--epoch",
        &release.epoch.to_string(),
    ]);
    go.arg("--module").arg(&work).arg("--out").arg(release.out.join("go"));
    run_quietly(go.current_dir(root().join("xtask/go-module")))?;
    Ok(Step::Done)
}
