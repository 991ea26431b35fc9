//! Serves uploaded images. They need no token, because storefronts embed their URLs.

use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use kontor_errors::{ApiError, ApiResult};
use kontor_rest::response::HttpResponse;

/// An image never changes its content under the same name, so it may be cached for good.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Forbids scripts in images, whatever a browser takes them for. Styles are allowed, because the browser's own page for
/// an image has one.
const POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

/// Handles `GET /images/{projectKey}/{name}`.
pub(crate) async fn respond(
    server: &Server,
    project: &str,
    name: &str,
    parts: &Parts,
) -> ApiResult<HttpResponse> {
    let unknown = || ApiError::uri_not_found(parts.uri.path());
    if server.auth.project(project).is_none() {
        return Err(unknown());
    }
    let kept = server.images.get(project, name).await?.ok_or_else(unknown)?;
    let length = kept.bytes.len();
    let body = if parts.method == Method::HEAD { Body::empty() } else { Body::from(kept.bytes) };
    let mut response = HttpResponse::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kept.content_type));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::CACHE_CONTROL, KEEP);
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    Ok(response)
}
