//! Bulk updates: `POST /{kind}/bulk` applies update actions to many documents, each of which succeeds or fails on its
//! own.
//!
//! Source: reference types `VariantBulkUpdate…`.

use crate::admitted_request::AdmittedRequest;
use crate::lazy_body::LazyBody;
use crate::parameters::malformed_parameter;
use crate::response::{self, HttpResponse};
use axum::http::StatusCode;
use kontor_errors::ApiResult;

/// Applies the actions to each document. Returns a 207 with the result for each.
pub(crate) async fn respond(admitted: &AdmittedRequest<'_>, body: LazyBody<'_>) -> ApiResult<HttpResponse> {
    let control: Option<String> = admitted.parameters.parsed("versionControl", "On or Off")?;
    let versions_count = match control.as_deref() {
        None | Some("On") => true,
        Some("Off") => false,
        Some(other) => {
            let why = format!("'{other}' was sent, expected On or Off");
            return Err(malformed_parameter("versionControl", &why));
        }
    };
    let (body, _memory) = body.json().await?;
    let AdmittedRequest { shop, kind, caller, .. } = admitted;
    let http_response = shop.update_in_bulk(*kind, &body, versions_count, caller).await?;
    Ok(response::json(StatusCode::MULTI_STATUS, &http_response))
}
