//! Requests of the Change History API, below `/history` or at a host whose name begins with `history`: authorized here,
//! handled by the crate `history`.

use crate::access::CallerAccess;
use crate::admission::AccessCheck;
use crate::body;
use crate::router::PathValues;
use crate::server::Server;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_history::{ChangeVisibility, HistoryParameters};
use kontor_model::{HistoryOperation, KindId};
use kontor_rest::response::{self, HttpResponse};
use kontor_rest::{QueryParameters, page};
use std::sync::Arc;

/// Handles the operation of the Change History API at this position of the model's table.
pub(crate) async fn respond(
    server: &Arc<Server>,
    (operation, position): (HistoryOperation, usize),
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
    let admission = AccessCheck::for_project(server, parts, project, position).check().await?;
    let shop = server.shop(project).await?;
    if operation == HistoryOperation::GraphQl {
        let (body, memory) = body::lazy_body(parts, body, server).json().await?;
        let (server, access) = (Arc::clone(server), admission.access);
        let limiter = server.rest.limiter.clone();
        let work = limiter.run(move |meter| {
            let _memory = memory;
            kontor_history::graphql_answer(&shop, body, meter, |kind| {
                visible_changes(&server, &access, &shop.key, kind)
            })
        });
        let ((status, body), permit) = work.await?;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut http_response = response::json(status, &body);
        http_response.extensions_mut().insert(permit);
        return Ok(http_response);
    }
    let path = values.get(1).filter(|_| operation != HistoryOperation::Records).map(str::to_owned);
    let id = values.get(2).filter(|_| operation == HistoryOperation::OfResource).map(str::to_owned);
    let parameters = QueryParameters::parse(parts.uri.query());
    let (of_server, access) = (Arc::clone(server), admission.access);
    // A query may read many records.
    page(&server.rest.limiter, move |meter| {
        let sent =
            HistoryParameters { path: path.as_deref(), id: id.as_deref(), parameters: parameters.pairs() };
        let page = kontor_history::query(&shop, &sent, meter, |kind| {
            visible_changes(&of_server, &access, &shop.key, kind)
        })?;
        Ok(page.to_string().into())
    })
    .await
}

/// Returns which changes of a kind the caller may see.
fn visible_changes(server: &Server, access: &CallerAccess, project: &str, kind: KindId) -> ChangeVisibility {
    let CallerAccess::Granted(grant) = access else { return ChangeVisibility::All };
    let scopes = server.scope_table.for_kind(kind, false, false, false);
    if grant.allows(project, scopes) {
        return ChangeVisibility::All;
    }
    let is_in_stores = server.model.kind(kind).in_store.is_some();
    let stores: Vec<String> = grant.scopes().stores_allowing(scopes).map(str::to_owned).collect();
    if is_in_stores && !stores.is_empty() {
        ChangeVisibility::InStores(stores)
    } else {
        ChangeVisibility::Nothing
    }
}
