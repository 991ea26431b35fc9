//! The clock of a project: sets it, advances it, or returns it to real time.

use crate::server::Server;
use axum::http::StatusCode;
use jiff::Timestamp;
use kontor_engine::{Shop, format_time};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use kontor_rest::response::{self, HttpResponse};
use serde::Deserialize;
use std::sync::Arc;

/// Maximum distance that a clock is moved, in milliseconds.
const MOVED_MS_MAX: f64 = 1e15;

/// The new time, or the number of seconds to advance.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ClockSetting {
    now: Option<String>,
    advance_seconds: Option<f64>,
}

/// Handles `{"now": "2027-01-01T00:00:00.000Z"}`, `{"advanceSeconds": 2592000}` or `{}` (real time). When it responds,
/// documents that have expired at the new time are deleted, and search indexes without recent use are closed.
pub(super) async fn set(server: &Server, shop: Arc<Shop>, given: ClockSetting) -> ApiResult<HttpResponse> {
    match (given.now, given.advance_seconds) {
        (None, None) => shop.clock.reset(),
        (Some(text), None) => {
            let now: Timestamp = text
                .parse()
                .map_err(|_| ApiError::invalid_field("now", &json!(text), "Expected a date-time.", None))?;
            shop.clock.set(now);
        }
        (None, Some(seconds)) => {
            let millis = seconds * 1000.0;
            if millis.abs() >= MOVED_MS_MAX {
                let expected = format!("Expected fewer than {} seconds.", MOVED_MS_MAX / 1000.0);
                return Err(ApiError::invalid_field("advanceSeconds", &json!(seconds), &expected, None));
            }
            shop.clock.advance_millis(millis as i64);
        }
        (Some(_), Some(_)) => {
            return Err(ApiError::invalid_json("the body: expected one of now, advanceSeconds, or neither"));
        }
    }
    server.shops.expire(&shop).await?;
    Ok(response::json(StatusCode::OK, &json!({"now": format_time(shop.clock.now())})))
}
