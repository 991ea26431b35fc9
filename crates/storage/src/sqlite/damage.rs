//! Records damage that reads and writes have found since the file was opened: for the log, a metric and
//! `/health/ready`.

use std::{path::Path, sync::Arc};

use metrics::counter;
use parking_lot::Mutex;

use crate::Error;

/// Metric: how often damage was found, by project, or `system.db` for the system file.
const DAMAGE_TOTAL: &str = "kontor_storage_damage_total";

/// The first damage that was found. It stays until the file is opened again, since nothing repairs a row at run time.
#[derive(Debug, Default)]
pub struct DamageLog(Mutex<Option<Arc<str>>>);

impl DamageLog {
    /// Returns the first damage.
    pub fn first_damage(&self) -> Option<Arc<str>> {
        self.0.lock().clone()
    }

    /// Counts damage in the file of a project, or in `system.db`, and logs the first one.
    pub fn record(&self, project: &str, path: &Path, error: &Error) {
        counter!(DAMAGE_TOTAL, "project" => project.to_owned()).increment(1);
        let mut first = self.0.lock();
        if first.is_none() {
            tracing::error!(
                project,
                path = %path.display(),
                %error,
                "the file is damaged: run `kontor verify` for details, and restore an earlier backup"
            );
            *first = Some(error.to_string().into());
        }
    }
}
