//! The committed list of accepted findings, `xtask/tidy.txt`: a section for each rule, a line for each entry, sorted.
//!
//! The list only shrinks. A finding that it lacks fails, and so does an entry without a finding; `--write` removes such
//! entries. People add an entry by hand, with a reason that a reviewer can check.

use super::finding::Finding;
use std::collections::{BTreeMap, BTreeSet};

/// Entries by rule.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct List(BTreeMap<String, BTreeSet<String>>);

/// The comment above the sections.
const HEAD: &str = "\
# Findings that `cargo xtask tidy` accepts for now. This list only shrinks: mend a finding and remove its line,
# or let `cargo xtask tidy --write` remove it.
";

impl List {
    /// Reads the file's text.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut list = Self::default();
        let mut section: Option<&mut BTreeSet<String>> = None;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(rule) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = Some(list.0.entry(rule.to_owned()).or_default());
            } else if !line.is_empty() && !line.starts_with('#') {
                let Some(section) = &mut section else {
                    return Err(format!("line {}: an entry stands above all sections", index + 1));
                };
                if !section.insert(line.to_owned()) {
                    return Err(format!("line {}: '{line}' occurs twice", index + 1));
                }
            }
        }
        Ok(list)
    }

    /// The file's text; `rules` are the sections, in their order.
    pub(super) fn to_text(&self, rules: &[&str]) -> String {
        let mut text = HEAD.to_owned();
        for rule in rules {
            let entries = self.0.get(*rule).into_iter().flatten().map(String::as_str);
            let section = format!("[{rule}]");
            for line in ["", section.as_str()].into_iter().chain(entries) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// Returns the findings of a rule that the list lacks, and the entries without a finding, which it removes from the
    /// list.
    pub(super) fn settle(&mut self, rule: &str, findings: Vec<Finding>) -> (Vec<Finding>, Vec<String>) {
        let entries = self.0.entry(rule.to_owned()).or_default();
        let found: BTreeSet<&str> = findings.iter().map(|finding| finding.entry.as_str()).collect();
        let stale: Vec<String> =
            entries.iter().filter(|entry| !found.contains(entry.as_str())).cloned().collect();
        for entry in &stale {
            entries.remove(entry);
        }
        (findings.into_iter().filter(|finding| !entries.contains(&finding.entry)).collect(), stale)
    }

    /// Sections that no rule reads.
    pub(super) fn unknown_sections(&self, rules: &[&str]) -> Vec<&str> {
        self.0.keys().map(String::as_str).filter(|rule| !rules.contains(rule)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(entry: &str) -> Finding {
        Finding { path: "a.rs".to_owned(), line: 1, entry: entry.to_owned(), problem: String::new() }
    }

    #[test]
    fn accepts_listed_findings_and_removes_stale_entries() {
        let mut list = List::read("# why\n\n[sizes]\na\nmended\n").unwrap();
        let (new, stale) = list.settle("sizes", vec![finding("a"), finding("b")]);
        assert_eq!(new.iter().map(|finding| finding.entry.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(stale, ["mended"]);
        assert_eq!(list.to_text(&["sizes"]), format!("{HEAD}\n[sizes]\na\n"));
    }

    #[test]
    fn a_list_reads_as_it_was_written() {
        let list = List::read("[one]\nb\na\n[two]\nc\n").unwrap();
        let written = list.to_text(&["one", "two"]);
        assert_eq!(List::read(&written).unwrap(), list);
        assert!(written.ends_with("[one]\na\nb\n\n[two]\nc\n"));
        assert_eq!(list.unknown_sections(&["one"]), ["two"]);
    }

    #[test]
    fn a_list_that_cannot_be_read_says_where() {
        assert_eq!(List::read("a").unwrap_err(), "line 1: an entry stands above all sections");
        assert_eq!(List::read("[one]\na\na").unwrap_err(), "line 3: 'a' occurs twice");
    }
}
