//! The committed budget of unclear words, `xtask/words.toml`: how many blocks and names of each part of the tree may be
//! flagged, and which names several crates may share, each with its reason.
//!
//! The budget only shrinks: a part that is over it fails, and so does a part that is under it until `--write` lowers the
//! number. People add a shared name by hand, with a reason that a reviewer can check.

use super::finding::Finding;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The file's content.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Budget {
    /// Flagged blocks by part, e.g. `crates/http`. A part that is not named has none.
    #[serde(default)]
    flagged_blocks: BTreeMap<String, usize>,
    /// Odd names by part.
    #[serde(default)]
    odd_names: BTreeMap<String, usize>,
    /// Names that types of several crates share, with the reason.
    #[serde(default)]
    shared_type_names: BTreeMap<String, String>,
}

const HEAD: &str = "\
# How many comment blocks and names `cargo xtask tidy` may flag in each part of the tree, and the type names that
# several crates share. The numbers only shrink: `cargo xtask tidy --write` lowers them.
";
/// More shared names than this make a reader look up which one is meant.
const SHARED_NAMES_MAX: usize = 20;

impl Budget {
    /// Parses the file's text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns the file's text.
    pub(super) fn to_text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (title, counts) in [("flagged-blocks", &self.flagged_blocks), ("odd-names", &self.odd_names)] {
            _ = write!(text, "\n[{title}]\n");
            for (part, count) in counts {
                _ = writeln!(text, "\"{part}\" = {count}");
            }
        }
        text.push_str("\n[shared-type-names]\n");
        for (name, reason) in &self.shared_type_names {
            _ = writeln!(text, "{name} = {reason:?}");
        }
        text
    }

    /// Returns the findings over the budget, line by line, and lowers the budget to the number of findings.
    pub(super) fn settle(&mut self, blocks: &[Finding], odd: &[Finding], shared: &[Finding]) -> Vec<String> {
        let mut problems = check_budget("flagged-blocks", &mut self.flagged_blocks, blocks);
        problems.extend(check_budget("odd-names", &mut self.odd_names, odd));
        let found: BTreeSet<&str> = shared.iter().map(|finding| finding.entry.as_str()).collect();
        self.shared_type_names.retain(|name, _| found.contains(name.as_str()));
        let new = shared.iter().filter(|finding| !self.shared_type_names.contains_key(&finding.entry));
        problems.extend(new.map(|finding| line("shared-type-names", finding)));
        if self.shared_type_names.len() > SHARED_NAMES_MAX {
            problems.push(format!(
                "{} names are shared, {SHARED_NAMES_MAX} may be",
                self.shared_type_names.len()
            ));
        }
        problems
    }
}

/// Returns each finding of the parts with more findings than `counts` allows, and lowers the counts of the others.
fn check_budget(rule: &str, counts: &mut BTreeMap<String, usize>, findings: &[Finding]) -> Vec<String> {
    let mut by_part: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        by_part.entry(part(&finding.path)).or_default().push(finding);
    }
    counts.retain(|part, count| {
        *count = (*count).min(by_part.get(part).map_or(0, Vec::len));
        *count > 0
    });
    let mut problems = Vec::new();
    for (part, found) in by_part {
        let allowed = counts.get(&part).copied().unwrap_or(0);
        if found.len() > allowed {
            problems.push(format!("{part}: {} findings of {rule}, the budget has {allowed}:", found.len()));
            problems.extend(found.into_iter().map(|finding| line(rule, finding)));
        }
    }
    problems
}

fn line(rule: &str, finding: &Finding) -> String {
    format!("{}:{}: {} [{rule}]", finding.path, finding.line, finding.problem)
}

/// The part of the tree that a file belongs to: a crate, a folder of the documentation, or a folder of the root.
fn part(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["crates" | "docs", second, _, ..] => format!("{}/{second}", parts[0]),
        [first, _, ..] => (*first).to_owned(),
        _ => "root".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(paths: &[&str]) -> Vec<Finding> {
        let one = |path: &&str| Finding {
            path: (*path).to_owned(),
            line: 7,
            entry: "Place".to_owned(),
            problem: "unclear".to_owned(),
        };
        paths.iter().map(one).collect()
    }

    #[test]
    fn reports_the_lines_of_a_part_that_is_over_its_budget() {
        let mut budget = Budget::parse("[flagged-blocks]\n\"crates/a\" = 1\n").unwrap();
        let found = findings(&["crates/a/src/x.rs", "crates/a/src/y.rs"]);
        let problems = budget.settle(&found, &[], &[]);
        assert_eq!(problems[0], "crates/a: 2 findings of flagged-blocks, the budget has 1:");
        assert_eq!(problems[1], "crates/a/src/x.rs:7: unclear [flagged-blocks]");
        assert_eq!(problems.len(), 3);
    }

    #[test]
    fn lowers_the_budget_to_what_is_left() {
        let mut budget = Budget::parse("[flagged-blocks]\n\"crates/a\" = 3\n\"docs/guide\" = 1\n").unwrap();
        assert!(budget.settle(&findings(&["crates/a/src/x.rs"]), &[], &[]).is_empty());
        assert!(budget.to_text().contains("[flagged-blocks]\n\"crates/a\" = 1\n\n[odd-names]\n"));
    }

    #[test]
    fn accepts_shared_names_with_a_reason_only() {
        let mut budget = Budget::default();
        assert_eq!(budget.settle(&[], &[], &findings(&["crates/a/src/x.rs"])).len(), 1);
        let text = "[shared-type-names]\nPlace = \"one thing in both\"\n";
        let mut budget = Budget::parse(text).unwrap();
        assert!(budget.settle(&[], &[], &findings(&["crates/a/src/x.rs"])).is_empty());
        assert_eq!(Budget::parse(&budget.to_text()).unwrap(), budget);
    }

    #[test]
    fn counts_files_of_the_root_and_of_folders_apart() {
        assert_eq!(part("README.md"), "root");
        assert_eq!(part("docs/security.md"), "docs");
        assert_eq!(part("docs/guide/sdks.md"), "docs/guide");
        assert_eq!(part("crates/http/src/lib.rs"), "crates/http");
    }
}
