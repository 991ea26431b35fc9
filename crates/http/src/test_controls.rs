//! Test controls: what no other system gives to people who test. Per project, so that tests run in parallel.
//!
//! Absent without `--test-controls`; with `--test-token`, every call needs the header `X-Test-Token`.

mod clock;
mod faults;
mod projects;

use crate::body;
use crate::routes::Values;
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::TestControl;
use kontor_rest::answer::Answer;
use serde_json::Value;
use subtle::ConstantTimeEq;

pub(crate) use faults::{Faults, fault};

/// Answers what a server for tests is told.
pub(crate) async fn answer(
    server: &Server,
    control: TestControl,
    values: &Values<'_>,
    parts: &Parts,
    body: Body,
) -> ApiResult<Answer> {
    if !server.options.test_controls {
        return Err(ApiError::uri_not_found(parts.uri.path()));
    }
    if let Some(expected) = &server.options.test_token {
        let given = parts.headers.get("x-test-token").map(|value| value.as_bytes()).unwrap_or_default();
        if !bool::from(given.ct_eq(expected.as_bytes())) {
            return Err(ApiError::new(Code::InvalidToken, "invalid_token"));
        }
    }
    let key = values.get(0).unwrap_or_default();
    if control == TestControl::Create {
        return projects::create(server, read(parts, body).await?).await;
    }
    if control == TestControl::Remove {
        return projects::remove(server, key).await;
    }
    let given = read(parts, body).await?;
    let shop = server.shop(key).await?;
    match control {
        TestControl::Clock => clock::set(shop, &given).await,
        TestControl::Reset => projects::reset(server, shop).await,
        TestControl::Snapshot => projects::snapshot(server, shop).await,
        TestControl::Restore => projects::restore(server, shop, &given).await,
        TestControl::Settle => projects::settle(server, shop).await,
        TestControl::Faults => faults::add(&server.faults, key, &given),
        TestControl::Create | TestControl::Remove => {
            Err(ApiError::bug("projects are made and removed above"))
        }
    }
}

/// A JSON object; no body counts as an empty one.
async fn read(parts: &Parts, body: Body) -> ApiResult<Value> {
    let bytes = body::read(&parts.headers, body, body::BODY_BYTES_MAX).await?;
    if bytes.is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|error| ApiError::invalid_json(error.to_string()))?;
    if value.is_object() { Ok(value) } else { Err(ApiError::invalid_json("the body: expected an object")) }
}
