//! Requests of the Import API: authenticated and authorized here, handled by `imports`.

use crate::admission::AccessCheck;
use crate::body;
use crate::router::PathValues;
use crate::server::Server;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_imports::{ImportApiRequest, ImportPage};
use kontor_model::{ImportOperation, RequestBody};
use kontor_rest::QueryParameters;
use kontor_rest::response::{self, HttpResponse};

/// Handles the operation of the Import API at this position of the model's table.
pub(crate) async fn respond(
    server: &Server,
    (operation, position): (ImportOperation, usize),
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    let served = &server.model.operations()[position];
    let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
    let admission = AccessCheck::for_project(server, parts, project, position).check().await?;
    let page = ImportPage {
        meter: server.rest.limiter.meter(),
        ..page(&QueryParameters::parse(parts.uri.query()))?
    };
    let shop = server.shop(project).await?;
    let (body, _memory) = match served.body {
        RequestBody::Nothing => Default::default(),
        _ => body::lazy_body(parts, body, server).json().await?,
    };
    let caller = admission.access.caller(parts);
    let requested =
        ImportApiRequest { operation, name: values.get(1).unwrap_or_default(), page, body, caller };
    let outcome = server.imports.respond(&shop, requested).await?;
    let status = if outcome.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(response::json(status, &outcome.body))
}

fn page(parameters: &QueryParameters) -> ApiResult<ImportPage> {
    let list = parameters.list_request(true)?;
    let first = |name: &str| parameters.value(name).map(str::to_owned);
    Ok(ImportPage {
        offset: list.offset,
        limit: list.limit,
        sort: list.sort,
        state: first("state"),
        resource_key: first("resourceKey"),
        debug: parameters.flag("debug")?.unwrap_or(false),
        ..ImportPage::default()
    })
}
