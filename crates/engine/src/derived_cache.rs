//! A cache of values that rules derive from many documents, valid until one of them changes.

use kontor_errors::{ApiError, ApiResult};
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of values under one name; further ones are not cached.
const VALUES_PER_NAME_MAX: usize = 1_000;

/// The cached values, by name.
#[derive(Default)]
pub(crate) struct DerivedCache {
    values_by_name: Mutex<HashMap<&'static str, CachedValues>>,
}

type AnyValue = Arc<dyn Any + Send + Sync>;

/// Values by the ids of their subjects, and the revision of the document that represents all their sources.
/// Revisions are never reused.
#[derive(Default)]
struct CachedValues {
    revision: i64,
    values: HashMap<String, AnyValue>,
}

impl CachedValues {
    fn at_revision(&self, revision: i64) -> Option<&HashMap<String, AnyValue>> {
        (self.revision == revision).then_some(&self.values)
    }
}

impl DerivedCache {
    /// Returns the value of a name for a revision, and makes it if the cached one is of another revision.
    /// `make` reads after the revision was read, so its result is never older. If it is newer, a commit that
    /// requires the revision is refused.
    pub(crate) fn get_or_derive<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        self.get_or_derive_of((name, ""), revision, make)
    }

    /// Like [`get_or_derive`](Self::get_or_derive), for many values under one name: one for each `id` of a subject.
    pub(crate) fn get_or_derive_of<T: Any + Send + Sync>(
        &self,
        (name, id): (&'static str, &str),
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        let kept = self
            .values_by_name
            .lock()
            .get(name)
            .and_then(|kept| kept.at_revision(revision)?.get(id).cloned());
        if let Some(kept) = kept {
            return of_type(kept, name);
        }
        let made = Arc::new(make()?);
        let mut all = self.values_by_name.lock();
        let kept = all.entry(name).or_default();
        if kept.revision != revision {
            *kept = CachedValues { revision, values: HashMap::new() };
        }
        if kept.values.len() < VALUES_PER_NAME_MAX {
            kept.values.insert(id.to_owned(), Arc::clone(&made) as AnyValue);
        }
        Ok(made)
    }

    /// Clears the cache: the documents were replaced, with their revisions.
    pub(crate) fn clear(&self) {
        self.values_by_name.lock().clear();
    }
}

fn of_type<T: Any + Send + Sync>(kept: AnyValue, name: &str) -> ApiResult<Arc<T>> {
    kept.downcast().map_err(|_| ApiError::bug(format!("the cached value {name} has two types")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_a_value_once_per_revision() {
        let derived_cache = DerivedCache::default();
        let at = |revision: i64, value: &'static str| {
            *derived_cache.get_or_derive("x", revision, || Ok(value)).unwrap()
        };
        assert_eq!(at(1, "first"), "first");
        assert_eq!(at(1, "again"), "first");
        assert_eq!(at(2, "second"), "second");
        assert_eq!(at(1, "first once more"), "first once more");
        derived_cache.clear();
        assert_eq!(at(1, "of another shop"), "of another shop");
    }

    #[test]
    fn derives_each_value_once_per_revision() {
        let derived_cache = DerivedCache::default();
        let at = |id: &str, revision: i64, value: &'static str| {
            *derived_cache.get_or_derive_of(("x", id), revision, || Ok(value)).unwrap()
        };
        assert_eq!([at("a", 1, "first"), at("b", 1, "other")], ["first", "other"]);
        assert_eq!([at("a", 1, "again"), at("b", 1, "again")], ["first", "other"]);
        assert_eq!([at("a", 2, "second"), at("b", 2, "second, too")], ["second", "second, too"]);
        derived_cache.clear();
        assert_eq!(at("a", 2, "of another shop"), "of another shop");
    }

    #[test]
    fn limits_the_cached_values() {
        let derived_cache = DerivedCache::default();
        let at = |id: usize, value: usize| {
            *derived_cache.get_or_derive_of(("x", &id.to_string()), 1, || Ok(value)).unwrap()
        };
        (0..=VALUES_PER_NAME_MAX).for_each(|id| assert_eq!(at(id, id), id));
        assert_eq!((at(0, 7), at(VALUES_PER_NAME_MAX, 7)), (0, 7));
    }

    #[test]
    fn caches_no_errors() {
        let derived_cache = DerivedCache::default();
        derived_cache.get_or_derive::<i32>("x", 1, || Err(ApiError::internal())).unwrap_err();
        assert_eq!(*derived_cache.get_or_derive("x", 1, || Ok(1)).unwrap(), 1);
    }
}
