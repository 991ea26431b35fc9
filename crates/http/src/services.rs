//! Services in addition to the API (Checkout, MCP, in-store application): their host names, and their operations.

use crate::access::CallerAccess;
use crate::admission::AccessCheck;
use crate::body;
use crate::headers::single_value;
use crate::router::PathValues;
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, PathSegment, RequestBody};
use kontor_rest::QueryParameters;
use kontor_rest::response::{self, HttpResponse};
use kontor_services::ServiceRequest;

/// Services that have hosts of their own on the platform: the first label of the host, and the first segment of their
/// paths here.
const SERVICES: [&str; 6] = ["import", "history", CHECKOUT, "session", "mcp", "in-store-application"];
/// The service whose errors have fields of their own.
const CHECKOUT: &str = "checkout";

/// Returns the path of a request whose host names a service, e.g. `import.localhost`; `None` for other hosts.
pub(crate) fn path_of_host(parts: &Parts) -> Option<String> {
    let host = single_value(&parts.headers, header::HOST).or_else(|| parts.uri.host())?;
    let service = SERVICES
        .iter()
        .find(|service| host.strip_prefix(**service).is_some_and(|rest| rest.starts_with(['.', '-'])))?;
    Some(format!("/{service}{}", parts.uri.path()))
}

/// Converts an error to the form of the service whose operation was requested.
pub(crate) fn service_error(
    server: &Server,
    found: Option<&(usize, PathValues<'_>)>,
    error: ApiError,
) -> ApiError {
    let Some((position, values)) = found else { return error };
    match server.model.operations()[*position].path.first() {
        Some(PathSegment::Fixed(service)) if service == CHECKOUT => error.into_checkout(values.get(1)),
        _ => error,
    }
}

/// Handles the operation of a service at this position of the model's table.
pub(crate) async fn respond(
    server: &Server,
    (called, position): (usize, usize),
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    let operation = &server.model.operations()[position];
    let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
    let admission = AccessCheck::for_project(server, parts, project, position).check().await?;
    let shop = server.shop(project).await?;
    let (body, _memory) = match operation.body {
        RequestBody::Nothing => Default::default(),
        _ => body::lazy_body(parts, body, server).json().await?,
    };
    let caller = admission.access.caller(parts);
    let must_manage = |kind: KindId| match &admission.access {
        CallerAccess::Granted(grant) => {
            grant.require(project, server.scope_table.for_kind(kind, false, false, true))
        }
        _ => Ok(()),
    };
    let call = server.model.services().get(called);
    let call = call.ok_or_else(|| ApiError::bug("a service that the model does not have"))?;
    let parameters = QueryParameters::parse(parts.uri.query());
    let parameter = |name: &str| parameters.value(name).map(str::to_owned);
    let name = values.get(1).unwrap_or_default();
    let requested =
        ServiceRequest { call, name, parameter: &parameter, body, caller, must_manage: &must_manage };
    let outcome = server.services.respond(&shop, requested).await?;
    Ok(response::json(StatusCode::OK, &outcome))
}
