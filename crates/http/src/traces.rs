//! Tracing: the span of a request.
//!
//! Attribute names follow OpenTelemetry's conventions for HTTP servers. Spans have a level that logs do not
//! show by default, so that they cost nothing without a collector.

use crate::request_recorder::RedactedPath;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use opentelemetry::global;
use opentelemetry::propagation::Extractor;
use opentelemetry::trace::TraceContextExt as _;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The target of the spans; the layer of a collector subscribes to this target only.
pub const TARGET: &str = "kontor_http::traces";

/// Returns the span of a request, as a child of the client's span (`traceparent`). It is disabled without a collector.
pub(crate) fn request_span(parts: &Parts) -> Span {
    let span = tracing::trace_span!(
        target: TARGET, parent: None, "request", "otel.kind" = "server",
        "http.request.method" = %parts.method, "url.path" = %RedactedPath(parts.uri.path()), "http.route" = Empty,
        "http.response.status_code" = Empty, "otel.status_code" = Empty, "kontor.project" = Empty,
    );
    if !span.is_disabled() {
        let sender = global::get_text_map_propagator(|propagator| {
            propagator.extract(&HeaderExtractor(&parts.headers))
        });
        // Fails without a collector's layer, and then the parent is not needed.
        _ = span.set_parent(sender);
    }
    span
}

/// Adds the route, the project and the status to the span.
pub(crate) fn finish_span(
    span: &Span,
    parts: &Parts,
    route: Option<&str>,
    project: Option<&str>,
    status: StatusCode,
) {
    if let Some(route) = route {
        span.record("http.route", route);
        span.context().span().update_name(format!("{} {route}", parts.method));
    }
    if let Some(project) = project {
        span.record("kontor.project", project);
    }
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

struct HeaderExtractor<'a>(&'a HeaderMap);

impl Extractor for HeaderExtractor<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(axum::http::HeaderName::as_str).collect()
    }
}
