//! Response middleware: finishes every response with headers, metrics, traces, error log, access log. Start at
//! [`finish`].

use crate::request_metadata::{self, RequestMetadata};
use crate::request_recorder::{self, RedactedPath};
use crate::router::PathValues;
use crate::server::Server;
use crate::services;
use crate::traces;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{self, HeaderValue, StatusCode, header};
use kontor_errors::{ApiError, ApiResult, Bug};
use kontor_outbound::CORRELATION_ID;
use kontor_rest::response::{self, HttpResponse, ResponseBugs};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tracing::Span;
use uuid::Uuid;

/// Maximum length of a correlation id that is accepted from a client.
const CORRELATION_ID_BYTES_MAX: usize = 256;
/// The `Retry-After` of a 503.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");

const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// The start of a request, for its end.
pub(crate) struct RequestRecord {
    started: Instant,
    pub(crate) correlation: HeaderValue,
    pub(crate) span: Span,
    is_in_access_log: bool,
    /// Whether the request is in the log of requests although it is not refused.
    is_recorded: bool,
}

impl RequestRecord {
    /// Starts the record: accepts or generates the correlation id, starts the span, and adds the request metadata.
    pub(crate) fn start(server: &Server, parts: &mut Parts) -> Self {
        let is_watched = server.services.requests().is_watched();
        let started = Instant::now();
        let given = parts
            .headers
            .get(&CORRELATION_ID)
            .filter(|id| !id.is_empty() && id.len() <= CORRELATION_ID_BYTES_MAX)
            .cloned();
        let is_in_access_log = tracing::enabled!(target: request_metadata::TARGET, tracing::Level::INFO);
        let span = traces::request_span(parts);
        let is_recorded = is_in_access_log || is_watched;
        if (is_recorded || !span.is_disabled()) && RequestMetadata::from_parts(parts).is_none() {
            parts.extensions.insert(RequestMetadata::default());
        }
        let correlation = given.unwrap_or_else(new_correlation_id);
        Self { started, correlation, span, is_in_access_log, is_recorded }
    }
}

/// Adds the common headers to a response, and counts and logs it.
pub(crate) fn finish(
    server: &Server,
    parts: &Parts,
    begun: RequestRecord,
    http_response: HttpResponse,
) -> HttpResponse {
    let RequestRecord { started, correlation, span, is_in_access_log, is_recorded } = begun;
    let mut http_response =
        server.in_flight.count_response(http_response).unwrap_or_else(|error| response::error(&error));
    let status = http_response.status();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        http_response.headers_mut().entry(header::RETRY_AFTER).or_insert(RETRY_AFTER_SECONDS);
    }
    let log_failure = |bug: Option<&Bug>| {
        if RequestMetadata::from_parts(parts).is_some_and(|noted| noted.fault.get().is_some()) {
            return log_fault(parts, status, bug, &correlation);
        }
        tracing::error!(
            bug = bug.map(tracing::field::display), kind = bug.and_then(Bug::kind), id = bug.and_then(Bug::id), method = %parts.method, path = %RedactedPath(parts.uri.path()), status = status.as_u16(),
            correlation_id = correlation.to_str().unwrap_or_default(), "request failed"
        );
    };
    // A GraphQL response may be a 200 with errors in its body.
    if let Some(ResponseBugs(bugs)) = http_response.extensions_mut().remove() {
        bugs.iter().for_each(|bug| log_failure(Some(bug)));
    } else if status.is_server_error() {
        log_failure(None);
    }
    if !span.is_disabled() {
        let noted = RequestMetadata::from_parts(parts);
        let route =
            noted.and_then(|noted| noted.operation.get()).map(|at| server.model.operations()[*at].template());
        let project = noted.and_then(|noted| noted.project.get()).map(String::as_str);
        traces::finish_span(&span, parts, route.as_deref(), project, status);
    }
    let duration = started.elapsed();
    if is_in_access_log {
        log_request(server, parts, status, duration, &correlation);
    }
    request_recorder::record(server, parts, (status, duration), &correlation, is_recorded);
    http_response.headers_mut().insert(CORRELATION_ID, correlation);
    // The content type is correct; browsers must not guess another one.
    http_response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    server.request_counters.count(&parts.method, status, duration.as_secs_f64());
    http_response
}

/// Writes the line of a failure that a test asked for: it is none of the server.
fn log_fault(parts: &Parts, status: StatusCode, bug: Option<&Bug>, correlation: &HeaderValue) {
    tracing::info!(
        bug = bug.map(tracing::field::display), method = %parts.method, path = %RedactedPath(parts.uri.path()), status = status.as_u16(),
        correlation_id = correlation.to_str().unwrap_or_default(), "request failed by a fault that a test requested"
    );
}

/// Writes the line of the access log.
fn log_request(
    server: &Server,
    parts: &Parts,
    status: StatusCode,
    duration: Duration,
    correlation: &HeaderValue,
) {
    let noted = RequestMetadata::from_parts(parts);
    let operation = noted.and_then(|noted| noted.operation.get()).map(|at| &server.model.operations()[*at]);
    let text = |of: fn(&RequestMetadata) -> &OnceLock<String>| {
        noted.and_then(|noted| of(noted).get()).map(String::as_str)
    };
    tracing::info!(
        target: request_metadata::TARGET,
        method = %parts.method,
        route = operation.map(|operation| tracing::field::display(operation.shown_template())),
        path = %RedactedPath(parts.uri.path()),
        status = status.as_u16(),
        duration_ms = duration.as_secs_f64() * 1000.0,
        correlation_id = correlation.to_str().unwrap_or_default(),
        project = text(|noted| &noted.project),
        client = text(|noted| &noted.client),
        operator = text(|noted| &noted.operator),
        trace = RequestMetadata::trace_id(parts),
        "request"
    );
}

/// Records the operation and the project of a request in its metadata.
pub(crate) fn record_operation(parts: &Parts, (position, values): &(usize, PathValues<'_>)) {
    if let Some(noted) = RequestMetadata::from_parts(parts) {
        _ = noted.operation.set(*position);
        if let Some(project) = values.get(0) {
            _ = noted.project.set(project.to_owned());
        }
    }
}

/// Turns the result into a response, and counts it for its operation and project.
pub(crate) fn into_response(
    server: &Server,
    parts: &Parts,
    found: Option<&(usize, PathValues<'_>)>,
    result: ApiResult<HttpResponse>,
) -> HttpResponse {
    let http_response = match result {
        Ok(http_response) => http_response,
        Err(error) => {
            RequestMetadata::set_reason(parts, || error_reason(&error));
            let error = services::service_error(server, found, error);
            without_body_for_head(&parts.method, response::error(&error))
        }
    };
    if let Some((position, values)) = found {
        let status = http_response.status();
        server.request_counters.count_route(server.model.operations(), *position, status);
        if let Some(project) = values.get(0) {
            server.request_counters.count_project(project, status, || server.auth.project(project).is_some());
        }
    }
    http_response
}

/// Returns code and message of an error.
pub(crate) fn error_reason(error: &ApiError) -> String {
    format!("{}: {}", error.code().name(), error.message())
}

fn new_correlation_id() -> HeaderValue {
    let mut buffer = Uuid::encode_buffer();
    let text = Uuid::new_v4().hyphenated().encode_lower(&mut buffer);
    // A UUID has only characters that are valid in a header.
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("kontor"))
}

/// Removes the body of a response to HEAD, errors included.
fn without_body_for_head(method: &http::Method, response: HttpResponse) -> HttpResponse {
    if *method != http::Method::HEAD {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_TYPE);
    HttpResponse::from_parts(parts, Body::empty())
}
