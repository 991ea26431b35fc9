//! `/mcp/projects/{projectKey}/{key}`: tools for AI agents (Model Context Protocol). A tool's request is handled like
//! any other request, with the token of the caller.

use crate::access::{OperatorMark, RequestAttribution, authenticate};
use crate::body;
use crate::peer::PeerAddress;
use crate::router::PathValues;
use crate::server::Server;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body_util::BodyExt as _;
use kontor_engine::meter_body;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_outbound::CORRELATION_ID;
use kontor_rest::response::{self, HttpResponse};
use kontor_services::{AgentServer, Api, ApiRequest, agent_server, supports_protocol};
use std::sync::Arc;

/// Headers that are passed on to the tool's request.
const PASSED_ON: [HeaderName; 3] =
    [header::AUTHORIZATION, CORRELATION_ID, HeaderName::from_static("x-external-user-id")];
/// The header with the version of the protocol that client and server have agreed on.
const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The JSON-RPC error code for invalid JSON.
const PARSE_ERROR: i64 = -32700;

/// The response to a tool's request.
pub(crate) type ToolResponseFuture<'a> = BoxFuture<'a, HttpResponse>;
/// Handles a request like any other.
pub(crate) type RequestHandler = for<'a> fn(&'a Arc<Server>, Request) -> ToolResponseFuture<'a>;

/// Handles a message; `serve` handles the requests of tools. There are no streams, so only POST is allowed.
pub(crate) async fn respond(
    server: &Arc<Server>,
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
    serve: RequestHandler,
) -> ApiResult<HttpResponse> {
    let project = values.get(0).ok_or_else(|| ApiError::bug("the path names no project"))?;
    let key = values.get(1).unwrap_or_default();
    let access = authenticate(server, parts, project).await?;
    if parts.method != Method::POST {
        let message = "Call tools by POST; there are no streams and no sessions.";
        return Err(ApiError::new(Code::MethodNotAllowed, message));
    }
    if let Some(version) =
        parts.headers.get(PROTOCOL_VERSION).filter(|version| !is_supported_version(version))
    {
        let message = format!(
            "{PROTOCOL_VERSION}: {version:?} was sent, expected the version that `initialize` returned."
        );
        return Err(ApiError::new(Code::InvalidInput, message));
    }
    let shop = server.shop(project).await?;
    let document = agent_server(&shop, key)?;
    let bytes = body::read_body(parts, body, access.body_bytes_max(parts, body::BODY_BYTES_MAX)).await?;
    let _memory = meter_body(&server.rest.limiter, &bytes)?;
    let Ok(message) = kontor_json::from_slice::<Value>(&bytes) else {
        let error = json!({"code": PARSE_ERROR, "message": "expected JSON"});
        let failed = json!({"jsonrpc": "2.0", "id": null, "error": error});
        return Ok(response::json(StatusCode::BAD_REQUEST, &failed));
    };
    let api = CallerApi { server, parts, serve };
    let limiter = &server.rest.limiter;
    let meter = limiter.meter();
    let requested =
        AgentServer { model: &server.model, project, server: &document, api: &api, limiter, meter };
    let Some(outcome) = requested.respond(message).await? else {
        return Ok(response::empty(StatusCode::ACCEPTED));
    };
    Ok(response::json_bytes(StatusCode::OK, outcome))
}

fn is_supported_version(version: &HeaderValue) -> bool {
    version.to_str().is_ok_and(supports_protocol)
}

/// The source of changes by an agent that uses an MCP Server.
const MCP_SOURCE: &str = "ManagedCommerceMCP";

/// Sends requests on behalf of a request's caller.
struct CallerApi<'a> {
    server: &'a Arc<Server>,
    parts: &'a Parts,
    serve: RequestHandler,
}

impl Api for CallerApi<'_> {
    fn send(&self, requested: ApiRequest) -> BoxFuture<'_, (u16, Bytes)> {
        Box::pin(async move {
            let failed = || (StatusCode::INTERNAL_SERVER_ERROR.as_u16(), Bytes::new());
            let Ok(request) = self.request(&requested) else { return failed() };
            let outcome = (self.serve)(self.server, request).await;
            let status = outcome.status().as_u16();
            match outcome.into_body().collect().await {
                Ok(body) => (status, body.to_bytes()),
                Err(_) => failed(),
            }
        })
    }
}

impl CallerApi<'_> {
    fn request(&self, requested: &ApiRequest) -> Result<Request, axum::http::Error> {
        let body =
            if requested.body.is_null() { Body::empty() } else { Body::from(requested.body.to_string()) };
        let mut request = Request::builder().method(requested.method.as_str()).uri(&requested.path);
        if !requested.body.is_null() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for name in PASSED_ON {
            for value in self.parts.headers.get_all(&name) {
                request = request.header(&name, value);
            }
        }
        let mut request = request.body(body)?;
        request.extensions_mut().insert(RequestAttribution(MCP_SOURCE));
        if OperatorMark::is_on(self.parts) {
            request.extensions_mut().insert(OperatorMark);
        }
        if let Some(peer) = self.parts.extensions.get::<PeerAddress>() {
            request.extensions_mut().insert(*peer);
        }
        Ok(request)
    }
}
