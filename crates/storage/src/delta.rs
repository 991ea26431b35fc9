//! What became of a shop behind a position of its change log: for a copy elsewhere that follows it.

use crate::{Change, KeptRecord, Operation, Put, Seq};

/// The changes of a shop after a position, from one snapshot.
///
/// A copy that applies all deltas in order equals the shop at the last snapshot. In between it may have
/// outdated documents, and a key may belong to two of them; the later delta decides.
#[derive(Debug, Clone, Default)]
pub struct Delta {
    /// The epoch of the change log: a copy of another one starts again.
    pub epoch: u64,
    /// The entries behind the position, oldest first, at most as many as were asked for.
    pub changes: Vec<Change>,
    /// The documents that they name, each with its rows and its revision; without those that a later entry names.
    pub written: Vec<(Put, i64)>,
    /// Kind and id of the documents that they name and that are not there.
    pub deleted: Vec<(String, String)>,
    /// The records of these changes, oldest first.
    pub records: Vec<KeptRecord>,
    /// Kind and id of documents that were deleted, perhaps with their records: those above are all that they have.
    pub erased: Vec<(String, String)>,
    /// Data outside of documents: with the last entries, complete.
    pub rest: Option<Rest>,
}

/// All data of a shop outside of documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rest {
    /// The counters with their values.
    pub counters: Vec<(String, i64)>,
    /// The settings with their values.
    pub settings: Vec<(String, String)>,
    /// How far consumers of the change log have come.
    pub positions: Vec<(String, Seq)>,
}

impl Delta {
    /// The position of the last entry; `None` where there is none.
    pub fn last(&self) -> Option<Seq> {
        self.changes.last().map(|change| change.seq)
    }

    /// Kind and id of the documents that were deleted, whether or not they are there again.
    pub fn ended(changes: &[Change]) -> Vec<(String, String)> {
        let deleted = changes.iter().filter(|change| change.operation == Operation::Deleted);
        let mut ended: Vec<_> = deleted.map(|change| (change.kind.clone(), change.id.clone())).collect();
        ended.sort_unstable();
        ended.dedup();
        ended
    }

    /// Whether a document is among those that [`ended`](Self::ended) answered.
    pub fn has_ended(ended: &[(String, String)], kind: &str, id: &str) -> bool {
        ended.binary_search_by(|(of, gone)| (&**of, &**gone).cmp(&(kind, id))).is_ok()
    }

    /// Kind and id of all documents that the entries name, each once, in sequence.
    pub fn named(changes: &[Change]) -> Vec<(&str, &str)> {
        let mut named: Vec<_> = changes.iter().map(|change| (&*change.kind, &*change.id)).collect();
        named.sort_unstable();
        named.dedup();
        named
    }
}
