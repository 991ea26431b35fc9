//! Every request: the operation that it means; headers and counters for every answer.

use crate::access::ByOperator;
use crate::compression::Accepted;
use crate::headers::CORRELATION_ID;
use crate::ignored::IGNORED;
use crate::lent_body::lend;
use crate::noted::{self, Noted};
use crate::peer::PeerAddress;
use crate::server::Server;
use crate::test_controls::fault;
use crate::traces;
use crate::{body, fixed, history, imports, mcp, project, services};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{self, HeaderValue, StatusCode, header};
use axum::{Extension, Router};
use bytes::Bytes;
use futures_util::future::Either;
use kontor_errors::{ApiError, Bug, Code};
use kontor_model::{Doing, Fixed, Method};
use kontor_rest::answer::{self, Answer, Bugs};
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tower::{Layer as _, ServiceExt as _};
use tower_http::cors::{AllowHeaders, AllowOrigin, Any, CorsLayer};
use tracing::{Instrument as _, Span};
use uuid::Uuid;

/// Longest correlation id that is taken over from a caller.
const CORRELATION_ID_BYTES_MAX: usize = 256;
/// What the paths of the test controls begin with.
const TEST_CONTROLS: &str = "/_test/";
/// After how long to try again what was refused because the server cannot at the moment.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");
/// How long browsers may keep the answer to a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_secs(3600);

/// The server as everybody sees it, with CORS and compression.
#[derive(Clone)]
pub struct Public(Arc<Shared>);

/// What all connections share.
struct Shared {
    server: Arc<Server>,
    cors: CorsLayer,
    /// Answers to any origin are the same, so that only those who tell theirs need to be told.
    any_origin: bool,
}

impl Public {
    /// A server for everybody.
    pub fn new(server: Arc<Server>) -> Self {
        let origins = &server.options.cors_origins;
        let any_origin = origins.is_empty();
        let allowed = if any_origin {
            AllowOrigin::from(Any)
        } else {
            AllowOrigin::list(origins.iter().filter_map(|origin| origin.parse::<HeaderValue>().ok()))
        };
        let cors = CorsLayer::new()
            .allow_origin(allowed)
            .allow_methods([
                http::Method::GET,
                http::Method::HEAD,
                http::Method::POST,
                http::Method::DELETE,
                http::Method::PUT,
            ])
            // `*` would leave out Authorization, which browsers want to see named.
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers([CORRELATION_ID, IGNORED])
            .max_age(PREFLIGHT_AGE);
        Self(Arc::new(Shared { server, cors, any_origin }))
    }

    /// Answers a request that came from an address. There is no router around it: routes come from the model.
    ///
    /// This and what it calls are no `async fn`: these keep their arguments beside what becomes of them, and each small
    /// read would move both.
    pub fn answer<B>(
        &self,
        request: http::Request<B>,
        peer: IpAddr,
    ) -> impl Future<Output = Answer> + Send + use<'_, B>
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let mut request =
            request.map(|body| if body.is_end_stream() { Body::empty() } else { Body::new(body) });
        // Who only reads is not told apart by address.
        if !request.method().is_safe() {
            request.extensions_mut().insert(PeerAddress(peer));
        }
        // The test controls are for no page but their own, which needs no leave.
        let is_for_pages = !request.uri().path().starts_with(TEST_CONTROLS);
        if !is_for_pages || (self.0.any_origin && !request.headers().contains_key(header::ORIGIN)) {
            Either::Left(serve_compressed(&self.0.server, request))
        } else {
            Either::Right(Box::pin(self.answer_to_browser(request)))
        }
    }

    /// Answers with the headers that browsers ask for.
    async fn answer_to_browser(&self, request: Request) -> Answer {
        let server = &self.0.server;
        let serve =
            tower::service_fn(async |request| Ok::<_, Infallible>(serve_compressed(server, request).await));
        match self.0.cors.layer(serve).oneshot(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        }
    }
}

/// The same routes for the operator of the server, who needs no token: for sockets that only the operator can
/// reach.
pub fn operator_router(server: Arc<Server>) -> Router {
    let serve_operator =
        async |State(server): State<Arc<Server>>, request: Request| serve(&server, request).await;
    Router::new().fallback(serve_operator).with_state(server).layer(Extension(ByOperator))
}

fn serve_compressed(server: &Arc<Server>, request: Request) -> impl Future<Output = Answer> + Send {
    let accepted = Accepted::of(request.headers());
    let served = serve(server, request);
    async move { accepted.compress(served.await).await }
}

/// The same, for who is asked on the way to an answer.
fn serve_boxed(server: &Arc<Server>, request: Request) -> mcp::Serving<'_> {
    Box::pin(serve(server, request))
}

/// What is known of a request from its beginning.
struct Begun {
    started: Instant,
    correlation: HeaderValue,
    span: Span,
    is_logged: bool,
}

fn serve(server: &Arc<Server>, request: Request) -> impl Future<Output = Answer> + Send {
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
    let is_logged = tracing::enabled!(target: noted::TARGET, tracing::Level::INFO);
    let span = traces::span(&parts);
    if is_logged || !span.is_disabled() {
        parts.extensions.insert(Noted::default());
    }
    // Small reads, which nobody traces, need no future of their own on the heap.
    let is_small = span.is_disabled() && !body::is_there(&parts.headers);
    let begun = Begun { started, correlation, span, is_logged };
    async move {
        let answer = if is_small {
            respond(server, &parts, body).await
        } else {
            let span = begun.span.clone();
            Box::pin(respond_to_any(server, &mut parts, body).instrument(span)).await
        };
        answered(server, &parts, begun, answer)
    }
}

/// What every answer has, and what is told of it.
fn answered(server: &Server, parts: &Parts, begun: Begun, answer: Answer) -> Answer {
    let Begun { started, correlation, span, is_logged } = begun;
    let mut answer = server.in_flight.answer(answer).unwrap_or_else(|error| answer::error(&error));
    let status = answer.status();
    if status == StatusCode::SERVICE_UNAVAILABLE {
        answer.headers_mut().entry(header::RETRY_AFTER).or_insert(RETRY_AFTER_SECONDS);
    }
    let log_failure = |bug: Option<&Bug>| {
        tracing::error!(
            bug = bug.map(tracing::field::display), method = %parts.method, path = %ShownPath(parts.uri.path()), status = status.as_u16(),
            correlation_id = correlation.to_str().unwrap_or_default(), "request failed"
        );
    };
    // An answer to a query may be a success with errors in it.
    if let Some(Bugs(bugs)) = answer.extensions_mut().remove() {
        bugs.iter().for_each(|bug| log_failure(Some(bug)));
    } else if status.is_server_error() {
        log_failure(None);
    }
    if !span.is_disabled() {
        let noted = Noted::of(parts);
        let route =
            noted.and_then(|noted| noted.operation.get()).map(|at| server.model.operations()[*at].template());
        let project = noted.and_then(|noted| noted.project.get()).map(String::as_str);
        traces::end(&span, parts, route.as_deref(), project, status);
    }
    let duration = started.elapsed();
    if is_logged {
        log_request(server, parts, status, duration, &correlation);
    }
    answer.headers_mut().insert(CORRELATION_ID, correlation);
    server.counts.count(&parts.method, status, duration.as_secs_f64());
    answer
}

/// The one line of a request.
fn log_request(
    server: &Server,
    parts: &Parts,
    status: StatusCode,
    duration: Duration,
    correlation: &HeaderValue,
) {
    let noted = Noted::of(parts);
    let operation = noted.and_then(|noted| noted.operation.get()).map(|at| &server.model.operations()[*at]);
    let text =
        |of: fn(&Noted) -> &OnceLock<String>| noted.and_then(|noted| of(noted).get()).map(String::as_str);
    tracing::info!(
        target: noted::TARGET,
        method = %parts.method,
        route = operation.map(|operation| operation.template()),
        path = %ShownPath(parts.uri.path()),
        status = status.as_u16(),
        duration_ms = duration.as_secs_f64() * 1000.0,
        correlation_id = correlation.to_str().unwrap_or_default(),
        project = text(|noted| &noted.project),
        client = text(|noted| &noted.client),
        trace = Noted::trace(parts),
        "request"
    );
}

/// Answers a request with a body. What that takes of memory is counted until the request is answered.
async fn respond_to_body(server: &Arc<Server>, parts: &mut Parts, body: Body) -> Answer {
    let held = server.in_flight.body();
    parts.extensions.insert(held.clone());
    if !body::comes_first(&parts.headers, &held) {
        return respond_to_large(server, parts, body).await;
    }
    match body::at_hand(parts, body).await {
        Ok(body) => respond(server, parts, body).await,
        Err(error) => answer::error(&error),
    }
}

/// Answers a request whose body may still be on its way.
async fn respond_to_large(server: &Arc<Server>, parts: &Parts, body: Body) -> Answer {
    let (body, rest) = lend(body);
    let mut answer = respond(server, parts, body).await;
    if !answer.status().is_success() {
        rest.discard().await;
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
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

async fn respond_to_any(server: &Arc<Server>, parts: &mut Parts, body: Body) -> Answer {
    if body::is_there(&parts.headers) {
        respond_to_body(server, parts, body).await
    } else {
        respond(server, parts, body).await
    }
}

/// Finds who answers. What is rarely asked, or takes long, is boxed: the state of all branches together would be moved
/// with each small read.
async fn respond(server: &Arc<Server>, parts: &Parts, body: Body) -> Answer {
    let path = parts.uri.path();
    let method = Method::from_name(parts.method.as_str());
    let of_service = services::path_of_host(parts);
    let of_service = of_service.as_deref().and_then(|path| server.routes.find(method?, path));
    let found = of_service.or_else(|| server.routes.find(method?, path));
    let doing = found.as_ref().map(|(position, _)| server.model.operations()[*position].doing);
    if let (Some(noted), Some((position, values))) = (Noted::of(parts), &found) {
        _ = noted.operation.set(*position);
        if let Some(project) = values.get(0) {
            _ = noted.project.set(project.to_owned());
        }
    }
    // Faults are for clients under test: of projects, and not for who looks after the server.
    if server.options.test_controls
        && !ByOperator::sent(parts)
        && !matches!(doing, Some(Doing::Fixed(fixed)) if !fixed.is_of_project())
        && let Some(answer) = Box::pin(fault(&server.faults, parts)).await
    {
        return answer;
    }
    // Before anything is answered from memory.
    if server.system.is_shared()
        && !is_of_server(doing)
        && let Err(error) = Box::pin(server.system.catch_up()).await
    {
        return answer::error(&ApiError::from(error));
    }
    let result = match (&found, doing) {
        (Some((_, values)), Some(Doing::Fixed(Fixed::Mcp))) => {
            Box::pin(mcp::answer(server, values, parts, body, serve_boxed)).await
        }
        (Some((_, values)), Some(Doing::Fixed(fixed))) => {
            Box::pin(fixed::answer(server, fixed, values, parts, body)).await
        }
        (Some((position, values)), Some(Doing::Import(doing))) => {
            Box::pin(imports::answer(server, (doing, *position), values, parts, body)).await
        }
        (Some((position, values)), Some(Doing::Service(called))) => {
            Box::pin(services::answer(server, (called, *position), values, parts, body)).await
        }
        (Some((position, values)), Some(Doing::History(doing))) => {
            Box::pin(history::answer(server, (doing, *position), values, parts, body)).await
        }
        (Some((position, values)), _) => project::answer(server, *position, values, parts, body).await,
        // Reference: nothing is done to the root.
        (None, _) if path == "/" => Err(ApiError::new(Code::MethodNotAllowed, "Method Not Allowed")),
        (None, _) => Err(ApiError::uri_not_found(path)),
    };
    let answer = match result {
        Ok(answer) => answer,
        Err(error) => {
            let error = services::worded(server, found.as_ref(), error);
            without_body_for_head(&parts.method, answer::error(&error))
        }
    };
    if let Some((position, values)) = &found {
        let status = answer.status();
        server.counts.count_route(server.model.operations(), *position, status);
        if let Some(project) = values.get(0) {
            server.counts.count_project(project, status, || server.system.project(project).is_some());
        }
    }
    answer
}

/// Whether nobody's rights are asked for: paths that are there for whoever watches the server.
fn is_of_server(doing: Option<Doing>) -> bool {
    use Fixed::{GraphQlEditor, GraphQlPage, Health, Live, Metrics, OpenApi, OpenApiPage, Ready, StartPage};
    let Some(Doing::Fixed(fixed)) = doing else { return false };
    matches!(
        fixed,
        Health | Live | Ready | Metrics | OpenApi | OpenApiPage | StartPage | GraphQlPage | GraphQlEditor
    )
}

/// The answer to HEAD has no body, errors included.
fn without_body_for_head(method: &http::Method, answer: Answer) -> Answer {
    if *method != http::Method::HEAD {
        return answer;
    }
    let (mut parts, _) = answer.into_parts();
    parts.headers.remove(header::CONTENT_TYPE);
    Answer::from_parts(parts, Body::empty())
}
