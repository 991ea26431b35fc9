//! The changes of a shop after a position of its change log, for a copy elsewhere that follows the shop.

use crate::{ChangeLogEntry, ChangeOperation, Put, Seq, StoredRecord};

/// The changes of a shop after a position, from one snapshot.
///
/// A copy that applies all deltas in order equals the shop at the last snapshot. In between it may have
/// outdated documents, and a key may belong to two of them; the later delta decides.
#[derive(Debug, Clone, Default)]
pub struct Delta {
    /// The epoch of the change log. A copy with another epoch must start again.
    pub epoch: u64,
    /// The entries after the position, oldest first, up to the requested number.
    pub changes: Vec<ChangeLogEntry>,
    /// The existing documents that the entries name, each with its rows and revision; without those that a later entry
    /// names.
    pub written: Vec<(Put, i64)>,
    /// Kind and id of the deleted documents that the entries name.
    pub deleted: Vec<(String, String)>,
    /// The records of these changes, oldest first.
    pub records: Vec<StoredRecord>,
    /// Kind and id of documents that were deleted, maybe with their records: `records` contains all that they have now.
    pub erased: Vec<(String, String)>,
    /// All data outside of documents; only in the delta that reaches the end of the change log.
    pub rest: Option<NamedValues>,
}

/// All data of a shop outside of documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedValues {
    /// The counters with their values.
    pub counters: Vec<(String, i64)>,
    /// The settings with their values.
    pub settings: Vec<(String, String)>,
    /// The position of each consumer of the change log.
    pub positions: Vec<(String, Seq)>,
}

impl Delta {
    /// Returns the position of the last entry; `None` without entries.
    pub fn last(&self) -> Option<Seq> {
        self.changes.last().map(|change| change.seq)
    }

    /// Returns kind and id of the documents that were deleted, even if they were created again; sorted.
    pub fn deleted_documents(changes: &[ChangeLogEntry]) -> Vec<(String, String)> {
        let deleted = changes.iter().filter(|change| change.operation == ChangeOperation::Deleted);
        let mut ended: Vec<_> = deleted.map(|change| (change.kind.clone(), change.id.clone())).collect();
        ended.sort_unstable();
        ended.dedup();
        ended
    }

    /// Returns whether a document is in the result of [`deleted_documents`](Self::deleted_documents).
    pub fn is_deleted(ended: &[(String, String)], kind: &str, id: &str) -> bool {
        ended.binary_search_by(|(of, gone)| (&**of, &**gone).cmp(&(kind, id))).is_ok()
    }

    /// Returns kind and id of all documents that the entries name, each once, sorted.
    pub fn named_documents(changes: &[ChangeLogEntry]) -> Vec<(&str, &str)> {
        let mut named: Vec<_> = changes.iter().map(|change| (&*change.kind, &*change.id)).collect();
        named.sort_unstable();
        named.dedup();
        named
    }
}
