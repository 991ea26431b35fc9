//! Limits of a shop and their use, for clients that check them in advance.

use crate::effects;
use crate::failure::storage_failure;
use crate::shop::Shop;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::IndexRange;

/// A limit and its use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// The maximum; `None` if there is none.
    pub limit: Option<u64>,
    /// The current number; `None` if it is not counted in the whole shop.
    pub current: Option<u64>,
}

impl Shop {
    /// Returns the limit and the number of documents of a kind.
    pub fn documents_used(&self, kind: KindId) -> ApiResult<Used> {
        let entry = self.model.kind(kind);
        let current = self.storage.count(&entry.type_id).map_err(storage_failure)?;
        Ok(Used { limit: entry.limit, current: Some(current) })
    }

    /// Returns a counter of a document, maintained by the rules of its kind.
    pub fn counted(&self, kind: KindId, id: &str, name: &str) -> ApiResult<i64> {
        let counter = effects::counter(&self.model.kind(kind).type_id, id, name);
        self.storage.counter(&counter).map_err(storage_failure)
    }

    /// Returns a limit that the Rust of a kind enforces, and its use.
    pub fn limit_used(&self, kind: KindId, name: &str) -> ApiResult<Used> {
        let limits = self.behaviours.of(kind).map_or(&[][..], |behaviour| behaviour.limits());
        let Some(limit) = limits.iter().find(|limit| limit.name == name) else { return Ok(Used::default()) };
        let count = |(path, value): (&str, &str)| {
            let type_id = &self.model.kind(kind).type_id;
            self.storage.count_indexed(type_id, path, &IndexRange::equal(value), limit.most)
        };
        let current = limit.counted.map(count).transpose().map_err(storage_failure)?;
        Ok(Used { limit: Some(limit.most), current })
    }
}
