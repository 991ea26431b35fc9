//! `cargo xtask tidy [--write]`: rules for code, model and guides that no compiler checks.
//!
//! Each rule is a file and returns findings. A finding fails unless `xtask/tidy.txt` lists it; rules about words have a
//! budget in `xtask/words.toml` instead. List and budget only shrink. `cargo xtask codegen --check` checks generated files,
//! since that needs the server's crates.

mod budget;
mod circles;
mod commits;
mod constants;
mod finding;
mod links;
mod list;
mod model;
mod model_arguments;
mod names;
mod plain_words;
mod prose;
mod resource_names;
mod samples;
mod sizes;
mod source;
mod type_names;

use crate::run::root;
use budget::Budget;
use finding::Finding;
use list::List;
pub(crate) use source::rust_files;

/// Folders with Rust code.
const FOLDERS: &[&str] = &["bench", "crates", "tests", "xtask"];
/// Rust code that is built apart from the workspace; only its comments are checked.
const FUZZ: &str = "fuzz";
const MODEL: &str = "model";
/// The list of accepted findings, below the root.
const LIST: &str = "xtask/tidy.txt";
/// The budget of unclear words, below the root.
const BUDGET: &str = "xtask/words.toml";

/// Fails with each finding that is neither listed nor within the budget, and with each stale entry. With `--write` it
/// removes stale entries and lowers the budget instead.
pub(crate) fn run_all(arguments: &[String]) -> Result<(), String> {
    let writes = match arguments {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => return Err("expected no argument or --write".to_owned()),
    };
    let sources = source::read_all(root(), FOLDERS)?;
    let pages = links::read_all(root())?;
    let mut problems = check_list(&sources, &pages, writes)?;
    problems.extend(check_words(&sources, &pages, writes)?);
    problems.extend(commits::problems(root()));
    match problems.as_slice() {
        [] => Ok(()),
        problems => Err(format!("{} things are not tidy\n{}", problems.len(), problems.join("\n"))),
    }
}

/// Returns the findings that `xtask/tidy.txt` does not list, and its stale entries.
fn check_list(sources: &[source::Source], pages: &links::Pages, writes: bool) -> Result<Vec<String>, String> {
    let found = listed_findings(sources, pages)?;
    let rules: Vec<&str> = found.iter().map(|(rule, _)| *rule).collect();
    let text = std::fs::read_to_string(root().join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let mut list = List::read(&text).map_err(|problem| format!("{LIST}: {problem}"))?;
    let mut problems: Vec<String> = list
        .unknown_sections(&rules)
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
    write_changed(LIST, &text, &list.to_text(&rules), writes)?;
    Ok(problems)
}

/// Returns what is over the budget of `xtask/words.toml`, and whether the budget can shrink.
fn check_words(
    sources: &[source::Source],
    pages: &links::Pages,
    writes: bool,
) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(root().join(BUDGET)).map_err(|error| format!("{BUDGET}: {error}"))?;
    let mut budget = Budget::parse(&text).map_err(|problem| format!("{BUDGET}: {problem}"))?;
    let folders: Vec<&str> = FOLDERS.iter().copied().chain([FUZZ]).collect();
    let blocks = prose::read_all(root(), &folders, MODEL, pages)?;
    let flagged = plain_words::Rules::compile()?.findings(&blocks);
    let mut problems =
        budget.settle(&flagged, &names::odd_names(sources), &names::shared_type_names(sources));
    let lowered = budget.to_text();
    if !writes && lowered != text {
        problems.push(format!("{BUDGET}: the budget can shrink; `cargo xtask tidy --write` lowers it"));
    }
    write_changed(BUDGET, &text, &lowered, writes)?;
    Ok(problems)
}

fn write_changed(path: &str, old: &str, new: &str, writes: bool) -> Result<(), String> {
    if writes && new != old {
        std::fs::write(root().join(path), new).map_err(|error| format!("{path}: {error}"))?;
        eprintln!("wrote {path}");
    }
    Ok(())
}

/// Returns the findings of each rule that `xtask/tidy.txt` has a section for, under the rule's name.
fn listed_findings(
    sources: &[source::Source],
    pages: &links::Pages,
) -> Result<Vec<(&'static str, Vec<Finding>)>, String> {
    let directives = model::read_all(root(), MODEL)?;
    Ok(vec![
        ("circles", circles::findings(sources)),
        ("constants", constants::findings(sources)),
        ("links", links::findings(root(), pages)),
        ("long-files", sizes::long_files(sources)),
        ("long-functions", sizes::long_functions(sources)),
        ("model-arguments", model_arguments::findings(&directives)),
        (
            "resource-names",
            resource_names::findings(sources, &resource_names::Names::from_directives(&directives)),
        ),
        ("samples", samples::findings(pages)),
        ("type-names", type_names::findings(sources)),
    ])
}
