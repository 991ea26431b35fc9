//! Removes erased data from the disk. A commit that erases deletes rows, but their bytes stay in the file and in the
//! write-ahead log until they are overwritten.
//!
//! A thread removes them soon after such a commit ([`DELAY`]), once for all commits until then:
//!
//! 1. The writer moves the log into the file, and truncates the log.
//! 2. The thread overwrites the unused bytes of all pages ([`unused_bytes`]), while commits continue. These only go to
//!    the log; no checkpoint moves them into the file meanwhile.
//! 3. The writer moves the log into the file again, drops its cached pages, since they may contain bytes that were
//!    overwritten in the file, and overwrites the unused bytes of the pages that were in the log.
//!
//! The commit that erases sets [`ERASED`], and the thread copies its value to [`ERASED_ON_DISK`] when it is done. If
//! the process ends in between, the next open of the file starts the removal again.

use std::{
    collections::HashSet,
    fs::File,
    io::{BufReader, ErrorKind, Read as _, Seek as _, SeekFrom},
    path::Path,
    sync::{Arc, atomic::Ordering, mpsc::sync_channel},
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    Durability,
    checkpoint::RESTART_WAIT,
    connections,
    database_state::DatabaseState,
    erasure_state::{ErasureJob, ErasureStep, ErasureStepResult},
    page::{FRAME_HEADER_BYTES, LOG_HEADER_BYTES, PageNumber, read_u32},
    queue::CommitJob,
    reads, submit,
    unused_bytes::{self, OverwriteResult},
};
use crate::{Commit, CommitError, CommitFuture, ERASED, Error, Result, Write, disk::BytesLeft};

/// The setting with the value of [`ERASED`] up to which the file contains no erased data.
const ERASED_ON_DISK: &str = "erased.on_disk";

/// Delay between the first erasure and the removal, which includes all erasures in between.
const DELAY: Duration = Duration::from_secs(5);
/// Pause before a retry: the disk is full, or a reader holds an old snapshot.
const RETRY: Duration = Duration::from_secs(5);
/// Pause between two attempts to truncate the log while readers use it.
const READ_AGAIN: Duration = Duration::from_millis(250);
/// Maximum time that one step waits for readers.
const READERS_MAX: Duration = Duration::from_secs(30);
/// After this many bytes, the thread pauses for as long as they took, so that requests get half of the disk and the
/// core.
const PACE_BYTES: usize = 4 * 1024 * 1024;
/// The longest pause.
const REST_MAX: Duration = Duration::from_millis(50);
/// Maximum number of rounds, if pages changed that could not be assigned to a table or index.
const ROUNDS_MAX: usize = 3;

/// Schedules the removal of erased data.
pub(super) fn request(shared: &Arc<DatabaseState>) {
    request_in(shared, DELAY);
}

fn request_in(shared: &Arc<DatabaseState>, delay: Duration) {
    let mut thread = shared.erasure.thread.lock();
    if shared.erasure.is_closed.load(Ordering::Acquire) {
        return;
    }
    thread.due.get_or_insert(Instant::now() + delay);
    if thread.is_running {
        return;
    }
    let for_thread = Arc::clone(shared);
    match std::thread::Builder::new().name("kontor-erasure".into()).spawn(move || run(&for_thread)) {
        Ok(handle) => (thread.handle, thread.is_running) = (Some(handle), true),
        // The removal starts when the file is opened the next time.
        Err(error) => {
            tracing::error!(project = shared.project, %error, "could not start removing erased data from the disk");
        }
    }
}

/// Starts the removal if an earlier process did not finish it.
pub(super) fn resume(shared: &Arc<DatabaseState>, connection: &Connection) -> Result<()> {
    if reads::read_setting(connection, ERASED)? != reads::read_setting(connection, ERASED_ON_DISK)? {
        request_in(shared, Duration::ZERO);
    }
    Ok(())
}

fn run(shared: &Arc<DatabaseState>) {
    let erasure = &shared.erasure;
    loop {
        let due = {
            let mut thread = erasure.thread.lock();
            match thread.due {
                Some(due) => due,
                None => {
                    thread.is_running = false;
                    return;
                }
            }
        };
        if erasure.sleep(due.saturating_duration_since(Instant::now())).is_err() {
            return;
        }
        // A later erasure belongs to the next round.
        erasure.thread.lock().due = None;
        let started = Instant::now();
        match clean(shared) {
            Ok(bytes) => {
                let duration_ms = started.elapsed().as_millis();
                tracing::info!(
                    project = shared.project,
                    bytes,
                    duration_ms,
                    "removed erased data from the disk"
                );
            }
            Err(Error::Closed) => return,
            Err(error) => {
                tracing::warn!(project = shared.project, %error, "could not remove erased data: retrying");
                erasure.thread.lock().due.get_or_insert(Instant::now() + RETRY);
            }
        }
    }
}

/// Prevents checkpoints by other threads while it exists.
struct CheckpointGuard<'s>(&'s DatabaseState);

impl<'s> CheckpointGuard<'s> {
    fn take(shared: &'s DatabaseState) -> Result<Self> {
        while shared.is_checkpointing.swap(true, Ordering::AcqRel) {
            shared.erasure.sleep(REST_MAX)?;
        }
        Ok(CheckpointGuard(shared))
    }
}

impl Drop for CheckpointGuard<'_> {
    fn drop(&mut self) {
        self.0.is_checkpointing.store(false, Ordering::Release);
    }
}

/// Removes what was erased until now. Returns the number of overwritten bytes.
fn clean(shared: &Arc<DatabaseState>) -> Result<u64> {
    let mut bytes = 0;
    let checkpointing = CheckpointGuard::take(shared)?;
    // SQLite checkpoints when the last connection is closed, so one must stay open.
    let reader = shared.readers.acquire()?;
    let erased = reads::read_setting(&reader, ERASED)?;
    for _ in 0..ROUNDS_MAX {
        // Moves most of the log without the writer.
        reader.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        step_by_writer(shared, |_| ErasureStep::TruncateLog)?;
        let file = shared.erasure.file(&shared.path)?;
        let mut pace = Pace::new(shared);
        let roots = unused_bytes::root_pages(&reader)?;
        bytes +=
            unused_bytes::overwrite_unused_bytes(&file, &roots, None, &mut |read| pace.read(read))?.bytes;
        sync(shared, &file)?;
        let left = step_by_writer(shared, ErasureStep::CleanPagesOfLog)?;
        sync(shared, &file)?;
        if left.is_empty() {
            break;
        }
    }
    drop(checkpointing);
    drop(reader);
    let (response, receiver) = CommitFuture::open();
    let write = Write::Setting { name: ERASED_ON_DISK.to_owned(), value: erased };
    submit::commit(shared, CommitJob::new(Commit::new().write(write), response));
    match receiver.wait() {
        // A moved shop is clean here, and the new place started from a copy without the erased data.
        Ok(_) | Err(CommitError::Failed(Error::Moved(_))) => Ok(bytes),
        Err(error) => Err(error.into_failure()),
    }
}

fn sync(shared: &DatabaseState, file: &File) -> Result<()> {
    match shared.durability {
        Durability::Full => file.sync_data().map_err(|error| Error::io(&shared.path, error)),
        Durability::Off => Ok(()),
    }
}

/// Has the writer take a step, repeatedly until no reader holds an old snapshot.
fn step_by_writer(
    shared: &Arc<DatabaseState>,
    step: impl Fn(HashSet<PageNumber>) -> ErasureStep,
) -> Result<HashSet<PageNumber>> {
    let until = Instant::now() + READERS_MAX;
    let mut pages = HashSet::new();
    loop {
        let (response, receiver) = sync_channel(1);
        submit::submit_erasure(shared, ErasureJob { step: step(pages), reply: response })?;
        pages = match receiver.recv().unwrap_or(Err(Error::Closed))? {
            ErasureStepResult::Done { left } => return Ok(left),
            ErasureStepResult::Busy { pages } => pages,
        };
        if Instant::now() >= until {
            return Err(Error::Invalid("a request or a backup still reads what was erased".to_owned()));
        }
        shared.erasure.sleep(READ_AGAIN)?;
    }
}

/// Takes a step on the writer's connection. The caller opens a new connection afterwards, with an empty page cache.
pub(super) fn take_step(
    shared: &DatabaseState,
    connection: &Connection,
    step: ErasureStep,
) -> Result<ErasureStepResult> {
    shared.watch.log_reaches(0);
    let mut pages = match step {
        ErasureStep::TruncateLog => {
            let is_done = truncate_log(connection)?;
            let nothing = HashSet::new();
            return Ok(if is_done {
                ErasureStepResult::Done { left: nothing }
            } else {
                ErasureStepResult::Busy { pages: nothing }
            });
        }
        ErasureStep::CleanPagesOfLog(pages) => pages,
    };
    // A failed attempt may make the log start over, which overwrites the list of its pages.
    pages.extend(pages_of_log(&shared.path)?);
    if !truncate_log(connection)? {
        return Ok(ErasureStepResult::Busy { pages });
    }
    let file = shared.erasure.file(&shared.path)?;
    let roots = unused_bytes::root_pages(connection)?;
    let OverwriteResult { unreferenced_pages, .. } =
        unused_bytes::overwrite_unused_bytes(&file, &roots, Some(&pages), &mut |_| Ok(()))?;
    Ok(ErasureStepResult::Done { left: unreferenced_pages })
}

fn truncate_log(connection: &Connection) -> Result<bool> {
    connection.busy_timeout(RESTART_WAIT)?;
    let busy = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .map_err(Error::from);
    connection.busy_timeout(connections::BUSY_TIMEOUT)?;
    Ok(busy? == 0)
}

/// Returns the pages that are in the log of a file, or were since it was truncated.
fn pages_of_log(path: &Path) -> Result<HashSet<PageNumber>> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let failed = |error| Error::io(Path::new(&log), error);
    let file = match File::open(&log) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HashSet::new()),
        file => file.map_err(failed)?,
    };
    let mut header = [0; LOG_HEADER_BYTES as usize];
    let length = file.metadata().map_err(failed)?.len();
    if length < LOG_HEADER_BYTES {
        return Ok(HashSet::new());
    }
    let mut file = BufReader::with_capacity(FRAME_HEADER_BYTES, file);
    file.read_exact(&mut header).map_err(failed)?;
    let page_bytes = u64::from(read_u32(&header, 8)?);
    let frame_bytes = FRAME_HEADER_BYTES as u64 + page_bytes;
    let mut pages = HashSet::new();
    for frame in 0..(length - LOG_HEADER_BYTES) / frame_bytes {
        let mut header = [0; FRAME_HEADER_BYTES];
        file.seek(SeekFrom::Start(LOG_HEADER_BYTES + frame * frame_bytes)).map_err(failed)?;
        file.read_exact(&mut header).map_err(failed)?;
        pages.insert(read_u32(&header, 0)?);
    }
    Ok(pages)
}

/// Limits the speed, and stops when the database is closed or the log fills the disk.
struct Pace<'s> {
    shared: &'s DatabaseState,
    bytes: usize,
    since: Instant,
}

impl<'s> Pace<'s> {
    fn new(shared: &'s DatabaseState) -> Self {
        Pace { shared, bytes: 0, since: Instant::now() }
    }

    fn read(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.shared.erasure.is_closed.load(Ordering::Relaxed) {
            return Err(Error::Closed);
        }
        if self.bytes < PACE_BYTES {
            return Ok(());
        }
        let kept = self.shared.disk_bytes_kept;
        if kept > 0 && BytesLeft::measure(&self.shared.path, kept).is_some_and(BytesLeft::is_low) {
            return Err(Error::Full);
        }
        self.shared.erasure.sleep(self.since.elapsed().min(REST_MAX))?;
        (self.bytes, self.since) = (0, Instant::now());
        Ok(())
    }
}
