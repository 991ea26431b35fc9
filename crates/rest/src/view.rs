//! Other objects that a document is shown as (`@shownAs` in the model): `GET /{kind}/{id}/{path}`, also in Stores.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::face::Rest;
use axum::http::StatusCode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Returns the object that the document is shown as.
pub(crate) fn answer(rest: &Rest, admitted: &Admitted<'_>, position: usize) -> ApiResult<Answer> {
    let Admitted { shop, kind, sight, .. } = admitted;
    let view = rest.model.kind(*kind).views.get(position);
    let view = view.ok_or_else(|| ApiError::bug(format!("there is no view {position}")))?;
    let address = admitted.address()?;
    let stored = shop.must_get(*kind, &address)?;
    let shown = shop.shown_as(*kind, view, stored.body, sight)?;
    let shown = shown.ok_or_else(|| ApiError::resource_not_found(&address.describe()))?;
    Ok(answer::json(StatusCode::OK, &Value::Object(shown)))
}
