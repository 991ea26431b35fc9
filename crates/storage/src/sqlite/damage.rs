//! Damage that reads and writes of a database have met since it was opened: for the log, for a metric and for `/health/ready`.

use std::{path::Path, sync::Arc};

use metrics::counter;
use parking_lot::Mutex;

use crate::Error;

/// Counts each time that damage is met, by project.
const DAMAGE_TOTAL: &str = "kontor_storage_damage_total";

/// What was met first. It stays until the file is opened again: nothing mends a row while the server runs.
#[derive(Debug, Default)]
pub(super) struct DamageMet(Mutex<Option<Arc<str>>>);

impl DamageMet {
    /// What was met first.
    pub(super) fn first(&self) -> Option<Arc<str>> {
        self.0.lock().clone()
    }
    /// Counts damage in the file of a project, and writes the first to the log.
    pub(super) fn record(&self, project: &str, path: &Path, error: &Error) {
        counter!(DAMAGE_TOTAL, "project" => project.to_owned()).increment(1);
        let mut first = self.0.lock();
        if first.is_none() {
            tracing::error!(
                project,
                path = %path.display(),
                %error,
                "the file of a project is damaged: `kontor verify` says what of it, a backup from before has it whole"
            );
            *first = Some(error.to_string().into());
        }
    }
}
