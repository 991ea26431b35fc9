//! Test controls: what no other system gives to people who test. Per project, so that tests run in parallel.
//!
//! Absent without `--test-controls`; with `--test-token`, every call needs the header `X-Test-Token`.

mod clock;
mod faults;
mod projects;

use crate::answer::Answer;
use crate::body;
use crate::face::Face;
use crate::serve::unknown;
use axum::body::Body;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::Value;
use subtle::ConstantTimeEq;

pub(crate) use faults::Faults;

impl Face {
    /// Answers a request below `/_test/`.
    pub(crate) async fn test_control(&self, rest: &str, parts: &Parts, body: Body) -> ApiResult<Answer> {
        let unknown = || unknown(parts.uri.path());
        if !self.options.test_controls {
            return Err(unknown());
        }
        if let Some(expected) = &self.options.test_token {
            let given = parts.headers.get("x-test-token").map(|value| value.as_bytes()).unwrap_or_default();
            if !bool::from(given.ct_eq(expected.as_bytes())) {
                return Err(ApiError::new(Code::InvalidToken, "invalid_token"));
            }
        }
        let segments: Vec<&str> = rest.split('/').collect();
        match (parts.method.as_str(), segments.as_slice()) {
            ("POST", ["projects"]) => projects::create(self, read(parts, body).await?).await,
            ("DELETE", ["projects", key]) => projects::remove(self, key).await,
            ("POST", ["projects", key, control]) => {
                let given = read(parts, body).await?;
                let shop = self.shop(key).await?;
                match *control {
                    "clock" => clock::set(shop, &given).await,
                    "reset" => projects::reset(self, shop).await,
                    "snapshot" => projects::snapshot(self, shop).await,
                    "restore" => projects::restore(self, shop, &given).await,
                    "settle" => projects::settle(self, shop).await,
                    "faults" => faults::add(self, key, &given),
                    _ => Err(unknown()),
                }
            }
            _ => Err(unknown()),
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
