//! Checks the preconditions of each commit of a group, against the read state and the changes of earlier
//! commits; the changes of a refused commit are reverted. Start at [`PreconditionCheck::check`].

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use kontor_storage::{
    ChangeOperation, ChangeRecord, CommitError, CommitReceipt, CommitRefusal, DocumentState, Error,
    Precondition, Put, UniqueKey, Write,
};

use super::{
    group_reads::{GroupReads, StoredState},
    required_rows::{ColumnValue, GroupCommit, KindAndId},
    writes::{GroupWrites, NewLogEntry},
};
use crate::{
    paths::PathNumbering,
    rows::{ValueRow, ValueRows, rows_not_in},
    text::{escape, unescape, unique_value},
};

/// A document after the commits so far.
#[derive(Debug, Clone)]
struct CheckedDocument<'c> {
    stored: StoredState,
    /// The document to write; `None` if it is unchanged.
    put: Option<&'c Put>,
}

/// The state of the shop after the commits so far.
#[derive(Debug)]
pub(crate) struct PreconditionCheck<'c> {
    paths: &'c PathNumbering,
    /// The documents as stored in the database.
    before: HashMap<KindAndId<'c>, StoredState>,
    seq: i64,
    /// The documents that preconditions name or that were written. `None`: it does not exist.
    documents: HashMap<KindAndId<'c>, Option<CheckedDocument<'c>>>,
    unique: HashMap<ColumnValue, Option<Box<str>>>,
    indexed: HashMap<ColumnValue, BTreeSet<Box<str>>>,
    counts: HashMap<String, i64>,
    counters: HashMap<String, i64>,
    /// The writes of accepted commits.
    writes: GroupWrites<'c>,
    undo: Vec<Undo<'c>>,
}

/// A former value, to revert a change.
#[derive(Debug)]
enum Undo<'c> {
    Document(KindAndId<'c>, Option<Option<CheckedDocument<'c>>>),
    Unique(ColumnValue, Option<Option<Box<str>>>),
    IndexedAdded(ColumnValue, Box<str>),
    IndexedRemoved(ColumnValue, Box<str>),
    Count(&'c str, i64),
    Counter(String, Option<i64>),
}

type PreconditionResult<T> = std::result::Result<T, CommitError>;

impl<'c> PreconditionCheck<'c> {
    /// Creates the check for a shop whose log is at `seq`.
    pub(crate) fn new(paths: &'c PathNumbering, seq: i64, found: GroupReads<'c>) -> Self {
        let GroupReads { documents, unique, indexed, counts, counters } = found;
        let stands = |(name, stored): (&KindAndId<'c>, &StoredState)| {
            (*name, Some(CheckedDocument { stored: stored.clone(), put: None }))
        };
        PreconditionCheck {
            paths,
            seq,
            documents: documents.iter().map(stands).collect(),
            before: documents,
            unique: unique.into_iter().map(|(place, id)| (place, Some(id))).collect(),
            indexed,
            counts,
            counters,
            writes: GroupWrites::default(),
            undo: Vec::new(),
        }
    }

    /// Checks the next commit. Applies its changes if it is accepted, and reverts them otherwise.
    pub(crate) fn check(&mut self, group: &GroupCommit<'c>) -> PreconditionResult<CommitReceipt> {
        let (seq, mark) = (self.seq, self.writes.mark());
        self.undo.clear();
        let result = self.apply(group);
        if result.is_err() {
            self.seq = seq;
            self.writes.roll_back_to(mark);
            while let Some(undo) = self.undo.pop() {
                self.revert(undo);
            }
        }
        result
    }

    /// Returns the newest position of the log, and the rows to write.
    pub(crate) fn finish(self) -> (i64, GroupWrites<'c>) {
        let PreconditionCheck { before, seq, documents, mut writes, .. } = self;
        for (name, document) in &documents {
            let put = document.as_ref().and_then(|document| Some((&document.stored, document.put?)));
            if put.is_some() || (document.is_none() && before.contains_key(name)) {
                writes.document(*name, before.get(name), put);
            }
        }
        writes.drop_erased();
        (seq, writes)
    }

    fn apply(&mut self, group: &GroupCommit<'c>) -> PreconditionResult<CommitReceipt> {
        let first = self.seq + 1;
        let commit = group.commit;
        self.check_before(&commit.preconditions)?;
        // All old rows are removed before new ones are added, so that two documents can swap their keys.
        for (write, rows) in commit.writes.iter().zip(&group.rows) {
            match write {
                Write::Put(put) => self.remove_rows((&put.kind, &put.id), rows),
                Write::Delete { kind, id, .. } => {
                    if self.document((kind, id)).is_none() {
                        return Err(CommitRefusal::Missing { kind: kind.clone(), id: id.clone() }.into());
                    }
                    self.remove_rows((kind, id), &[]);
                }
                // Lines were converted to documents when the commit was submitted.
                Write::Append(_) => {}
                Write::Count { counter, add, at_least, at_most } => {
                    self.count(counter, *add, *at_least, *at_most)?;
                }
                Write::Position { consumer, seq } => self.writes.position(consumer, *seq),
                Write::Setting { name, value } => self.writes.setting(name, value.as_deref()),
                Write::EraseRecords { kind, id } => self.writes.erase_records((kind, id)),
                Write::EndRecords { before_ms, at_most } => {
                    self.writes.remove_oldest_records(*before_ms, *at_most)
                }
            }
        }
        reject_double_writes(&commit.writes)?;
        for (write, rows) in commit.writes.iter().zip(&group.rows) {
            match write {
                Write::Put(put) => {
                    self.put(put, rows)?;
                    self.record((&put.kind, &put.id), put.record.as_ref());
                }
                Write::Delete { kind, id, record } => {
                    self.delete((kind, id));
                    self.record((kind, id), record.as_ref());
                }
                _ => {}
            }
        }
        self.check_after(group)?;
        Ok(CommitReceipt { first: first.unsigned_abs(), last: self.seq.unsigned_abs() })
    }

    fn document(&self, name: KindAndId<'c>) -> Option<&CheckedDocument<'c>> {
        self.documents.get(&name).and_then(Option::as_ref)
    }

    fn document_state(&self, name: KindAndId<'c>) -> Option<DocumentState> {
        let StoredState { version, revision, .. } = self.document(name)?.stored;
        Some(DocumentState { version, revision })
    }

    fn check_before(&self, preconditions: &'c [Precondition]) -> PreconditionResult<()> {
        for (which, precondition) in preconditions.iter().enumerate() {
            let (name, wanted) = match precondition {
                Precondition::Absent { kind, id } => ((&**kind, &**id), None),
                Precondition::Revision { kind, id, revision } => ((&**kind, &**id), Some(*revision)),
                _ => continue,
            };
            let found = self.document_state(name);
            if found.map(|found| found.revision) != wanted {
                return refuse(which, found, None);
            }
        }
        Ok(())
    }

    fn check_after(&self, group: &GroupCommit<'c>) -> PreconditionResult<()> {
        for (which, (precondition, place)) in group.commit.preconditions.iter().zip(&group.places).enumerate()
        {
            let nth_holder = |n: u64| {
                let holders = self.indexed.get(place.as_ref()?)?;
                holders.iter().nth(usize::try_from(n).unwrap_or(usize::MAX)).map(|id| id.to_string())
            };
            let (holds, holder) = match precondition {
                Precondition::Absent { .. } | Precondition::Revision { .. } => (true, None),
                Precondition::Exists { kind, id } => (self.document((kind, id)).is_some(), None),
                Precondition::ExistsUnique { .. } => {
                    let holder = place.as_ref().and_then(|place| self.unique.get(place)?.as_ref());
                    (holder.is_some(), None)
                }
                Precondition::NotReferenced { .. } => {
                    let holder = nth_holder(0);
                    (holder.is_none(), holder)
                }
                Precondition::IndexedAtMost { limit, .. } => {
                    let holder = nth_holder(*limit);
                    (holder.is_none(), holder)
                }
                Precondition::CountAtMost { kind, limit } => {
                    let count = self.counts.get(&**kind).copied().unwrap_or(0);
                    (count.unsigned_abs() <= *limit, None)
                }
            };
            if !holds {
                return refuse(which, None, holder);
            }
        }
        Ok(())
    }

    /// Removes the rows of a document that are not in `new`.
    fn remove_rows(&mut self, name: KindAndId<'c>, new: &[ValueRow]) {
        let Some(old) = self.document(name).map(|document| Arc::clone(&document.stored.rows)) else {
            return;
        };
        for row in rows_not_in(&old, new) {
            let place = (row.path, row.value.clone());
            if row.is_unique {
                self.set_holder(place, None);
            } else if let Some(holders) = self.indexed.get_mut(&place)
                && holders.remove(name.1)
            {
                self.undo.push(Undo::IndexedRemoved(place, name.1.into()));
            }
        }
    }

    fn put(&mut self, put: &'c Put, rows: &ValueRows) -> PreconditionResult<()> {
        let name: KindAndId<'c> = (&put.kind, &put.id);
        let old = self.document(name).map(|document| Arc::clone(&document.stored.rows));
        let operation = if old.is_some() { ChangeOperation::Updated } else { ChangeOperation::Created };
        self.log(name, put.version, operation);
        for row in rows_not_in(rows, old.as_deref().unwrap_or_default()) {
            let place = (row.path, row.value.clone());
            if row.is_unique {
                self.take(put, place)?;
            } else if let Some(holders) = self.indexed.get_mut(&place)
                && holders.insert(name.1.into())
            {
                self.undo.push(Undo::IndexedAdded(place, name.1.into()));
            }
        }
        let stored = StoredState { version: put.version, revision: self.seq, rows: Arc::clone(rows) };
        self.set_document(name, Some(CheckedDocument { stored, put: Some(put) }));
        if operation == ChangeOperation::Created {
            self.add_to_count(&put.kind, 1);
        }
        Ok(())
    }

    fn delete(&mut self, name: KindAndId<'c>) {
        let version = self.document(name).map_or(0, |document| document.stored.version);
        self.log(name, version, ChangeOperation::Deleted);
        self.set_document(name, None);
        self.add_to_count(name.0, -1);
    }

    /// Assigns a unique value to a document. Refused if another document has it.
    fn take(&mut self, put: &Put, place: ColumnValue) -> PreconditionResult<()> {
        if let Some(Some(holder)) = self.unique.get(&place)
            && **holder != *put.id
        {
            let is_it = |key: &&UniqueKey| {
                self.paths.cached_number(&put.kind, &key.path) == Some(place.0)
                    && *unique_value(&key.value) == *place.1
            };
            let key = put.unique.iter().find(is_it);
            return Err(CommitRefusal::Duplicate {
                kind: put.kind.clone(),
                path: key.map(|key| key.path.clone()).unwrap_or_default(),
                value: key.map_or_else(|| unescape(&place.1), |key| key.value.clone()),
                holder: holder.to_string(),
            }
            .into());
        }
        self.set_holder(place, Some((&*put.id).into()));
        Ok(())
    }

    fn set_holder(&mut self, place: ColumnValue, holder: Option<Box<str>>) {
        let before = self.unique.insert(place.clone(), holder);
        self.undo.push(Undo::Unique(place, before));
    }

    fn set_document(&mut self, name: KindAndId<'c>, document: Option<CheckedDocument<'c>>) {
        let before = self.documents.insert(name, document);
        self.undo.push(Undo::Document(name, before));
    }

    fn log(&mut self, (kind, id): KindAndId<'c>, version: i64, operation: ChangeOperation) {
        self.seq += 1;
        self.writes.log.push(NewLogEntry { seq: self.seq, kind, id, version, operation });
    }

    /// Adds a record of the last logged change.
    fn record(&mut self, name: KindAndId<'c>, record: Option<&'c ChangeRecord>) {
        self.writes.records.extend(record.map(|record| (name, self.seq, record)));
    }

    fn add_to_count(&mut self, kind: &'c str, add: i64) {
        *self.counts.entry(kind.to_owned()).or_default() += add;
        *self.writes.counts.entry(kind).or_default() += add;
        self.undo.push(Undo::Count(kind, add));
    }

    fn count(
        &mut self,
        counter: &str,
        add: i64,
        at_least: Option<i64>,
        at_most: Option<i64>,
    ) -> PreconditionResult<()> {
        let name = escape(counter).into_owned();
        let value = self.counters.get(&name).copied().unwrap_or(0);
        let refusal = || CommitRefusal::Counter { counter: counter.to_owned(), value };
        let sum = value.checked_add(add).ok_or_else(refusal)?;
        if at_least.is_some_and(|least| sum < least) || at_most.is_some_and(|most| sum > most) {
            return Err(refusal().into());
        }
        let before = self.counters.insert(name.clone(), sum);
        self.writes.counter(&name, sum);
        self.undo.push(Undo::Counter(name, before));
        Ok(())
    }

    fn revert(&mut self, undo: Undo<'c>) {
        fn restore<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>, key: K, before: Option<V>) {
            match before {
                Some(before) => drop(map.insert(key, before)),
                None => drop(map.remove(&key)),
            }
        }
        match undo {
            Undo::Document(name, before) => restore(&mut self.documents, name, before),
            Undo::Unique(place, before) => restore(&mut self.unique, place, before),
            Undo::IndexedAdded(place, id) => {
                self.indexed.entry(place).or_default().remove(&id);
            }
            Undo::IndexedRemoved(place, id) => {
                self.indexed.entry(place).or_default().insert(id);
            }
            Undo::Count(kind, add) => {
                *self.counts.entry(kind.to_owned()).or_default() -= add;
                *self.writes.counts.entry(kind).or_default() -= add;
            }
            Undo::Counter(name, before) => {
                self.writes.restore_counter(&name, before);
                restore(&mut self.counters, name, before);
            }
        }
    }
}

fn refuse(
    index: usize,
    current_state: Option<DocumentState>,
    holder: Option<String>,
) -> PreconditionResult<()> {
    Err(CommitRefusal::Precondition { index, current_state, holder }.into())
}

/// Rejects a commit that writes a document twice: the caller must combine the writes.
fn reject_double_writes(writes: &[Write]) -> PreconditionResult<()> {
    let mut seen = HashSet::with_capacity(writes.len());
    for write in writes {
        if let Write::Put(Put { kind, id, .. }) | Write::Delete { kind, id, .. } = write
            && !seen.insert((kind, id))
        {
            return Err(Error::Invalid(format!("a commit writes {kind} {id} twice")).into());
        }
    }
    Ok(())
}
