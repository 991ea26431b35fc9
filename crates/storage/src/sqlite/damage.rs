//! Damage that reads and writes of a database have met since it was opened: for the log, for a metric and for `/health/ready`.

use std::sync::Arc;

use metrics::counter;
use parking_lot::Mutex;

use super::shared::Shared;
use crate::{DamagedRow, Error};

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
}

impl Shared {
    /// Notes an error where it is damage. Returns the error, with the name of the kind instead of its number.
    pub(super) fn record_damage(&self, error: Error) -> Error {
        if !error.is_damage() {
            return error;
        }
        let error = match error {
            Error::DamagedRow(row) => Error::DamagedRow(self.with_kind_name(row)),
            error => error,
        };
        counter!(DAMAGE_TOTAL, "project" => self.project.clone()).increment(1);
        let mut first = self.damage.0.lock();
        if first.is_none() {
            tracing::error!(
                project = self.project,
                path = %self.path.display(),
                %error,
                "the file of a project is damaged: `kontor verify` says what of it, a backup from before has it whole"
            );
            *first = Some(error.to_string().into());
        }
        error
    }

    fn with_kind_name(&self, row: DamagedRow) -> DamagedRow {
        let name = row.kind.parse().ok().and_then(|number| self.names.name(number));
        match name {
            Some(name) => DamagedRow { kind: name.into(), ..row },
            None => row,
        }
    }
}
