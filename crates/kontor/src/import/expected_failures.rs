//! `--expect`: lists of drafts that are expected to fail, with a line `FILE INDEX KEY CODE` each, `-` for no key; `#`
//! begins a comment. File names and keys are percent-encoded, so that they have no spaces.

use super::import_report::{DraftImportReport, FailedDraft};
use crate::resource_paths::percent_encoded;
use anyhow::{Context as _, bail};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Reads a list. Returns its lines without comments, with single spaces.
pub(crate) fn read(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

fn parse(text: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.len() {
            0 => {}
            4 => {
                lines.insert(words.join(" "));
            }
            _ => bail!("line {}: expected FILE INDEX KEY CODE", number + 1),
        }
    }
    Ok(lines)
}

/// Compares the failed drafts with the expected ones and prints the differences. Succeeds if there are none.
pub(crate) fn compare(expected: &BTreeSet<String>, report: &DraftImportReport) -> anyhow::Result<ExitCode> {
    let found: BTreeSet<String> = report.refused.iter().map(|refused| line(report, refused)).collect();
    let mut out = std::io::stdout().lock();
    for line in found.difference(expected) {
        writeln!(out, "not expected: {line}")?;
    }
    for line in expected.difference(&found) {
        writeln!(out, "not refused: {line}")?;
    }
    Ok(if found == *expected { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn line(report: &DraftImportReport, refused: &FailedDraft) -> String {
    let name = refused.name.as_deref().map_or_else(|| "-".to_owned(), percent_encoded);
    let file = percent_encoded(report.file_of(refused));
    format!("{file} {} {name} {}", refused.index, refused.refusal.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_do_not_count() {
        let lines = parse("# All of them\n\na.json  3   jane RequiredField # why\n").unwrap();
        assert_eq!(lines.into_iter().collect::<Vec<_>>(), ["a.json 3 jane RequiredField"]);
        assert!(parse("a.json 3 jane").unwrap_err().to_string().contains("line 1"));
    }
}
