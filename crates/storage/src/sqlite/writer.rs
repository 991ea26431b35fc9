//! The writer thread of a file: combines queued commits into one transaction with one sync (group commit). See [`run`].

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use metrics::{Histogram, histogram};
use rusqlite::Connection;

use super::{
    Durability,
    apply::TransactionApplier,
    cache::TransactionEffects,
    checkpoint::Checkpoints,
    compression::CompressedBodies,
    connections::{self, Role},
    content,
    database_state::DatabaseState,
    deferred_index::{self, TransactionDeferrals},
    disk_space::DiskSpace,
    erasure,
    erasure_state::{ErasureJob, ErasureStep, ErasureStepResult},
    file_watch::OpenConnection,
    log,
    name_table::WriterNameTable,
    provisional_revisions::ProvisionalRevisions,
    queue::{CommitJob, WriterTask},
    reads::{self, LogState},
    row_cache::RowCache,
};
use crate::{
    Commit, CommitError, Error, Result, Seq,
    commit_future::{self, CommitOutcome, OutcomeSender},
    disk,
};

/// Minimum milliseconds of a transaction that is logged as slow.
const SLOW_BATCH_MS: u128 = 1000;

/// The main function of the thread. Returns when there is no more work.
pub(super) fn run(shared: &Arc<DatabaseState>) {
    let mut writer: Option<FileWriter> = None;
    let mut answered = 0;
    let mut has_rested = false;
    loop {
        let may_rest = !has_rested && writer.as_ref().is_some_and(FileWriter::may_rest);
        let work = shared.queue.next_task(shared.idle, answered, may_rest);
        has_rested = matches!(work, WriterTask::Cleanup);
        if matches!(work, WriterTask::Nothing) {
            // A file without a name can be read only as long as it is open, so the connection is not closed.
            if shared.watch.missing_message().is_some()
                && let Some(FileWriter { connection, .. }) = writer.take()
            {
                shared.readers.add_connection(connection);
            }
            return;
        }
        if writer.is_none() {
            match FileWriter::open(shared) {
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
            WriterTask::Batch(jobs) => {
                answered = jobs.len();
                writer.write(jobs);
                if shared.watch.missing_message().is_some() {
                    continue;
                }
                if let Err(error) = writer.write_rows(writer.rows_wait_max) {
                    tracing::warn!(project = shared.project, %error, "could not write deferred index rows");
                }
            }
            WriterTask::Content(job) => {
                let result = writer.replace_content(&job);
                // The caller may have gone.
                let _ = job.reply.send(result);
            }
            WriterTask::Rows(response) => {
                let _ = response.send(writer.write_rows(0));
            }
            WriterTask::Erasure(ErasureJob { step, reply: response }) => {
                let _ = response.send(writer.take_step(step));
            }
            // A page of an emptied file is not to be touched.
            WriterTask::Cleanup if shared.watch.missing_message().is_some() => continue,
            WriterTask::Cleanup => {
                if let Err(error) = writer.write_rows(0) {
                    tracing::warn!(project = shared.project, %error, "could not write deferred index rows");
                }
            }
            WriterTask::Nothing => return,
        }
        if writer.disk_space.needs_log_space(writer.checkpoints.log_bytes()) {
            // So that the log does not use up the space that is left.
            writer.checkpoints.truncate_log(shared, &writer.connection);
        } else {
            writer.checkpoints.after_commit(shared, &writer.connection);
        }
    }
}

fn refuse(work: WriterTask, error: &Error) {
    match work {
        WriterTask::Batch(jobs) => {
            for job in jobs {
                commit_future::send_outcome(job.result_sender, Err(CommitError::Failed(error.clone())));
            }
        }
        WriterTask::Content(job) => drop(job.reply.send(Err(error.clone()))),
        WriterTask::Rows(response) => drop(response.send(Err(error.clone()))),
        WriterTask::Erasure(job) => drop(job.reply.send(Err(error.clone()))),
        WriterTask::Cleanup | WriterTask::Nothing => {}
    }
}

/// Opens the writer's connection, and starts to count the pages of its commits.
fn open_connection(shared: &DatabaseState) -> Result<(Connection, Checkpoints)> {
    let mut connection = connections::open(&shared.path, Role::Writer, shared.durability)?;
    if let Some(pages) = shared.pages_max {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    let checkpoints = Checkpoints::watch(&mut connection)?;
    Ok((connection, checkpoints))
}

/// Whether each commit of a transaction can be reverted on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    None,
    Each,
}

/// The result of an attempt to write a transaction.
enum TransactionAttempt {
    /// It is on disk: the result of each commit, and the first and last position of the change log.
    Done { outcomes: Vec<CommitOutcome>, effects: TransactionEffects, base: Seq, seq: Seq },
    /// A commit was refused after it had written rows, and cannot be reverted without savepoints.
    NeedsSavepoints,
}

/// A commit with its compressed bodies.
type CompressedCommit = (Commit, CompressedBodies);

struct FileWriter {
    shared: Arc<DatabaseState>,
    /// Declared before the connection, so that it is dropped first.
    _watched: OpenConnection,
    connection: Connection,
    names: WriterNameTable,
    heads: RowCache,
    provisional: ProvisionalRevisions,
    /// The newest position of the change log.
    seq: Seq,
    /// The position of the newest removed entry of the change log.
    base: Seq,
    /// The position up to which no index rows are deferred.
    indexed: Seq,
    /// Number of entries of the change log after which deferred index rows are written.
    rows_wait_max: u64,
    checkpoints: Checkpoints,
    disk_space: DiskSpace,
    durations: Histogram,
    /// The waits of the current transaction.
    waits: CommitWaits,
}

/// How long a transaction waited, and for what, for the log of slow ones. The rest of its duration is processor time,
/// and reads of pages that were not in memory.
#[derive(Debug, Default, Clone, Copy)]
struct CommitWaits {
    /// For deferred index rows of earlier transactions, which a precondition needs.
    index_rows: Duration,
    /// For a lock of another connection that writes to the file.
    lock: Duration,
    /// For the sync of the disk.
    disk: Duration,
}

impl FileWriter {
    fn open(shared: &Arc<DatabaseState>) -> Result<Self> {
        shared.watch.check()?;
        let watched = shared.watch.register_connection();
        let (connection, checkpoints) = open_connection(shared)?;
        let names = WriterNameTable::load(&connection)?;
        let LogState { base, newest: seq, indexed, .. } = reads::log_state(&connection)?;
        Ok(FileWriter {
            shared: Arc::clone(shared),
            _watched: watched,
            connection,
            names,
            heads: RowCache::default(),
            provisional: ProvisionalRevisions::default(),
            seq,
            base,
            indexed,
            // The log must reach back as far as rows are deferred.
            rows_wait_max: deferred_index::BEHIND_MAX.min(shared.changes_kept),
            checkpoints,
            disk_space: DiskSpace::new(shared.disk_bytes_kept),
            durations: histogram!("kontor_commit_duration_seconds", "project" => shared.project.clone()),
            waits: CommitWaits::default(),
        })
    }

    /// Takes a step of the removal of erased data. Opens a new connection afterwards: the cached pages of the old one
    /// may contain bytes that were overwritten in the file.
    fn take_step(&mut self, step: ErasureStep) -> Result<ErasureStepResult> {
        let done = erasure::take_step(&self.shared, &self.connection, step)?;
        (self.connection, self.checkpoints) = open_connection(&self.shared)?;
        Ok(done)
    }

    /// Returns whether to write deferred rows before the thread ends, so that opening the file has nothing left to do.
    fn may_rest(&self) -> bool {
        self.indexed < self.seq && self.shared.durability == Durability::Full
    }

    /// Writes deferred index rows, until at most `left` entries of the change log have some.
    fn write_rows(&mut self, left: u64) -> Result<()> {
        if self.seq - self.indexed <= left {
            self.publish_if_written();
            return Ok(());
        }
        // Synced by a later commit: rows lost in a crash are written again.
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
            let leaves_rows = self.shared.deferred_index.may_leave_rows(&self.names);
            let indexed =
                deferred_index::write(&self.connection, &self.heads, self.indexed, self.seq, leaves_rows)?;
            self.connection.prepare_cached("COMMIT")?.execute([])?;
            self.indexed = indexed;
        }
        self.publish_if_written();
        Ok(())
    }

    /// Publishes that no rows are deferred, if so. Also after a commit that would have deferred rows was refused, or
    /// its transaction failed: otherwise queries would wait until something else is written.
    fn publish_if_written(&self) {
        if self.seq == self.indexed {
            self.shared.deferred_index.mark_written();
        }
    }

    /// Writes commits in one transaction and delivers the results.
    fn write(&mut self, jobs: Vec<CommitJob>) {
        let jobs = self.select_writable(jobs);
        if jobs.is_empty() {
            return;
        }
        let (started, read) = (Instant::now(), disk::bytes_read_by_thread());
        self.waits = CommitWaits::default();
        let (commits, reply): (Vec<CompressedCommit>, Vec<OutcomeSender>) =
            jobs.into_iter().map(|job| ((job.commit, job.bodies), job.result_sender)).unzip();
        let outcomes = match self.transaction(&commits) {
            Ok(outcomes) => outcomes,
            // One large commit may not fit, while the others do: each is written on its own.
            Err(Error::Full) if commits.len() > 1 => {
                commits.iter().map(|commit| self.alone(commit)).collect()
            }
            Err(error) => {
                let error = self.shared.record_damage(error);
                tracing::error!(project = self.shared.project, commits = commits.len(), %error, "could not commit");
                commits.iter().map(|_| Err(CommitError::Failed(error.clone()))).collect()
            }
        };
        let is_full = |outcome: &CommitOutcome| matches!(outcome, Err(CommitError::Failed(Error::Full)));
        self.shared.is_full.store(outcomes.iter().all(is_full), Ordering::Relaxed);
        let outcomes = self.check_file(outcomes);
        let duration = started.elapsed();
        self.durations.record(duration);
        let duration_ms = duration.as_millis();
        if duration_ms > SLOW_BATCH_MS {
            let CommitWaits { index_rows, lock, disk: written } = self.waits;
            let read = disk::bytes_read_by_thread().saturating_sub(read);
            tracing::warn!(
                project = self.shared.project,
                commits = reply.len(),
                duration_ms,
                index_rows_ms = index_rows.as_millis(),
                lock_ms = lock.as_millis(),
                disk_ms = written.as_millis(),
                read_kb = read / 1024,
                "slow commit"
            );
        }
        let given = reply.into_iter().zip(outcomes).zip(commits);
        commit_future::send_outcomes(
            given.map(|((response, outcome), (commit, _))| (response, outcome, commit)).collect(),
        );
    }

    /// Returns the results of commits, or errors if the file is missing by now.
    fn check_file(&self, outcomes: Vec<CommitOutcome>) -> Vec<CommitOutcome> {
        self.shared.watch.log_reaches(self.checkpoints.log_file_bytes_min());
        match self.shared.watch.check() {
            Ok(()) => outcomes,
            Err(gone) => outcomes.iter().map(|_| Err(CommitError::Failed(gone.clone()))).collect(),
        }
    }

    /// Returns the commits that may be written, and refuses the others.
    fn select_writable(&mut self, jobs: Vec<CommitJob>) -> Vec<CommitJob> {
        // Before the pages are touched: they are mapped into memory, and a page of an emptied file ends the process.
        if let Err(gone) = self.shared.watch.check() {
            refuse(WriterTask::Batch(jobs), &gone);
            return Vec::new();
        }
        self.disk_space.measure(&self.shared.path, jobs.iter().map(|job| &job.commit));
        if !self.disk_space.is_low() {
            return jobs;
        }
        let mut admitted = Vec::with_capacity(jobs.len());
        for job in jobs {
            match self.disk_space.has_room_for(&self.connection, &job.commit) {
                Ok(true) => admitted.push(job),
                Ok(false) => {
                    self.shared.is_full.store(true, Ordering::Relaxed);
                    commit_future::send_outcome(job.result_sender, Err(CommitError::Failed(Error::Full)));
                }
                Err(error) => commit_future::send_outcome(job.result_sender, Err(CommitError::Failed(error))),
            }
        }
        admitted
    }

    fn alone(&mut self, commit: &CompressedCommit) -> CommitOutcome {
        match self.transaction(std::slice::from_ref(commit)) {
            Ok(outcomes) => outcomes.into_iter().next().unwrap_or(Err(CommitError::Failed(Error::Closed))),
            Err(error) => {
                let error = self.shared.record_damage(error);
                tracing::error!(project = self.shared.project, %error, "could not commit");
                Err(CommitError::Failed(error))
            }
        }
    }

    /// Writes commits in one transaction, and returns the result of each. Afterwards all that were not refused are on
    /// disk, in the cache, and published to listeners; after an error, none are.
    fn transaction(&mut self, commits: &[CompressedCommit]) -> Result<Vec<CommitOutcome>> {
        let needs_rows = |(commit, _): &CompressedCommit| {
            self.shared.deferred_index.register_preconditions(&commit.preconditions, &self.names)
        };
        if commits.iter().map(needs_rows).fold(false, |any, needs| any | needs) {
            let started = Instant::now();
            self.write_rows(0)?;
            self.waits.index_rows += started.elapsed();
        }
        // A savepoint costs a copy of each page that a commit changes, and few commits are refused after writing rows.
        // So savepoints are used only in a second attempt.
        let mut savepoints = Savepoints::None;
        loop {
            match self.try_transaction(commits, savepoints) {
                Ok(TransactionAttempt::Done { outcomes, effects, base, seq }) => {
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
                Ok(TransactionAttempt::NeedsSavepoints) => {
                    self.roll_back_effects();
                    savepoints = Savepoints::Each;
                }
                Err(error) => {
                    self.roll_back_effects();
                    return Err(error);
                }
            }
        }
    }

    fn try_transaction(
        &mut self,
        commits: &[CompressedCommit],
        savepoints: Savepoints,
    ) -> Result<TransactionAttempt> {
        let FileWriter { connection, names, heads, provisional, seq, base, indexed, shared, waits, .. } =
            self;
        let connection = &*connection;
        let execute = |sql: &str| -> Result<()> {
            connection.prepare_cached(sql)?.execute([])?;
            Ok(())
        };
        let lock_started = Instant::now();
        execute("BEGIN IMMEDIATE")?;
        waits.lock += lock_started.elapsed();
        let deferrals = TransactionDeferrals::new(&shared.deferred_index, names, *indexed);
        let mut applier = TransactionApplier::new(connection, names, (heads, provisional), *seq, deferrals);
        if savepoints == Savepoints::Each {
            // Outside of the savepoints: a name stays even if the commit that needs it is refused.
            for (commit, _) in commits {
                applier.add_names(commit)?;
            }
        }
        let mut outcomes = Vec::with_capacity(commits.len());
        for (commit, bodies) in commits {
            let mark = applier.rollback_point();
            if savepoints == Savepoints::Each {
                execute("SAVEPOINT one_commit")?;
            }
            let outcome = match applier.apply(commit, bodies) {
                Ok(receipt) => Ok(receipt),
                Err(CommitError::Failed(error)) if !matches!(error, Error::Invalid(_)) => return Err(error),
                Err(refused) => {
                    if applier.has_written_since(mark) {
                        if savepoints == Savepoints::None {
                            return Ok(TransactionAttempt::NeedsSavepoints);
                        }
                        execute("ROLLBACK TO one_commit")?;
                        applier.roll_back_to(mark);
                    }
                    Err(refused)
                }
            };
            if savepoints == Savepoints::Each {
                execute("RELEASE one_commit")?;
            }
            outcomes.push(outcome);
        }
        let (effects, seq) = applier.finish()?;
        shared.cache.mark(&effects);
        let base = log::trim(connection, *base, seq, shared.changes_kept, *indexed)?.unwrap_or(*base);
        let sync_started = Instant::now();
        execute("COMMIT")?;
        waits.disk += sync_started.elapsed();
        Ok(TransactionAttempt::Done { outcomes, effects, base, seq })
    }

    /// Rolls back, and discards all effects of the transaction.
    fn roll_back_effects(&mut self) {
        self.roll_back();
        self.names.discard_new_names();
        self.heads.clear();
        self.provisional.clear();
        self.shared.cache.forget_marks();
    }

    /// Rolls back a failed transaction, unless SQLite has done so already.
    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(project = self.shared.project, %error, "could not roll back");
        }
    }

    /// Replaces the content, and clears all caches.
    fn replace_content(&mut self, job: &content::ContentJob) -> Result<()> {
        let started = Instant::now();
        let result =
            content::replace(&self.connection, &mut self.names, &job.replacement, self.seq, self.indexed);
        self.roll_back();
        self.heads.clear();
        self.provisional.clear();
        match result {
            Ok(LogState { epoch, base, newest: seq, indexed }) => {
                (self.base, self.seq, self.indexed) = (base, seq, indexed);
                self.names.publish(&self.shared.names);
                self.shared.cache.clear();
                self.shared.deferred_index.mark_written();
                self.shared.epoch.store(epoch, Ordering::Release);
                self.shared.newest.send_replace(seq);
                let duration_ms = started.elapsed().as_millis();
                tracing::info!(project = self.shared.project, epoch, duration_ms, "replaced the content");
                Ok(())
            }
            Err(error) => {
                self.names.discard_new_names();
                Err(error)
            }
        }
    }
}
