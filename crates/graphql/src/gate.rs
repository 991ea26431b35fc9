//! What the face asks of whoever serves it: may this caller, and who holds what the storage does not.

use futures_util::future::BoxFuture;
use kontor_engine::{Bounds, Document, ReferenceScope, Shop, Used};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Endpoint, KindId};
use std::sync::Arc;

/// Told how a guarded call ended: with which refusal, if with one.
pub type Ended<'a> = Box<dyn FnOnce(Option<&ApiError>) + Send + 'a>;

/// The documents that a field of the query speaks of: those below `inStore`, those below `me`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Keys of Stores; none: the whole project.
    pub stores: Vec<String>,
    /// Those of who asks.
    pub mine: bool,
    /// Those that an associate works with: the key of the unit, and the id of the customer.
    pub associate: Option<(String, String)>,
}

/// What a field does with the documents of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It reads one of them.
    Viewing,
    /// It looks for them.
    Querying,
    /// It searches for them.
    Searching,
    /// It reads the sides of them that are being worked on.
    Staged,
    /// It writes them.
    Managing,
    /// It writes them, below `me`, for whoever has the scope: who signs up or in is nobody yet.
    Entering,
}

/// The rights of one caller, and the holders of kinds that are held elsewhere.
pub trait Gate: Send + Sync {
    /// The documents of a kind that the caller may see and touch. Fails with `insufficient_scope` where they may not
    /// do that at all, and with `ResourceNotFound` for Stores that are not there.
    fn admit(&self, shop: &Shop, kind: KindId, reach: &Reach, doing: Doing) -> ApiResult<Bounds>;

    /// The documents that fields below a reach show by reference; `None`: all. With `managed`, those that the draft or the
    /// actions of a mutation of this kind may name.
    fn references(&self, _reach: &Reach, _managed: Option<KindId>) -> Option<Arc<ReferenceScope>> {
        None
    }

    /// Whether the caller may do anything in these Stores, or as an associate: who may not is not told whether they are there, and
    /// finds each field below refused.
    fn is_let_in(&self, _reach: &Reach) -> bool {
        true
    }

    /// Who holds the documents of a kind, where that is not the shop's storage.
    fn holder(&self, kind: KindId) -> Option<Arc<dyn Holder>>;

    /// How many refresh tokens the project may have and has, where the caller's tokens are issued here.
    fn refresh_tokens(&self, _shop: &Shop) -> ApiResult<Used> {
        Ok(Used::default())
    }

    /// Slows down who guesses at secrets (`@guarded` in the model): fails where too many were wrong of late.
    fn guard<'g>(&'g self, _endpoint: &Endpoint, _input: &Value) -> ApiResult<Option<Ended<'g>>> {
        Ok(None)
    }

    /// What an operation of a service answers that only reads: by its name, the value in its path, and its parameters.
    fn told(
        &self,
        _shop: &Shop,
        call: &str,
        _name: &str,
        _parameter: &dyn Fn(&str) -> Option<String>,
    ) -> ApiResult<Value> {
        Err(ApiError::bug(format!("nobody answers '{call}' here")))
    }
}

/// Holds the documents of a kind (`@resource(held: …)` in the model).
pub trait Holder: Send + Sync {
    /// The document of an id.
    fn get(&self, shop: &Shop, id: &str) -> ApiResult<Option<Value>>;

    /// All documents.
    fn documents(&self, shop: &Shop) -> Vec<Document>;

    /// Makes a document from a draft in the shape of the model, which has not been validated.
    fn create<'a>(&'a self, shop: &'a Shop, draft: Value) -> BoxFuture<'a, ApiResult<Value>>;

    /// Deletes a document and answers it as it was.
    fn delete<'a>(&'a self, shop: &'a Shop, id: &'a str) -> BoxFuture<'a, ApiResult<Value>>;
}
