//! Test controls: additional operations for tests (`/_test/…`), e.g. create and reset projects, set clocks, inject
//! faults. They apply to one project each, so that tests can run in parallel.
//!
//! They do not exist without `--test-controls`; with `--test-token`, every request needs the header `X-Test-Token`.
//! Pages of other origins are always rejected.

mod callers;
mod clock;
mod control_list;
mod logs;
mod projects;

use crate::body;
use crate::fault_injection;
use crate::router::PathValues;
use crate::server::Server;
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::TestControl;
use kontor_outbound::Outbound;
use kontor_rest::response::HttpResponse;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

/// The header with the value of `--test-token`.
const TEST_TOKEN: &str = "x-test-token";

/// Returns the error for a path of the test controls that is not served.
pub(crate) fn uri_not_found(server: &Server, path: &str) -> ApiError {
    let error = ApiError::uri_not_found(path);
    let hint = match server.options.test_controls {
        true => "GET /_test lists the test controls.",
        false => "The test controls are off: start the server with --test-controls.",
    };
    let message = format!("{}. {hint}", error.message().trim_end_matches('.'));
    ApiError::new(error.code(), message)
}

/// Fails unless the request has the test token, if the server has one.
fn check_token(server: &Server, parts: &Parts) -> ApiResult<()> {
    let Some(expected) = &server.options.test_token else { return Ok(()) };
    let given = parts.headers.get(TEST_TOKEN).map(HeaderValue::as_bytes);
    if bool::from(given.unwrap_or_default().ct_eq(expected.as_bytes())) {
        return Ok(());
    }
    let problem = if given.is_some() { "has another value" } else { "is missing" };
    Err(ApiError::new(
        Code::InvalidToken,
        format!("invalid_token: the header X-Test-Token {problem}. Expected the value of --test-token."),
    ))
}

/// Handles a call of the test controls.
pub(crate) async fn respond(
    server: &Server,
    control: TestControl,
    values: &PathValues<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<HttpResponse> {
    if !server.options.test_controls {
        return Err(uri_not_found(server, parts.uri.path()));
    }
    check_token(server, parts)?;
    callers::admit_caller(parts)?;
    let key = values.get(0).unwrap_or_default();
    let body = match control {
        TestControl::List => return Ok(control_list::respond(server)),
        TestControl::Projects => return Ok(projects::list(server)),
        TestControl::Remove => return projects::remove(server, key).await,
        TestControl::Requests => return logs::requests(server, key, parts),
        TestControl::ClearRequests => return logs::clear_requests(server, key),
        TestControl::Deliveries => return logs::deliveries(server, key, parts),
        TestControl::ClearDeliveries => return logs::clear_deliveries(server, key),
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
        TestControl::Create
        | TestControl::Remove
        | TestControl::List
        | TestControl::Projects
        | TestControl::Requests
        | TestControl::ClearRequests
        | TestControl::Deliveries
        | TestControl::ClearDeliveries => Err(ApiError::bug("these are handled above")),
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
