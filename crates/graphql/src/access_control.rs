//! The trait [`AccessControl`], by which the server that embeds this crate checks the caller's rights and provides documents
//! that the storage does not have.

use futures_util::future::BoxFuture;
use kontor_engine::{AccessScope, Document, LimitUse, ReferenceScope, Shop};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Endpoint, KindId};
use std::sync::Arc;

/// Called when a guarded call has ended, with the error if it failed.
pub type CallCompletion<'a> = Box<dyn FnOnce(Option<&ApiError>) + Send + 'a>;

/// The documents that a field is limited to: those of Stores (`inStore`), of an associate (`asAssociate`), of the
/// caller (`me`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentReach {
    /// Keys of Stores; empty: the whole project.
    pub stores: Vec<String>,
    /// True for the caller's own documents.
    pub mine: bool,
    /// The documents that an associate may see: the key of the business unit, and the id of the customer.
    pub associate: Option<(String, String)>,
}

/// The operation of a field on documents of a kind, for the check of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldOperation {
    /// Reads one document.
    View,
    /// Queries documents.
    Query,
    /// Searches for documents.
    Search,
    /// Reads the staged side of documents.
    ViewStaged,
    /// Creates, changes or deletes documents.
    Manage,
    /// Creates or changes documents below `me` before the caller has an identity: sign-up and sign-in need only the
    /// scope.
    SignUp,
}

/// The rights of one caller, and the holders of documents that the storage does not have.
pub trait AccessControl: Send + Sync {
    /// Returns which documents of a kind the caller may see and change.
    ///
    /// # Errors
    /// `insufficient_scope` if the caller's scopes do not allow the operation, `ResourceNotFound` if a Store does not
    /// exist.
    fn authorize(
        &self,
        shop: &Shop,
        kind: KindId,
        reach: &DocumentReach,
        operation: FieldOperation,
    ) -> ApiResult<AccessScope>;

    /// Returns the documents that references below a reach may lead to; `None`: all. With `managed`, returns the
    /// documents that the draft or the actions of a mutation of this kind may name.
    fn references(&self, _reach: &DocumentReach, _managed: Option<KindId>) -> Option<Arc<ReferenceScope>> {
        None
    }

    /// Returns whether the caller may do anything in these Stores, or as this associate. A caller without any right
    /// does not learn whether they exist, and gets an error for each field below.
    fn has_any_right(&self, _reach: &DocumentReach) -> bool {
        true
    }

    /// Returns the holder of a kind whose documents are not in the storage, e.g. of API Clients.
    fn holder(&self, kind: KindId) -> Option<Arc<dyn ExternalKindStore>>;

    /// Returns the maximum and current number of refresh tokens, if this server issues the caller's tokens.
    fn refresh_tokens(&self, _shop: &Shop) -> ApiResult<LimitUse> {
        Ok(LimitUse::default())
    }

    /// Limits the rate of guesses at secrets (`@guarded` in the model). Call the returned function with the result of
    /// the call.
    ///
    /// # Errors
    /// When too many recent guesses were wrong.
    fn guard<'g>(&'g self, _endpoint: &Endpoint, _input: &Value) -> ApiResult<Option<CallCompletion<'g>>> {
        Ok(None)
    }

    /// Returns the response of a reading operation of a service, by its name, the value in its path, and its
    /// parameters.
    fn service_response(
        &self,
        _shop: &Shop,
        call: &str,
        _name: &str,
        _parameter: &dyn Fn(&str) -> Option<String>,
    ) -> ApiResult<Value> {
        Err(ApiError::bug(format!("there is no service operation '{call}'")))
    }
}

/// Stores the documents of a kind outside of the storage (`@resource(held: …)` in the model).
pub trait ExternalKindStore: Send + Sync {
    /// Returns the document with an id, if it exists.
    fn get(&self, shop: &Shop, id: &str) -> ApiResult<Option<Value>>;

    /// Returns all documents.
    fn documents(&self, shop: &Shop) -> ApiResult<Vec<Document>>;

    /// Creates a document from a draft in the shape of the model. The draft has not been validated.
    fn create<'a>(&'a self, shop: &'a Shop, draft: Value) -> BoxFuture<'a, ApiResult<Value>>;

    /// Deletes a document and returns its last state.
    fn delete<'a>(&'a self, shop: &'a Shop, id: &'a str) -> BoxFuture<'a, ApiResult<Value>>;
}
