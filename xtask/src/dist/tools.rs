//! The tools that no machine has: each in the version that is written here, installed below the target folder.

use super::create_folder;
use super::step::is_installed;
use crate::run::run_quietly;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C compiler for other platforms, cargo's use of it, and the build tool of the wheel.
const PYTHON_PACKAGES: [&str; 3] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1", "hatchling==1.27.0"];
/// Writes the list of dependencies into the binary.
pub(crate) const AUDITABLE: (&str, &str) = ("cargo-auditable", "0.7.7");
/// Reads that list and prints it as CycloneDX.
pub(crate) const AUDITABLE_TO_CYCLONEDX: (&str, &str) = ("auditable2cdx", "0.1.0");
/// Writes `.deb` and `.rpm`.
const NFPM: &str = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0";

/// The folder of the installed tools.
pub(crate) struct Tools {
    folder: PathBuf,
}

impl Tools {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Tools { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder with the programs of the Python packages.
    pub(crate) fn install_python_packages(&self) -> Result<PathBuf, String> {
        let programs = self.folder.join("venv/bin");
        let mark = self.folder.join("venv").join(PYTHON_PACKAGES.join("_"));
        if mark.exists() {
            return Ok(programs);
        }
        create_folder(&self.folder)?;
        run_quietly(Command::new("python3").arg("-m").arg("venv").arg(self.folder.join("venv")))?;
        run_quietly(Command::new(programs.join("pip")).args(["install", "--quiet"]).args(PYTHON_PACKAGES))?;
        super::write(&mark, b"")?;
        Ok(programs)
    }

    /// The folder with a command of cargo, in this version.
    pub(crate) fn install_cargo_command(&self, (name, version): (&str, &str)) -> Result<PathBuf, String> {
        let root = self.folder.join(format!("{name}-{version}"));
        if !root.join("bin").join(name).exists() {
            let mut install = Command::new("cargo");
            install.args(["install", "--locked", "--version", version, name, "--root"]).arg(&root);
            // Flags of the workspace do not apply to the tools.
            run_quietly(without_cargo_settings(&mut install))?;
        }
        Ok(root.join("bin"))
    }

    /// The program nfpm.
    pub(crate) fn install_nfpm(&self) -> Result<PathBuf, String> {
        let version = NFPM.rsplit('@').next().unwrap_or_default();
        let folder = self.folder.join(format!("nfpm-{version}"));
        let program = folder.join("nfpm");
        if !program.exists() {
            if !is_installed("go") {
                return Err("go is not installed".to_owned());
            }
            run_quietly(Command::new("go").args(["install", NFPM]).env("GOBIN", &folder))?;
        }
        Ok(program)
    }
}

/// Removes what cargo has told xtask, which would otherwise apply to the build of another package.
pub(crate) fn without_cargo_settings(command: &mut Command) -> &mut Command {
    for name in ["CARGO_TARGET_DIR", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(name);
    }
    command
}

/// `PATH` with these folders at its beginning.
pub(crate) fn prepend_path(folders: &[&Path]) -> Result<std::ffi::OsString, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().map(|folder| folder.to_path_buf()).chain(std::env::split_paths(&path));
    std::env::join_paths(all).map_err(|error| error.to_string())
}
