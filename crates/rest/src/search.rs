//! Searches: `POST /{kind}/search` and what stands beside it, for every kind that the model has `@search` for.

use crate::admitted::Admitted;
use crate::answer::{self, Answer};
use crate::blocking::blocking;
use crate::face::Rest;
use crate::found::{self, ForStorefront};
use crate::projections::{self, expected};
use crate::unread::Unread;
use axum::http::StatusCode;
use kontor_engine::format_time;
use kontor_errors::{ApiError, ApiResult};
use kontor_finding::SearchRequest;
use kontor_indexing::{IndexingState, IndexingStatus};
use kontor_model::Doing;
use kontor_search::Spelling;
use serde_json::{Value, json};

/// Answers a request to a search.
pub(crate) async fn answer(rest: &Rest, admitted: Admitted<'_>, body: Unread<'_>) -> ApiResult<Answer> {
    let Admitted { shop, kind, operation, stores, staged, sight, .. } = admitted;
    match operation.doing {
        Doing::SearchStatus => {
            let status = rest.finder.status(&shop, kind)?;
            return Ok(answer::json(StatusCode::OK, &status_json(status)));
        }
        Doing::SearchExists => {
            let is_open = rest.finder.is_open(&shop, kind)?;
            return Ok(answer::empty(if is_open { StatusCode::OK } else { StatusCode::CONFLICT }));
        }
        _ => {}
    }
    let search = rest.model.kind(kind).search.as_ref();
    let search = search.ok_or_else(|| ApiError::bug("a kind without a search is searched"))?;
    let open = rest.finder.open(&shop, kind)?;
    let sent = match body.json().await? {
        Value::Object(sent) => sent,
        other => return Err(expected("body", "an object", &other)),
    };
    let mut projections = projections::read(&rest.model, search, &sent)?;
    if let Some(asked) = &mut projections {
        asked.sight.inside = sight.inside;
    }
    if projections.as_ref().is_some_and(|asked| asked.sight.staged) {
        staged?;
    }
    let request = open.read(&sent, &Spelling::default())?;
    let request = SearchRequest { request, stores, projections };
    let storefront = ForStorefront::new(&rest.model, search, &sent);
    let page = blocking(move || {
        let found = open.find(request)?;
        Ok(match storefront {
            Some(storefront) => storefront.page(&found),
            None => found::for_back_office(found),
        })
    });
    Ok(answer::json_bytes(StatusCode::OK, page.await?))
}

/// Reference types `BusinessUnitSearchIndexingStatusResponse`, `CustomerSearchIndexingStatusResponse`.
fn status_json(status: IndexingStatus) -> Value {
    let mut json = json!({"status": status.state.as_str()});
    if status.state == IndexingState::Indexing {
        json["states"] = json!({
            "indexed": status.indexed,
            "failed": status.failed,
            "estimatedTotal": status.estimated_total,
        });
    }
    if let Some(at) = status.started_at {
        json["startedAt"] = json!(format_time(at));
    }
    if status.retries > 0 {
        json["retryCount"] = json!(status.retries);
    }
    if let Some(at) = status.last_modified_at {
        json["lastModifiedAt"] = json!(format_time(at));
    }
    json
}
