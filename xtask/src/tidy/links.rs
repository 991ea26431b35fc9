//! Broken links of the documentation: to a file that does not exist, or to a heading that a page does not have.
//!
//! Only links within the repository are checked: other addresses change without a commit.

use super::finding::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Folders whose pages are not ours.
const FOREIGN: &[&str] = &["node_modules", "target"];

/// The pages of the repository by their path below the root.
pub(super) type Pages = BTreeMap<String, String>;

/// Reads all Markdown files.
pub(super) fn read_all(root: &Path) -> Result<Pages, String> {
    let mut pages = Pages::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        let failed = |error: std::io::Error| format!("{folder}: {error}");
        for entry in std::fs::read_dir(root.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let below = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if entry.file_type().map_err(failed)?.is_dir() {
                if !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
                    open.push(below);
                }
            } else if name.ends_with(".md") {
                let text = std::fs::read_to_string(entry.path()).map_err(failed)?;
                pages.insert(below, text);
            }
        }
    }
    Ok(pages)
}

/// Links that lead nowhere, under the page and the link.
pub(super) fn findings(root: &Path, pages: &Pages) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in pages {
        for (line, link) in links(text) {
            if let Some(problem) = problem(root, pages, path, link) {
                findings.push(Finding { path: path.clone(), line, entry: format!("{path} {link}"), problem });
            }
        }
    }
    findings
}

fn problem(root: &Path, pages: &Pages, page: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { resolve_link(page, file) };
    if !pages.contains_key(&target) && !root.join(&target).exists() {
        return Some(format!("the link '{link}' leads to {target}, which does not exist"));
    }
    let has = |text: &String| heading.is_empty() || anchors(text).contains(heading);
    let misses = pages.get(&target).is_some_and(|text| !has(text));
    misses.then(|| format!("the link '{link}' names a heading that {target} does not have"))
}

/// Resolves a link relative to a page; returns the path below the root.
fn resolve_link(page: &str, file: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(page).parent().unwrap_or(Path::new("")).join(file).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path.to_string_lossy().into_owned()
}

/// The lines of a page outside of code blocks, numbered from one.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, line))
    })
}

/// The targets of links and pictures, each with its line.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let mut at = 0;
        while let Some(start) = line[at..].find("](").map(|found| at + found + 2) {
            let Some(end) = line[start..].find(')').map(|found| start + found) else { break };
            // An odd number of ticks before the link means that it is inside of code.
            if line[..start].matches('`').count().is_multiple_of(2) {
                found.push((number, &line[start..end]));
            }
            at = end;
        }
    }
    found
}

/// The anchors of a page's headings, e.g. `backups--more` for "Backups & more".
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|one| if one == ' ' { '-' } else { one }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let pages = Pages::from([
            ("docs/a.md".to_owned(), text.to_owned()),
            ("Cargo.toml".to_owned(), "## Backups & more\n```\n# no heading\n```\n".to_owned()),
        ]);
        findings(crate::run::root(), &pages).into_iter().map(|found| found.entry).collect()
    }

    #[test]
    fn finds_broken_links() {
        assert!(problems("[a](../Cargo.toml) [b](https://example.com/x) ![c](guide/graphql.png)").is_empty());
        assert_eq!(problems("[a](../Cargo.toml) [b](../none.md)"), ["docs/a.md ../none.md"]);
    }

    #[test]
    fn headings_are_looked_for_in_prose() {
        assert!(problems("[a](../Cargo.toml#backups--more)").is_empty());
        assert_eq!(problems("[a](../Cargo.toml#no-heading)").len(), 1);
        assert!(problems("## Here\n[a](#here)").is_empty());
        assert_eq!(problems("## Here\n[a](#there)").len(), 1);
    }

    #[test]
    fn code_has_no_links() {
        assert!(problems("```\n[a](none.md)\n```\nand `[a](none.md)`").is_empty());
        assert_eq!(problems("`x` [`y`](none.md)").len(), 1);
    }
}
