//! Checks dependencies: licences, sources and versions, by `deny.toml`.
//!
//! The file is that of `cargo deny`, which people may run as well; it also checks advisories. Installing it
//! takes longer than all checks here, so this reads the output of `cargo metadata`. An unknown setting fails:
//! no setting of the file is ignored silently.

use crate::run::{capture_output, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const SETTINGS: &str = "deny.toml";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Shorter licence texts may occur in any file.
const TELLING_TEXT_BYTES_MIN: usize = 400;

/// Fails for each package that may not be depended on.
pub(crate) fn check() -> Result<(), String> {
    eprintln!("> licences, sources and versions of dependencies");
    let text =
        std::fs::read_to_string(root().join(SETTINGS)).map_err(|error| format!("{SETTINGS}: {error}"))?;
    let settings: Settings = toml::from_str(&text).map_err(|error| format!("{SETTINGS}: {error}"))?;
    settings.admit()?;
    let mut problems = BTreeSet::new();
    for target in &settings.graph.targets {
        let listed = capture_output(
            "cargo",
            &["metadata", "--format-version", "1", "--locked", "--filter-platform", target],
        )?;
        let listed: Metadata =
            kontor_json::from_str(&listed).map_err(|error| format!("cargo metadata: {error}"))?;
        problems.extend(settings.problems(&listed));
    }
    match problems.len() {
        0 => Ok(()),
        _ => Err(problems.into_iter().collect::<Vec<_>>().join("\n")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    graph: Graph,
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

/// The platforms whose dependencies count.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Graph {
    targets: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Licenses {
    allow: BTreeSet<String>,
    private: Private,
}

/// Whether the packages of the workspace are left out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Private {
    ignore: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bans {
    multiple_versions: String,
    wildcards: String,
    allow_wildcard_paths: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sources {
    unknown_registry: String,
    unknown_git: String,
}

/// The needed part of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    /// A licence file next to the manifest, instead of an expression.
    license_file: Option<PathBuf>,
    manifest_path: PathBuf,
    /// `None` for a path.
    source: Option<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    path: Option<String>,
}

impl Settings {
    /// Fails for values that are not checked here.
    fn admit(&self) -> Result<(), String> {
        let values = [
            ("licenses.private.ignore", self.licenses.private.ignore.to_string(), "true"),
            ("bans.multiple-versions", self.bans.multiple_versions.clone(), "allow"),
            ("bans.wildcards", self.bans.wildcards.clone(), "deny"),
            ("bans.allow-wildcard-paths", self.bans.allow_wildcard_paths.to_string(), "true"),
            ("sources.unknown-registry", self.sources.unknown_registry.clone(), "deny"),
            ("sources.unknown-git", self.sources.unknown_git.clone(), "deny"),
        ];
        for (setting, value, known) in values {
            if value != known {
                return Err(format!(
                    "{SETTINGS}: {setting} is '{value}', and xtask/src/dependencies.rs checks '{known}' only"
                ));
            }
        }
        Ok(())
    }

    /// Returns the problems of a platform's packages.
    fn problems(&self, listed: &Metadata) -> Vec<String> {
        let packages: BTreeMap<&str, &Package> =
            listed.packages.iter().map(|package| (package.id.as_str(), package)).collect();
        let needed = listed.resolve.nodes.iter().filter_map(|node| packages.get(node.id.as_str()));
        needed.flat_map(|package| self.problems_of(package)).collect()
    }

    fn problems_of(&self, package: &Package) -> Vec<String> {
        let mut problems = Vec::new();
        let mut problem =
            |what: String| problems.push(format!("{} {}: {what}", package.name, package.version));
        match package.source.as_deref() {
            // A package of the workspace.
            None => {
                for dependency in &package.dependencies {
                    if dependency.req == "*" && dependency.path.is_none() {
                        problem(format!(
                            "depends on any version of {}; name the one it needs",
                            dependency.name
                        ));
                    }
                }
            }
            Some(CRATES_IO) => {
                let admitted = match (&package.license, &package.license_file) {
                    (Some(expression), _) => self.admits(expression),
                    (None, Some(file)) => self.admits_text(&package.manifest_path.with_file_name(file)),
                    (None, None) => Err("names no licence".to_owned()),
                };
                if let Err(what) = admitted {
                    problem(what);
                }
            }
            Some(source) => problem(format!("comes from {source}; only crates.io is admitted")),
        }
        problems
    }

    /// Whether the allowed licences satisfy an expression.
    fn admits(&self, text: &str) -> Result<(), String> {
        // Older packages write `MIT/Apache-2.0`.
        let expression = spdx::Expression::parse_mode(text, spdx::ParseMode::LAX)
            .map_err(|error| format!("its licence '{text}' cannot be read: {}", error.reason))?;
        if expression.evaluate(|request| self.licenses.allow.contains(&request.to_string())) {
            Ok(())
        } else {
            Err(format!("its licence '{text}' is not among those that {SETTINGS} allows"))
        }
    }

    /// Whether a file has the text of one of them.
    fn admits_text(&self, path: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = words(&text);
        let is_one = self.licenses.allow.iter().filter_map(|name| spdx::license_id(name)).any(|known| {
            // The copyright holders precede the common text, in angle brackets.
            let common = words(known.text().rsplit('>').next().unwrap_or_default());
            common.len() >= TELLING_TEXT_BYTES_MIN && text.contains(&common)
        });
        if is_one {
            Ok(())
        } else {
            Err(format!("{} is not the text of a licence that {SETTINGS} allows", path.display()))
        }
    }
}

/// The words of a text, as licences are compared: without case, marks and the breaks of lines.
fn words(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [graph]
        targets = ["x86_64-unknown-linux-gnu"]
        [licenses]
        allow = ["MIT", "Apache-2.0 WITH LLVM-exception"]
        [licenses.private]
        ignore = true
        [bans]
        multiple-versions = "allow"
        wildcards = "deny"
        allow-wildcard-paths = true
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
    "#;

    fn problems(package: &str) -> Vec<String> {
        let settings: Settings = toml::from_str(TEXT).unwrap();
        let listed = format!(r#"{{"packages": [{package}], "resolve": {{"nodes": [{{"id": "a"}}]}}}}"#);
        settings.problems(&kontor_json::from_str(&listed).unwrap())
    }

    fn package(license: &str, source: &str, requirement: &str) -> String {
        format!(
            r#"{{"id": "a", "name": "a", "version": "1.0.0", "license": {license}, "source": {source},
                "license_file": null, "manifest_path": "/a/Cargo.toml",
                "dependencies": [{{"name": "b", "req": "{requirement}", "path": null}}]}}"#
        )
    }

    #[test]
    fn licences_are_expressions() {
        let of = |license: &str| problems(&package(license, &format!("\"{CRATES_IO}\""), "*"));
        for allowed in
            ["\"MIT\"", "\"GPL-3.0-only OR MIT\"", "\"MIT/Apache-2.0\"", "\"Apache-2.0 WITH LLVM-exception\""]
        {
            assert_eq!(of(allowed), Vec::<String>::new(), "{allowed}");
        }
        assert_eq!(of("null"), ["a 1.0.0: names no licence"]);
        let refused = "a 1.0.0: its licence 'MIT AND Apache-2.0' is not among those that deny.toml allows";
        assert_eq!(of("\"MIT AND Apache-2.0\""), [refused]);
        assert!(of("\"Mine\"")[0].starts_with("a 1.0.0: its licence 'Mine' cannot be read: "));
    }

    #[test]
    fn a_licence_may_be_a_text() {
        let folder = std::env::temp_dir().join(format!("kontor-licences-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mit = spdx::license_id("MIT").unwrap().text();
        let mine = mit
            .replace("<year> <copyright holders>", "[2021] [somebody]")
            .replace("SOFTWARE IS", "SOFTWARE\nIS");
        assert_ne!(mine, mit);
        let of = |text: &str| {
            std::fs::write(folder.join("LICENSE"), text).unwrap();
            let settings: Settings = toml::from_str(TEXT).unwrap();
            settings.admits_text(&folder.join("LICENSE"))
        };
        assert_eq!(of(&mine), Ok(()));
        assert!(of(&mine.replace("free of charge", "for a fee")).is_err());
        assert!(of("").is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_one_registry_is_admitted_and_no_open_version() {
        let of = |source: &str| problems(&package("\"MIT\"", source, "*"));
        let git = "git+https://example.com/a#0";
        assert_eq!(
            of(&format!("\"{git}\"")),
            [format!("a 1.0.0: comes from {git}; only crates.io is admitted")]
        );
        assert_eq!(of("null"), ["a 1.0.0: depends on any version of b; name the one it needs"]);
        assert_eq!(problems(&package("null", "null", "^1")), Vec::<String>::new());
    }

    #[test]
    fn a_setting_that_is_not_checked_fails() {
        assert!(toml::from_str::<Settings>(&TEXT.replace("[bans]", "[bans]\ndeny = []")).is_err());
        let settings: Settings = toml::from_str(&TEXT.replace("\"allow\"", "\"warn\"")).unwrap();
        let problem = settings.admit().unwrap_err();
        assert_eq!(
            problem,
            "deny.toml: bans.multiple-versions is 'warn', and xtask/src/dependencies.rs checks 'allow' only"
        );
    }
}
