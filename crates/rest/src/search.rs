//! Searches: `POST /{kind}/search`, its HEAD, and the indexing status, for each kind with `@search` in the model.

use crate::admitted_request::AdmittedRequest;
use crate::blocking::page;
use crate::lazy_body::LazyBody;
use crate::projections::{self, unexpected_value};
use crate::response::{self, HttpResponse};
use crate::search_response::{self, StorefrontResponse};
use crate::service::Rest;
use axum::http::{HeaderName, StatusCode};
use kontor_engine::{Address, Shop, format_time};
use kontor_errors::{ApiError, ApiResult};
use kontor_indexing::{IndexingState, IndexingStatus};
use kontor_json::{Value, json};
use kontor_model::{KindId, OperationKind};
use kontor_search::{FieldType, RequestSpelling};
use kontor_search_service::SearchRequest;
use std::sync::Arc;

/// The header that chooses another index of a search, for tests before a change of the Project.
pub const AB_TEST_ID: HeaderName = HeaderName::from_static("x-ab-test-id");

/// Handles a request to a search.
pub(crate) async fn respond(
    rest: &Rest,
    admitted: &AdmittedRequest<'_>,
    body: LazyBody<'_>,
) -> ApiResult<HttpResponse> {
    let AdmittedRequest { shop, kind, operation, stores, staged, view_options, .. } = admitted;
    let kind = *kind;
    let search = rest.model.kind(kind).search.as_ref();
    let search = search.ok_or_else(|| ApiError::bug("a kind without a search is searched"))?;
    match operation.operation_kind {
        OperationKind::SearchStatus => {
            let status = rest.search_service.status(shop, kind)?;
            return Ok(response::json(StatusCode::OK, &status_json(status)));
        }
        OperationKind::SearchExists => {
            let is_open = rest.search_service.is_open(shop, kind)?;
            let missing = if search.hits { StatusCode::NOT_FOUND } else { StatusCode::CONFLICT };
            return Ok(response::empty(if is_open { StatusCode::OK } else { missing }));
        }
        _ => {}
    }
    let test = admitted.headers.get(AB_TEST_ID).and_then(|id| id.to_str().ok());
    let open = rest.search_service.open(shop, kind, test)?;
    let (mut sent, _memory) = body.json().await?;
    if search.hits {
        name_field_types(&mut sent);
    }
    let sent = match sent {
        Value::Object(sent) => sent,
        other => return Err(unexpected_value("body", "an object", &other)),
    };
    let mut projections = projections::read_projections(&rest.model, search, &sent)?;
    if let Some(requested) = &mut projections {
        requested.view_options.references = view_options.references.clone();
    }
    if projections.as_ref().is_some_and(|requested| requested.view_options.staged) {
        (*staged).clone()?;
    }
    let request = open.read(&sent, &RequestSpelling::default())?;
    let storefront = StorefrontResponse::new(&rest.model, search, &sent);
    let request = SearchRequest { request, stores: stores.map(<[String]>::to_vec), projections, sent };
    let (hits, of_shop) = (search.hits, Arc::clone(shop));
    page(&rest.limiter, move |meter| {
        let found = open.find(request, meter)?;
        Ok(match storefront {
            Some(storefront) => storefront.page(&found),
            None if hits => search_response::hits_response(found, |id| version(&of_shop, kind, id)),
            None => search_response::back_office_response(found),
        })
    })
    .await
}

/// Returns the version of a found document; `None` if it has been deleted meanwhile.
fn version(shop: &Shop, kind: KindId, id: &str) -> Option<i64> {
    let stored = shop.get(kind, &Address::Id(id)).ok()??;
    Some(stored.version)
}

/// Converts types of custom fields to the names that other searches use: `customType: "SetType.StringType"` becomes
/// `fieldType: "set_text"` (reference type `OrderSearchCustomType`).
fn name_field_types(sent: &mut Value) {
    match sent {
        Value::Array(elements) => elements.iter_mut().for_each(name_field_types),
        Value::Object(members) => {
            if let Some(Value::String(name)) = members.get("customType") {
                let known = FieldType::parse_custom_type(name);
                let field_type = json!(known.map_or(name.as_str(), |field_type| field_type.as_str()));
                members.insert("fieldType", field_type);
                members.shift_remove("customType");
            }
            members.values_mut().for_each(name_field_types);
        }
        _ => {}
    }
}

/// Returns the response of the indexing status (reference types `BusinessUnitSearchIndexingStatusResponse`,
/// `CustomerSearchIndexingStatusResponse`).
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
