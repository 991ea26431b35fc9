//! The logs of requests and deliveries with bodies, for tests.

use crate::server::Server;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_engine::unknown_project;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_rest::QueryParameters;
use kontor_rest::response::{self, HttpResponse};
use kontor_services::{DeliveryFilter, LoggedRequest, RequestFilter, last_deliveries};

/// The number of results, at most and unless a parameter says otherwise.
const LIMIT_MAX: usize = 10_000;
/// The parameters of requests.
pub(super) const REQUEST_PARAMETERS: [&str; 4] = ["status", "client", "path", "limit"];
/// The parameters of deliveries.
pub(super) const DELIVERY_PARAMETERS: [&str; 4] = ["subscription", "extension", "status", "limit"];

/// Handles `GET …/requests`.
pub(super) fn requests(server: &Server, key: &str, parts: &Parts) -> ApiResult<HttpResponse> {
    must_exist(server, key)?;
    let parameters = known_parameters(parts, &REQUEST_PARAMETERS)?;
    let parameter = |name: &str| parameters.value(name).map(str::to_owned);
    let filter = RequestFilter::parse(&parameter, LIMIT_MAX, LIMIT_MAX)?;
    let found = server.services.requests().last(key, &filter);
    let results: Vec<Value> = found.iter().map(|request| with_content(request)).collect();
    Ok(response::json(StatusCode::OK, &json!({"results": results})))
}

/// Handles `GET …/deliveries`.
pub(super) fn deliveries(server: &Server, key: &str, parts: &Parts) -> ApiResult<HttpResponse> {
    must_exist(server, key)?;
    let parameters = known_parameters(parts, &DELIVERY_PARAMETERS)?;
    let parameter = |name: &str| parameters.value(name).map(str::to_owned);
    let filter = DeliveryFilter::parse(&parameter, LIMIT_MAX, LIMIT_MAX)?;
    let log = server.services.deliveries();
    let results = log.map(|log| last_deliveries(log, key, &filter)).unwrap_or_default();
    Ok(response::json(StatusCode::OK, &json!({"results": results})))
}

/// Handles `DELETE …/requests`.
pub(super) fn clear_requests(server: &Server, key: &str) -> ApiResult<HttpResponse> {
    must_exist(server, key)?;
    server.services.requests().clear(key);
    Ok(response::json(StatusCode::OK, &json!({"key": key})))
}

/// Handles `DELETE …/deliveries`.
pub(super) fn clear_deliveries(server: &Server, key: &str) -> ApiResult<HttpResponse> {
    must_exist(server, key)?;
    if let Some(log) = server.services.deliveries() {
        log.clear(key);
    }
    Ok(response::json(StatusCode::OK, &json!({"key": key})))
}

fn must_exist(server: &Server, key: &str) -> ApiResult<()> {
    server.auth.project(key).map(drop).ok_or_else(|| unknown_project(key))
}

/// Returns the parameters of a request. Unknown ones are errors, because a misspelled one would make the test wrong.
fn known_parameters(parts: &Parts, known: &[&str]) -> ApiResult<QueryParameters> {
    let parameters = QueryParameters::parse(parts.uri.query());
    match parameters.pairs().iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, _)) => Err(ApiError::invalid_input(format!(
            "Malformed parameter: {name}: Expected one of {}.",
            known.join(", ")
        ))),
        None => Ok(parameters),
    }
}

/// Returns a request with the whole path, and with its body, as JSON where it is such.
fn with_content(request: &LoggedRequest) -> Value {
    let mut shown = request.to_json();
    let Some(sent) = &request.sent else { return shown };
    shown["path"] = json!(sent.uri);
    if !sent.body.is_empty() {
        shown["body"] = kontor_json::from_str(&sent.body).unwrap_or_else(|_| json!(sent.body));
    }
    shown
}
