//! The clock of a project: set, advanced, or real again.

use axum::http::StatusCode;
use jiff::Timestamp;
use kontor_engine::{Shop, format_time};
use kontor_errors::{ApiError, ApiResult};
use kontor_rest::answer::{self, Answer};
use kontor_rest::blocking;
use serde_json::{Value, json};
use std::sync::Arc;

/// `{"now": "2027-01-01T00:00:00.000Z"}`, `{"advanceSeconds": 2592000}` or `{}`.
/// What ends by itself at the new time is gone when this answers.
pub(super) async fn set(shop: Arc<Shop>, given: &Value) -> ApiResult<Answer> {
    match (given.get("now"), given.get("advanceSeconds")) {
        (None, None) => shop.clock.reset(),
        (Some(Value::String(text)), None) => {
            let now: Timestamp = text
                .parse()
                .map_err(|_| ApiError::invalid_field("now", &json!(text), "Expected a date-time.", None))?;
            shop.clock.set(now);
        }
        (None, Some(seconds)) => {
            let millis =
                seconds.as_f64().map(|seconds| seconds * 1000.0).filter(|millis| millis.abs() < 1e15);
            let millis = millis.ok_or_else(|| {
                ApiError::invalid_field("advanceSeconds", seconds, "Expected a number of seconds.", None)
            })?;
            shop.clock.advance_millis(millis as i64);
        }
        _ => return Err(ApiError::invalid_json("the body: expected one of now, advanceSeconds, or neither")),
    }
    blocking(move || {
        shop.expire_documents()?;
        Ok(answer::json(StatusCode::OK, &json!({"now": format_time(shop.clock.now())})))
    })
    .await
}
