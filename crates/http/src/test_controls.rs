//! Test controls: additional operations for tests (`/_test/…`), e.g. create and reset projects, set clocks, inject
//! faults. They apply to one project each, so that tests can run in parallel.
//!
//! They do not exist without `--test-controls`; with `--test-token`, every request needs the header `X-Test-Token`.
//! Pages of other origins are always rejected.

mod callers;
mod clock;
mod projects;

use crate::body;
use crate::fault_injection;
use crate::router::PathValues;
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::TestControl;
use kontor_outbound::Outbound;
use kontor_rest::response::HttpResponse;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

/// Handles a call of the test controls.
pub(crate) async fn respond(
    server: &Server,
    control: TestControl,
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    if !server.options.test_controls {
        return Err(ApiError::uri_not_found(parts.uri.path()));
    }
    if let Some(expected) = &server.options.test_token {
        let given = parts.headers.get("x-test-token").map(|value| value.as_bytes()).unwrap_or_default();
        if !bool::from(given.ct_eq(expected.as_bytes())) {
            return Err(ApiError::new(Code::InvalidToken, "invalid_token"));
        }
    }
    callers::admit_caller(parts)?;
    let key = values.get(0).unwrap_or_default();
    let body = match control {
        TestControl::Remove => return projects::remove(server, key).await,
        _ => body::read_body(parts, body, body::BODY_BYTES_MAX).await?,
    };
    if control == TestControl::Create {
        return projects::create(server, read_json(&body)?).await;
    }
    let shop = server.shop(key).await?;
    match control {
        TestControl::Clock => clock::set(server, shop, read_json(&body)?).await,
        TestControl::Restore => projects::restore(server, shop, read_json(&body)?).await,
        TestControl::Faults => {
            let outside = server.options.outbound.as_ref().and_then(Outbound::faults);
            fault_injection::add_fault(
                &server.faults,
                outside,
                server.model.operations(),
                key,
                read_json(&body)?,
            )
        }
        TestControl::Reset => {
            read_json::<EmptyBody>(&body)?;
            projects::reset(server, shop).await
        }
        TestControl::Snapshot => {
            read_json::<EmptyBody>(&body)?;
            projects::snapshot(server, shop).await
        }
        TestControl::Settle => {
            read_json::<EmptyBody>(&body)?;
            projects::settle(server, shop).await
        }
        TestControl::Create | TestControl::Remove => {
            Err(ApiError::bug("projects are made and removed above"))
        }
    }
}

/// The body of an operation without parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmptyBody {}

/// Parses a body. Unknown fields are errors, because a misspelled field would make the test wrong; no body counts as
/// `{}`.
fn read_json<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    let body = if body.is_empty() { b"{}" } else { body };
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(ApiError::invalid_json("the body: expected an object"));
    }
    kontor_json::from_slice(body).map_err(|error| ApiError::invalid_json(error.to_string()))
}
