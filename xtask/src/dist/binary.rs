//! The binary: static, so that it runs on every distribution, stripped, with its dependencies listed inside.
//!
//! `docs/decisions/0060-packages.md` says why it is static.

use super::platform::TargetPlatform;
use super::tools::{AUDITABLE, Tools, prepend_path};
use super::{copy, create_folder};
use crate::release::{PROFILE, split_debug_information};
use crate::run::{capture_output, root, run_quietly};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A binary that was built or given.
pub(crate) struct BuiltBinary {
    pub(crate) binary: PathBuf,
    pub(crate) debug: Option<PathBuf>,
    pub(crate) is_portable: bool,
    /// A remark about missing parts.
    pub(crate) note: Option<String>,
}

/// Uses a binary that was built before.
pub(crate) fn adopt_binary(binary: &Path, work: &Path) -> Result<BuiltBinary, String> {
    let folder = work.join("given");
    create_folder(&folder)?;
    let named = folder.join("kontor");
    copy(binary, &named)?;
    let debug = binary.with_file_name("kontor.debug");
    let is_portable = is_static(binary)?;
    let note = (!is_portable).then(|| format!("{} needs the C library of this machine", binary.display()));
    Ok(BuiltBinary { binary: named, debug: debug.exists().then_some(debug), is_portable, note })
}

/// True if no other program loads the binary: it names no interpreter.
fn is_static(binary: &Path) -> Result<bool, String> {
    let headers = run_quietly(Command::new("readelf").arg("--program-headers").arg("--wide").arg(binary))?;
    Ok(!headers.contains("INTERP"))
}

/// Builds the binary, by zig as the C compiler and linker where it can be installed, else by those of this machine.
pub(crate) fn build(platform: &TargetPlatform, tools: &Tools, target: &Path) -> Result<BuiltBinary, String> {
    let zig =
        tools.install_python_packages().and_then(|python| install_target(platform.triple).map(|()| python));
    let auditable = tools.install_cargo_command(AUDITABLE);
    let mut notes = Vec::new();
    let mut folders = Vec::new();
    notes.extend(
        zig.as_ref().err().map(|error| format!("built for the C library of this machine, since {error}")),
    );
    notes.extend(
        auditable.as_ref().err().map(|error| format!("has no list of its dependencies, since {error}")),
    );
    folders.extend([&zig, &auditable].into_iter().filter_map(|tool| tool.as_deref().ok()));
    let (verb, triple) = match zig {
        Ok(_) => ("zigbuild", Some(platform.triple)),
        Err(_) => ("build", None),
    };
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).env("PATH", prepend_path(&folders)?);
    cargo.args(auditable.is_ok().then_some("auditable"));
    cargo.args([verb, "--release", "--locked", "--package", "kontor"]);
    cargo.args(triple.map(|triple| format!("--target={triple}")));
    cargo.args(PROFILE);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", remap_flags(target)?.join("\u{1f}"));
    // The wrapper of the lints would compile everything again.
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER").env("CARGO_TARGET_DIR", target);
    eprintln!("> cargo {verb} --release (takes minutes)");
    let status = cargo.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!("the build of the binary failed ({status})"));
    }
    let built = target.join(triple.unwrap_or_default()).join("release/kontor");
    let (binary, debug) = strip(&built, &target.join("dist-work/stripped"))?;
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Ok(BuiltBinary { binary, debug, is_portable: triple.is_some(), note })
}

/// Flags that remove the folders of this machine from the binary.
fn remap_flags(target: &Path) -> Result<Vec<String>, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let home = home.ok_or("expected a home folder of cargo")?;
    // The last prefix that matches counts, so that the folder inside another one comes later.
    let prefixes = [(root(), "/kontor"), (target, "/kontor/target"), (&*home, "/cargo")];
    let flag = |(from, to): (&Path, &str)| format!("--remap-path-prefix={}={to}", from.display());
    Ok(prefixes.into_iter().map(flag).collect())
}

/// Installs the standard library of the target.
fn install_target(triple: &str) -> Result<(), String> {
    let libraries = capture_output("rustc", &["--print", "target-libdir", "--target", triple])?;
    if Path::new(libraries.trim()).exists() {
        return Ok(());
    }
    run_quietly(Command::new("rustup").current_dir(root()).args(["target", "add", triple])).map(|_| ())
}

/// Moves the debug information to a file of its own.
fn strip(built: &Path, folder: &Path) -> Result<(PathBuf, Option<PathBuf>), String> {
    super::recreate_folder(folder)?;
    if cfg!(target_os = "macos") {
        let binary = folder.join("kontor");
        copy(built, &binary)?;
        run_quietly(Command::new("strip").arg(&binary))?;
        return Ok((binary, None));
    }
    let (binary, debug) = split_debug_information(built, folder)?;
    Ok((binary, Some(debug)))
}
