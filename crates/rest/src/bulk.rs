//! Update actions of many documents in one request, each for itself: `POST /{kind}/bulk`, by the model.
//!
//! Source: reference types `VariantBulkUpdate…`.

use crate::access::caller;
use crate::answer::{self, Answer};
use crate::body;
use crate::face::Face;
use crate::parameters::{Parameters, malformed};
use crate::route::{self, segments};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use kontor_errors::ApiResult;
use kontor_model::{KindId, Model};

/// Last segment of the path.
const BULK: &str = "bulk";

/// The kind that a request means, where it is such a one.
pub(crate) fn bulk(model: &Model, method: &Method, path: &str) -> Option<(String, KindId)> {
    if *method != Method::POST {
        return None;
    }
    let route::Below { project, store: None, rest } = route::below(path)? else { return None };
    let [first, last] = &segments(rest?)?[..] else { return None };
    let kind = model.kind_by_path(first).filter(|kind| !model.kind(*kind).bulk.is_empty())?;
    (*last == BULK).then(|| (project.into_owned(), kind))
}

impl Face {
    /// Does the actions to each document, and says of each what became of it: 207.
    pub(crate) async fn update_in_bulk(
        &self,
        (project, kind): (String, KindId),
        parts: &Parts,
        body: Body,
    ) -> ApiResult<Answer> {
        let access = self.authorize(parts, &project, None, self.scopes_of(kind, false, false, true)).await?;
        let shop = self.shop(&project).await?;
        let control: Option<String> =
            Parameters::of(parts.uri.query()).parsed("versionControl", "On or Off")?;
        let versions_count = match control.as_deref() {
            None | Some("On") => true,
            Some("Off") => false,
            Some(other) => {
                let why = format!("'{other}' was sent, expected On or Off");
                return Err(malformed("versionControl", &why));
            }
        };
        let body = body::read_json(&parts.headers, body).await?;
        let by = caller(&access, &parts.headers);
        let answer = shop.update_in_bulk(kind, &body, versions_count, &by).await?;
        Ok(answer::json(StatusCode::MULTI_STATUS, &answer))
    }
}
