//! Removes from the files of an index what was erased from the shop.
//!
//! An entry that is gone stays in the files until they are merged. That costs as much as writing them anew, so it is done for erased
//! documents alone, and soon after: for those of some seconds together.

use crate::build::index_failure;
use kontor_engine::{Searchable, Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::SearchIndex;
use kontor_storage::{ERASED, Seq};
use std::time::{Duration, Instant};

/// How long after the first deletion it looks for erased documents.
const LOOK_DELAY: Duration = Duration::from_secs(5);
/// Between two steps of the index.
const STEP_PERIOD: Duration = Duration::from_millis(500);

/// What is left to do.
pub(crate) struct Erasing {
    /// When to look whether something was erased; `None`: nothing was deleted since the last time.
    look_at: Option<Instant>,
    /// What is being removed.
    removing: Option<Removing>,
}

struct Removing {
    /// Up to this value of [`ERASED`].
    erased: Option<String>,
    /// The entry of the change log up to which the index has to know everything before.
    from: Seq,
}

impl Default for Erasing {
    /// What a former process left to be done is done first.
    fn default() -> Self {
        Self { look_at: Some(Instant::now()), removing: None }
    }
}

impl Erasing {
    /// An entry is gone, perhaps because its document was erased.
    pub(crate) fn look_soon(&mut self) {
        self.look_at.get_or_insert_with(|| Instant::now() + LOOK_DELAY);
    }

    /// Another index answers, from which nothing was removed yet.
    pub(crate) fn begin_anew(&mut self, shop: &Shop, searchable: &dyn Searchable) -> ApiResult<()> {
        if shop.storage().setting(&done_setting(searchable)).map_err(storage_failure)?.is_some() {
            shop.storage().set_setting(&done_setting(searchable), None).map_err(storage_failure)?;
        }
        *self = Self::default();
        Ok(())
    }

    /// Does what is due. `has_reached` says whether the index knows of everything up to an entry of the change log.
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
            // Read behind the setting: what was erased until then is in the change log up to here.
            let from = shop.storage().last_seq().map_err(storage_failure)?;
            self.removing = Some(Removing { erased, from });
        }
        let Some(Removing { erased, from }) = &self.removing else { return Ok(()) };
        if !has_reached(*from) || !index.expunge().map_err(|error| index_failure(&error))? {
            self.look_at = Some(Instant::now() + STEP_PERIOD);
            return Ok(());
        }
        let done = done_setting(searchable);
        shop.storage().set_setting(&done, erased.as_deref()).map_err(storage_failure)?;
        self.removing = None;
        // Something may have been erased meanwhile.
        self.look_at = Some(Instant::now() + LOOK_DELAY);
        Ok(())
    }
}

/// The setting with the value of [`ERASED`] up to which nothing is left in the files of an index.
fn done_setting(searchable: &dyn Searchable) -> String {
    format!("erased.search.{}", searchable.name())
}
