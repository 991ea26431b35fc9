//! The result of the verification of a file ([`VerifyReport`]).

use std::{fmt, path::Path};

use crate::{Error, Result};

/// Maximum number of findings in a result; others are only counted.
const FINDINGS_MAX: usize = 1000;

/// Maximum number of findings in an error message.
const FINDINGS_OF_TEXT: usize = 20;

/// Damaged data in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DamageFinding {
    /// The kind of the document; empty if unknown.
    pub kind: String,
    /// The id of the document, or the name of other data; empty if unknown.
    pub id: String,
    /// A description of the damage.
    pub description: String,
}

impl fmt::Display for DamageFinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<&str> = [&*self.kind, &*self.id].into_iter().filter(|name| !name.is_empty()).collect();
        match named.as_slice() {
            [] => formatter.write_str(&self.description),
            named => write!(formatter, "{}: {}", named.join(" "), self.description),
        }
    }
}

/// The result of the verification of a file.
#[derive(Debug, Clone, Default)]
pub struct VerifyReport {
    /// Number of documents; in the system file, of rows.
    pub documents: u64,
    /// Number of them without a checksum, because an earlier release wrote them.
    pub without_checksum: u64,
    /// The damage, at most 1,000 findings.
    pub findings: Vec<DamageFinding>,
    /// Number of further findings.
    pub more: u64,
}

impl VerifyReport {
    /// Fails with [`Error::DamagedFile`], which names the first findings, if anything is damaged.
    pub fn ensure_undamaged(&self, path: &Path) -> Result<()> {
        if self.findings.is_empty() {
            return Ok(());
        }
        let named = self.findings.iter().take(FINDINGS_OF_TEXT).map(DamageFinding::to_string);
        let mut what = named.collect::<Vec<_>>().join("; ");
        let others = self.findings.len().saturating_sub(FINDINGS_OF_TEXT) as u64 + self.more;
        if others > 0 {
            what.push_str(&format!("; and {others} more"));
        }
        Err(Error::DamagedFile { path: path.to_owned(), what: what.into() })
    }

    /// Adds a finding, or counts it if there are too many.
    pub fn add(&mut self, kind: &str, id: &str, what: impl Into<String>) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(DamageFinding {
                kind: kind.to_owned(),
                id: id.to_owned(),
                description: what.into(),
            });
        } else {
            self.more += 1;
        }
    }
}
