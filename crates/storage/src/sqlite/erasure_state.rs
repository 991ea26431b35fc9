//! The state of the removal of erased data from the disk, and its steps that the writer takes. See `erasure`.

use std::{
    collections::HashSet,
    fs::File,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::SyncSender,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::page::PageNumber;
use crate::{Error, Result};

/// The state of the thread that removes erased data, and the file that it writes.
#[derive(Default)]
pub(super) struct ErasureState {
    pub(super) thread: Mutex<ErasureThread>,
    wake: Condvar,
    pub(super) is_closed: AtomicBool,
    /// Stays open until the database is closed: closing it would release the locks that SQLite holds on the file.
    file: Mutex<Option<Arc<File>>>,
}

/// The thread and its schedule.
#[derive(Default)]
pub(super) struct ErasureThread {
    /// When the next removal begins; `None`: none is scheduled.
    pub(super) due: Option<Instant>,
    pub(super) handle: Option<JoinHandle<()>>,
    pub(super) is_running: bool,
}

impl ErasureState {
    /// Stops the thread and waits for it. The next open of the file continues its work.
    pub(super) fn close(&self) {
        let handle = {
            let mut thread = self.thread.lock();
            self.is_closed.store(true, Ordering::Release);
            thread.handle.take()
        };
        self.wake.notify_all();
        if let Some(handle) = handle
            && handle.join().is_err()
        {
            tracing::error!("the thread that removes erased data panicked");
        }
    }

    /// Sleeps. Fails with [`Error::Closed`] if the database is closed meanwhile.
    pub(super) fn sleep(&self, time: Duration) -> Result<()> {
        let mut thread = self.thread.lock();
        let until = Instant::now() + time;
        while !self.is_closed.load(Ordering::Acquire) {
            if self.wake.wait_until(&mut thread, until).timed_out() {
                return Ok(());
            }
        }
        Err(Error::Closed)
    }

    /// Returns the file of the database, opened at the first call.
    pub(super) fn file(&self, path: &Path) -> Result<Arc<File>> {
        let mut file = self.file.lock();
        if let Some(file) = &*file {
            return Ok(Arc::clone(file));
        }
        let opened = File::options().read(true).write(true).open(path);
        let opened = Arc::new(opened.map_err(|error| Error::io(path, error))?);
        *file = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

/// A step for the writer.
pub(super) enum ErasureStep {
    /// Moves the whole log into the file, and truncates the log.
    TruncateLog,
    /// The same, then overwrites the unused bytes of the pages that were in the log, and of those of earlier attempts.
    CleanPagesOfLog(HashSet<PageNumber>),
}

/// A step for the writer, and the channel for its result.
pub(super) struct ErasureJob {
    pub(super) step: ErasureStep,
    pub(super) reply: SyncSender<Result<ErasureStepResult>>,
}

/// The result of a step.
pub(super) enum ErasureStepResult {
    /// The step is done. `left`: pages of the log that belong to no table or index.
    Done { left: HashSet<PageNumber> },
    /// A reader holds an old snapshot: try again with these pages, which were in the log.
    Busy { pages: HashSet<PageNumber> },
}
