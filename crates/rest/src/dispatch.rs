//! Dispatches an operation to its handler.

use crate::admitted::Admitted;
use crate::answer::Answer;
use crate::face::Rest;
use crate::unread::Unread;
use crate::{bulk, documents, endpoint, list, parameter_search, search, upload, view};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::Doing;

impl Rest {
    /// Handles a request that need not wait; returns `None` for every other request, which [`Rest::answer`] handles.
    pub fn answer_at_once(&self, admitted: &Admitted<'_>) -> Option<ApiResult<Answer>> {
        match admitted.operation.doing {
            Doing::Documents(operation) => documents::answer_at_once(self, admitted, operation),
            _ => None,
        }
    }

    /// Handles a request. Rare and slow operations are boxed: the state of all branches together would be moved with
    /// each small read.
    pub fn answer<'a>(
        &'a self,
        admitted: &'a Admitted<'a>,
        body: Unread<'a>,
    ) -> BoxFuture<'a, ApiResult<Answer>> {
        Box::pin(async move {
            match admitted.operation.doing {
                Doing::Documents(operation) => {
                    Box::pin(documents::answer(self, admitted, body, operation)).await
                }
                Doing::Endpoint(position) => Box::pin(endpoint::answer(self, admitted, body, position)).await,
                Doing::Upload(action) => Box::pin(upload::answer(self, admitted, body, action)).await,
                Doing::Search | Doing::SearchExists | Doing::SearchStatus => {
                    Box::pin(search::answer(self, admitted, body)).await
                }
                Doing::ParameterSearch | Doing::Suggest => {
                    Box::pin(parameter_search::answer(self, admitted, body)).await
                }
                Doing::List(position) => Box::pin(list::answer(self, admitted, position)).await,
                Doing::View(position) => view::answer(self, admitted, position),
                Doing::Bulk => Box::pin(bulk::answer(self, admitted, body)).await,
                Doing::Import(_) | Doing::History(_) | Doing::Service(_) => {
                    Err(ApiError::bug("operations of services are not operations on documents"))
                }
                Doing::Fixed(fixed) => Err(ApiError::bug(format!("the server itself answers {fixed:?}"))),
            }
        })
    }
}
