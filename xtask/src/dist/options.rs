//! The flags of the command.

use super::platform::{PLATFORMS, TargetPlatform};
use std::path::PathBuf;

/// The flags of the command.
pub(crate) struct DistOptions {
    pub(crate) platform: &'static TargetPlatform,
    /// A binary to pack, instead of building one.
    pub(crate) binary: Option<PathBuf>,
    /// Where artifacts are written. Default: `dist/`.
    pub(crate) out: Option<PathBuf>,
    /// Installs and uses each artifact.
    pub(crate) check: bool,
}

impl DistOptions {
    pub(crate) fn parse(arguments: &[String]) -> Result<DistOptions, String> {
        let mut options = DistOptions { platform: &PLATFORMS[0], binary: None, out: None, check: false };
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value"));
            match flag.as_str() {
                "--check" => options.check = true,
                "--binary" => options.binary = Some(absolute_path(value()?)?),
                "--out" => options.out = Some(absolute_path(value()?)?),
                "--platform" => options.platform = find_platform(value()?)?,
                _ => {
                    return Err(format!(
                        "expected --check, --binary FILE, --out FOLDER or --platform NAME, not {flag}"
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// The programs of the command run in other folders.
fn absolute_path(path: &str) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{path}: {error}"))
}

fn find_platform(name: &str) -> Result<&'static TargetPlatform, String> {
    let names = || PLATFORMS.iter().map(|platform| platform.name).collect::<Vec<_>>().join(", ");
    PLATFORMS
        .iter()
        .find(|platform| platform.name == name)
        .ok_or_else(|| format!("expected one of {}", names()))
}
