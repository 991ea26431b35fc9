//! Searches with parameters: `GET` and `POST /{kind}/search`, `GET /{kind}/suggest`, for each kind with
//! `@searchByParameters` in the model.

use crate::admitted_request::AdmittedRequest;
use crate::blocking::{blocking, page};
use crate::lazy_body::LazyBody;
use crate::response::{self, DEPRECATION, HttpResponse};
use crate::search_response;
use crate::service::Rest;
use axum::http::{HeaderValue, StatusCode};
use kontor_engine::ViewOptions;
use kontor_errors::ApiResult;
use kontor_model::OperationKind;
use kontor_search::parameters::ParameterSearchRequest;
use kontor_search::suggestions::SuggestionSearch;
use kontor_search_service::ParameterRequest;
use std::sync::Arc;

/// Handles a search with parameters, or a request for suggestions. Responses and errors of a deprecated search say so.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    body: LazyBody<'_>,
) -> ApiResult<HttpResponse> {
    let outcome = execute_search(rest, admitted, body).await;
    let search = rest.model.kind(admitted.kind).parameter_search.as_ref();
    let Some(since) = search.and_then(|search| search.deprecated_since) else { return outcome };
    let mut response = outcome.unwrap_or_else(|error| response::error(&error));
    // RFC 9745.
    if let Ok(since) = HeaderValue::from_str(&format!("@{since}")) {
        response.headers_mut().insert(DEPRECATION, since);
    }
    Ok(response)
}

async fn execute_search(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    body: LazyBody<'_>,
) -> ApiResult<HttpResponse> {
    let form = body.bytes().await?;
    let AdmittedRequest { kind, staged, parameters, operation, view_options: admitted_sight, .. } = admitted;
    let (shop, kind) = (Arc::clone(&admitted.shop), *kind);
    let requested = parameters.with_form(&form);
    let entry = rest.model.kind(kind);
    let view_options = ViewOptions {
        references: admitted_sight.references.clone(),
        ..requested.read_view_options(entry, &entry.parameters, None)?
    };
    if view_options.staged {
        (*staged).clone()?;
    }
    let search_service = Arc::clone(&rest.search_service);
    if operation.operation_kind == OperationKind::Suggest {
        let search = SuggestionSearch::read(requested.pairs())?;
        let suggested =
            blocking(move || search_service.suggest(&shop, kind, &search, view_options.staged)).await?;
        return Ok(response::json(StatusCode::OK, &search_response::suggestions_response(suggested)));
    }
    let search = ParameterSearchRequest::read(requested.pairs(), &search_service.words(kind))?;
    let request = ParameterRequest { search, view_options, expand: requested.values("expand") };
    page(&rest.limiter, move |meter| {
        search_service
            .find_by_parameters(&shop, kind, request, meter)
            .map(search_response::documents_response)
    })
    .await
}
