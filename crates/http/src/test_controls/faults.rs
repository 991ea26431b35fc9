//! Faults on demand: the next calls of a path fail, wait, or are cut off.

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_rest::answer::{self, Answer};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::time::Duration;

/// Longest wait that a fault may ask for.
const DELAY_MS_MAX: u64 = 600_000;
/// Most faults that wait in one project.
const FAULTS_MAX: usize = 1_000;

/// The faults that wait to happen, by project.
#[derive(Default)]
pub(crate) struct Faults(Mutex<HashMap<String, Vec<Fault>>>);

struct Fault {
    method: String,
    /// Below the project; a `*` at the end stands for anything.
    path: String,
    effect: Effect,
    times: u64,
}

#[derive(Clone)]
enum Effect {
    Status(StatusCode),
    Delay(Duration),
    Disconnect,
}

impl Faults {
    /// Forgets the faults of a project.
    pub(crate) fn forget(&self, key: &str) {
        self.0.lock().remove(key);
    }

    fn take(&self, key: &str, method: &str, path: &str) -> Option<Effect> {
        let mut all = self.0.lock();
        let faults = all.get_mut(key)?;
        let index = faults.iter().position(|fault| fault.method == method && matches(&fault.path, path))?;
        let effect = faults[index].effect.clone();
        faults[index].times -= 1;
        if faults[index].times == 0 {
            faults.remove(index);
        }
        Some(effect)
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => path.starts_with(start),
        None => pattern == path,
    }
}

/// `{"method", "path", "status" | "delayMs" | "disconnect": true, "times"}`. The path is below the project.
pub(super) fn add(faults: &Faults, key: &str, given: &Value) -> ApiResult<Answer> {
    let text =
        |name: &str| given.get(name).and_then(Value::as_str).ok_or_else(|| ApiError::required_field(name));
    let effect =
        match (given.get("status"), given.get("delayMs"), given.get("disconnect")) {
            (Some(status), None, None) => {
                let code = status.as_u64().and_then(|code| u16::try_from(code).ok());
                let code = code.and_then(|code| StatusCode::from_u16(code).ok());
                Effect::Status(code.ok_or_else(|| {
                    ApiError::invalid_field("status", status, "Expected an HTTP status.", None)
                })?)
            }
            (None, Some(delay), None) => {
                let millis = delay.as_u64().filter(|millis| *millis <= DELAY_MS_MAX).ok_or_else(|| {
                    ApiError::invalid_field("delayMs", delay, &format!("Expected 0 to {DELAY_MS_MAX}."), None)
                })?;
                Effect::Delay(Duration::from_millis(millis))
            }
            (None, None, Some(Value::Bool(true))) => Effect::Disconnect,
            _ => {
                return Err(ApiError::invalid_json(
                    "the body: expected one of status, delayMs, disconnect: true",
                ));
            }
        };
    let times = given.get("times").map_or(Some(1), Value::as_u64).filter(|times| *times > 0);
    let times = times
        .ok_or_else(|| ApiError::invalid_field("times", &given["times"], "Expected at least 1.", None))?;
    let path = text("path")?;
    let below = path.strip_prefix(&format!("/{key}")).unwrap_or(path);
    let fault = Fault { method: text("method")?.to_ascii_uppercase(), path: below.to_owned(), effect, times };
    let mut all = faults.0.lock();
    let waiting = all.entry(key.to_owned()).or_default();
    if waiting.len() >= FAULTS_MAX {
        return Err(ApiError::invalid_operation(format!("{FAULTS_MAX} faults are waiting already.")));
    }
    waiting.push(fault);
    Ok(answer::json(StatusCode::CREATED, &json!({"waiting": waiting.len()})))
}

/// The fault that this request meets, if it is to end here. A delay is waited for and lets it pass.
pub(crate) async fn fault(faults: &Faults, parts: &Parts) -> Option<Answer> {
    let path = parts.uri.path();
    let (key, below) = path.strip_prefix('/')?.split_once('/').unwrap_or((&path[1..], ""));
    match faults.take(key, parts.method.as_str(), &format!("/{below}"))? {
        Effect::Delay(delay) => {
            tokio::time::sleep(delay).await;
            None
        }
        Effect::Status(status) => Some(answer::json(
            status,
            &json!({
                "statusCode": status.as_u16(),
                "message": "A fault that was asked for.",
                "errors": [{"code": "General", "message": "A fault that was asked for."}],
            }),
        )),
        // A body that fails half-way makes the server cut the connection.
        Effect::Disconnect => {
            let cut = async { Err::<bytes::Bytes, _>(std::io::Error::from(ErrorKind::ConnectionAborted)) };
            Some(Answer::new(Body::from_stream(futures_util::stream::once(cut))))
        }
    }
}
