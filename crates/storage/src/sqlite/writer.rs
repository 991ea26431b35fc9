//! The one thread that writes: it puts waiting commits into one transaction, so that they share the sync of
//! the disk, and answers them when it is done.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use metrics::{Histogram, histogram};
use rusqlite::Connection;

use super::{
    Durability,
    apply::Applying,
    cache::Effects,
    checkpoint::Checkpoints,
    connections::{self, Role},
    content, erasure,
    erasure_state::{ErasureStep, StepDone, StepJob},
    file_watch::OpenConnection,
    heads::Heads,
    late::{self, RowsWaiting},
    log,
    names::WriterNames,
    packed::PackedBodies,
    provisional::Provisional,
    queue::{Job, Work},
    reads::{self, LogState},
    room::Room,
    shared::Shared,
};
use crate::{
    Commit, CommitError, Error, Result, Seq,
    answer::{self, Answer, Outcome},
    disk,
};

/// A transaction that takes longer is worth a line in the log.
const SLOW_BATCH_MS: u128 = 1000;

/// Works until there is nothing to do.
pub(super) fn run(shared: &Arc<Shared>) {
    let mut writer: Option<Writer> = None;
    let mut answered = 0;
    let mut has_rested = false;
    loop {
        let may_rest = !has_rested && writer.as_ref().is_some_and(Writer::may_rest);
        let work = shared.queue.take(shared.idle, answered, may_rest);
        has_rested = matches!(work, Work::Rest);
        if matches!(work, Work::Nothing) {
            // What has no name any more can be read only as long as it is open.
            if shared.watch.gone().is_some()
                && let Some(Writer { connection, .. }) = writer.take()
            {
                shared.readers.adopt(connection);
            }
            return;
        }
        if writer.is_none() {
            match Writer::open(shared) {
                Ok(opened) => writer = Some(opened),
                Err(error) => {
                    let error = shared.record_damage(error);
                    tracing::error!(project = shared.project, %error, "could not open a database to write");
                    refuse(work, &error);
                    continue;
                }
            }
        }
        let Some(writer) = &mut writer else { continue };
        match work {
            Work::Batch(jobs) => {
                answered = jobs.len();
                writer.write(jobs);
                if let Err(error) = writer.write_rows(writer.rows_wait_max) {
                    tracing::warn!(project = shared.project, %error, "index rows still wait");
                }
            }
            Work::Content(job) => {
                let result = writer.replace_content(&job);
                // Whoever asked may have gone.
                let _ = job.answer.send(result);
            }
            Work::Rows(answer) => {
                let _ = answer.send(writer.write_rows(0));
            }
            Work::Erasure(StepJob { step, answer }) => {
                let _ = answer.send(writer.take_step(step));
            }
            Work::Rest => {
                if let Err(error) = writer.write_rows(0) {
                    tracing::warn!(project = shared.project, %error, "index rows still wait");
                }
            }
            Work::Nothing => return,
        }
        if writer.room.needs_log(writer.checkpoints.log_bytes()) {
            // So that the log does not grow into the room that is left.
            writer.checkpoints.give_back(shared, &writer.connection);
        } else {
            writer.checkpoints.after_commit(shared, &writer.connection);
        }
    }
}

fn refuse(work: Work, error: &Error) {
    match work {
        Work::Batch(jobs) => {
            for job in jobs {
                answer::give(job.answer, Err(CommitError::Failed(error.clone())));
            }
        }
        Work::Content(job) => drop(job.answer.send(Err(error.clone()))),
        Work::Rows(answer) => drop(answer.send(Err(error.clone()))),
        Work::Erasure(job) => drop(job.answer.send(Err(error.clone()))),
        Work::Rest | Work::Nothing => {}
    }
}

/// Opens the connection of a writer, and begins to count the pages of its commits.
fn open_connection(shared: &Shared) -> Result<(Connection, Checkpoints)> {
    let mut connection = connections::open(&shared.path, Role::Writer, shared.durability)?;
    if let Some(pages) = shared.pages_max {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    let checkpoints = Checkpoints::watch(&mut connection)?;
    Ok((connection, checkpoints))
}

/// Whether each commit of a transaction can be taken back alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    None,
    Each,
}

/// What came of an attempt.
enum Tried {
    /// It is on disk: what came of the commits, and where the change log begins and ends.
    Done { outcomes: Vec<Outcome>, effects: Effects, base: Seq, seq: Seq },
    /// A commit was refused after it had written, and could not be taken back.
    NeedsSavepoints,
}

/// A commit with its documents as they are stored.
type Packed = (Commit, PackedBodies);

struct Writer {
    shared: Arc<Shared>,
    /// Before the connection, so that it is dropped first.
    _watched: OpenConnection,
    connection: Connection,
    names: WriterNames,
    heads: Heads,
    provisional: Provisional,
    /// The newest position of the change log.
    seq: Seq,
    /// The position up to which its entries are gone.
    base: Seq,
    /// The position up to which no index row waits.
    indexed: Seq,
    /// Entries of the change log after which index rows follow.
    rows_wait_max: u64,
    checkpoints: Checkpoints,
    room: Room,
    durations: Histogram,
    /// Of the transaction that is being written.
    waits: Waits,
}

/// What a transaction waited for, so that a slow one is not put down to a disk that is not its cause. What is left of its
/// duration went into writing: processor, and pages that had to be read because they were not in memory.
#[derive(Debug, Default, Clone, Copy)]
struct Waits {
    /// For index rows that earlier transactions left, and that a condition of this one asks for.
    index_rows: Duration,
    /// For somebody else who writes to the file.
    lock: Duration,
    /// For the disk, which has to have all of it before it is answered.
    disk: Duration,
}

impl Writer {
    fn open(shared: &Arc<Shared>) -> Result<Self> {
        shared.watch.check()?;
        let watched = shared.watch.opened();
        let (connection, checkpoints) = open_connection(shared)?;
        let names = WriterNames::load(&connection)?;
        let LogState { base, newest: seq, indexed, .. } = reads::log_state(&connection)?;
        Ok(Writer {
            shared: Arc::clone(shared),
            _watched: watched,
            connection,
            names,
            heads: Heads::default(),
            provisional: Provisional::default(),
            seq,
            base,
            indexed,
            // The log must reach back that far.
            rows_wait_max: late::BEHIND_MAX.min(shared.changes_kept),
            checkpoints,
            room: Room::new(shared.disk_bytes_kept),
            durations: histogram!("kontor_commit_duration_seconds", "project" => shared.project.clone()),
            waits: Waits::default(),
        })
    }

    /// Takes a step of removing erased data from the disk. The pages that the connection keeps in memory may hold bytes that are
    /// overwritten in the file, so another connection takes its place.
    fn take_step(&mut self, step: ErasureStep) -> Result<StepDone> {
        let done = erasure::take_step(&self.shared, &self.connection, step)?;
        (self.connection, self.checkpoints) = open_connection(&self.shared)?;
        Ok(done)
    }

    /// Whether it is to write the rows that wait before it ends: so nothing is left to do when the file is opened.
    fn may_rest(&self) -> bool {
        self.indexed < self.seq && self.shared.durability == Durability::Full
    }

    /// Writes the index rows that wait until no more than so many entries of the change log are left.
    fn write_rows(&mut self, left: u64) -> Result<()> {
        if self.seq - self.indexed <= left {
            self.tell_if_written();
            return Ok(());
        }
        // It is durable when a later commit is: what a crash takes is done again.
        if self.shared.durability == Durability::Full {
            self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        }
        let written = self.write_rows_unsynced(left);
        self.roll_back();
        self.connection.pragma_update(None, "synchronous", self.shared.durability.pragma())?;
        written
    }

    fn write_rows_unsynced(&mut self, left: u64) -> Result<()> {
        while self.seq - self.indexed > left {
            self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            let leaves_rows = self.shared.late.leaves_rows(&self.names);
            let indexed = late::write(&self.connection, &self.heads, self.indexed, self.seq, leaves_rows)?;
            self.connection.prepare_cached("COMMIT")?.execute([])?;
            self.indexed = indexed;
        }
        self.tell_if_written();
        Ok(())
    }

    /// Lets readers know where no row waits: also where one was only about to, in a commit that was refused or a transaction
    /// that failed. Who asks would wait for it until something else is written.
    fn tell_if_written(&self) {
        if self.seq == self.indexed {
            self.shared.late.written();
        }
    }

    /// Writes commits in one transaction and answers them.
    fn write(&mut self, jobs: Vec<Job>) {
        let jobs = self.admitted(jobs);
        if jobs.is_empty() {
            return;
        }
        let (started, read) = (Instant::now(), disk::bytes_read_by_thread());
        self.waits = Waits::default();
        let (commits, answers): (Vec<Packed>, Vec<Answer>) =
            jobs.into_iter().map(|job| ((job.commit, job.bodies), job.answer)).unzip();
        let outcomes = match self.transaction(&commits) {
            Ok(outcomes) => outcomes,
            // What does not fit may be one commit of many, and the others need not suffer for it.
            Err(Error::Full) if commits.len() > 1 => {
                commits.iter().map(|commit| self.alone(commit)).collect()
            }
            Err(error) => {
                let error = self.shared.record_damage(error);
                tracing::error!(project = self.shared.project, commits = commits.len(), %error, "could not commit");
                commits.iter().map(|_| Err(CommitError::Failed(error.clone()))).collect()
            }
        };
        let is_full = |outcome: &Outcome| matches!(outcome, Err(CommitError::Failed(Error::Full)));
        self.shared.is_full.store(outcomes.iter().all(is_full), Ordering::Relaxed);
        let outcomes = self.if_still_there(outcomes);
        let duration = started.elapsed();
        self.durations.record(duration);
        let duration_ms = duration.as_millis();
        if duration_ms > SLOW_BATCH_MS {
            let Waits { index_rows, lock, disk: written } = self.waits;
            let read = disk::bytes_read_by_thread().saturating_sub(read);
            tracing::warn!(
                project = self.shared.project,
                commits = answers.len(),
                duration_ms,
                index_rows_ms = index_rows.as_millis(),
                lock_ms = lock.as_millis(),
                disk_ms = written.as_millis(),
                read_kb = read / 1024,
                "slow commit"
            );
        }
        let given = answers.into_iter().zip(outcomes).zip(commits);
        answer::give_all(given.map(|((answer, outcome), (commit, _))| (answer, outcome, commit)).collect());
    }

    /// The outcomes of commits, unless the file that they were written to is gone by now.
    fn if_still_there(&self, outcomes: Vec<Outcome>) -> Vec<Outcome> {
        match self.shared.watch.check() {
            Ok(()) => outcomes,
            Err(gone) => outcomes.iter().map(|_| Err(CommitError::Failed(gone.clone()))).collect(),
        }
    }

    /// The commits that may be written; the others are answered.
    fn admitted(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        if self.shared.watch.gone().is_some()
            && let Err(gone) = self.shared.watch.check()
        {
            refuse(Work::Batch(jobs), &gone);
            return Vec::new();
        }
        self.room.look(&self.shared.path, jobs.iter().map(|job| &job.commit));
        if !self.room.is_low() {
            return jobs;
        }
        let mut admitted = Vec::with_capacity(jobs.len());
        for job in jobs {
            match self.room.admits(&self.connection, &job.commit) {
                Ok(true) => admitted.push(job),
                Ok(false) => {
                    self.shared.is_full.store(true, Ordering::Relaxed);
                    answer::give(job.answer, Err(CommitError::Failed(Error::Full)));
                }
                Err(error) => answer::give(job.answer, Err(CommitError::Failed(error))),
            }
        }
        admitted
    }

    fn alone(&mut self, commit: &Packed) -> Outcome {
        match self.transaction(std::slice::from_ref(commit)) {
            Ok(outcomes) => outcomes.into_iter().next().unwrap_or(Err(CommitError::Failed(Error::Closed))),
            Err(error) => {
                let error = self.shared.record_damage(error);
                tracing::error!(project = self.shared.project, %error, "could not commit");
                Err(CommitError::Failed(error))
            }
        }
    }

    /// Writes commits in one transaction, each of which may be refused alone. Afterwards all that were not
    /// are on disk, in the cache and told to listeners; or, with an error, none.
    fn transaction(&mut self, commits: &[Packed]) -> Result<Vec<Outcome>> {
        let asked = |(commit, _): &Packed| self.shared.late.ask_for(&commit.preconditions, &self.names);
        if commits.iter().map(asked).fold(false, |waits, asked| waits | asked) {
            let started = Instant::now();
            self.write_rows(0)?;
            self.waits.index_rows += started.elapsed();
        }
        // A savepoint costs a copy of each page that a commit touches, and few commits are refused after
        // they have written; so they get savepoints only when one of them was.
        let mut savepoints = Savepoints::None;
        loop {
            match self.try_transaction(commits, savepoints) {
                Ok(Tried::Done { outcomes, effects, base, seq }) => {
                    self.shared.transactions.fetch_add(1, Ordering::Relaxed);
                    let is_logged = self.seq != seq;
                    (self.base, self.seq) = (base, seq);
                    self.names.publish(&self.shared.names);
                    if effects.erases {
                        erasure::request(&self.shared);
                    }
                    self.shared.cache.update(effects);
                    if is_logged {
                        self.shared.newest.send_replace(seq);
                    }
                    return Ok(outcomes);
                }
                Ok(Tried::NeedsSavepoints) => {
                    self.take_back();
                    savepoints = Savepoints::Each;
                }
                Err(error) => {
                    self.take_back();
                    return Err(error);
                }
            }
        }
    }

    fn try_transaction(&mut self, commits: &[Packed], savepoints: Savepoints) -> Result<Tried> {
        let Writer { connection, names, heads, provisional, seq, base, indexed, shared, waits, .. } = self;
        let connection = &*connection;
        let execute = |sql: &str| -> Result<()> {
            connection.prepare_cached(sql)?.execute([])?;
            Ok(())
        };
        let asked = Instant::now();
        execute("BEGIN IMMEDIATE")?;
        waits.lock += asked.elapsed();
        let waiting = RowsWaiting::new(&shared.late, names, *indexed);
        let mut applying = Applying::new(connection, names, (heads, provisional), *seq, waiting);
        if savepoints == Savepoints::Each {
            // Before the first: a name stays even if the commit that brought it is refused.
            for (commit, _) in commits {
                applying.add_names(commit)?;
            }
        }
        let mut outcomes = Vec::with_capacity(commits.len());
        for (commit, bodies) in commits {
            let mark = applying.mark();
            if savepoints == Savepoints::Each {
                execute("SAVEPOINT one_commit")?;
            }
            let outcome = match applying.apply(commit, bodies) {
                Ok(receipt) => Ok(receipt),
                Err(CommitError::Failed(error)) if !matches!(error, Error::Invalid(_)) => return Err(error),
                Err(refused) => {
                    if applying.has_written_since(mark) {
                        if savepoints == Savepoints::None {
                            return Ok(Tried::NeedsSavepoints);
                        }
                        execute("ROLLBACK TO one_commit")?;
                        applying.back_to(mark);
                    }
                    Err(refused)
                }
            };
            if savepoints == Savepoints::Each {
                execute("RELEASE one_commit")?;
            }
            outcomes.push(outcome);
        }
        let (effects, seq) = applying.finish()?;
        shared.cache.mark(&effects);
        let base = log::trim(connection, *base, seq, shared.changes_kept, *indexed)?.unwrap_or(*base);
        let written = Instant::now();
        execute("COMMIT")?;
        waits.disk += written.elapsed();
        Ok(Tried::Done { outcomes, effects, base, seq })
    }

    /// Ends a transaction, and forgets what came of it.
    fn take_back(&mut self) {
        self.roll_back();
        self.names.forget();
        self.heads.clear();
        self.provisional.forget();
        self.shared.cache.forget_marks();
    }

    /// Ends a transaction that failed, unless SQLite has done so itself.
    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(project = self.shared.project, %error, "could not roll back");
        }
    }

    /// Replaces content, then makes everything that was derived from the old forget it.
    fn replace_content(&mut self, job: &content::ContentJob) -> Result<()> {
        let started = Instant::now();
        let result =
            content::replace(&self.connection, &mut self.names, &job.replacement, self.seq, self.indexed);
        self.roll_back();
        self.heads.clear();
        self.provisional.forget();
        match result {
            Ok(LogState { epoch, base, newest: seq, indexed }) => {
                (self.base, self.seq, self.indexed) = (base, seq, indexed);
                self.names.publish(&self.shared.names);
                self.shared.cache.clear();
                self.shared.late.written();
                self.shared.epoch.store(epoch, Ordering::Release);
                self.shared.newest.send_replace(seq);
                let duration_ms = started.elapsed().as_millis();
                tracing::info!(project = self.shared.project, epoch, duration_ms, "replaced the content");
                Ok(())
            }
            Err(error) => {
                self.names.forget();
                Err(error)
            }
        }
    }
}
