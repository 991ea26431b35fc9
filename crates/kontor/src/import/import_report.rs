//! The report of an import: counts per resource type, and the failed drafts.

use super::ImportItem;
use crate::command_response::CommandRefusal;
use indexmap::IndexMap;
use kontor_json::Value;
use kontor_model::{Kind, Model};
use std::io::Write;

/// Number of drafts of a resource type by outcome.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct OutcomeCounts {
    pub(crate) created: usize,
    pub(crate) present: usize,
    pub(crate) refused: usize,
}

/// A draft that the server rejected.
#[derive(Debug, Clone)]
pub(crate) struct FailedDraft {
    pub(crate) type_id: String,
    pub(crate) batch: usize,
    pub(crate) index: usize,
    /// The key, or the name of the setting.
    pub(crate) name: Option<String>,
    pub(crate) refusal: CommandRefusal,
}

impl FailedDraft {
    pub(crate) fn from_refusal(kind: &Kind, item: &ImportItem, refusal: CommandRefusal) -> Self {
        let name = item.draft.get("key").and_then(Value::as_str).map(str::to_owned);
        Self { type_id: kind.type_id.clone(), batch: item.batch, index: item.index, name, refusal }
    }
}

/// The outcomes of all drafts.
#[derive(Debug, Default)]
pub(crate) struct DraftImportReport {
    /// The file name of each batch.
    pub(crate) files: Vec<String>,
    pub(crate) outcome_counts: IndexMap<String, OutcomeCounts>,
    pub(crate) refused: Vec<FailedDraft>,
    /// Skipped files, with the reason.
    pub(crate) notes: Vec<String>,
    /// Number of resources that got a random secret, because their drafts have none.
    pub(crate) without_secrets: usize,
}

impl DraftImportReport {
    pub(crate) fn count(&mut self, kind: &Kind, change: impl FnOnce(&mut OutcomeCounts)) {
        change(self.outcome_counts.entry(kind.type_id.clone()).or_default());
    }

    pub(crate) fn add_failed(&mut self, refused: FailedDraft) {
        self.outcome_counts.entry(refused.type_id.clone()).or_default().refused += 1;
        self.refused.push(refused);
    }

    /// Returns the file of a failed draft.
    pub(crate) fn file_of(&self, refused: &FailedDraft) -> &str {
        self.files.get(refused.batch).map_or("", String::as_str)
    }

    /// Returns a progress line, for output without a terminal.
    pub(crate) fn progress_line(&self, file: &str) -> String {
        let mut sum = OutcomeCounts::default();
        for counts in self.outcome_counts.values() {
            sum.created += counts.created;
            sum.present += counts.present;
            sum.refused += counts.refused;
        }
        format!("{file}: so far {} created, {} present, {} refused", sum.created, sum.present, sum.refused)
    }

    /// Groups failed drafts with the same file, resource type and error, in order of first occurrence.
    fn grouped_failures(&self) -> Vec<Vec<&FailedDraft>> {
        let mut alike: IndexMap<_, Vec<&FailedDraft>> = IndexMap::new();
        for refused in &self.refused {
            let CommandRefusal { code, message } = &refused.refusal;
            alike.entry((refused.batch, &refused.type_id, code, message)).or_default().push(refused);
        }
        alike.into_values().collect()
    }

    /// Prints the report, with resource types in the order of the model.
    pub(crate) fn print(&self, model: &Model, mut out: impl Write) -> std::io::Result<()> {
        writeln!(out, "{:<24}{:>9}{:>9}{:>9}", "", "created", "present", "refused")?;
        for (_, kind) in model.kinds() {
            if let Some(counts) = self.outcome_counts.get(&kind.type_id) {
                let OutcomeCounts { created, present, refused } = counts;
                writeln!(out, "{:<24}{created:>9}{present:>9}{refused:>9}", kind.type_id)?;
            }
        }
        for note in &self.notes {
            writeln!(out, "skipped: {note}")?;
        }
        if self.without_secrets > 0 {
            writeln!(
                out,
                "note: {} got a random password, because exports have none: it has to be reset",
                self.without_secrets
            )?;
        }
        for alike in self.grouped_failures() {
            let refused = alike[0];
            let CommandRefusal { code, message } = &refused.refusal;
            let name = refused.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            let place = format!("{}[{}]{name}", self.file_of(refused), refused.index);
            match alike.len() {
                1 => writeln!(out, "refused: {place}: {code}: {message}")?,
                count => {
                    writeln!(out, "refused: {count} {} such as {place}: {code}: {message}", refused.type_id)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed_draft(index: usize, message: &str) -> FailedDraft {
        let refusal = CommandRefusal { code: "ReferencedResourceNotFound".into(), message: message.into() };
        FailedDraft { type_id: "product".into(), batch: 0, index, name: Some(format!("p{index}")), refusal }
    }

    #[test]
    fn refusals_with_one_cause_are_one_line() {
        let mut report =
            DraftImportReport { files: vec!["products.json".into()], ..DraftImportReport::default() };
        for index in 0..250 {
            report
                .add_failed(failed_draft(index, if index == 7 { "Another." } else { "There is no 'tool'." }));
        }
        let mut out = Vec::new();
        report.print(&Model::embedded().unwrap(), &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.lines().filter(|line| line.starts_with("refused")).collect();
        assert_eq!(
            lines,
            [
                "refused: 249 product such as products.json[0] (p0): ReferencedResourceNotFound: There is no 'tool'.",
                "refused: products.json[7] (p7): ReferencedResourceNotFound: Another."
            ]
        );
    }
}
