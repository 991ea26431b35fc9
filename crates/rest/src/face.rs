//! The face: what its operations share.

use crate::admitted::Admitted;
use crate::answer::Answer;
use crate::unread::Unread;
use futures_util::future::BoxFuture;
use kontor_engine::Turns;
use kontor_errors::ApiResult;
use kontor_finding::Finder;
use kontor_images::Images;
use kontor_model::{KindId, Model};
use std::sync::Arc;

/// The REST face of a server: what the operations of all projects share.
pub struct Rest {
    /// What is served.
    pub model: Arc<Model>,
    /// Where documents are searched.
    pub finder: Arc<Finder>,
    /// Turns at answers that take long.
    pub turns: Turns,
    /// Where images are kept.
    pub images: Images,
    /// Where clients reach the server, for addresses in answers; `None`: where the request was sent to, if that is a name of this machine.
    pub public_url: Option<String>,
    /// The address for answers to requests that were sent to another name.
    pub own_url: String,
    /// By kind, who holds its documents where that is not the shop's storage.
    pub holders: Vec<Option<Arc<dyn Holder>>>,
}

/// Answers requests to a kind whose documents are held elsewhere (`@resource(held: …)` in the model).
pub trait Holder: Send + Sync {
    /// The answer to a request that has been admitted.
    fn answer<'a>(&'a self, admitted: &'a Admitted<'a>, body: Unread<'a>)
    -> BoxFuture<'a, ApiResult<Answer>>;
}

impl Rest {
    /// Who holds the documents of a kind, where that is not the shop's storage.
    pub(crate) fn holder(&self, kind: KindId) -> Option<&dyn Holder> {
        self.holders.get(kind.index())?.as_deref()
    }
}
