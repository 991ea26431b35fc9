//! Limits the number of open connections, and selects connections to close.
//!
//! A process has a limited number of open files, and connections are files. Idle connections must not keep
//! others out, nor use up the files of projects: above the limit the least useful one is closed.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Notify;

/// Number of files reserved for other uses than connections.
const OTHER_FILES: u64 = 256;
/// Maximum number of connections, whatever number of files is allowed: each takes memory too.
const CONNECTIONS_MAX: u64 = 16_384;
/// Minimum number of connections, whatever number of files is allowed.
const CONNECTIONS_MIN: u64 = 64;
/// The newest connections had no time to send a request yet, so this many of them are never closed.
const NEWEST: u64 = 32;

/// The open connections.
pub(super) struct ConnectionLimiter {
    open: Mutex<HashMap<u64, Arc<ConnectionState>>>,
    most: usize,
    /// Number of connections accepted so far. It serves as the clock of this module.
    come: AtomicU64,
}

/// An open connection, until it is dropped.
pub(super) struct TrackedConnection {
    all: Arc<ConnectionLimiter>,
    number: u64,
    state: Arc<ConnectionState>,
}

/// The usage of a connection.
struct ConnectionState {
    /// When something was last written, or when the connection was opened, in accepted connections.
    used: AtomicU64,
    /// True while a request waits for its response.
    is_asked: AtomicBool,
    has_answered: AtomicBool,
    end: Notify,
}

/// Records the usage of a connection.
#[derive(Clone)]
pub(super) struct ConnectionUsage {
    all: Arc<ConnectionLimiter>,
    state: Arc<ConnectionState>,
}

impl ConnectionLimiter {
    /// Returns an empty set. `files` is the number of files that the process may have open.
    pub(super) fn new(files: u64) -> Arc<Self> {
        let most = files.saturating_sub(OTHER_FILES).clamp(CONNECTIONS_MIN, CONNECTIONS_MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Arc::new(Self { open: Mutex::default(), most, come: AtomicU64::new(0) })
    }

    /// Registers a connection. Above the limit, another one closes.
    pub(super) fn register(self: &Arc<Self>) -> TrackedConnection {
        let number = self.come.fetch_add(1, Ordering::Relaxed) + 1;
        let state = Arc::new(ConnectionState {
            used: AtomicU64::new(number),
            is_asked: AtomicBool::new(false),
            has_answered: AtomicBool::new(false),
            end: Notify::new(),
        });
        let mut open = self.open.lock();
        if open.len() >= self.most
            && let Some(least) = least_used(&open, number)
            && let Some(ended) = open.remove(&least)
        {
            ended.end.notify_one();
        }
        open.insert(number, Arc::clone(&state));
        TrackedConnection { all: Arc::clone(self), number, state }
    }
}

/// Returns the least useful connection: the oldest of those that never sent a whole request, else the one
/// whose last response is oldest. A connection with a request in progress is never selected.
fn least_used(open: &HashMap<u64, Arc<ConnectionState>>, now: u64) -> Option<u64> {
    let candidates = open.iter().filter(|(number, state)| {
        !state.is_asked.load(Ordering::Relaxed) && now.saturating_sub(**number) > NEWEST
    });
    let rank = |state: &ConnectionState| {
        (state.has_answered.load(Ordering::Relaxed), state.used.load(Ordering::Relaxed))
    };
    candidates.min_by_key(|(_, state)| rank(state)).map(|(number, _)| *number)
}

impl TrackedConnection {
    /// Completes when the connection must close to make room for another.
    pub(super) async fn close_requested(&self) {
        self.state.end.notified().await;
    }

    /// Returns a recorder of its usage.
    pub(super) fn usage(&self) -> ConnectionUsage {
        ConnectionUsage { all: Arc::clone(&self.all), state: Arc::clone(&self.state) }
    }
}

impl Drop for TrackedConnection {
    fn drop(&mut self) {
        self.all.open.lock().remove(&self.number);
    }
}

impl ConnectionUsage {
    /// Records that the head of a request was received.
    pub(super) fn record_request(&self) {
        self.state.is_asked.store(true, Ordering::Relaxed);
    }

    /// Records that something was written.
    pub(super) fn record_write(&self) {
        self.state.is_asked.store(false, Ordering::Relaxed);
        self.state.has_answered.store(true, Ordering::Relaxed);
        self.state.used.store(self.all.come.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn has_to_end(connection: &TrackedConnection) -> bool {
        connection.close_requested().now_or_never().is_some()
    }

    #[test]
    fn closes_silent_connections_first() {
        let all = ConnectionLimiter::new(0);
        let used = all.register();
        used.usage().record_request();
        used.usage().record_write();
        let worked_on = all.register();
        worked_on.usage().record_request();
        let silent: Vec<TrackedConnection> = (0..200).map(|_| all.register()).collect();
        assert!(!has_to_end(&used) && !has_to_end(&worked_on));
        let ended = silent.iter().take_while(|connection| has_to_end(connection)).count();
        assert_eq!(ended, 202 - CONNECTIONS_MIN as usize, "the oldest first");
        assert_eq!(all.open.lock().len(), CONNECTIONS_MIN as usize);
        drop((silent, used, worked_on));
        assert!(all.open.lock().is_empty());
    }

    #[test]
    fn closes_the_least_recently_used_connection() {
        let all = ConnectionLimiter::new(0);
        let open: Vec<TrackedConnection> = (0..CONNECTIONS_MIN)
            .map(|_| {
                let connection = all.register();
                connection.usage().record_request();
                connection.usage().record_write();
                connection
            })
            .collect();
        open[0].usage().record_request();
        open[1].usage().record_write();
        let _one_more = all.register();
        let ended: Vec<usize> = (0..open.len()).filter(|at| has_to_end(&open[*at])).collect();
        assert_eq!(ended, [2]);
    }
}
