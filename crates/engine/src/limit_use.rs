//! Limits of a shop and their use, for clients that check them in advance.

use crate::effects;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::IndexRange;

/// A limit and its use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LimitUse {
    /// The maximum; `None` if there is none.
    pub limit: Option<u64>,
    /// The current number; `None` if it is not counted in the whole shop.
    pub current: Option<u64>,
}

impl Shop {
    /// Returns the limit and the number of documents of a kind. Fails if the storage fails.
    pub fn document_limit_use(&self, kind: KindId) -> ApiResult<LimitUse> {
        let entry = self.model.kind(kind);
        let current = self.storage.count(&entry.type_id).map_err(storage_failure)?;
        Ok(LimitUse { limit: entry.limit, current: Some(current) })
    }

    /// Returns a counter of a document, maintained by the rules of its kind. Fails if the storage fails.
    pub fn counter_value(&self, kind: KindId, id: &str, name: &str) -> ApiResult<i64> {
        let counter = effects::counter_name(&self.model.kind(kind).type_id, id, name);
        self.storage.counter(&counter).map_err(storage_failure)
    }

    /// Returns a limit that the Rust of a kind enforces, and its use. Fails if the storage fails.
    pub fn behaviour_limit_use(&self, kind: KindId, name: &str) -> ApiResult<LimitUse> {
        let limits = self.behaviours.get(kind).map_or(&[][..], |behaviour| behaviour.limits());
        let Some(limit) = limits.iter().find(|limit| limit.name == name) else {
            return Ok(LimitUse::default());
        };
        let count = |(path, value): (&str, &str)| {
            let type_id = &self.model.kind(kind).type_id;
            self.storage.count_indexed(type_id, path, &IndexRange::equal(value), limit.most)
        };
        let current = limit.counted.map(count).transpose().map_err(storage_failure)?;
        Ok(LimitUse { limit: Some(limit.most), current })
    }
}
