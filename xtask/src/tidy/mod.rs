//! `cargo xtask tidy [--write]`: what keeps the house in order and no compiler looks at.
//!
//! Each rule is a file. What it finds fails, unless `xtask/tidy.txt` has it; that list only shrinks.
//! Files that are derived from the model are looked at by `cargo xtask codegen --check`, which compiles the server.

mod circles;
mod constants;
mod finding;
mod links;
mod list;
mod model;
mod model_arguments;
mod resource_names;
mod samples;
mod sizes;
mod source;
mod type_names;

use crate::run::root;
use finding::Finding;
use list::List;
pub(crate) use source::rust_files;

/// Where Rust code is.
const FOLDERS: &[&str] = &["bench", "crates", "tests", "xtask"];
const MODEL: &str = "model";
/// Below the root.
const LIST: &str = "xtask/tidy.txt";

/// Says what is not tidy and not in the list, and what the list has for nothing. With `--write` the latter goes.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let writes = match arguments {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => return Err("expected no argument or --write".to_owned()),
    };
    let found = findings()?;
    let rules: Vec<&str> = found.iter().map(|(rule, _)| *rule).collect();
    let path = root().join(LIST);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{LIST}: {error}"))?;
    let mut list = List::read(&text).map_err(|problem| format!("{LIST}: {problem}"))?;
    let mut problems: Vec<String> = list
        .unknown(&rules)
        .iter()
        .map(|rule| format!("{LIST}: there is no rule '{rule}'; expected one of {}", rules.join(", ")))
        .collect();
    for (rule, findings) in found {
        let (new, stale) = list.settle(rule, findings);
        problems.extend(new.iter().map(|finding| {
            let Finding { path, line, entry, problem } = finding;
            format!("{path}:{line}: {problem} [{rule}: {entry}]")
        }));
        if !writes {
            problems.extend(stale.iter().map(|entry| {
                format!("{LIST}: [{rule}] '{entry}' is mended; `cargo xtask tidy --write` removes it")
            }));
        }
    }
    let written = list.written(&rules);
    if writes && written != text {
        std::fs::write(&path, written).map_err(|error| format!("{LIST}: {error}"))?;
        eprintln!("wrote {LIST}");
    }
    match problems.as_slice() {
        [] => Ok(()),
        problems => Err(format!("{} things are not tidy\n{}", problems.len(), problems.join("\n"))),
    }
}

/// What each rule finds, under the rule's name.
fn findings() -> Result<Vec<(&'static str, Vec<Finding>)>, String> {
    let sources = source::read_all(root(), FOLDERS)?;
    let directives = model::read_all(root(), MODEL)?;
    let pages = links::read_all(root())?;
    Ok(vec![
        ("circles", circles::findings(&sources)),
        ("constants", constants::findings(&sources)),
        ("links", links::findings(root(), &pages)),
        ("long-files", sizes::long_files(&sources)),
        ("long-functions", sizes::long_functions(&sources)),
        ("model-arguments", model_arguments::findings(&directives)),
        ("resource-names", resource_names::findings(&sources, &resource_names::Names::of(&directives))),
        ("samples", samples::findings(&pages)),
        ("type-names", type_names::findings(&sources)),
    ])
}
