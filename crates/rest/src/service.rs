//! The REST interface ([`Rest`]): the state that its operations share.

use crate::admitted_request::AdmittedRequest;
use crate::lazy_body::LazyBody;
use crate::response::HttpResponse;
use futures_util::future::BoxFuture;
use kontor_engine::SlowRequestLimiter;
use kontor_errors::ApiResult;
use kontor_images::Images;
use kontor_model::{KindId, Model};
use kontor_search_service::SearchService;
use std::sync::Arc;

/// The REST interface of a server, for all projects. `dispatch` chooses the handler of an operation.
pub struct Rest {
    /// The model that is served.
    pub model: Arc<Model>,
    /// Runs searches.
    pub search_service: Arc<SearchService>,
    /// Limits concurrent slow requests.
    pub limiter: SlowRequestLimiter,
    /// The store of images.
    pub images: Images,
    /// The public URL of the server, for URLs in responses; `None`: the host of the request, if that is this machine.
    pub public_url: Option<String>,
    /// The URL for responses to requests with another host.
    pub own_url: String,
    /// By kind, the holder of its documents if they are outside of the project's storage.
    pub holders: Vec<Option<Arc<dyn ExternalKindHandler>>>,
}

/// Handles requests to a kind whose documents are outside of the project's storage (`@resource(held: …)` in the model).
pub trait ExternalKindHandler: Send + Sync {
    /// Handles an authorized request.
    fn respond<'a>(
        &'a self,
        admitted: &'a AdmittedRequest<'a>,
        body: LazyBody<'a>,
    ) -> BoxFuture<'a, ApiResult<HttpResponse>>;
}

impl Rest {
    /// Returns the holder of a kind's documents if they are outside of the project's storage.
    pub(crate) fn holder(&self, kind: KindId) -> Option<&dyn ExternalKindHandler> {
        self.holders.get(kind.index())?.as_deref()
    }
}
