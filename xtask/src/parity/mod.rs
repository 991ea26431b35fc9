//! `cargo xtask parity`: lists everything that the official TypeScript SDKs name and Kontor's OpenAPI document lacks: update
//! actions, fields, Messages, change types, error codes, values of enums, parameters.
//!
//! The command downloads the newest SDKs, so it shows when the platform's API has moved on. `cargo xtask test` compares
//! the SDKs of `tests/sdk` instead. `xtask/parity.txt` lists the accepted differences.

mod allowed;
mod compare;
mod document;
mod sdk;

use crate::run::{capture_output, root, run};
use allowed::Allowed;
use document::DescribedNames;
use sdk::Sdk;
use std::collections::BTreeSet;
use std::path::Path;

const DOCUMENT: &str = "docs/api/openapi.json";
const ALLOWED: &str = "xtask/parity.txt";

/// The SDK of an API of the platform.
struct PlatformApi {
    /// Its name in findings.
    name: &'static str,
    package: &'static str,
    /// The beginning of the names of schemas that would otherwise collide with those of another API.
    prefix: &'static str,
}

const APIS: &[PlatformApi] = &[
    PlatformApi { name: "platform", package: "@commercetools/platform-sdk", prefix: "" },
    PlatformApi { name: "import", package: "@commercetools/importapi-sdk", prefix: "" },
    PlatformApi { name: "history", package: "@commercetools/history-sdk", prefix: "" },
    PlatformApi { name: "checkout", package: "@commercetools/checkout-sdk", prefix: "Checkout" },
];

/// Downloads the newest SDKs and prints what the document lacks.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("expected no argument, not {unknown}"));
    }
    let folder = std::env::temp_dir().join(format!("kontor-parity-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let result = install_newest(&folder).and_then(|()| check(&folder));
    // A folder that stays does no harm.
    std::fs::remove_dir_all(&folder).ok();
    // The list fits the SDKs of `tests/sdk`, so an entry that a newer one does not need is no mistake.
    let unneeded = result?;
    unneeded.iter().for_each(|entry| eprintln!("not needed for the newest SDKs: {entry}"));
    Ok(())
}

/// Compares the SDKs below `folder/node_modules`, and fails for entries of the list that none of them needs.
pub(crate) fn check_pinned(folder: &Path) -> Result<(), String> {
    eprintln!("> names of the SDKs in the OpenAPI document");
    match check(folder)?.as_slice() {
        [] => Ok(()),
        unneeded => Err(format!("{ALLOWED} has entries without need:\n{}", unneeded.join("\n"))),
    }
}

fn install_newest(folder: &Path) -> Result<(), String> {
    let mut packages = Vec::new();
    for api in APIS {
        // `@latest` may mean the newest version that suits the installed Node.js.
        let version = capture_output("npm", &["view", api.package, "version"])?;
        packages.push(format!("{}@{}", api.package, version.trim()));
    }
    let prefix = folder.display().to_string();
    let mut arguments =
        vec!["install", "--prefix", &prefix, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
    arguments.extend(packages.iter().map(String::as_str));
    run("npm", &arguments)
}

/// Fails for names that the document and the list lack. Returns the entries of the list without need.
fn check(folder: &Path) -> Result<Vec<String>, String> {
    let document = read(DOCUMENT)?;
    let document = kontor_json::from_str(&document).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    let mut allowed = Allowed::read(&read(ALLOWED)?).map_err(|problem| format!("{ALLOWED}: {problem}"))?;
    let mut missing = BTreeSet::new();
    for api in APIS {
        let sdk = Sdk::read(&folder.join("node_modules").join(api.package))?;
        let found = compare::missing_names(&sdk, &DescribedNames::new(&document, api.prefix));
        let names = found.into_iter().map(|finding| format!("{}: {finding}", api.name));
        let (accepted, further): (Vec<_>, Vec<_>) = names.partition(|name| allowed.accepts(name));
        eprintln!("{} {}: {} missing, {} accepted", api.package, sdk.version, further.len(), accepted.len());
        missing.extend(further);
    }
    if missing.is_empty() {
        return Ok(allowed.unneeded());
    }
    let list = missing.into_iter().collect::<Vec<_>>().join("\n");
    Err(format!("{DOCUMENT} lacks names of the SDKs; describe them, or accept them in {ALLOWED}:\n{list}"))
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}
