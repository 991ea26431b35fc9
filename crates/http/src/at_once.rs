//! Small reads: what waits for nothing is answered before anybody waits. A future keeps what it was given beside what becomes
//! of it, and all of that would be moved several times for each answer.

use crate::server::Server;
use crate::told::{Begun, answered, ended, note};
use crate::{project, services};
use axum::http::request::Parts;
use kontor_errors::catch_panic;
use kontor_model::{Doing, Method, Operation};
use kontor_rest::answer::Answer;

/// The answer to a request without a body, where it is one for a document that is at hand. `None` for all others: nothing
/// has been done then, though the record of the request may have `begun`.
pub(crate) fn answer(server: &Server, parts: &mut Parts, begun: &mut Option<Begun>) -> Option<Answer> {
    if parts.method != axum::http::Method::GET || server.options.test_controls || server.system.is_shared() {
        return None;
    }
    if services::path_of_host(parts).is_some() {
        return None;
    }
    // The values of the path are borrowed while the request is still written to.
    let uri = parts.uri.clone();
    let found = server.routes.find(Method::Get, uri.path())?;
    let operation = server.model.operations().get(found.0)?;
    if operation.doing != Doing::Documents(Operation::Get) {
        return None;
    }
    let span = begun.insert(Begun::of(parts)).span.clone();
    note(parts, &found);
    let work = || span.in_scope(|| project::answer_at_once(server, found.0, &found.1, parts).transpose());
    let result = catch_panic(work).unwrap_or_else(|panicked| Some(Err(panicked)))?;
    let answer = ended(server, parts, Some(&found), result);
    Some(answered(server, parts, begun.take()?, answer))
}
