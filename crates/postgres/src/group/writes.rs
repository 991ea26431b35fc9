//! Collects the rows that a group of commits writes, as columns of each table. Start at [`GroupWrites`].

use std::collections::HashMap;

use bytes::Bytes;
use kontor_storage::{ChangeLogEntry, ChangeOperation, ChangeRecord, Put, Seq, StoredDocument};

use super::{group_reads::StoredState, required_rows::KindAndId};
use crate::{
    rows::{ValueRow, encode, rows_not_in},
    text::escape,
};

/// An entry of the change log.
#[derive(Debug)]
pub(crate) struct NewLogEntry<'c> {
    pub(crate) seq: i64,
    pub(crate) kind: &'c str,
    pub(crate) id: &'c str,
    pub(crate) version: i64,
    pub(crate) operation: ChangeOperation,
}

/// The columns of documents that are written completely.
#[derive(Debug, Default)]
pub(crate) struct DocumentColumns<'c> {
    pub(crate) kinds: Vec<&'c str>,
    pub(crate) ids: Vec<&'c str>,
    pub(crate) versions: Vec<i64>,
    pub(crate) revisions: Vec<i64>,
    pub(crate) sequences: Vec<i64>,
    pub(crate) entries: Vec<Vec<u8>>,
    pub(crate) bodies: Vec<&'c Bytes>,
    /// Whether each document is rarely read ([`Put::is_appended`]).
    appended: Vec<bool>,
}

/// Rows of `unique_keys` or `index_rows`.
#[derive(Debug, Default)]
pub(crate) struct RowColumns<'c> {
    pub(crate) paths: Vec<i32>,
    pub(crate) values: Vec<Box<str>>,
    pub(crate) ids: Vec<&'c str>,
}

/// The rows to write.
#[derive(Debug, Default)]
pub(crate) struct GroupWrites<'c> {
    pub(crate) inserted: DocumentColumns<'c>,
    pub(crate) updated: DocumentColumns<'c>,
    pub(crate) deleted: (Vec<&'c str>, Vec<&'c str>),
    pub(crate) unique_removed: RowColumns<'c>,
    pub(crate) unique_added: RowColumns<'c>,
    pub(crate) indexed_removed: RowColumns<'c>,
    pub(crate) indexed_added: RowColumns<'c>,
    /// The change of the number of documents, by kind.
    pub(crate) counts: HashMap<&'c str, i64>,
    pub(crate) counters: HashMap<String, i64>,
    /// The positions of consumers; the last one of a name counts.
    pub(crate) positions: Vec<(String, i64)>,
    pub(crate) settings: Vec<(String, Option<String>)>,
    pub(crate) log: Vec<NewLogEntry<'c>>,
    /// The records of changes, with their document and the position of the change.
    pub(crate) records: Vec<(KindAndId<'c>, i64, &'c ChangeRecord)>,
    /// The documents whose records are deleted, and the number of `records` before that.
    pub(crate) erased: Vec<(KindAndId<'c>, usize)>,
    /// Deletions of the oldest records: the time before which they are deleted, and the maximum number.
    pub(crate) ended: Vec<(i64, i64)>,
}

/// A state to return to, when a commit is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WritesMark {
    log: usize,
    positions: usize,
    settings: usize,
    records: usize,
    erased: usize,
    ended: usize,
}

impl<'c> GroupWrites<'c> {
    /// Returns the current state.
    pub(crate) fn mark(&self) -> WritesMark {
        WritesMark {
            log: self.log.len(),
            positions: self.positions.len(),
            settings: self.settings.len(),
            records: self.records.len(),
            erased: self.erased.len(),
            ended: self.ended.len(),
        }
    }

    /// Discards the writes since the mark, except counts and counters, which are reverted one by one.
    pub(crate) fn roll_back_to(&mut self, mark: WritesMark) {
        self.log.truncate(mark.log);
        self.positions.truncate(mark.positions);
        self.settings.truncate(mark.settings);
        self.records.truncate(mark.records);
        self.erased.truncate(mark.erased);
        self.ended.truncate(mark.ended);
    }

    /// Returns whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.log.is_empty()
            && self.counters.is_empty()
            && self.positions.is_empty()
            && self.settings.is_empty()
            && self.erased.is_empty()
            && self.ended.is_empty()
    }

    /// Deletes the records that a document has so far.
    pub(crate) fn erase_records(&mut self, name: KindAndId<'c>) {
        self.erased.push((name, self.records.len()));
    }

    /// Deletes the oldest records of changes before a time, at most `at_most`.
    pub(crate) fn remove_oldest_records(&mut self, before_ms: i64, at_most: usize) {
        self.ended.push((before_ms, i64::try_from(at_most).unwrap_or(i64::MAX)));
    }

    /// Returns kind and new state of the written documents that will probably be read soon.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&'c str, StoredDocument)> {
        [&self.inserted, &self.updated].into_iter().flat_map(DocumentColumns::documents)
    }

    /// Returns kind and id of the written documents that will rarely be read.
    pub(crate) fn appended(&self) -> impl Iterator<Item = KindAndId<'c>> {
        let columns = [&self.inserted, &self.updated].into_iter();
        columns.flat_map(|columns| {
            let names = columns.kinds.iter().copied().zip(columns.ids.iter().copied());
            names.zip(&columns.appended).filter(|(_, appended)| **appended).map(|(name, _)| name)
        })
    }

    /// Returns the entries of the change log.
    pub(crate) fn changes(&self) -> impl Iterator<Item = ChangeLogEntry> {
        self.log.iter().map(|entry| ChangeLogEntry {
            seq: entry.seq.unsigned_abs(),
            kind: entry.kind.to_owned(),
            id: entry.id.to_owned(),
            version: entry.version,
            operation: entry.operation,
        })
    }

    /// Drops new records that a later commit of the group deletes.
    pub(crate) fn drop_erased(&mut self) {
        let GroupWrites { records, erased, .. } = self;
        if erased.is_empty() {
            return;
        }
        let mut place = 0;
        records.retain(|(name, ..)| {
            place += 1;
            erased.iter().all(|(gone, before)| gone != name || place > *before)
        });
    }

    pub(crate) fn position(&mut self, consumer: &str, seq: Seq) {
        self.positions.push((escape(consumer).into_owned(), i64::try_from(seq).unwrap_or(i64::MAX)));
    }

    pub(crate) fn setting(&mut self, name: &str, value: Option<&str>) {
        let value = value.map(|value| escape(value).into_owned());
        self.settings.push((escape(name).into_owned(), value));
    }

    /// Sets the new value of a counter.
    pub(crate) fn counter(&mut self, name: &str, value: i64) {
        self.counters.insert(name.to_owned(), value);
    }

    /// Restores the former value of a counter.
    pub(crate) fn restore_counter(&mut self, name: &str, value: Option<i64>) {
        match value {
            Some(value) => self.counter(name, value),
            None => drop(self.counters.remove(name)),
        }
    }

    /// Adds the change of a document from the stored state `before` to the state `after`; `None`: it is deleted.
    pub(crate) fn document(
        &mut self,
        (kind, id): KindAndId<'c>,
        before: Option<&StoredState>,
        after: Option<(&StoredState, &'c Put)>,
    ) {
        let old = before.map_or(&[][..], |before| &before.rows);
        let new = after.map_or(&[][..], |(after, _)| &after.rows);
        for row in rows_not_in(old, new) {
            let removed = if row.is_unique { &mut self.unique_removed } else { &mut self.indexed_removed };
            removed.push(row, id);
        }
        for row in rows_not_in(new, old) {
            let added = if row.is_unique { &mut self.unique_added } else { &mut self.indexed_added };
            added.push(row, id);
        }
        let Some((state, put)) = after else {
            self.deleted.0.push(kind);
            self.deleted.1.push(id);
            return;
        };
        let columns = if before.is_some() { &mut self.updated } else { &mut self.inserted };
        columns.kinds.push(kind);
        columns.ids.push(id);
        columns.versions.push(state.version);
        columns.revisions.push(state.revision);
        columns.sequences.push(put.sequence);
        columns.entries.push(encode(&state.rows));
        columns.bodies.push(&put.body);
        columns.appended.push(put.is_appended);
    }
}

impl<'c> DocumentColumns<'c> {
    fn documents(&self) -> impl Iterator<Item = (&'c str, StoredDocument)> {
        (0..self.ids.len()).filter(|row| !self.appended[*row]).map(|row| {
            let stored = StoredDocument {
                id: self.ids[row].to_owned(),
                version: self.versions[row],
                revision: self.revisions[row],
                sequence: self.sequences[row],
                body: self.bodies[row].clone(),
            };
            (self.kinds[row], stored)
        })
    }
}

impl<'c> RowColumns<'c> {
    fn push(&mut self, row: &ValueRow, id: &'c str) {
        self.paths.push(row.path);
        self.values.push(row.value.clone());
        self.ids.push(id);
    }
}
