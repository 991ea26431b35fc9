//! Turns off unused searches. Document B, "Inactivity".

use kontor_engine::{Address, Caller, Searchable, Shop, document, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::json;
use kontor_search::limits::IDLE_DAYS;
use std::sync::atomic::{AtomicI64, Ordering};

/// Milliseconds without a search after which the search counts as unused.
const IDLE_MS: i64 = IDLE_DAYS * 24 * 3_600_000;
/// Minimum milliseconds between two stored uses: storing each would cost a commit for each search.
const NOTED_EVERY_MS: i64 = 3_600_000;

/// When a search was last used, as far as this server knows.
#[derive(Debug, Default)]
pub(crate) struct SearchUsage {
    /// Milliseconds since 1970, by the clock of the shop; 0: unknown.
    noted: AtomicI64,
}

impl SearchUsage {
    /// Reads the stored time of the last use, after a start.
    pub(crate) fn read(shop: &Shop, searchable: &dyn Searchable) -> ApiResult<Self> {
        let noted = shop.storage().setting(&setting(searchable)).map_err(storage_failure)?;
        Ok(Self { noted: AtomicI64::new(noted.and_then(|text| text.parse().ok()).unwrap_or(0)) })
    }

    /// Records a use now. Returns true if it must be stored.
    pub(crate) fn note(&self, shop: &Shop) -> bool {
        let now = shop.clock.now().as_millisecond();
        let noted = self.noted.load(Ordering::Relaxed);
        // The clock of a shop may be set back.
        let is_due = now - noted >= NOTED_EVERY_MS || now < noted;
        if is_due {
            self.noted.store(now, Ordering::Relaxed);
        }
        is_due
    }

    /// Stores the recorded use. Waits for the disk.
    pub(crate) fn write(&self, shop: &Shop, searchable: &dyn Searchable) -> ApiResult<()> {
        let noted = self.noted.load(Ordering::Relaxed).to_string();
        shop.storage().set_setting(&setting(searchable), Some(&noted)).map_err(storage_failure)
    }

    /// Returns whether the search was neither used nor turned on for too long. Before it says so, it reads the stored
    /// time again: another server may have been used, or a restore may have replaced the content.
    pub(crate) fn is_idle(&self, shop: &Shop, searchable: &dyn Searchable) -> ApiResult<bool> {
        if !self.seems_idle(shop, searchable) {
            return Ok(false);
        }
        let stored = Self::read(shop, searchable)?.noted.into_inner();
        self.noted.fetch_max(stored, Ordering::Relaxed);
        Ok(self.seems_idle(shop, searchable))
    }

    fn seems_idle(&self, shop: &Shop, searchable: &dyn Searchable) -> bool {
        if searchable.ab_test_id().is_some() {
            // It is turned off with the usual search, which counts its uses.
            return false;
        }
        let project = shop.project();
        let since = document::text(&project, &["searchIndexing", searchable.setting(), "lastModifiedAt"])
            .and_then(|text| text.parse::<jiff::Timestamp>().ok())
            .map_or(0, |at| at.as_millisecond());
        let last = self.noted.load(Ordering::Relaxed).max(since);
        shop.clock.now().as_millisecond() - last >= IDLE_MS
    }
}

fn setting(searchable: &dyn Searchable) -> String {
    format!("search.{}.used", searchable.name())
}

/// Returns whether the Project has the search turned on.
pub(crate) fn is_wanted(shop: &Shop, searchable: &dyn Searchable) -> bool {
    let project = shop.project();
    let status = document::text(&project, &["searchIndexing", searchable.setting(), "status"]);
    matches!(status, Some("Activated" | "Indexing")) && searchable.is_for(&project)
}

/// Turns a search off by the update action of the Project that clients use, too. A concurrent change of the Project
/// is no error: the caller checks again.
pub(crate) async fn turn_off(shop: &Shop, searchable: &dyn Searchable) -> ApiResult<()> {
    let Some(kind) = shop.model().kind_by_type_id("project") else {
        return Err(ApiError::bug("the model has no Project"));
    };
    let version = shop.project().get("version").cloned().unwrap_or_default();
    let body = json!({"version": version, "actions": [searchable.deactivation()]});
    match shop.update(kind, &Address::Id(&shop.key), body, &Caller::default()).await {
        Ok(_) => {
            tracing::info!(project = %shop.key, search = searchable.name(), days = IDLE_DAYS, "turned off an unused search");
            Ok(())
        }
        // A concurrent change of the Project: checked again in a moment.
        Err(error) if error.code() == Code::ConcurrentModification => Ok(()),
        Err(error) => Err(error),
    }
}
