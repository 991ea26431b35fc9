//! Index rows that may wait: those of paths that change with each update and are seldom asked for, and those of which
//! each document has many.
//!
//! Such a row stays where it is when its document changes, and the document remembers how the index differs from what it
//! should have there (`entries`). So a document that changes often moves its row once in a while instead of each time;
//! and rows of many documents, each of which would dirty a page of its own, are written together in the sequence of the
//! index. Rows follow when somebody asks for them, when the change log has gone on by [`BEHIND_MAX`] entries, and when
//! the shop comes to rest.
//!
//! **Invariant:** `log_state.indexed` is a position in the change log. A document whose revision is not behind it has
//! all its rows as its values say; of others, what `entries` say stands in the index. The log is kept from there on,
//! so that it names all documents whose rows wait: a crash loses none.
//!
//! **Invariant:** who reads such a path, or has a precondition about it, sees all rows of the state that he reads. He says so first, from when on the
//! writer lets no row of that path wait for a while; then those that wait are written; and he looks again when his
//! state is fixed, because a transaction that had begun before may have come in between.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use quick_cache::DefaultHashBuilder;
use rusqlite::Connection;

use super::{
    Sqlite,
    heads::{Head, Heads},
    index_reads::IndexPath,
    log,
    names::{Names, WriterNames},
    number::Number,
    position::number,
    reads, row_changes,
};
use crate::{Error, Operation, Precondition, Result, Seq};

/// Entries of the change log after which rows follow. A bound on what is done at a question and after a crash.
pub(super) const BEHIND_MAX: u64 = 8192;

/// Entries that are caught up with at a time: the more, the more rows share a page that is written.
const STEP_ENTRIES: u64 = 4096;
/// Rows that are caught up with at a time, and those of one more transaction: a bound on memory, and on how long others
/// who write have to wait.
const STEP_ROWS: usize = 100_000;

/// For how long no row waits at a path that was asked for.
const ASKED_FOR: Duration = Duration::from_secs(10);

/// What readers and the writer tell each other.
pub(super) struct Late {
    /// Of all kinds, those whose rows wait when they take the place of others.
    paths: Vec<String>,
    /// Kind and path of those whose rows wait even where the document is new.
    gathered: Vec<(String, String)>,
    states: Mutex<HashMap<Place, RowsState, DefaultHashBuilder>>,
    /// Whether rows wait that were there at the start. An earlier release may have left them, which let others wait.
    waits_since_start: AtomicBool,
}

/// Kind and path of rows.
type Place = (Number, Number);

type Places = HashSet<Place, DefaultHashBuilder>;

#[derive(Default)]
struct RowsState {
    asked: Option<Instant>,
    /// Whether rows wait in a state that others may see.
    waits: bool,
}

impl Late {
    /// No row waits.
    pub(super) fn new(paths: Vec<String>, gathered: Vec<(String, String)>) -> Self {
        Late { paths, gathered, states: Mutex::default(), waits_since_start: AtomicBool::new(false) }
    }

    /// Writes the rows that wait in a file that was not closed, or in which none waited for a while: those behind the
    /// position `from`. Where the disk has no room for them they wait on, so that all else in the file can be read. Before
    /// anybody reads or writes.
    ///
    /// # Errors
    /// [`Error::Full`] where rows wait at a path of which this release lets none wait: nobody would look for them.
    pub(super) fn catch_up(
        &self,
        connection: &Connection,
        names: &Names,
        from: Seq,
        newest: Seq,
    ) -> Result<()> {
        if from >= newest {
            return Ok(());
        }
        match write_all(connection, from, newest) {
            Err(Error::Full) => {}
            written => return written,
        }
        let waiting = waiting_behind(connection, from, newest)?;
        let paths: Vec<Number> = self.paths.iter().filter_map(|path| names.get(path)).collect();
        let gathered = self.gathered(|name| names.get(name));
        if !waiting.iter().all(|place| paths.contains(&place.1) || gathered.contains(place)) {
            return Err(Error::Full);
        }
        self.wait(&waiting);
        self.waits_since_start.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether rows of the path may wait.
    pub(super) fn is_late(&self, kind: &str, path: &str) -> bool {
        self.paths.iter().any(|late| late == path)
            || self.gathered.iter().any(|(of, gathered)| of == kind && gathered == path)
    }

    /// Kind and path of the rows that may always wait, as numbers; those that have none yet have no rows.
    fn gathered(&self, number: impl Fn(&str) -> Option<Number>) -> Places {
        self.gathered.iter().filter_map(|(kind, path)| Some((number(kind)?, number(path)?))).collect()
    }

    /// Which entries of the change log name documents whose rows may wait.
    pub(super) fn leaves_rows(&self, names: &WriterNames) -> impl Fn(Number, Operation) -> bool + use<> {
        let gathered = self.gathered(|name| names.get(name));
        let all = self.waits_since_start.load(Ordering::Acquire);
        move |kind, operation| match operation {
            Operation::Created => all || gathered.iter().any(|(of, _)| *of == kind),
            Operation::Updated => true,
            Operation::Deleted => false,
        }
    }

    /// Notes that preconditions ask, so that no row of these paths waits in the next transaction. Whether rows wait now.
    pub(super) fn ask_for(&self, preconditions: &[Precondition], names: &WriterNames) -> bool {
        let mut waits = false;
        for precondition in preconditions {
            if let Precondition::NotReferenced { kind, path, .. }
            | Precondition::IndexedAtMost { kind, path, .. } = precondition
                && self.is_late(kind, path)
                && let (Some(kind), Some(path)) = (names.get(kind), names.get(path))
            {
                waits |= self.ask((kind, path));
            }
        }
        waits
    }

    /// Notes that somebody asks. Whether rows wait now.
    fn ask(&self, place: Place) -> bool {
        let mut states = self.states.lock();
        let state = states.entry(place).or_default();
        state.asked = Some(Instant::now());
        state.waits
    }

    fn waits(&self, place: Place) -> bool {
        self.states.lock().get(&place).is_some_and(|state| state.waits)
    }

    /// What was asked for lately.
    fn asked(&self) -> Places {
        let states = self.states.lock();
        let lately = |state: &RowsState| state.asked.is_some_and(|asked| asked.elapsed() < ASKED_FOR);
        states.iter().filter(|(_, state)| lately(state)).map(|(place, _)| *place).collect()
    }

    /// Rows there are about to wait. Before others can see it. By the writer alone.
    fn wait(&self, waiting: &Places) {
        if waiting.is_empty() {
            return;
        }
        let mut states = self.states.lock();
        for place in waiting {
            states.entry(*place).or_default().waits = true;
        }
    }

    /// All rows have followed, and others can see it. By the writer alone.
    pub(super) fn written(&self) {
        self.states.lock().values_mut().for_each(|state| state.waits = false);
        self.waits_since_start.store(false, Ordering::Release);
    }
}

/// What a transaction knows of rows that wait, and which it leaves.
pub(super) struct RowsWaiting<'t> {
    pub(super) late: &'t Late,
    /// The paths whose rows may wait when they take the place of others.
    paths: Vec<Number>,
    /// Kind and path of rows that may always wait.
    gathered: Places,
    /// Of rows that may not.
    asked: Places,
    /// Of rows that wait now.
    waiting: Places,
    indexed: i64,
}

impl<'t> RowsWaiting<'t> {
    /// For a transaction before which no row waits up to the position `indexed`.
    pub(super) fn new(late: &'t Late, names: &WriterNames, indexed: Seq) -> Self {
        let paths = late.paths.iter().filter_map(|path| names.get(path)).collect();
        let gathered = late.gathered(|name| names.get(name));
        RowsWaiting {
            late,
            paths,
            gathered,
            asked: late.asked(),
            waiting: Places::default(),
            indexed: number(indexed),
        }
    }

    /// Whether rows of a document with this revision may be waiting.
    pub(super) fn is_behind(&self, revision: i64) -> bool {
        revision > self.indexed
    }

    /// Whether rows of a document may be left as they are, which is new or takes the place of another.
    pub(super) fn may_wait(&self, kind: Number, path: Number, is_new: bool) -> bool {
        let may = (!is_new && self.paths.contains(&path)) || self.gathered.contains(&(kind, path));
        may && !self.asked.contains(&(kind, path))
    }

    /// Rows of a document are left as they are, those at these paths.
    pub(super) fn add(&mut self, kind: Number, paths: impl Iterator<Item = Number>) {
        self.waiting.extend(paths.map(|path| (kind, path)));
    }

    /// Lets readers know, before the transaction can be seen.
    pub(super) fn tell(&self) {
        self.late.wait(&self.waiting);
    }
}

impl Sqlite {
    /// Reads rows that may wait, from a state in which none at the path does.
    pub(super) fn with_rows<T>(
        &self,
        IndexPath { kind, path }: IndexPath,
        read: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let late = &self.shared.late;
        let mut read = Some(read);
        loop {
            if late.ask((kind, path)) {
                self.write_rows()?;
            }
            let found = self.read_one_state(|connection| {
                // The first read fixes the state.
                connection.prepare_cached("SELECT one FROM log_state")?.exists([])?;
                if late.waits((kind, path)) {
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

/// Any entry of the change log that may name a document whose rows wait.
fn any(_kind: Number, operation: Operation) -> bool {
    operation != Operation::Deleted
}

/// Writes all rows that wait behind a position, in a transaction of its own: all of them, or none with an error.
pub(super) fn write_all(connection: &Connection, from: Seq, newest: Seq) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let written = write_up_to(connection, &Heads::default(), from, newest)
        .and_then(|()| Ok(connection.execute_batch("COMMIT")?));
    // SQLite has done so itself after some errors.
    if written.is_err() && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    written
}

/// Kind and path of all rows that wait behind a position.
fn waiting_behind(connection: &Connection, mut from: Seq, newest: Seq) -> Result<Places> {
    let mut places = Places::default();
    while from < newest {
        let (gathered, to) = gather(connection, &Heads::default(), from, newest, any)?;
        let rows = gathered.removed.iter().chain(&gathered.added);
        places.extend(rows.map(|(kind, path, ..)| (*kind, *path)));
        from = to;
    }
    Ok(places)
}

/// Writes all rows that wait behind a position.
pub(super) fn write_up_to(connection: &Connection, heads: &Heads, mut from: Seq, newest: Seq) -> Result<()> {
    while from < newest {
        from = write(connection, heads, from, newest, any)?;
    }
    Ok(())
}

/// Writes rows of documents that the next entries of the change log name, those of which no later entry does. Answers
/// with the position up to which all have followed.
pub(super) fn write(
    connection: &Connection,
    heads: &Heads,
    from: Seq,
    newest: Seq,
    leaves_rows: impl Fn(Number, Operation) -> bool,
) -> Result<Seq> {
    let (gathered, to) = gather(connection, heads, from, newest, leaves_rows)?;
    gathered.write(connection)?;
    connection.prepare_cached("UPDATE log_state SET indexed = ?1")?.execute((number(to),))?;
    reads::seal_log_state(connection)?;
    Ok(to)
}

/// The rows that [`write`] writes, and the position up to which they are all.
fn gather(
    connection: &Connection,
    heads: &Heads,
    from: Seq,
    newest: Seq,
    leaves_rows: impl Fn(Number, Operation) -> bool,
) -> Result<(Gathered, Seq)> {
    let mut gathered = Gathered::default();
    // Where the log has come to its end, all have followed.
    let mut to = newest;
    log::transactions(connection, from, &mut |(last, entries)| {
        for (kind, id, operation) in entries {
            if leaves_rows(kind, operation) {
                gathered.gather(connection, heads, kind, id, last)?;
            }
        }
        if last < from + STEP_ENTRIES && gathered.len() < STEP_ROWS {
            return Ok(ControlFlow::Continue(()));
        }
        to = last;
        Ok(ControlFlow::Break(()))
    })?;
    Ok((gathered, to))
}

/// Kind, path, value, and id of a row.
type IndexRow = (Number, Number, String, String);

/// Rows that waited, and are about to be written.
#[derive(Default)]
struct Gathered {
    removed: Vec<IndexRow>,
    added: Vec<IndexRow>,
    /// The documents that they are of.
    seen: HashSet<(Number, String), DefaultHashBuilder>,
}

impl Gathered {
    fn len(&self) -> usize {
        self.removed.len() + self.added.len()
    }

    /// The rows of a document that the change log names at a position, unless it does so again behind that.
    fn gather(
        &mut self,
        connection: &Connection,
        heads: &Heads,
        kind: Number,
        id: String,
        at: Seq,
    ) -> Result<()> {
        let found;
        let (revision, list) = match heads.get(kind, &id) {
            Some(head) => (head.revision, head.entries.as_slice()),
            None => {
                let Some(head) = Head::find(connection, kind, &id)? else { return Ok(()) };
                found = head;
                (found.revision, found.entries.as_slice())
            }
        };
        if revision > number(at) || self.seen.contains(&(kind, id.clone())) {
            return Ok(());
        }
        let (removed, added) = row_changes::late(list)?;
        self.removed.extend(removed.into_iter().map(|(path, value)| (kind, path, value, id.clone())));
        self.added.extend(added.into_iter().map(|(path, value)| (kind, path, value, id.clone())));
        self.seen.insert((kind, id));
        Ok(())
    }

    fn write(mut self, connection: &Connection) -> Result<()> {
        // Neighbours in the index lie in the same pages.
        for rows in [&mut self.removed, &mut self.added] {
            rows.sort_unstable();
        }
        let mut remove = connection
            .prepare_cached("DELETE FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4")?;
        for row in self.removed {
            remove.execute(row)?;
        }
        let mut add = connection.prepare_cached(
            "INSERT INTO indexed (kind, path, value, id) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        )?;
        for row in self.added {
            add.execute(row)?;
        }
        Ok(())
    }
}
