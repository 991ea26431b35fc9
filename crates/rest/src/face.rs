//! The face, and the one place where an operation finds who answers it.

use crate::admitted::Admitted;
use crate::answer::Answer;
use crate::unread::{Unread, Waiting};
use crate::{bulk, documents, endpoint, list, parameter_search, search, upload, view};
use kontor_errors::{ApiError, ApiResult};
use kontor_finding::Finder;
use kontor_images::Images;
use kontor_model::{Doing, KindId, Model};
use std::sync::Arc;

/// The REST face of a server: what the operations of all projects share.
pub struct Rest {
    /// What is served.
    pub model: Arc<Model>,
    /// Where documents are searched.
    pub finder: Arc<Finder>,
    /// Where images are kept.
    pub images: Images,
    /// Where clients reach the server, for addresses in answers; `None`: where the request was sent to.
    pub public_url: Option<String>,
    /// By kind, who holds its documents where that is not the shop's storage.
    pub holders: Vec<Option<Arc<dyn Holder>>>,
}

/// Answers requests to a kind whose documents are held elsewhere (`@resource(held: …)` in the model).
pub trait Holder: Send + Sync {
    /// The answer to a request that has been admitted.
    fn answer<'a>(&'a self, admitted: Admitted<'a>, body: Unread<'a>) -> Waiting<'a, ApiResult<Answer>>;
}

impl Rest {
    /// Does what a request asks for. What is rarely asked, or takes long, is boxed: the state of all branches together
    /// would be moved with each small read.
    pub async fn answer(&self, admitted: Admitted<'_>, body: Unread<'_>) -> ApiResult<Answer> {
        match admitted.operation.doing {
            Doing::Documents(operation) => documents::answer(self, admitted, body, operation).await,
            Doing::Endpoint(position) => Box::pin(endpoint::answer(self, admitted, body, position)).await,
            Doing::Upload(action) => Box::pin(upload::answer(self, admitted, body, action)).await,
            Doing::Search | Doing::SearchExists | Doing::SearchStatus => {
                Box::pin(search::answer(self, admitted, body)).await
            }
            Doing::ParameterSearch | Doing::Suggest => {
                Box::pin(parameter_search::answer(self, admitted, body)).await
            }
            Doing::List(position) => Box::pin(list::answer(self, admitted, position)).await,
            Doing::View(position) => view::answer(self, &admitted, position),
            Doing::Bulk => Box::pin(bulk::answer(admitted, body)).await,
            Doing::Fixed(fixed) => Err(ApiError::bug(format!("the server itself answers {fixed:?}"))),
        }
    }

    /// Who holds the documents of a kind, where that is not the shop's storage.
    pub(crate) fn holder(&self, kind: KindId) -> Option<&dyn Holder> {
        self.holders.get(kind.index())?.as_deref()
    }
}
