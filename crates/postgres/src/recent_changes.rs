//! The newest entries of a change log that this process wrote itself.
//!
//! A reader of the log gets these from memory, and reads only other ones from the database: otherwise a process would
//! read back each of its own changes. There are no gaps, because the row of the shop is locked while a group is
//! written: the log was at the previous entry, in the epoch that was read with it.

use std::collections::VecDeque;

use kontor_storage::{ChangeLogEntry, Seq};
use parking_lot::Mutex;

/// Maximum number of entries: some groups of commits. Readers are seldom further behind.
const ENTRIES_MAX: usize = 1_024;

/// Consecutive entries of one epoch, up to the last one written by this process.
#[derive(Debug, Default)]
pub(crate) struct RecentChanges(Mutex<RecentEntries>);

#[derive(Debug, Default)]
struct RecentEntries {
    epoch: u64,
    changes: VecDeque<ChangeLogEntry>,
}

impl RecentChanges {
    /// Adds consecutive written entries. Keeps the earlier ones only if they directly precede.
    pub(crate) fn push(&self, epoch: u64, written: impl Iterator<Item = ChangeLogEntry>) {
        let mut entries = self.0.lock();
        for change in written {
            let is_next = entries.changes.back().is_some_and(|last| last.seq + 1 == change.seq);
            if entries.epoch != epoch || !is_next {
                entries.changes.clear();
                entries.epoch = epoch;
            }
            entries.changes.push_back(change);
        }
        let surplus = entries.changes.len().saturating_sub(ENTRIES_MAX);
        entries.changes.drain(..surplus);
    }

    /// Returns the entries after a position, and their epoch; `None` if the first of them is missing, or if there are
    /// `limit` or more.
    pub(crate) fn entries_after(&self, after: Seq, limit: usize) -> Option<(u64, Vec<ChangeLogEntry>)> {
        let entries = self.0.lock();
        let first = entries.changes.front()?.seq;
        let skipped = usize::try_from((after + 1).checked_sub(first)?).ok()?;
        let found: Vec<ChangeLogEntry> = entries.changes.iter().skip(skipped).cloned().collect();
        (!found.is_empty() && found.len() < limit).then_some((entries.epoch, found))
    }
}

#[cfg(test)]
mod tests {
    use kontor_storage::ChangeOperation;

    use super::*;

    fn changes(seqs: std::ops::RangeInclusive<Seq>) -> impl Iterator<Item = ChangeLogEntry> {
        seqs.map(|seq| ChangeLogEntry {
            seq,
            kind: "cart".into(),
            id: "1".into(),
            version: 1,
            operation: ChangeOperation::Updated,
        })
    }

    fn found_seqs(tail: &RecentChanges, after: Seq) -> Option<(u64, Vec<Seq>)> {
        let (epoch, found) = tail.entries_after(after, 100)?;
        Some((epoch, found.iter().map(|change| change.seq).collect()))
    }

    #[test]
    fn returns_consecutive_entries() {
        let tail = RecentChanges::default();
        assert_eq!(found_seqs(&tail, 0), None);
        tail.push(1, changes(5..=6));
        tail.push(1, changes(7..=7));
        assert_eq!(found_seqs(&tail, 4), Some((1, vec![5, 6, 7])));
        assert_eq!(found_seqs(&tail, 6), Some((1, vec![7])));
        assert_eq!(found_seqs(&tail, 3), None, "what is before them is not known here");
        assert_eq!(found_seqs(&tail, 7), None, "nothing is behind them");
        assert_eq!(found_seqs(&tail, 9), None);
        assert!(
            tail.entries_after(4, 3).is_none(),
            "whoever wants no more than that many is to be told of the end of the log"
        );
    }

    #[test]
    fn drops_entries_before_a_gap() {
        let tail = RecentChanges::default();
        tail.push(1, changes(1..=2));
        tail.push(1, changes(5..=6));
        assert_eq!(found_seqs(&tail, 1), None);
        assert_eq!(found_seqs(&tail, 4), Some((1, vec![5, 6])));
        tail.push(2, changes(7..=7));
        assert_eq!(found_seqs(&tail, 4), None, "another epoch has another log");
        assert_eq!(found_seqs(&tail, 6), Some((2, vec![7])));
    }

    #[test]
    fn limits_the_number_of_entries() {
        let tail = RecentChanges::default();
        tail.push(1, changes(1..=ENTRIES_MAX as Seq + 1));
        assert_eq!(found_seqs(&tail, 0), None);
        assert_eq!(tail.entries_after(1, usize::MAX).unwrap().1.len(), ENTRIES_MAX);
    }
}
