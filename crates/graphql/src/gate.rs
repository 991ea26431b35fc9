//! What the face asks of whoever serves it: may this caller, and who holds what the storage does not.

use kontor_engine::{Document, Shop};
use kontor_errors::ApiResult;
use kontor_model::KindId;
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;

/// A future in a box.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The rights of one caller, and the holders of kinds that are held elsewhere.
pub trait Gate: Send + Sync {
    /// Fails with `insufficient_scope` where the caller may not read documents of a kind.
    fn may_view(&self, kind: KindId) -> ApiResult<()>;

    /// Fails with `insufficient_scope` where the caller may not write documents of a kind.
    fn may_manage(&self, kind: KindId) -> ApiResult<()>;

    /// Who holds the documents of a kind, where that is not the shop's storage.
    fn holder(&self, kind: KindId) -> Option<Arc<dyn Holder>>;
}

/// Holds the documents of a kind (`@resource(held: …)` in the model).
pub trait Holder: Send + Sync {
    /// The document of an id.
    fn get(&self, shop: &Shop, id: &str) -> ApiResult<Option<Value>>;

    /// All documents.
    fn documents(&self, shop: &Shop) -> Vec<Document>;

    /// Makes a document from a draft in the shape of the model, which has not been validated.
    fn create<'a>(&'a self, shop: &'a Shop, draft: Value) -> Waiting<'a, ApiResult<Value>>;

    /// Deletes a document and answers it as it was.
    fn delete<'a>(&'a self, shop: &'a Shop, id: &'a str) -> Waiting<'a, ApiResult<Value>>;
}
