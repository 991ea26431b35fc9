//! A cache of the addresses of API Extensions, including their credentials: they are stored separately from
//! the Extensions, and each call needs one.

use kontor_engine::{CallTarget, Document, ExtensionCall, storage_failure};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_storage::Storage;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of entries. Above it, the cache is cleared.
const KNOWN_MAX: usize = 1_000;

/// The cached destinations, by the names of the settings that store them.
#[derive(Default)]
pub(crate) struct DestinationCache(Mutex<HashMap<String, CachedDestination>>);

/// A destination, and the Extension document that it was read for. A commit writes both together, and replaces the
/// document in memory, so a destination read for a document is never older than the document.
struct CachedDestination {
    target_document: Arc<Document>,
    destination: Arc<Value>,
}

impl DestinationCache {
    /// Returns the destination of a call, from the cache or the storage.
    pub(crate) fn get_or_read(&self, call: &ExtensionCall, storage: &dyn Storage) -> ApiResult<Arc<Value>> {
        let (name, shown) = match &call.address {
            CallTarget::Inline(destination) => return Ok(Arc::new(destination.clone())),
            CallTarget::Stored(name, shown) => (name, shown),
        };
        if let Some(known) = self.0.lock().get(name)
            && Arc::ptr_eq(&known.target_document, &call.target_document)
        {
            return Ok(Arc::clone(&known.destination));
        }
        let kept = storage.setting(name).map_err(storage_failure)?;
        let whole = kept.and_then(|kept| kontor_json::from_str(&kept).ok());
        let destination: Arc<Value> = Arc::new(whole.unwrap_or_else(|| shown.clone()));
        let mut all = self.0.lock();
        if all.len() >= KNOWN_MAX {
            all.clear();
        }
        let known = CachedDestination {
            target_document: Arc::clone(&call.target_document),
            destination: Arc::clone(&destination),
        };
        all.insert(name.clone(), known);
        Ok(destination)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;
    use kontor_storage::CountingStorage;
    use std::time::Duration;

    const NAME: &str = "extension/a/destination";

    fn extension_call(requested: &Arc<Document>) -> ExtensionCall {
        ExtensionCall {
            target_document: Arc::clone(requested),
            address: CallTarget::Stored(NAME.to_owned(), json!({"url": "shown"})),
            body: json!({}),
            expand: Vec::new(),
            timeout: Duration::ZERO,
            wants_actions: true,
            correlation_id: None,
        }
    }

    #[test]
    fn reads_a_destination_once_per_document() {
        let (storage, known) = (CountingStorage::in_memory().unwrap(), DestinationCache::default());
        let set = |url: &str| storage.set_setting(NAME, Some(&json!({"url": url}).to_string())).unwrap();
        let asked_at = |requested: &Arc<Document>| {
            known.get_or_read(&extension_call(requested), &storage).unwrap()["url"].clone()
        };
        let reads = || storage.take_calls().reads.len();
        let (first, second) = (Arc::<Document>::default(), Arc::<Document>::default());
        assert_eq!((asked_at(&first), reads()), (json!("shown"), 1), "nothing is kept apart");
        set("a");
        assert_eq!((asked_at(&second), reads()), (json!("a"), 1));
        set("b");
        assert_eq!((asked_at(&second), reads()), (json!("a"), 0), "it goes with its document");
        assert_eq!((asked_at(&first), reads()), (json!("b"), 1));
    }
}
