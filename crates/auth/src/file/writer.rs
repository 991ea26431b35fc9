//! The writer thread. It takes all queued changes, writes them in one transaction, and acknowledges them when
//! that is on disk. Start at [`SystemFileWriter::start`].

use std::{
    future::Future,
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::checksum;
use crate::{Error, Result};

/// How many changes may wait. More are refused, so that memory stays bounded when the disk is slow.
const QUEUE_MAX: usize = 8_192;
/// How many changes share a transaction.
const GROUP_MAX: usize = 256;

/// The queue of changes to the writer thread. Dropping it writes the queued changes and ends the thread.
pub(crate) struct SystemFileWriter {
    queue: Option<SyncSender<Box<dyn WriteJob>>>,
    thread: Option<JoinHandle<()>>,
}

impl SystemFileWriter {
    pub(super) fn start(connection: Connection) -> Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE_MAX);
        let thread = std::thread::Builder::new()
            .name("system-writer".into())
            .spawn(move || write_all(&connection, &jobs))
            .map_err(|error| Error::Thread(Arc::new(error)))?;
        Ok(SystemFileWriter { queue: Some(queue), thread: Some(thread) })
    }

    /// Queues a change. `work` runs inside the transaction. Once that is on disk, `publish` runs on the
    /// writer's thread, in the order of the changes, and then the change is acknowledged: a caller with an
    /// acknowledgement also sees the published state. If `work` fails, only its own changes are rolled back.
    ///
    /// The call itself queues the change, which happens even if the returned future is dropped.
    pub(crate) fn write<T, W, P>(
        &self,
        work: W,
        publish: P,
    ) -> impl Future<Output = Result<T>> + Send + use<T, W, P>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        P: FnOnce(&T) + Send + 'static,
    {
        let (response, receiver) = oneshot::channel();
        let job = Box::new(QueuedChange { work: Some(work), outcome: None, publish, reply: response });
        let queued = match &self.queue {
            Some(queue) => queue.try_send(job).map_err(|error| match error {
                TrySendError::Full(_) => Error::Busy,
                TrySendError::Disconnected(_) => Error::Closed,
            }),
            None => Err(Error::Closed),
        };
        async move {
            queued?;
            receiver.await.unwrap_or(Err(Error::Closed))
        }
    }
}

impl Drop for SystemFileWriter {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // The panic was reported where it happened.
            let _ = thread.join();
        }
    }
}

trait WriteJob: Send {
    fn run(&mut self, connection: &Connection) -> Result<()>;
    fn finish(self: Box<Self>, commit: Result<()>);
}

struct QueuedChange<T, W, P> {
    work: Option<W>,
    outcome: Option<Result<T>>,
    publish: P,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, W, P> WriteJob for QueuedChange<T, W, P>
where
    T: Send,
    W: FnOnce(&Connection) -> rusqlite::Result<T> + Send,
    P: FnOnce(&T) + Send,
{
    fn run(&mut self, connection: &Connection) -> Result<()> {
        let Some(work) = self.work.take() else { return Ok(()) };
        statement(connection, "SAVEPOINT change")?;
        let outcome = work(connection);
        if outcome.is_err() && !connection.is_autocommit() {
            statement(connection, "ROLLBACK TO change")?;
        }
        if !connection.is_autocommit() {
            statement(connection, "RELEASE change")?;
        }
        self.outcome = Some(outcome.map_err(checksum::convert_error));
        Ok(())
    }

    fn finish(self: Box<Self>, commit: Result<()>) {
        let result = match (commit, self.outcome) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(Error::Closed),
        };
        if let Ok(value) = &result {
            (self.publish)(value);
        }
        // The caller may no longer be waiting; the change is valid all the same.
        let _ = self.reply.send(result);
    }
}

fn write_all(connection: &Connection, queue: &Receiver<Box<dyn WriteJob>>) {
    // No delay to fill a group: while one is being written to disk, the next one fills the queue.
    while let Ok(first) = queue.recv() {
        let mut group = vec![first];
        group.extend(queue.try_iter().take(GROUP_MAX - 1));
        let commit = write_group(connection, &mut group);
        if let Err(error) = &commit {
            tracing::error!(%error, changes = group.len(), "changes to the system file were not written");
            if !connection.is_autocommit() {
                let _ = statement(connection, "ROLLBACK");
            }
        }
        for job in group {
            job.finish(commit.clone());
        }
    }
}

fn write_group(connection: &Connection, group: &mut [Box<dyn WriteJob>]) -> Result<()> {
    statement(connection, "BEGIN IMMEDIATE")?;
    for job in group {
        job.run(connection)?;
        // On a full disk, SQLite rolls back the whole transaction itself.
        if connection.is_autocommit() {
            return Err(Error::Full);
        }
    }
    statement(connection, "COMMIT")
}

fn statement(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    fn writer() -> SystemFileWriter {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE numbers (n INTEGER PRIMARY KEY)").unwrap();
        SystemFileWriter::start(connection).unwrap()
    }

    fn insert(connection: &Connection, number: i64) -> rusqlite::Result<usize> {
        connection.execute("INSERT INTO numbers VALUES (?1)", [number])
    }

    #[test]
    fn a_failed_change_spares_its_neighbours() {
        let writer = writer();
        let first = writer.write(|connection| insert(connection, 1), |_| ());
        let broken = writer.write(
            |connection| {
                insert(connection, 2)?;
                insert(connection, 1)
            },
            |_| panic!("a failed change is not published"),
        );
        let last = writer.write(|connection| insert(connection, 3), |_| ());
        assert!(pollster::block_on(first).is_ok());
        assert!(matches!(pollster::block_on(broken), Err(Error::Database(_))));
        assert!(pollster::block_on(last).is_ok());
        let sum = writer.write(
            |connection| connection.query_row("SELECT sum(n) FROM numbers", [], |row| row.get::<_, i64>(0)),
            |_| (),
        );
        assert_eq!(pollster::block_on(sum).unwrap(), 4);
    }

    #[test]
    fn publishes_a_change_before_acknowledging_it() {
        let writer = writer();
        let published = Arc::new(AtomicI64::new(0));
        for number in 1..=100 {
            let published = published.clone();
            drop(writer.write(
                move |connection| insert(connection, number),
                move |_| assert_eq!(published.fetch_add(1, Ordering::SeqCst) + 1, number),
            ));
        }
        drop(writer);
        assert_eq!(published.load(Ordering::SeqCst), 100);
    }
}
