//! Containers and operations in the storage of a shop, as documents that the model does not know.

use kontor_engine::{Document, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_storage::{Commit, CommitError, IndexPage, IndexRange, IndexValue, Put, Refusal, Stored};
use std::ops::Bound;

/// The kind under which containers are stored. It is no kind of the model, so no other face can see it.
pub(crate) const CONTAINER: &str = "import-container";
/// The kind under which operations are stored.
pub(crate) const OPERATION: &str = "import-operation";
/// The indexed path of when a container or an operation goes.
pub(crate) const EXPIRES_AT: &str = "expiresAt";

/// A document of the import.
pub(crate) fn get(shop: &Shop, kind: &str, id: &str) -> ApiResult<Option<Stored>> {
    shop.storage().get(kind, id).map_err(storage_failure)
}

/// A document to write, found by these values.
pub(crate) fn put(kind: &str, id: &str, document: Document, indexed: Vec<(&str, String)>) -> Put {
    let version = document.get("version").and_then(Value::as_i64).unwrap_or(1);
    let indexed = indexed.into_iter().map(|(path, value)| (path.to_owned(), IndexValue::Text(value)));
    Put {
        kind: kind.to_owned(),
        id: id.to_owned(),
        version,
        body: Value::Object(document).to_string().into(),
        indexed: indexed.collect(),
        ..Put::default()
    }
}

/// Writes; `Err(Ok(refusal))` where something stood against it.
pub(crate) async fn commit(shop: &Shop, commit: Commit) -> Result<(), Result<Refusal, ApiError>> {
    let tells = kontor_engine::tells(&commit);
    match shop.storage().commit(commit).await {
        Ok(_) => {
            if tells {
                shop.ring();
            }
            Ok(())
        }
        Err(CommitError::Refused(refusal)) => Err(Ok(refusal)),
        Err(CommitError::Failed(error)) => Err(Err(storage_failure(error))),
    }
}

/// The ids of documents with a value at an indexed path, oldest first.
pub(crate) fn ids(
    shop: &Shop,
    kind: &str,
    path: &str,
    value: &str,
    page: &IndexPage,
) -> ApiResult<Vec<String>> {
    shop.storage().find_indexed(kind, path, &IndexRange::equal(value), page).map_err(storage_failure)
}

/// The ids of some documents whose time has come.
pub(crate) fn expired(shop: &Shop, kind: &str, limit: usize) -> ApiResult<Vec<String>> {
    let now = IndexValue::Text(kontor_engine::format_time(shop.clock.now()));
    let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
    shop.storage().find_indexed(kind, EXPIRES_AT, &range, &IndexPage::first(limit)).map_err(storage_failure)
}
