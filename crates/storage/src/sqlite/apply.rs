//! Applies one commit inside the writer's open transaction: checks its preconditions, and writes its rows.
//!
//! Start at [`TransactionApplier::apply`]. The writer calls it for each commit of a group, reverts refused ones with
//! [`TransactionApplier::roll_back_to`], and ends with [`TransactionApplier::finish`].

use std::collections::HashSet;

use quick_cache::DefaultHashBuilder;
use rusqlite::{Connection, types::Value};

use super::{
    cache::{CachedDocument, DocumentPlace, KeyHolder, TransactionEffects, ValuePlace},
    checksum::DocumentRow,
    compression::{self, CompressedBodies},
    counters_and_settings,
    deferred_index::TransactionDeferrals,
    document_counts::DocumentCounts,
    entries::{self, EntryListBuilder, IndexEntry},
    lines::LineCollector,
    log,
    name_number::NameNumber,
    name_table::WriterNameTable,
    position::to_sqlite_integer,
    preconditions::{check_after, check_before},
    provisional_revisions::ProvisionalRevisions,
    reads,
    records::{self, NewRecord},
    row_cache::{RowCache, RowState},
    row_changes::{self, RowChanges},
    statements::{Sql, Statements},
};
use crate::{
    ChangeOperation, ChangeRecord, Commit, CommitError, CommitReceipt, CommitRefusal, DocumentState, ERASED,
    Error, Put, Result, Seq, Write,
};

/// The open transaction, and its effects so far.
pub(super) struct TransactionApplier<'t> {
    connection: &'t Connection,
    statements: Statements<'t>,
    names: &'t mut WriterNameTable,
    heads: &'t mut RowCache,
    provisional: &'t mut ProvisionalRevisions,
    seq: Seq,
    waiting: TransactionDeferrals<'t>,
    effects: TransactionEffects,
    /// The entries of the change log, one for each written document.
    logged: log::LogEntries,
    counted: DocumentCounts,
    lines: LineCollector,
}

/// A state of the transaction to return to, when a commit is refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct RollbackPoint {
    seq: Seq,
    rows_written: u64,
    documents: usize,
    unique: usize,
    indexed: usize,
    logged: usize,
}

/// A document write whose old rows are deleted and whose new ones are not written yet.
struct PlannedWrite<'c> {
    kind: NameNumber,
    kind_name: &'c str,
    id: &'c str,
    old: Option<OldRow>,
    new: Option<NewRow<'c>>,
    record: Option<&'c ChangeRecord>,
}

/// The id of a document, and its row before the commit.
type OldRow = (Box<str>, RowState);

/// Documents that the preconditions did not find. The commit creates most of them.
type AbsentDocuments<'c> = HashSet<(NameNumber, &'c str), DefaultHashBuilder>;

struct NewRow<'c> {
    put: &'c Put,
    /// The body in its stored (compressed) form.
    body: &'c [u8],
    entries: Vec<u8>,
    added: Vec<IndexEntry>,
}

impl<'t> TransactionApplier<'t> {
    /// Starts a transaction without effects.
    pub(super) fn new(
        connection: &'t Connection,
        names: &'t mut WriterNameTable,
        (heads, provisional): (&'t mut RowCache, &'t mut ProvisionalRevisions),
        seq: Seq,
        waiting: TransactionDeferrals<'t>,
    ) -> Self {
        let statements = Statements::new(connection);
        TransactionApplier {
            connection,
            statements,
            names,
            heads,
            provisional,
            seq,
            waiting,
            effects: TransactionEffects::default(),
            logged: log::LogEntries::default(),
            counted: DocumentCounts::default(),
            lines: LineCollector::default(),
        }
    }

    /// Assigns numbers to kinds and paths that occur for the first time.
    pub(super) fn add_names(&mut self, commit: &Commit) -> Result<()> {
        for write in &commit.writes {
            let Write::Put(put) = write else { continue };
            self.names.get_or_add(self.connection, &put.kind)?;
            let unique = put.unique.iter().map(|unique| &unique.path);
            for path in unique.chain(put.indexed.iter().map(|(path, _)| path)) {
                self.names.get_or_add(self.connection, path)?;
            }
        }
        Ok(())
    }

    /// Returns the current state, to return to.
    pub(super) fn rollback_point(&self) -> RollbackPoint {
        RollbackPoint {
            seq: self.seq,
            rows_written: self.connection.total_changes(),
            documents: self.effects.documents.len(),
            unique: self.effects.unique.len(),
            indexed: self.effects.indexed.len(),
            logged: self.logged.len(),
        }
    }

    /// Returns whether the transaction has written rows since the mark.
    pub(super) fn has_written_since(&self, mark: RollbackPoint) -> bool {
        self.connection.total_changes() != mark.rows_written
    }

    /// Discards the effects since the mark.
    pub(super) fn roll_back_to(&mut self, mark: RollbackPoint) {
        self.seq = mark.seq;
        self.effects.documents.truncate(mark.documents);
        self.effects.unique.truncate(mark.unique);
        self.effects.indexed.truncate(mark.indexed);
        self.logged.truncate(mark.logged);
        self.counted.revert_commit();
        self.heads.clear();
    }

    /// Writes the lines, the change log and the counts. Returns the effects of all commits, and the newest position of
    /// the change log.
    pub(super) fn finish(mut self) -> Result<(TransactionEffects, Seq)> {
        for put in std::mem::take(&mut self.lines).into_puts() {
            let planned = self.plan_put(&put, None, &AbsentDocuments::default())?;
            self.write_document(planned).map_err(CommitError::into_failure)?;
        }
        self.counted.accept_commit();
        self.logged.write(&mut self.statements, self.seq)?;
        self.counted.write(&mut self.statements)?;
        self.waiting.publish();
        Ok((self.effects, self.seq))
    }

    /// Writes a commit. If it is refused, its partial writes stay in the transaction until the caller reverts them.
    pub(super) fn apply(
        &mut self,
        commit: &Commit,
        bodies: &CompressedBodies,
    ) -> std::result::Result<CommitReceipt, CommitError> {
        let first = self.seq + 1;
        let mut absent = AbsentDocuments::default();
        check_before(self.names, self.provisional, &commit.preconditions, &mut |kind, id| {
            let found = |head: &RowState| DocumentState { version: head.version, revision: head.revision };
            if let Some(head) = self.heads.get(kind, id) {
                return Ok(Some(found(head)));
            }
            let Some(head) = RowState::read(&mut self.statements, kind, id)? else {
                absent.insert((kind, id));
                return Ok(None);
            };
            let found = found(&head);
            self.heads.insert(kind, id.into(), head);
            Ok(Some(found))
        })?;
        // All old rows are deleted before new ones are written, so that two documents can swap their keys.
        let mut planned = Vec::with_capacity(commit.writes.len());
        let mut erased = Vec::new();
        for (place, write) in commit.writes.iter().enumerate() {
            match write {
                Write::Put(put) => planned.push(self.plan_put(put, bodies.body_of_write(place), &absent)?),
                Write::Delete { kind, id, record } => {
                    let delete = self.plan_delete(kind, id, &absent)?;
                    planned.push(PlannedWrite { record: record.as_ref(), ..delete });
                }
                Write::Append(_) => {}
                Write::Count { counter, add, at_least, at_most } => {
                    counters_and_settings::count(self.connection, counter, *add, (*at_least, *at_most))?;
                }
                Write::Position { consumer, seq } => {
                    counters_and_settings::position(self.connection, consumer, *seq)?
                }
                Write::Setting { name, value } => {
                    counters_and_settings::write_setting(self.connection, name, value.as_deref())?;
                    self.effects.erases |= name == ERASED;
                }
                Write::EraseRecords { kind, id } => erased.extend(self.erase_records(kind, id)?),
                Write::EndRecords { before_ms, at_most } => {
                    records::remove_oldest(self.connection, *before_ms, *at_most)?;
                }
            }
        }
        reject_double_writes(&planned)?;
        for PlannedWrite { kind, id, old, .. } in &mut planned {
            if let Some((_, head)) = old
                && erased.contains(&(*kind, *id))
            {
                head.record = records::NONE;
            }
        }
        for planned in planned {
            self.write_document(planned)?;
        }
        check_after(self.connection, self.names, &commit.preconditions, &self.counted)?;
        self.counted.accept_commit();
        self.lines.add_lines(commit);
        if let Some(provisional) = commit.provisional_revision {
            self.provisional.insert(provisional, to_sqlite_integer(first)..=to_sqlite_integer(self.seq));
        }
        Ok(CommitReceipt { first, last: self.seq })
    }

    fn plan_put<'c>(
        &mut self,
        put: &'c Put,
        body: Option<&'c [u8]>,
        absent: &AbsentDocuments<'c>,
    ) -> Result<PlannedWrite<'c>> {
        let kind = self.names.get_or_add(self.connection, &put.kind)?;
        let bytes = put.unique.iter().map(|unique| unique.value.len()).sum::<usize>()
            + put.indexed.iter().map(|(_, value)| entries::value_bytes(value)).sum::<usize>();
        let mut entries = EntryListBuilder::with_capacity(put.unique.len() + put.indexed.len(), bytes);
        for unique in &put.unique {
            entries.add_unique(self.names.get_or_add(self.connection, &unique.path)?, &unique.value);
        }
        for (path, value) in &put.indexed {
            entries.add_indexed(self.names.get_or_add(self.connection, path)?, value);
        }
        let old = if put.is_appended { None } else { self.old_row(kind, &put.id, absent)? };
        let RowChanges { added, list, .. } =
            self.remove_entries(kind, &put.id, &old, Some(entries.build()))?;
        Ok(PlannedWrite {
            kind,
            kind_name: &put.kind,
            id: &put.id,
            old,
            new: Some(NewRow { put, body: body.unwrap_or(&put.body), entries: list, added }),
            record: put.record.as_ref(),
        })
    }

    fn plan_delete<'c>(
        &mut self,
        kind_name: &'c str,
        id: &'c str,
        absent: &AbsentDocuments<'c>,
    ) -> std::result::Result<PlannedWrite<'c>, CommitError> {
        let missing = || CommitRefusal::Missing { kind: kind_name.to_owned(), id: id.to_owned() };
        let kind = self.names.get(kind_name).ok_or_else(missing)?;
        let old = self.old_row(kind, id, absent)?;
        self.remove_entries(kind, id, &old, None)?;
        let old = old.ok_or_else(missing)?;
        Ok(PlannedWrite { kind, kind_name, id, old: Some(old), new: None, record: None })
    }

    /// Returns the current row of a document.
    fn old_row<'c>(
        &mut self,
        kind: NameNumber,
        id: &'c str,
        absent: &AbsentDocuments<'c>,
    ) -> Result<Option<OldRow>> {
        match self.heads.remove(kind, id) {
            Some(old) => Ok(Some(old)),
            None if absent.contains(&(kind, id)) => Ok(None),
            None => Ok(RowState::read(&mut self.statements, kind, id)?.map(|head| (id.into(), head))),
        }
    }

    /// Deletes the rows of a document that `new` does not contain, unless they may be deferred; `None`: the document is
    /// deleted. Returns the remaining changes.
    fn remove_entries(
        &mut self,
        kind: NameNumber,
        id: &str,
        old: &Option<OldRow>,
        new: Option<Vec<u8>>,
    ) -> Result<RowChanges> {
        let (is_deleted, new) = (new.is_none(), new.unwrap_or_default());
        let waiting = &mut self.waiting;
        let (before, is_behind): (&[u8], _) = match old {
            Some((_, head)) => (&head.entries, waiting.may_have_deferred(head.revision)),
            None => (&[], false),
        };
        let may_wait = |path| !is_deleted && waiting.may_defer(kind, path, old.is_none());
        let mut changes = row_changes::change_rows(before, is_behind, new, may_wait)?;
        if changes.has_deferred_row {
            waiting.add(kind, row_changes::deferred_paths(&changes.list));
        }
        for entry in std::mem::take(&mut changes.removed) {
            match entry {
                IndexEntry::Unique { path, value } => {
                    self.statements.get(Sql::DeleteUnique)?.execute((kind, path, &value, id))?;
                    let place = ValuePlace { kind, path, value: value.into() };
                    self.effects.unique.push((place, None));
                }
                IndexEntry::Indexed { path, value } => {
                    self.statements.get(Sql::DeleteIndexed)?.execute((kind, path, &value, id))?;
                    self.note_indexed_value(kind, path, value);
                }
            }
        }
        Ok(changes)
    }

    fn write_document(&mut self, planned: PlannedWrite<'_>) -> std::result::Result<(), CommitError> {
        let PlannedWrite { kind, kind_name, id, old, new, record } = planned;
        self.seq += 1;
        let revision = to_sqlite_integer(self.seq);
        let operation = match (&old, &new) {
            (Some(_), Some(_)) => ChangeOperation::Updated,
            (None, _) => ChangeOperation::Created,
            (Some(_), None) => ChangeOperation::Deleted,
        };
        let version = match (&old, &new) {
            (_, Some(new)) => new.put.version,
            (Some((_, old)), None) => old.version,
            (None, None) => 0,
        };
        let newest = old.as_ref().map_or(records::NONE, |(_, head)| head.record);
        let newest = match record {
            Some(record) => self.add_record(kind, id, record, newest)?,
            None => newest,
        };
        let old = old.map(|(id, head)| (id, head.number));
        let number = old.as_ref().map(|(_, number)| *number);
        let row = self.write_row(kind, id, (revision, newest), number, new.as_ref())?;
        match operation {
            ChangeOperation::Created => self.counted.add(kind, 1),
            ChangeOperation::Deleted => self.counted.add(kind, -1),
            ChangeOperation::Updated => {}
        }
        self.logged.push(kind, id, version, operation);
        let Some(NewRow { put, added, entries, .. }) = new else {
            if newest != records::NONE {
                records::store_newest_of_deleted(self.connection, kind, id, newest)?;
            }
            self.effects.documents.push((DocumentPlace { kind, id: id.into() }, None));
            return Ok(());
        };
        for entry in added {
            self.add_entry(kind, kind_name, id, entry, revision)?;
        }
        if !put.is_appended {
            let document =
                CachedDocument { version, revision, sequence: put.sequence, body: put.body.clone() };
            self.effects.documents.push((DocumentPlace { kind, id: id.into() }, Some(document)));
            let id = old.map_or_else(|| id.into(), |(id, _)| id);
            self.heads.insert(kind, id, RowState { number: row, version, revision, entries, record: newest });
        }
        Ok(())
    }

    /// Writes a record of a document whose newest record was `newest`. Returns the number of the new one.
    fn add_record(&mut self, kind: NameNumber, id: &str, record: &ChangeRecord, newest: i64) -> Result<i64> {
        let ChangeRecord { at_ms, body } = record;
        let record = NewRecord { kind, id, at_ms: *at_ms, seq: self.seq, body };
        let newest = match newest {
            // A deleted document may have had this id.
            records::NONE => records::newest_of_deleted(self.connection, kind, id)?,
            newest => newest,
        };
        records::insert_record(self.connection, &mut self.statements, &record, newest)
    }

    /// Deletes the records of a document. Returns its number and id.
    fn erase_records<'c>(&mut self, kind: &str, id: &'c str) -> Result<Option<(NameNumber, &'c str)>> {
        let Some(kind) = self.names.get(kind) else { return Ok(None) };
        records::erase_records(self.connection, kind, id)?;
        self.heads.remove(kind, id);
        Ok(Some((kind, id)))
    }

    /// Writes or deletes the row of a document, with its newest record. Returns its row number.
    fn write_row(
        &mut self,
        kind: NameNumber,
        id: &str,
        (revision, record): (i64, i64),
        old: Option<i64>,
        new: Option<&NewRow<'_>>,
    ) -> Result<i64> {
        let written = match (old, new) {
            (None, Some(NewRow { put, body, entries, .. })) => {
                let entries = compression::compress_value(entries);
                let sum = DocumentRow { kind, id, version: put.version, revision }.sum(
                    put.sequence,
                    body,
                    &entries,
                    record,
                );
                let row = (kind, id, put.version, revision, put.sequence, entries, body, record, sum);
                self.statements.get(Sql::InsertDocument)?.execute(row)?
            }
            (Some(number), Some(NewRow { put, body, entries, .. })) => {
                let entries = compression::compress_value(entries);
                let sum = DocumentRow { kind, id, version: put.version, revision }.sum(
                    put.sequence,
                    body,
                    &entries,
                    record,
                );
                let row = (number, put.version, revision, put.sequence, entries, body, record, sum);
                self.statements.get(Sql::UpdateDocument)?.execute(row)?
            }
            (Some(number), None) => self.statements.get(Sql::DeleteDocument)?.execute((number,))?,
            (None, None) => return Ok(0),
        };
        if written != 1 {
            return Err(Error::Damaged("the row of a document"));
        }
        Ok(old.unwrap_or_else(|| self.connection.last_insert_rowid()))
    }

    fn add_entry(
        &mut self,
        kind: NameNumber,
        kind_name: &str,
        id: &str,
        entry: IndexEntry,
        revision: i64,
    ) -> std::result::Result<(), CommitError> {
        match entry {
            IndexEntry::Unique { path, value } => self.add_unique(kind, kind_name, id, path, value, revision),
            IndexEntry::Indexed { path, value } => {
                let row = (kind, path, &value, id);
                self.statements.get(Sql::InsertIndexed)?.execute(row).map_err(Error::from)?;
                self.note_indexed_value(kind, path, value);
                Ok(())
            }
        }
    }

    /// Notes that the documents with a value of an indexed path changed. Only texts: the cache holds no other values.
    fn note_indexed_value(&mut self, kind: NameNumber, path: NameNumber, value: Value) {
        if let Value::Text(value) = value {
            self.effects.indexed.push(ValuePlace { kind, path, value: value.into() });
        }
    }

    fn add_unique(
        &mut self,
        kind: NameNumber,
        kind_name: &str,
        id: &str,
        path: NameNumber,
        value: String,
        revision: i64,
    ) -> std::result::Result<(), CommitError> {
        let row = (kind, path, &value, id);
        let added = self.statements.get(Sql::InsertUnique)?.execute(row).map_err(Error::from)?;
        if added == 0 {
            let holder = reads::unique_holder_id(self.connection, kind, path, &value)?.unwrap_or_default();
            let path = self.names.name(path).unwrap_or_default().to_owned();
            return Err(CommitRefusal::Duplicate { kind: kind_name.to_owned(), path, value, holder }.into());
        }
        let place = ValuePlace { kind, path, value: value.into() };
        self.effects.unique.push((place, Some(KeyHolder { id: id.into(), revision })));
        Ok(())
    }
}

/// Rejects a commit that writes a document twice: the caller must combine the writes.
fn reject_double_writes(planned: &[PlannedWrite<'_>]) -> Result<()> {
    if planned.len() < 2 {
        return Ok(());
    }
    let mut seen = HashSet::with_capacity_and_hasher(planned.len(), DefaultHashBuilder::default());
    for planned in planned {
        if !seen.insert((planned.kind, planned.id)) {
            let PlannedWrite { kind_name, id, .. } = planned;
            return Err(Error::Invalid(format!("a commit writes {kind_name} {id} twice")));
        }
    }
    Ok(())
}
