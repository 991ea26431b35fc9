//! Removes the content of erased documents from the files of an index.
//!
//! A deleted entry stays in the index files until segments are merged. A merge rewrites the files, so it is forced only
//! after an erasure (e.g. for the GDPR), once for all erasures of some seconds. The storage counts erasures in the
//! setting [`ERASED`]; this module stores the last count that its index has worked off.

use crate::build::index_failure;
use kontor_engine::{Searchable, Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::SearchIndex;
use kontor_storage::{ERASED, Seq};
use std::time::{Duration, Instant};

/// Delay between the first deletion and the check for erasures.
const LOOK_DELAY: Duration = Duration::from_secs(5);
/// Pause between two merge steps of the index.
const STEP_PERIOD: Duration = Duration::from_millis(500);

/// The state of the removal for one index.
pub(crate) struct IndexErasure {
    /// When to check for erasures; `None`: no entry was deleted since the last check.
    look_at: Option<Instant>,
    /// The removal in progress.
    removing: Option<PendingErasure>,
}

struct PendingErasure {
    /// The value of [`ERASED`] that is done when this removal ends.
    erased: Option<String>,
    /// The entry of the change log that the index must have indexed before the files are merged.
    from: Seq,
}

impl Default for IndexErasure {
    /// Checks at once: a former process may have left an unfinished removal.
    fn default() -> Self {
        Self { look_at: Some(Instant::now()), removing: None }
    }
}

impl IndexErasure {
    /// Schedules a check, since an entry was deleted, maybe because its document was erased.
    pub(crate) fn schedule_check(&mut self) {
        self.look_at.get_or_insert_with(|| Instant::now() + LOOK_DELAY);
    }

    /// Starts again for an index that replaced another one.
    pub(crate) fn restart(&mut self, shop: &Shop, searchable: &dyn Searchable) -> ApiResult<()> {
        if shop.storage().setting(&done_setting(searchable)).map_err(storage_failure)?.is_some() {
            shop.storage().set_setting(&done_setting(searchable), None).map_err(storage_failure)?;
        }
        *self = Self::default();
        Ok(())
    }

    /// Does the next step if it is due. `has_reached` returns whether the index has indexed all changes up to an entry.
    pub(crate) fn step(
        &mut self,
        shop: &Shop,
        searchable: &dyn Searchable,
        index: &dyn SearchIndex,
        has_reached: impl Fn(Seq) -> bool,
    ) -> ApiResult<()> {
        if self.look_at.is_none_or(|at| at > Instant::now()) {
            return Ok(());
        }
        if self.removing.is_none() {
            let setting = |name: &str| shop.storage().setting(name).map_err(storage_failure);
            let erased = setting(ERASED)?;
            if erased == setting(&done_setting(searchable))? {
                self.look_at = None;
                return Ok(());
            }
            // Read after the setting, so that the deletions of all counted erasures are at or before this entry.
            let from = shop.storage().last_seq().map_err(storage_failure)?;
            self.removing = Some(PendingErasure { erased, from });
        }
        let Some(PendingErasure { erased, from }) = &self.removing else { return Ok(()) };
        if !has_reached(*from) || !index.expunge().map_err(|error| index_failure(&error))? {
            self.look_at = Some(Instant::now() + STEP_PERIOD);
            return Ok(());
        }
        let done = done_setting(searchable);
        shop.storage().set_setting(&done, erased.as_deref()).map_err(storage_failure)?;
        self.removing = None;
        // More may have been erased meanwhile.
        self.look_at = Some(Instant::now() + LOOK_DELAY);
        Ok(())
    }
}

/// Returns the name of the setting that holds the value of [`ERASED`] up to which the index files are clean.
fn done_setting(searchable: &dyn Searchable) -> String {
    format!("erased.search.{}", searchable.name())
}
