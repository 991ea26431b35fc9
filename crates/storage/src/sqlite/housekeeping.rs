//! Closes idle connections and notices missing files: one thread for all databases of the process, while any is open.
//!
//! Each connection holds two open files, and a process that runs tests opens thousands of databases.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;

use super::database_state::DatabaseState;

/// Interval of the checks.
const INTERVAL: Duration = Duration::from_secs(2);

struct OpenDatabases {
    databases: Vec<Weak<DatabaseState>>,
    is_running: bool,
}

static OPEN: Mutex<OpenDatabases> = Mutex::new(OpenDatabases { databases: Vec::new(), is_running: false });

/// Includes a database in the checks until it is dropped.
pub(super) fn watch_database(shared: &Arc<DatabaseState>) {
    let mut open = OPEN.lock();
    open.databases.push(Arc::downgrade(shared));
    if open.is_running {
        return;
    }
    match std::thread::Builder::new().name("kontor-housekeeping".into()).spawn(run) {
        Ok(_) => open.is_running = true,
        // Connections stay open for longer, which is harmless.
        Err(error) => tracing::warn!(%error, "could not start housekeeping"),
    }
}

fn run() {
    loop {
        std::thread::sleep(INTERVAL);
        let databases = {
            let mut open = OPEN.lock();
            open.databases.retain(|database| database.strong_count() > 0);
            if open.databases.is_empty() {
                open.is_running = false;
                return;
            }
            open.databases.clone()
        };
        for database in databases {
            if let Some(database) = database.upgrade() {
                // A file without a name can be read only as long as it is open.
                if database.watch.check().is_ok() {
                    database.readers.close_idle(database.idle);
                }
            }
        }
    }
}
