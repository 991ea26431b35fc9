//! Removes what was erased from the disk: a commit that erases deletes rows, and their bytes stay in the file and in the write-ahead log
//! until something else is written there.
//!
//! A thread does this soon after such a commit ([`DELAY`]), once for all that came until then:
//!
//! 1. The writer moves the log into the file and truncates it.
//! 2. This thread overwrites the unused bytes of all pages ([`unused_bytes`]), while commits go on. They go to the log; no checkpoint
//!    moves them into the file meanwhile.
//! 3. The writer moves the log into the file once more, drops the pages that it keeps in memory, since these may hold bytes that were
//!    overwritten in the file, and overwrites the unused bytes of the pages that the log had.
//!
//! The commit that erases writes [`ERASED`], and this thread writes its value to [`ERASED_ON_DISK`] when it is done. So a process that
//! ended in between does it when the file is opened the next time.

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
    erasure_state::{ErasureStep, StepDone, StepJob},
    hand_in,
    page::{PageNumber, number32},
    queue::Job,
    reads,
    shared::Shared,
    unused_bytes::{self, Overwritten},
};
use crate::{Commit, CommitAnswer, CommitError, ERASED, Error, Result, Write, disk::disk_bytes_free};

/// The setting that has the value of [`ERASED`] up to which the file holds nothing that was erased.
const ERASED_ON_DISK: &str = "erased.on_disk";

/// How long after the first erasure the file is cleaned: those that come meanwhile are cleaned with it.
const DELAY: Duration = Duration::from_secs(5);
/// How long it waits where it could not be done: the disk is full, or somebody reads an old state.
const RETRY: Duration = Duration::from_secs(5);
/// Between two attempts to truncate the log while somebody reads what is in it.
const READ_AGAIN: Duration = Duration::from_millis(250);
/// How long it waits for readers at a time.
const READERS_MAX: Duration = Duration::from_secs(30);
/// After so many bytes it rests for as long as they took, so that requests have half of the disk and of the core.
const PACE_BYTES: usize = 4 * 1024 * 1024;
/// The longest rest.
const REST_MAX: Duration = Duration::from_millis(50);
/// Times that it begins again because pages changed that could not be assigned.
const ROUNDS_MAX: usize = 3;
/// In the log: the header of the file, and that of each page, which begins with its number.
const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// What a file holds that was erased is removed soon.
pub(super) fn request(shared: &Arc<Shared>) {
    request_in(shared, DELAY);
}

fn request_in(shared: &Arc<Shared>, delay: Duration) {
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
        // It is done when the file is opened the next time.
        Err(error) => {
            tracing::error!(project = shared.project, %error, "could not start removing erased data from the disk");
        }
    }
}

/// The same where an earlier process did not come to it.
pub(super) fn take_up(shared: &Arc<Shared>, connection: &Connection) -> Result<()> {
    if reads::setting(connection, ERASED)? != reads::setting(connection, ERASED_ON_DISK)? {
        request_in(shared, Duration::ZERO);
    }
    Ok(())
}

fn run(shared: &Arc<Shared>) {
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
        // An erasure from here on is one of the next time.
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
                tracing::warn!(project = shared.project, %error, "erased data is still on the disk: trying again");
                erasure.thread.lock().due.get_or_insert(Instant::now() + RETRY);
            }
        }
    }
}

/// Nobody else checkpoints while this is held.
struct Checkpointing<'s>(&'s Shared);

impl<'s> Checkpointing<'s> {
    fn take(shared: &'s Shared) -> Result<Self> {
        while shared.is_checkpointing.swap(true, Ordering::AcqRel) {
            shared.erasure.sleep(REST_MAX)?;
        }
        Ok(Checkpointing(shared))
    }
}

impl Drop for Checkpointing<'_> {
    fn drop(&mut self) {
        self.0.is_checkpointing.store(false, Ordering::Release);
    }
}

/// Removes what was erased until now. Returns how many bytes were overwritten.
fn clean(shared: &Arc<Shared>) -> Result<u64> {
    let mut bytes = 0;
    let checkpointing = Checkpointing::take(shared)?;
    // SQLite checkpoints when the last connection is closed, so one stays open.
    let reader = shared.readers.take()?;
    let erased = reads::setting(&reader, ERASED)?;
    for _ in 0..ROUNDS_MAX {
        // Most of the log goes without the writer.
        reader.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        by_writer(shared, |_| ErasureStep::TruncateLog)?;
        let file = shared.erasure.file(&shared.path)?;
        let mut pace = Pace::new(shared);
        let roots = unused_bytes::roots(&reader)?;
        bytes += unused_bytes::overwrite(&file, &roots, None, &mut |read| pace.read(read))?.bytes;
        sync(shared, &file)?;
        let left = by_writer(shared, ErasureStep::CleanPagesOfLog)?;
        sync(shared, &file)?;
        if left.is_empty() {
            break;
        }
    }
    drop(checkpointing);
    drop(reader);
    let (answer, answered) = CommitAnswer::open();
    let write = Write::Setting { name: ERASED_ON_DISK.to_owned(), value: erased };
    hand_in::commit(shared, Job::new(Commit::new().write(write), answer));
    match answered.wait() {
        // It is removed here, and the place that the shop moves to begins with a copy that never had it.
        Ok(_) | Err(CommitError::Failed(Error::Moved(_))) => Ok(bytes),
        Err(error) => Err(error.into_failure()),
    }
}

fn sync(shared: &Shared, file: &File) -> Result<()> {
    match shared.durability {
        Durability::Full => file.sync_data().map_err(|error| Error::io(&shared.path, error)),
        Durability::Off => Ok(()),
    }
}

/// Has the writer take a step, as often as it takes until nobody reads an old state.
fn by_writer(
    shared: &Arc<Shared>,
    step: impl Fn(HashSet<PageNumber>) -> ErasureStep,
) -> Result<HashSet<PageNumber>> {
    let until = Instant::now() + READERS_MAX;
    let mut pages = HashSet::new();
    loop {
        let (answer, answered) = sync_channel(1);
        hand_in::erasure(shared, StepJob { step: step(pages), answer })?;
        pages = match answered.recv().unwrap_or(Err(Error::Closed))? {
            StepDone::Done { left } => return Ok(left),
            StepDone::Busy { pages } => pages,
        };
        if Instant::now() >= until {
            return Err(Error::Invalid("a request or a backup still reads what was erased".to_owned()));
        }
        shared.erasure.sleep(READ_AGAIN)?;
    }
}

/// Takes a step on the writer's connection. The writer opens another connection where this is done.
pub(super) fn take_step(shared: &Shared, connection: &Connection, step: ErasureStep) -> Result<StepDone> {
    let mut pages = match step {
        ErasureStep::TruncateLog => {
            let is_done = truncate_log(connection)?;
            let nothing = HashSet::new();
            return Ok(if is_done {
                StepDone::Done { left: nothing }
            } else {
                StepDone::Busy { pages: nothing }
            });
        }
        ErasureStep::CleanPagesOfLog(pages) => pages,
    };
    // An attempt that fails may let the log begin anew, and what it had is overwritten.
    pages.extend(pages_of_log(&shared.path)?);
    if !truncate_log(connection)? {
        return Ok(StepDone::Busy { pages });
    }
    let file = shared.erasure.file(&shared.path)?;
    let roots = unused_bytes::roots(connection)?;
    let Overwritten { left, .. } = unused_bytes::overwrite(&file, &roots, Some(&pages), &mut |_| Ok(()))?;
    Ok(StepDone::Done { left })
}

fn truncate_log(connection: &Connection) -> Result<bool> {
    connection.busy_timeout(RESTART_WAIT)?;
    let busy = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .map_err(Error::from);
    connection.busy_timeout(connections::BUSY_TIMEOUT)?;
    Ok(busy? == 0)
}

/// The pages that are in the log of a file, or were since it was truncated.
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
    let page_bytes = u64::from(number32(&header, 8)?);
    let frame_bytes = FRAME_HEADER_BYTES as u64 + page_bytes;
    let mut pages = HashSet::new();
    for frame in 0..(length - LOG_HEADER_BYTES) / frame_bytes {
        let mut header = [0; FRAME_HEADER_BYTES];
        file.seek(SeekFrom::Start(LOG_HEADER_BYTES + frame * frame_bytes)).map_err(failed)?;
        file.read_exact(&mut header).map_err(failed)?;
        pages.insert(number32(&header, 0)?);
    }
    Ok(pages)
}

/// Leaves time to others, and notices when there is none left: the database is closed, or the log fills the disk.
struct Pace<'s> {
    shared: &'s Shared,
    bytes: usize,
    since: Instant,
}

impl<'s> Pace<'s> {
    fn new(shared: &'s Shared) -> Self {
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
        if kept > 0 && disk_bytes_free(&self.shared.path).is_some_and(|free| free < kept) {
            return Err(Error::Full);
        }
        self.shared.erasure.sleep(self.since.elapsed().min(REST_MAX))?;
        (self.bytes, self.since) = (0, Instant::now());
        Ok(())
    }
}
