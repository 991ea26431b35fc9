//! The state of the removal of erased data from the disk, and the steps of it that the writer takes. See `erasure`.

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

/// The state of the thread that removes erased data, and the file that it writes to.
#[derive(Default)]
pub(super) struct Erasure {
    pub(super) thread: Mutex<ErasureThread>,
    wake: Condvar,
    pub(super) is_closed: AtomicBool,
    /// Stays open until the database is closed: closing it would give up the locks that SQLite holds on the file.
    file: Mutex<Option<Arc<File>>>,
}

/// The thread, and when it begins.
#[derive(Default)]
pub(super) struct ErasureThread {
    /// When it is to be done; `None`: nothing is.
    pub(super) due: Option<Instant>,
    pub(super) handle: Option<JoinHandle<()>>,
    pub(super) is_running: bool,
}

impl Erasure {
    /// Ends the thread and waits for it. What it did not do is done when the file is opened the next time.
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

    /// Waits, unless the database is closed meanwhile.
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

    /// The file of the database, opened at the first call.
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

/// A step of the writer.
pub(super) enum ErasureStep {
    /// Moves all of the log into the file and truncates it.
    TruncateLog,
    /// The same, and overwrites the unused bytes of pages that the log had. The pages of earlier attempts.
    CleanPagesOfLog(HashSet<PageNumber>),
}

/// A step of the writer and where it is answered.
pub(super) struct StepJob {
    pub(super) step: ErasureStep,
    pub(super) answer: SyncSender<Result<StepDone>>,
}

/// What came of a step.
pub(super) enum StepDone {
    /// It is done; with the pages of the log that are no part of anything.
    Done { left: HashSet<PageNumber> },
    /// Somebody reads an old state: to be tried again, with the pages that the log had.
    Busy { pages: HashSet<PageNumber> },
}
