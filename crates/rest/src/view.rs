//! Other objects that a document is shown as (`@shownAs` in the model): `GET /{kind}/{id}/{path}`, also in Stores.

use crate::admitted_request::AdmittedRequest;
use crate::response::{self, HttpResponse};
use crate::service::Rest;
use axum::http::StatusCode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Returns the object that the document is shown as.
pub(crate) fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    position: usize,
) -> ApiResult<HttpResponse> {
    let AdmittedRequest { shop, kind, view_options, .. } = admitted;
    let view = rest.model.kind(*kind).views.get(position);
    let view = view.ok_or_else(|| ApiError::bug(format!("there is no view {position}")))?;
    let address = admitted.address()?;
    let stored = shop.must_get(*kind, &address)?;
    let shown = shop.render_view(*kind, view, stored.body, view_options)?;
    let shown = shown.ok_or_else(|| ApiError::resource_not_found(&address.describe()))?;
    Ok(response::json(StatusCode::OK, &Value::Object(shown)))
}
