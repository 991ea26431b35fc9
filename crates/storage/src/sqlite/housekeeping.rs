//! Closes idle connections and notices missing files: one thread for all databases of the process, while any is open.
//!
//! Each connection holds two open files, and a process that runs tests opens thousands of databases.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;

use super::shared::Shared;

/// Interval of the checks.
const INTERVAL: Duration = Duration::from_secs(2);

struct Open {
    databases: Vec<Weak<Shared>>,
    is_running: bool,
}

static OPEN: Mutex<Open> = Mutex::new(Open { databases: Vec::new(), is_running: false });

/// Includes a database in the checks until it is dropped.
pub(super) fn look_after(shared: &Arc<Shared>) {
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
