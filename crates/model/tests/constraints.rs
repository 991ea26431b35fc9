//! Checks `docs/constraints.md`: it lists each bound of a value in the model, with its source.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The markers before and after the rows.
const BEGIN: &str = "<!-- constraints: rows written by `UPDATE=1 cargo test -p kontor-model --test constraints`, sources by hand -->";
const END: &str = "<!-- /constraints -->";
/// The placeholder of a missing source.
const NO_SOURCE: &str = "?";

/// The places of a bound, by the bounded name and the bound.
type Constraints = BTreeMap<(String, String), Vec<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "graphql") {
            found.push(path);
        }
    }
}

/// Returns the text in the parentheses of the directive at the start of `text`, and the rest.
fn arguments(text: &str) -> (&str, &str) {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ')' if !is_quoted => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    // The directive continues in the next line.
    (text, "")
}

/// Returns the line without the arguments of its directives.
fn bare(line: &str) -> String {
    let mut bare = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('@') {
        let name = rest[at + 1..].find(|c: char| !c.is_alphanumeric()).map_or(rest.len(), |end| at + 1 + end);
        bare.push_str(&rest[..at]);
        rest = match rest[name..].strip_prefix('(') {
            Some(inside) => arguments(inside).1,
            None => &rest[name..],
        };
    }
    bare + rest
}

fn last_field(before: &str) -> Option<String> {
    let end = before.rfind(':')?;
    let start = before[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    Some(before[start..end].to_owned()).filter(|name| !name.is_empty())
}

fn constraints() -> Constraints {
    let mut all = Constraints::new();
    let mut found = Vec::new();
    files(&root().join("model"), &mut found);
    for file in found {
        let (mut declared, mut action, mut field) = (String::new(), None, None);
        for line in fs::read_to_string(&file).unwrap().lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [kind @ ("type" | "input" | "scalar"), name, ..] = words[..]
                && line.starts_with(kind)
            {
                (declared, action, field) = (name.to_owned(), None, None);
            }
            if let (Some(called), true) = (line.strip_prefix("  "), declared.ends_with("Actions"))
                && let Some((name, _)) = called.split_once('(')
                && name.chars().all(char::is_alphanumeric)
            {
                action = Some(name.to_owned());
            }
            let mut at = 0;
            for directive in ["@limits(", "@string(", "@number("] {
                while let Some(start) = line[at..].find(directive).map(|start| at + start) {
                    let (bound, _) = arguments(&line[start + directive.len()..]);
                    field = last_field(&bare(&line[..start])).or(field);
                    at = start + directive.len();
                    let (name, place) = match &field {
                        None => (declared.clone(), format!("scalar {declared}")),
                        Some(field) => {
                            let steps = [Some(declared.as_str()), action.as_deref(), Some(field)];
                            (field.clone(), steps.into_iter().flatten().collect::<Vec<_>>().join("."))
                        }
                    };
                    all.entry((name, bound.replace('|', "\\|"))).or_default().push(place);
                }
            }
            field = last_field(&bare(line)).or(field);
            let limit = line
                .strip_prefix("  limit: ")
                .filter(|limit| limit.bytes().all(|digit| digit.is_ascii_digit()));
            if let Some(limit) = limit {
                let bound = format!("{limit} of them in a project");
                all.entry((declared.clone(), bound)).or_default().push(declared.clone());
            }
        }
    }
    all.values_mut().for_each(|places| places.sort());
    all
}

#[test]
fn lists_all_constraints_with_sources() {
    let path = root().join("docs/constraints.md");
    let committed = fs::read_to_string(&path).unwrap();
    let (before, rest) = committed.split_once(BEGIN).expect("the list has its beginning");
    let (rows, after) = rest.split_once(END).expect("the list has its end");
    let row = |line: &str| {
        let cells: Vec<String> =
            line.trim().trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
        match &cells[..] {
            [name, bound, _, source] => Some((
                (name.trim_matches('`').to_owned(), bound.trim_matches('`').to_owned()),
                source.clone(),
            )),
            _ => None,
        }
    };
    let sources: BTreeMap<(String, String), String> = rows.lines().skip(3).filter_map(row).collect();
    let found = constraints();
    if env::var_os("UPDATE").is_some() {
        let mut written = String::from("\n| what | bound | where | source |\n|---|---|---|---|\n");
        for ((name, bound), places) in &found {
            let source = sources.get(&(name.clone(), bound.clone())).map_or(NO_SOURCE, String::as_str);
            let _ = writeln!(written, "| `{name}` | `{bound}` | {} | {source} |", places.join(", "));
        }
        fs::write(&path, format!("{before}{BEGIN}{written}{END}{after}")).unwrap();
    }
    let has_source = |of: &&(String, String)| {
        sources.get(*of).is_some_and(|source| !source.is_empty() && source != NO_SOURCE)
    };
    let without: Vec<_> = found.keys().filter(|bound| !has_source(bound)).collect();
    assert!(without.is_empty(), "a bound without a source is no reason to refuse anything: {without:#?}");
    let gone: Vec<_> = sources.keys().filter(|bound| !found.contains_key(*bound)).collect();
    assert!(gone.is_empty(), "the model has no such bound any more: {gone:#?}");
}
