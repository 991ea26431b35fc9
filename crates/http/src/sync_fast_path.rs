//! The synchronous fast path: a GET of one cached document is handled without a future, because every future would be
//! moved several times with all that it holds.
//!
//! Requests that have to wait for anything take the same steps in `serve`.

use crate::finish_response::{RequestRecord, finish, into_response, record_operation};
use crate::request_metadata::RequestMetadata;
use crate::server::Server;
use crate::{project, services};
use axum::http::request::Parts;
use kontor_errors::catch_panic;
use kontor_model::{Method, Operation, OperationKind};
use kontor_rest::response::HttpResponse;

/// Returns the response to a GET of one document, if that needs no waiting. `None` for all other requests: nothing has
/// been done then, except that the record of the request may have been started (`begun`).
pub(crate) fn respond_at_once(
    server: &Server,
    parts: &mut Parts,
    begun: &mut Option<RequestRecord>,
) -> Option<HttpResponse> {
    if parts.method != axum::http::Method::GET || server.options.test_controls || server.auth.is_shared() {
        return None;
    }
    if services::path_of_host(parts).is_some() {
        return None;
    }
    // The values of the path borrow the URI while the request is still modified.
    let uri = parts.uri.clone();
    let found = server.routes.find(Method::Get, uri.path())?;
    let operation = server.model.operations().get(found.0)?;
    if operation.operation_kind != OperationKind::Documents(Operation::Get) {
        return None;
    }
    let span = begun.insert(RequestRecord::start(server, parts)).span.clone();
    record_operation(parts, &found);
    let work = || span.in_scope(|| project::respond_at_once(server, found.0, &found.1, parts).transpose());
    let result = catch_panic(work).unwrap_or_else(|panicked| Some(Err(panicked)))?;
    if result.is_err() && RequestMetadata::from_parts(parts).is_none() {
        // The log needs to know who was refused, so the request is handled once more, with metadata.
        return None;
    }
    let response = into_response(server, parts, Some(&found), result);
    Some(finish(server, parts, begun.take()?, response))
}
