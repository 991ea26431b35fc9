//! Index rows that may wait: those of paths that change with each update and that are seldom asked for.
//!
//! Such a row stays where it is when its document changes, and the document remembers the value that it has in the
//! index (`entries`). So a document that changes often moves its row once in a while instead of each time. Rows
//! follow when somebody asks for them, when the change log has gone on by [`BEHIND_MAX`] entries, and when the shop
//! comes to rest.
//!
//! **Invariant:** `log_state.indexed` is a position in the change log. A document whose revision is not behind it has
//! all its rows as its values say; of others, what `entries` say stands in the index. The log is kept from there on,
//! so that it names all documents whose rows wait: a crash loses none.
//!
//! **Invariant:** who reads such a path sees all rows of the state that he reads. He says so first, from when on the
//! writer lets no row of the kind wait for a while; then those that wait are written; and he looks again when his
//! state is fixed, because a transaction that had begun before may have come in between.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use quick_cache::DefaultHashBuilder;
use rusqlite::{Connection, OptionalExtension, types::Value};

use super::{
    Sqlite, entries,
    heads::Heads,
    log,
    names::{Number, WriterNames},
    one_state,
    position::number,
};
use crate::{Operation, Result, Seq};

/// Entries of the change log after which rows follow. A bound on what is done at a question and after a crash.
pub(super) const BEHIND_MAX: u64 = 4096;

/// Entries that are caught up with at a time: others who write do not notice.
const STEP_ENTRIES: u64 = 1024;

/// For how long no row waits of a kind that was asked for.
const ASKED_FOR: Duration = Duration::from_secs(10);

/// What readers and the writer tell each other.
pub(super) struct Late {
    paths: Vec<String>,
    kinds: Mutex<HashMap<Number, Kind>>,
}

#[derive(Default)]
struct Kind {
    asked: Option<Instant>,
    /// Whether rows wait in a state that others may see.
    waits: bool,
}

impl Late {
    /// No row waits.
    pub(super) fn new(paths: Vec<String>) -> Self {
        Late { paths, kinds: Mutex::default() }
    }

    /// Whether rows of the path may wait.
    pub(super) fn is_late(&self, path: &str) -> bool {
        self.paths.iter().any(|late| late == path)
    }

    /// Notes that somebody asks. Whether rows wait now.
    fn ask(&self, kind: Number) -> bool {
        let mut kinds = self.kinds.lock();
        let kind = kinds.entry(kind).or_default();
        kind.asked = Some(Instant::now());
        kind.waits
    }

    fn waits(&self, kind: Number) -> bool {
        self.kinds.lock().get(&kind).is_some_and(|kind| kind.waits)
    }

    /// The kinds that were asked for lately.
    fn asked(&self) -> Vec<Number> {
        let kinds = self.kinds.lock();
        let lately = |kind: &Kind| kind.asked.is_some_and(|asked| asked.elapsed() < ASKED_FOR);
        kinds.iter().filter(|(_, kind)| lately(kind)).map(|(kind, _)| *kind).collect()
    }

    /// Rows of these kinds are about to wait. Before others can see it. By the writer alone.
    fn wait(&self, waiting: &[Number]) {
        if waiting.is_empty() {
            return;
        }
        let mut kinds = self.kinds.lock();
        for kind in waiting {
            kinds.entry(*kind).or_default().waits = true;
        }
    }

    /// All rows have followed, and others can see it. By the writer alone.
    pub(super) fn written(&self) {
        self.kinds.lock().values_mut().for_each(|kind| kind.waits = false);
    }
}

/// What a transaction knows of rows that wait, and which it leaves.
pub(super) struct RowsWaiting<'t> {
    pub(super) late: &'t Late,
    /// The paths whose rows may wait.
    paths: Vec<Number>,
    /// The kinds whose rows may not.
    asked: Vec<Number>,
    /// The kinds of which rows wait now.
    kinds: Vec<Number>,
    indexed: i64,
}

impl<'t> RowsWaiting<'t> {
    /// For a transaction before which no row waits up to the position `indexed`.
    pub(super) fn new(late: &'t Late, names: &WriterNames, indexed: Seq) -> Self {
        let paths = late.paths.iter().filter_map(|path| names.get(path)).collect();
        RowsWaiting { late, paths, asked: late.asked(), kinds: Vec::new(), indexed: number(indexed) }
    }

    /// Whether rows of a document with this revision may be waiting.
    pub(super) fn is_behind(&self, revision: i64) -> bool {
        revision > self.indexed
    }

    /// Whether a row may be left as it is.
    pub(super) fn may_wait(&self, kind: Number, path: Number) -> bool {
        self.paths.contains(&path) && !self.asked.contains(&kind)
    }

    /// A row is left as it is.
    pub(super) fn add(&mut self, kind: Number) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// Lets readers know, before the transaction can be seen.
    pub(super) fn tell(&self) {
        self.late.wait(&self.kinds);
    }
}

impl Sqlite {
    /// Reads rows that may wait, from a state in which none of the kind does.
    pub(super) fn with_rows<T>(
        &self,
        kind: Number,
        read: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let late = &self.shared.late;
        let mut read = Some(read);
        loop {
            if late.ask(kind) {
                self.write_rows()?;
            }
            let found = one_state(&*self.reader()?, |connection| {
                // The first read fixes the state.
                connection.prepare_cached("SELECT one FROM log_state")?.exists([])?;
                if late.waits(kind) {
                    return Ok(None);
                }
                read.take().map(|read| read(connection)).transpose()
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }
}

/// Writes all rows that wait behind a position, in a transaction of its own.
pub(super) fn write_all(connection: &Connection, from: Seq, newest: Seq) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    write_up_to(connection, &Heads::default(), from, newest)?;
    connection.execute_batch("COMMIT")?;
    Ok(())
}

/// Writes all rows that wait behind a position.
pub(super) fn write_up_to(connection: &Connection, heads: &Heads, mut from: Seq, newest: Seq) -> Result<()> {
    while from < newest {
        from = write(connection, heads, from, newest)?;
    }
    Ok(())
}

/// Writes rows of documents that the next entries of the change log name, those of which no later entry does. Answers
/// with the position up to which all have followed.
pub(super) fn write(connection: &Connection, heads: &Heads, from: Seq, newest: Seq) -> Result<Seq> {
    let (changed, to) = log::documents(connection, from, STEP_ENTRIES, |operation| {
        // Only what replaces something leaves rows behind.
        operation == Operation::Updated
    })?;
    let to = if to == from { newest } else { to };
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let mut seen = HashSet::with_hasher(DefaultHashBuilder::default());
    for (kind, id) in changed {
        // What was changed again since comes up again.
        let head = heads.get(kind, &id);
        if head.is_some_and(|head| head.revision > number(to)) || !seen.insert((kind, id.clone())) {
            continue;
        }
        let mut rows = |revision: i64, list: &[u8]| -> Result<()> {
            if revision > number(to) {
                return Ok(());
            }
            for (path, stands, wanted) in entries::late(list)? {
                removed.push((kind, path, stands, id.clone()));
                added.extend(wanted.map(|wanted| (kind, path, wanted, id.clone())));
            }
            Ok(())
        };
        match head {
            Some(head) => rows(head.revision, &head.entries)?,
            None => {
                let mut find = connection
                    .prepare_cached("SELECT revision, entries FROM documents WHERE kind = ?1 AND id = ?2")?;
                let row = find.query_row((kind, &id), |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)));
                if let Some((revision, list)) = row.optional()? {
                    rows(revision, &list)?;
                }
            }
        }
    }
    // Neighbours in the index lie in the same pages.
    for rows in [&mut removed, &mut added] {
        rows.sort_unstable();
    }
    let mut remove = connection
        .prepare_cached("DELETE FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4")?;
    for (kind, path, value, id) in removed {
        remove.execute((kind, path, Value::Text(value), id))?;
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO indexed (kind, path, value, id) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?;
    for (kind, path, value, id) in added {
        add.execute((kind, path, Value::Text(value), id))?;
    }
    connection.prepare_cached("UPDATE log_state SET indexed = ?1")?.execute((number(to),))?;
    Ok(to)
}
