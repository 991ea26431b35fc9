//! Bulk updates: `POST /{kind}/bulk` applies update actions to many documents, each of which succeeds or fails on its
//! own.
//!
//! Source: reference types `VariantBulkUpdate…`.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::face::Rest;
use crate::parameters::malformed;
use crate::unread::Unread;
use axum::http::StatusCode;
use kontor_errors::ApiResult;

/// Applies the actions to each document. Returns a 207 with the result for each.
pub(crate) async fn answer(rest: &Rest, admitted: &Admitted<'_>, body: Unread<'_>) -> ApiResult<Answer> {
    let control: Option<String> = admitted.parameters.parsed("versionControl", "On or Off")?;
    let versions_count = match control.as_deref() {
        None | Some("On") => true,
        Some("Off") => false,
        Some(other) => {
            let why = format!("'{other}' was sent, expected On or Off");
            return Err(malformed("versionControl", &why));
        }
    };
    let (body, _memory) = body.json_metered(&rest.turns).await?;
    let Admitted { shop, kind, caller, .. } = admitted;
    let answer = shop.update_in_bulk(*kind, &body, versions_count, caller).await?;
    Ok(answer::json(StatusCode::MULTI_STATUS, &answer))
}
