//! The router: fixed paths, then the model's; headers and counters for every answer.

use crate::access::ByOperator;
use crate::answer::{self, Answer};
use crate::body;
use crate::compression::Accepted;
use crate::face::Face;
use crate::graphql;
use crate::lent_body::lend;
use crate::operator::count;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::{Extension, Router};
use kontor_errors::ApiError;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::ServiceBuilder;
use tower_http::cors::{AllowHeaders, AllowOrigin, Any, CorsLayer};
use uuid::Uuid;

pub(crate) const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");
/// Longest correlation id that is taken over from a caller.
const CORRELATION_ID_BYTES_MAX: usize = 256;
/// How long browsers may keep the answer to a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_secs(3600);

/// The routes of a face, with CORS and compression.
pub fn router(face: Arc<Face>) -> Router {
    let origins = &face.options.cors_origins;
    let allowed = if origins.is_empty() {
        AllowOrigin::from(Any)
    } else {
        AllowOrigin::list(origins.iter().filter_map(|origin| origin.parse::<HeaderValue>().ok()))
    };
    let cors = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::DELETE])
        // `*` would leave out Authorization, which browsers want to see named.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([CORRELATION_ID])
        .max_age(PREFLIGHT_AGE);
    let serving = tower::service_fn(move |request: Request| {
        let face = Arc::clone(&face);
        let accepted = Accepted::of(request.headers());
        async move { Ok::<_, Infallible>(accepted.compress(serve(State(face), request).await).await) }
    });
    // Joined before they meet the router, which would put each into a box of its own for each request.
    Router::new().fallback_service(ServiceBuilder::new().layer(cors).service(serving))
}

/// The same routes for the operator of the server, who needs no token: for sockets that only the operator can
/// reach.
pub fn operator_router(face: Arc<Face>) -> Router {
    Router::new().fallback(serve).with_state(face).layer(Extension(ByOperator))
}

async fn serve(State(face): State<Arc<Face>>, request: Request) -> Answer {
    let started = Instant::now();
    let (mut parts, body) = request.into_parts();
    let given = parts
        .headers
        .get(&CORRELATION_ID)
        .filter(|id| !id.is_empty() && id.len() <= CORRELATION_ID_BYTES_MAX)
        .cloned();
    let correlation = given.unwrap_or_else(|| {
        let id = new_correlation_id();
        // Others who are asked on the way get it too.
        parts.headers.insert(CORRELATION_ID, id.clone());
        id
    });
    let (body, rest) = if body::is_large(&parts.headers) {
        let (body, rest) = lend(body);
        (body, Some(rest))
    } else {
        (body, None)
    };
    let mut answer = match body::at_hand(&parts.headers, body).await {
        Ok(body) => respond(&face, &parts, body).await,
        Err(error) => answer::error(&error),
    };
    let status = answer.status();
    if let Some(rest) = rest
        && !status.is_success()
    {
        rest.discard().await;
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if status.is_server_error() {
        tracing::error!(
            method = %parts.method, path = %ShownPath(parts.uri.path()), status = status.as_u16(),
            correlation_id = correlation.to_str().unwrap_or_default(), "request failed"
        );
    } else {
        tracing::debug!(
            method = %parts.method, path = %ShownPath(parts.uri.path()), status = status.as_u16(),
            duration_ms = started.elapsed().as_secs_f64() * 1000.0, "request"
        );
    }
    answer.headers_mut().insert(CORRELATION_ID, correlation);
    count(parts.method.as_str(), status, started.elapsed().as_secs_f64());
    answer
}

/// A path as logs show it: of `…-token={value}` the value is a secret.
struct ShownPath<'a>(&'a str);

impl std::fmt::Display for ShownPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A token may hold characters that need not be escaped in a path, so nothing after it is shown.
        match self.0.find("token=").map(|at| at + "token=".len()) {
            Some(end) => write!(f, "{}…", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}

fn new_correlation_id() -> HeaderValue {
    let mut buffer = Uuid::encode_buffer();
    let text = Uuid::new_v4().hyphenated().encode_lower(&mut buffer);
    // A UUID has only letters that a header may have.
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("kontor"))
}

async fn respond(face: &Arc<Face>, parts: &axum::http::request::Parts, body: Body) -> Answer {
    let path = parts.uri.path();
    if let Some(rest) = path.strip_prefix("/_test/") {
        return match face.test_control(rest, parts, body).await {
            Ok(answer) => answer,
            Err(error) => answer::error(&error),
        };
    }
    if path == "/oauth" || path.starts_with("/oauth/") {
        return face.oauth(parts, body).await;
    }
    match (parts.method.as_str(), path) {
        ("GET" | "HEAD", "/health") => return face.health(),
        ("GET", "/metrics") => return face.show_metrics(),
        ("GET", "/openapi.json") => return face.show_openapi(),
        ("GET", "/openapi") => return face.show_openapi_page(),
        _ => {}
    }
    // Faults are for the clients under test, not for who looks after the server.
    if !ByOperator::sent(parts)
        && let Some(answer) = face.fault(parts).await
    {
        return answer;
    }
    if let Some(project) = graphql::project_of(path) {
        return match face.graphql(project, parts, body).await {
            Ok(answer) => answer,
            Err(error) => without_body_for_head(&parts.method, answer::error(&error)),
        };
    }
    match face.dispatch(parts, body).await {
        Ok(answer) => answer,
        Err(error) => without_body_for_head(&parts.method, answer::error(&error)),
    }
}

/// The answer to HEAD has no body, errors included.
fn without_body_for_head(method: &Method, answer: Answer) -> Answer {
    if *method != Method::HEAD {
        return answer;
    }
    let (mut parts, _) = answer.into_parts();
    parts.headers.remove(header::CONTENT_TYPE);
    Answer::from_parts(parts, Body::empty())
}

/// Shared by everything that answers a path nobody knows.
pub(crate) fn unknown(path: &str) -> ApiError {
    ApiError::uri_not_found(path)
}
