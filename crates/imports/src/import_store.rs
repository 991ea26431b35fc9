//! Storage of containers and operations: documents of kinds that are not in the model.

use kontor_engine::{Document, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_storage::{
    Commit, CommitError, CommitRefusal, IndexPage, IndexRange, IndexValue, Put, StoredDocument,
};
use std::ops::Bound;

/// The kind of stored containers. The model does not have it, so no other API can read them.
pub(crate) const CONTAINER: &str = "import-container";
/// The kind of stored operations.
pub(crate) const OPERATION: &str = "import-operation";
/// The indexed path of the expiry time of a container or an operation.
pub(crate) const EXPIRES_AT: &str = "expiresAt";

/// Reads a container or an operation.
pub(crate) fn get(shop: &Shop, kind: &str, id: &str) -> ApiResult<Option<StoredDocument>> {
    shop.storage().get(kind, id).map_err(storage_failure)
}

/// Returns the write of a document, with its index values.
pub(crate) fn document_write(kind: &str, id: &str, document: Document, indexed: Vec<(&str, String)>) -> Put {
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

/// Commits; returns `Err(Ok(refusal))` if a precondition failed.
pub(crate) async fn commit(shop: &Shop, commit: Commit) -> Result<(), Result<CommitRefusal, ApiError>> {
    let tells = kontor_engine::has_notifications(&commit);
    match shop.storage().commit(commit).await {
        Ok(_) => {
            if tells {
                shop.wake_deliverers();
            }
            Ok(())
        }
        Err(CommitError::Refused(refusal)) => Err(Ok(refusal)),
        Err(CommitError::Failed(error)) => Err(Err(storage_failure(error))),
    }
}

/// Returns the ids of documents with a value at an indexed path, oldest first.
pub(crate) fn ids(
    shop: &Shop,
    kind: &str,
    path: &str,
    value: &str,
    page: &IndexPage,
) -> ApiResult<Vec<String>> {
    shop.storage().find_indexed(kind, path, &IndexRange::equal(value), page).map_err(storage_failure)
}

/// Returns the ids of expired documents, at most `limit`.
pub(crate) fn expired(shop: &Shop, kind: &str, limit: usize) -> ApiResult<Vec<String>> {
    let now = IndexValue::Text(kontor_engine::format_time(shop.clock.now()));
    let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
    shop.storage().find_indexed(kind, EXPIRES_AT, &range, &IndexPage::first(limit)).map_err(storage_failure)
}
