//! Handles every request: middleware (CORS, compression, tracing, panics), routing, and the choice of the handler.
//! Begin at [`PublicServer::respond`] and the function `respond`.

use crate::access::OperatorMark;
use crate::compression::{self, AcceptedEncoding};
#[cfg(feature = "console")]
use crate::console;
use crate::drainable_body::make_drainable;
use crate::fault_injection::apply_fault;
use crate::finish_response::{RequestRecord, error_reason, finish, into_response, record_operation};
use crate::fixed_paths::CONSOLE;
use crate::fixed_paths::is_test_path;
use crate::ignored_fields::IGNORED;
use crate::peer::PeerAddress;
use crate::request_metadata::RequestMetadata;
use crate::router::PathValues;
use crate::sent_body::SentBody;
use crate::server::{NO_PROJECTS, Server};
use crate::{body, fixed_paths, history, imports, mcp, project, services, sync_fast_path, test_controls};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{self, HeaderValue, header};
use axum::{Extension, Router};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::future::Either;
use kontor_errors::{ApiError, Code, catch_panic_of};
use kontor_model::{FixedOperation, Method, OperationKind};
use kontor_outbound::CORRELATION_ID;
use kontor_rest::response::{self, HttpResponse};
use std::convert::Infallible;
use std::future::Ready;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tower::{Layer as _, ServiceExt as _};
use tower_http::cors::{AllowHeaders, AllowOrigin, Any, CorsLayer};
use tracing::Instrument as _;

/// How long browsers may cache the response to a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_secs(3600);

/// The public server, with CORS and compression.
#[derive(Clone)]
pub struct PublicServer(Arc<PublicState>);

/// A response, or the future of one.
pub type ResponseFuture =
    Either<Ready<Result<HttpResponse, Infallible>>, BoxFuture<'static, Result<HttpResponse, Infallible>>>;

/// The state that all connections share.
struct PublicState {
    server: Arc<Server>,
    cors: CorsLayer,
    /// True if any origin is allowed: then only requests with an origin need the headers of CORS.
    any_origin: bool,
}

impl PublicServer {
    /// Returns a public server.
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
            // `*` would not include Authorization, which browsers require by name.
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers([CORRELATION_ID, IGNORED])
            .max_age(PREFLIGHT_AGE);
        Self(Arc::new(PublicState { server, cors, any_origin }))
    }

    /// Handles a request from the address `peer`. There is no router above this: routes come from the model.
    ///
    /// Requests that need not wait are handled at once (`respond_to_parts`); every other request is one future on the
    /// heap.
    pub fn respond<B>(&self, request: http::Request<B>, peer: IpAddr) -> ResponseFuture
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let (parts, body) = request.into_parts();
        let body = (!body.is_end_stream()).then(|| Body::new(body));
        self.respond_to_parts(parts, body, peer)
    }

    /// The same for one type of body, so that all handlers are compiled only in this crate.
    fn respond_to_parts(&self, mut parts: Parts, body: Option<Body>, peer: IpAddr) -> ResponseFuture {
        let server = &self.0.server;
        // The test controls and the console can be called by their own pages only, which need no CORS.
        let is_for_pages = !is_for_own_pages(parts.uri.path());
        let is_plain = !is_for_pages || (self.0.any_origin && !parts.headers.contains_key(header::ORIGIN));
        let mut begun = None;
        if is_plain
            && body.is_none()
            && let Some(response) = sync_fast_path::respond_at_once(server, &mut parts, &mut begun)
        {
            return if compression::is_compressible(&response) {
                let accepted = AcceptedEncoding::from_headers(&parts.headers);
                Either::Right(Box::pin(async move { Ok(accepted.compress(response).await) }))
            } else {
                Either::Left(std::future::ready(Ok(response)))
            };
        }
        // Reads need no peer address: it serves only the rate limit of wrong secrets. A browser that returns to the console
        // from a provider reads with a secret.
        if !parts.method.is_safe() || parts.uri.path().starts_with(CONSOLE) {
            parts.extensions.insert(PeerAddress(peer));
        }
        let request = Request::from_parts(parts, body.unwrap_or_default());
        let public = self.clone();
        Either::Right(Box::pin(async move {
            Ok(match is_plain {
                true => serve_compressed(&public.0.server, request, begun).await,
                false => Box::pin(public.respond_to_browser(request)).await,
            })
        }))
    }

    /// Handles a request with CORS.
    async fn respond_to_browser(&self, request: Request) -> HttpResponse {
        let server = &self.0.server;
        let serve = tower::service_fn(async |request| {
            Ok::<_, Infallible>(serve_compressed(server, request, None).await)
        });
        match self.0.cors.layer(serve).oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// Returns a router with the same routes for the operator, who needs no token. Serve it only at sockets that only the
/// operator can reach.
pub fn operator_router(server: Arc<Server>) -> Router {
    let serve_operator =
        async |State(server): State<Arc<Server>>, request: Request| serve(&server, request, None).await;
    Router::new().fallback(serve_operator).with_state(server).layer(Extension(OperatorMark))
}

fn serve_compressed(
    server: &Arc<Server>,
    request: Request,
    begun: Option<RequestRecord>,
) -> impl Future<Output = HttpResponse> + Send {
    let accepted = AcceptedEncoding::from_headers(request.headers());
    let served = serve(server, request, begun);
    async move { accepted.compress(served.await).await }
}

/// Handles a request that another handler sends, e.g. a tool of an AI agent.
fn serve_boxed(server: &Arc<Server>, request: Request) -> mcp::ToolResponseFuture<'_> {
    Box::pin(serve(server, request, None))
}

/// Handles a request. `begun` is its record, if the fast path has started it.
async fn serve(server: &Arc<Server>, request: Request, record: Option<RequestRecord>) -> HttpResponse {
    let (mut parts, body) = request.into_parts();
    let begun = record.unwrap_or_else(|| RequestRecord::start(server, &mut parts));
    let body = keep_metadata(server, &mut parts, body);
    if parts.headers.get(&CORRELATION_ID) != Some(&begun.correlation) {
        // Requests to other servers (hooks, introspection) send the same id.
        parts.headers.insert(CORRELATION_ID, begun.correlation.clone());
    }
    let span = begun.span.clone();
    let responding = Box::pin(respond_to_any(server, &mut parts, body).instrument(span));
    let response = match catch_panic_of(responding).await {
        Ok(response) => response,
        Err(panicked) => {
            let found = find_operation(server, &parts);
            into_response(server, &parts, found.as_ref(), Err(panicked))
        }
    };
    finish(server, &parts, begun, response)
}

/// Adds the metadata of a request, unless there is any. On servers with test controls, it keeps the body.
fn keep_metadata(server: &Server, parts: &mut Parts, body: Body) -> Body {
    let bytes_max = server.services.requests().body_bytes_max();
    let Some(bytes_max) = bytes_max.filter(|_| body::has_body(&parts.headers)) else {
        if RequestMetadata::from_parts(parts).is_none() {
            parts.extensions.insert(RequestMetadata::default());
        }
        return body;
    };
    let (body, sent) = SentBody::record(body, bytes_max);
    parts.extensions.insert(RequestMetadata { sent_body: Some(sent), ..RequestMetadata::default() });
    body
}

/// Returns the operation of a request, with the values in its path.
fn find_operation<'p>(server: &Server, parts: &'p Parts) -> Option<(usize, PathValues<'p>)> {
    let method = Method::from_name(parts.method.as_str())?;
    server.routes.find(method, parts.uri.path())
}

/// Handles a request with a body, whose memory is counted until the response exists.
async fn respond_to_body(server: &Arc<Server>, parts: &mut Parts, body: Body) -> HttpResponse {
    let held = server.in_flight.body();
    parts.extensions.insert(held.clone());
    if !body::is_read_first(&parts.headers, &held) {
        return respond_to_large(server, parts, body).await;
    }
    match body::read_small(parts, body).await {
        Ok(body) => respond(server, parts, body).await,
        Err(error) => refuse(parts, &error),
    }
}

/// Returns the response for an error that no handler has seen.
fn refuse(parts: &Parts, error: &ApiError) -> HttpResponse {
    RequestMetadata::set_reason(parts, || error_reason(error));
    response::error(error)
}

/// Handles a request whose body may still be arriving.
async fn respond_to_large(server: &Arc<Server>, parts: &Parts, body: Body) -> HttpResponse {
    let (body, rest) = make_drainable(body);
    let mut response = respond(server, parts, body).await;
    if !response.status().is_success() {
        rest.discard().await;
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn respond_to_any(server: &Arc<Server>, parts: &mut Parts, body: Body) -> HttpResponse {
    if body::has_body(&parts.headers) {
        respond_to_body(server, parts, body).await
    } else {
        respond(server, parts, body).await
    }
}

/// Routes a request to its handler. Rare and slow handlers are boxed: the state of all branches together would be moved
/// with each small read.
async fn respond(server: &Arc<Server>, parts: &Parts, body: Body) -> HttpResponse {
    let path = parts.uri.path();
    let method = Method::from_name(parts.method.as_str());
    let of_service = services::path_of_host(parts);
    let of_service = of_service.as_deref().and_then(|path| server.routes.find(method?, path));
    let found = of_service.or_else(|| server.routes.find(method?, path));
    #[cfg(feature = "console")]
    if found.is_none()
        && server.options.serves_console
        && let Some(rest) = console::path_below(path)
    {
        return respond_to_console(server, rest, parts, body).await;
    }
    let operation_kind =
        found.as_ref().map(|(position, _)| server.model.operations()[*position].operation_kind);
    if let Some(found) = &found {
        record_operation(parts, found);
    }
    // Faults are for clients under test: they apply to projects, and not to the operator.
    if server.options.test_controls
        && !OperatorMark::is_on(parts)
        && !matches!(operation_kind, Some(OperationKind::Fixed(fixed)) if !fixed.is_of_project())
        && let Some(response) = Box::pin(apply_fault(&server.faults, parts)).await
    {
        return response;
    }
    // Before any response from memory.
    if server.auth.is_shared()
        && !is_public_path(operation_kind)
        && let Err(error) = Box::pin(server.auth.catch_up()).await
    {
        return refuse(parts, &ApiError::from(error));
    }
    let makes_projects = OperatorMark::is_on(parts) || is_test_path(path);
    if !is_public_path(operation_kind) && !makes_projects && server.is_waiting_for_projects() {
        return refuse(parts, &ApiError::new(Code::OverCapacity, NO_PROJECTS));
    }
    let result = match (&found, operation_kind) {
        (Some((_, values)), Some(OperationKind::Fixed(FixedOperation::Mcp))) => {
            Box::pin(mcp::respond(server, values, parts, body, serve_boxed)).await
        }
        (Some((_, values)), Some(OperationKind::Fixed(fixed))) => {
            Box::pin(fixed_paths::respond(server, fixed, values, parts, body)).await
        }
        (Some((position, values)), Some(OperationKind::Import(operation_kind))) => {
            Box::pin(imports::respond(server, (operation_kind, *position), values, parts, body)).await
        }
        (Some((position, values)), Some(OperationKind::Service(called))) => {
            Box::pin(services::respond(server, (called, *position), values, parts, body)).await
        }
        (Some((position, values)), Some(OperationKind::History(operation_kind))) => {
            Box::pin(history::respond(server, (operation_kind, *position), values, parts, body)).await
        }
        (Some((position, values)), _) => project::respond(server, *position, values, parts, body).await,
        // Reference: the root has no operation but GET.
        (None, _) if path == "/" => Err(ApiError::new(Code::MethodNotAllowed, "Method Not Allowed")),
        (None, _) if is_test_path(path) => Err(test_controls::uri_not_found(server, path)),
        (None, _) => Err(ApiError::uri_not_found(path)),
    };
    into_response(server, parts, found.as_ref(), result)
}

/// Handles a request to the console: its own endpoints read operators, whom other processes may have changed.
#[cfg(feature = "console")]
async fn respond_to_console(server: &Arc<Server>, rest: &str, parts: &Parts, body: Body) -> HttpResponse {
    if server.auth.is_shared()
        && rest.starts_with("api/")
        && let Err(error) = Box::pin(server.auth.catch_up()).await
    {
        return response::error(&ApiError::from(error));
    }
    Box::pin(console::respond(server, rest, parts, body)).await
}

/// Returns whether only pages of this server may call a path, without CORS.
fn is_for_own_pages(path: &str) -> bool {
    is_test_path(path)
        || path == CONSOLE
        || path.strip_prefix(CONSOLE).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns whether a path is public and does not depend on projects or tokens, e.g. health and the start page.
fn is_public_path(operation_kind: Option<OperationKind>) -> bool {
    use FixedOperation::{
        GraphQlEditor, GraphQlPage, Health, Live, Metrics, OpenApi, OpenApiPage, Ready, StartPage,
    };
    let Some(OperationKind::Fixed(fixed)) = operation_kind else { return false };
    matches!(
        fixed,
        Health | Live | Ready | Metrics | OpenApi | OpenApiPage | StartPage | GraphQlPage | GraphQlEditor
    )
}
