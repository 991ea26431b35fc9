//! Dispatches an operation to its handler.

use crate::admitted_request::AdmittedRequest;
use crate::lazy_body::LazyBody;
use crate::response::HttpResponse;
use crate::service::Rest;
use crate::{bulk, documents, endpoint, list, parameter_search, search, upload, view};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::OperationKind;

impl Rest {
    /// Handles a request that need not wait; returns `None` for every other request, which [`Rest::respond`] handles.
    /// Fails like [`Rest::respond`].
    pub fn respond_at_once(&self, admitted: &AdmittedRequest<'_>) -> Option<ApiResult<HttpResponse>> {
        match admitted.operation.operation_kind {
            OperationKind::Documents(operation) => documents::respond_at_once(self, admitted, operation),
            _ => None,
        }
    }

    /// Handles a request. Rare and slow operations are boxed: the state of all branches together would be moved with
    /// each small read. Fails with the error for the response, e.g. 400 for an invalid body and 404 for a missing
    /// document.
    pub fn respond<'a>(
        &'a self,
        admitted: &'a AdmittedRequest<'a>,
        body: LazyBody<'a>,
    ) -> BoxFuture<'a, ApiResult<HttpResponse>> {
        Box::pin(async move {
            match admitted.operation.operation_kind {
                OperationKind::Documents(operation) => {
                    Box::pin(documents::respond(self, admitted, body, operation)).await
                }
                OperationKind::Endpoint(position) => {
                    Box::pin(endpoint::respond(self, admitted, body, position)).await
                }
                OperationKind::Upload(action) => {
                    Box::pin(upload::respond(self, admitted, body, action)).await
                }
                OperationKind::Search | OperationKind::SearchExists | OperationKind::SearchStatus => {
                    Box::pin(search::respond(self, admitted, body)).await
                }
                OperationKind::ParameterSearch | OperationKind::Suggest => {
                    Box::pin(parameter_search::respond(self, admitted, body)).await
                }
                OperationKind::List(position) => Box::pin(list::respond(self, admitted, position)).await,
                OperationKind::View(position) => view::respond(self, admitted, position),
                OperationKind::Bulk => Box::pin(bulk::respond(admitted, body)).await,
                OperationKind::Import(_) | OperationKind::History(_) | OperationKind::Service(_) => {
                    Err(ApiError::bug("operations of services are not operations on documents"))
                }
                OperationKind::Fixed(fixed) => {
                    Err(ApiError::bug(format!("the server itself handles {fixed:?}")))
                }
            }
        })
    }
}
