//! Fault injection for tests: the next requests to a path fail, wait, or lose their connection (`/_test/.../faults`).
//! Start at [`apply_fault`].

use crate::request_metadata::RequestMetadata;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use kontor_model::{Method, PathSegment, ServedOperation};
use kontor_outbound::OutboundFault as FaultOutside;
use kontor_rest::response::{self, HttpResponse};
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::time::Duration;

/// Maximum delay of a fault.
const DELAY_MS_MAX: u64 = 600_000;
/// The reason of a failure that a test asked for.
const ASKED_FOR: &str = "A fault that a test requested.";
/// Maximum number of pending faults of one project.
const FAULTS_MAX: usize = 1_000;

/// The pending faults by project.
#[derive(Default)]
pub(crate) struct InjectedFaults(Mutex<HashMap<String, Vec<OutboundFault>>>);

struct OutboundFault {
    method: Method,
    /// The path below the project; a `*` at its end matches any rest.
    path: String,
    effect: FaultEffect,
    times: u64,
}

#[derive(Clone)]
enum FaultEffect {
    Status(StatusCode),
    Delay(Duration),
    Disconnect,
    Panic,
}

impl FaultEffect {
    /// Returns the same effect for requests that the server itself sends.
    fn for_outbound(self) -> FaultOutside {
        match self {
            FaultEffect::Status(status) => FaultOutside::Status(status.as_u16()),
            FaultEffect::Delay(delay) => FaultOutside::Delay(delay),
            FaultEffect::Disconnect => FaultOutside::Disconnect,
            FaultEffect::Panic => FaultOutside::Panic,
        }
    }
}

impl InjectedFaults {
    /// Removes the faults of a project.
    pub(crate) fn remove_project(&self, key: &str) {
        self.0.lock().remove(key);
    }

    /// Returns the number of pending faults of a project.
    pub(crate) fn waiting(&self, key: &str) -> usize {
        self.0.lock().get(key).map_or(0, Vec::len)
    }

    fn take(&self, key: &str, method: &str, path: &str) -> Option<FaultEffect> {
        let mut all = self.0.lock();
        let faults = all.get_mut(key)?;
        let index =
            faults.iter().position(|fault| fault.method.as_str() == method && matches(&fault.path, path))?;
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
        // Slashes at the end of a path are ignored.
        None => pattern.trim_end_matches('/') == path.trim_end_matches('/'),
    }
}

/// A fault in a request. `path` is below the project, with or without the project's key before it; `url` is a
/// destination of requests that the server itself sends.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FaultDraft {
    method: Option<String>,
    path: Option<String>,
    url: Option<String>,
    status: Option<u16>,
    delay_ms: Option<u64>,
    disconnect: Option<bool>,
    panic: Option<bool>,
    times: Option<u64>,
}

/// Adds a fault: `{"method", "path", "status" | "delayMs" | "disconnect": true | "panic": true, "times"}`, or with
/// `"url"` instead of `"method"` and `"path"`.
pub(crate) fn add_fault(
    faults: &InjectedFaults,
    outbound: Option<&kontor_outbound::OutboundFaults>,
    operations: &[ServedOperation],
    key: &str,
    given: FaultDraft,
) -> ApiResult<HttpResponse> {
    let effect = read_effect(&given)?;
    let times = given.times.unwrap_or(1);
    if times == 0 {
        return Err(ApiError::invalid_field("times", &json!(times), "Expected at least 1.", None));
    }
    if let Some(url) = &given.url {
        if given.method.is_some() || given.path.is_some() {
            return Err(ApiError::invalid_json("the body: expected 'url' or 'method' and 'path', not both"));
        }
        let outbound = outbound.ok_or_else(|| {
            ApiError::invalid_operation("This server sends no requests: it trusts no certificates.")
        })?;
        let waiting = outbound.add(key, url, effect.for_outbound(), times);
        return Ok(response::json(StatusCode::CREATED, &json!({"waiting": waiting})));
    }
    let method = given.method.ok_or_else(|| ApiError::required_field("method"))?.to_ascii_uppercase();
    let method = Method::from_name(&method).ok_or_else(|| {
        let allowed: Vec<&str> = Method::ALL.iter().map(|method| method.as_str()).collect();
        ApiError::invalid_field("method", &json!(method), "No path is served so.", Some(json!(allowed)))
    })?;
    let path = given.path.ok_or_else(|| ApiError::required_field("path"))?;
    let below = path
        .strip_prefix('/')
        .and_then(|path| path.strip_prefix(key))
        .filter(|below| below.is_empty() || below.starts_with('/'));
    let below = below.unwrap_or(&path);
    if !can_match(operations, method, below) {
        let expected = format!(
            "No request meets it: no path that is served below a project with {} is like that. Expected one such as \
             \"/states\" or, for all that begin so, \"/states*\".",
            method.as_str()
        );
        return Err(ApiError::invalid_field("path", &json!(path), &expected, None));
    }
    let fault = OutboundFault { method, path: below.to_owned(), effect, times };
    let mut all = faults.0.lock();
    let waiting = all.entry(key.to_owned()).or_default();
    if waiting.len() >= FAULTS_MAX {
        return Err(ApiError::invalid_operation(format!("{FAULTS_MAX} faults are waiting already.")));
    }
    waiting.push(fault);
    Ok(response::json(StatusCode::CREATED, &json!({"waiting": waiting.len()})))
}

fn read_effect(given: &FaultDraft) -> ApiResult<FaultEffect> {
    match (given.status, given.delay_ms, given.disconnect, given.panic) {
        (Some(code), None, None, None) => StatusCode::from_u16(code)
            .map(FaultEffect::Status)
            .map_err(|_| ApiError::invalid_field("status", &json!(code), "Expected an HTTP status.", None)),
        (None, Some(millis), None, None) if millis <= DELAY_MS_MAX => {
            Ok(FaultEffect::Delay(Duration::from_millis(millis)))
        }
        (None, Some(millis), None, None) => {
            let expected = format!("Expected 0 to {DELAY_MS_MAX}.");
            Err(ApiError::invalid_field("delayMs", &json!(millis), &expected, None))
        }
        (None, None, Some(true), None) => Ok(FaultEffect::Disconnect),
        (None, None, None, Some(true)) => Ok(FaultEffect::Panic),
        _ => Err(ApiError::invalid_json(
            "the body: expected one of status, delayMs, disconnect: true, panic: true",
        )),
    }
}

/// Returns whether any operation below a project matches a fault's method and path.
fn can_match(operations: &[ServedOperation], method: Method, below: &str) -> bool {
    let (text, is_open) = match below.strip_suffix('*') {
        Some(start) => (start, true),
        None => (below.trim_end_matches('/'), false),
    };
    // The first segment of these paths is the project's key.
    operations.iter().filter(|operation| operation.method == method).any(|operation| {
        matches!(operation.path.first(), Some(PathSegment::Value { .. }))
            && matches_segments(&operation.path[1..], text, is_open)
    })
}

/// Returns whether a path of these segments equals `text`, or begins with it if `is_open`.
fn matches_segments(segments: &[PathSegment], text: &str, is_open: bool) -> bool {
    let mut rest = segments.iter();
    let mut texts = text.split('/');
    if texts.next() != Some("") {
        return false;
    }
    let mut texts = texts.peekable();
    while let Some(text) = texts.next() {
        let is_begun = is_open && texts.peek().is_none();
        let fits = match rest.next() {
            Some(PathSegment::Fixed(word)) => word == text || is_begun && word.starts_with(text),
            Some(PathSegment::Value { prefix, .. }) => {
                text.len() > prefix.len() && text.starts_with(&**prefix)
                    || is_begun && prefix.starts_with(text)
            }
            None => false,
        };
        if !fits {
            return false;
        }
    }
    is_open || rest.next().is_none()
}

/// Returns the response of the fault that matches this request. Waits for a delay, and then lets the request pass.
pub(crate) async fn apply_fault(faults: &InjectedFaults, parts: &Parts) -> Option<HttpResponse> {
    let path = parts.uri.path();
    let (key, below) = path.strip_prefix('/')?.split_once('/').unwrap_or((&path[1..], ""));
    let effect = faults.take(key, parts.method.as_str(), &format!("/{below}"))?;
    if let Some(noted) = RequestMetadata::from_parts(parts) {
        // A delayed request is executed: its failure would be one of the server.
        if !matches!(effect, FaultEffect::Delay(_)) {
            _ = noted.fault.set(());
            _ = noted.reason.set(ASKED_FOR.to_owned());
        }
    }
    match effect {
        FaultEffect::Delay(delay) => {
            tokio::time::sleep(delay).await;
            None
        }
        FaultEffect::Status(status) => Some(response::json(
            status,
            &json!({
                "statusCode": status.as_u16(),
                "message": ASKED_FOR,
                "errors": [{"code": "General", "message": ASKED_FOR}],
            }),
        )),
        // For tests that a bug costs one request its response, and nothing else.
        FaultEffect::Panic => panic!("{ASKED_FOR}"),
        // A body that fails half-way makes the server close the connection.
        FaultEffect::Disconnect => {
            let cut = async { Err::<bytes::Bytes, _>(std::io::Error::from(ErrorKind::ConnectionAborted)) };
            Some(HttpResponse::new(Body::from_stream(futures_util::stream::once(cut))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::Model;

    #[test]
    fn accepts_faults_for_served_paths_only() {
        let model = Model::embedded().unwrap();
        let may = |method, below: &str| can_match(model.operations(), method, below);
        for below in [
            "",
            "/",
            "/states",
            "/states/",
            "/states/x",
            "/states/key=x",
            "/sta*",
            "/*",
            "/states/*",
            "/states*",
            "/states/k*",
            "*",
        ] {
            assert!(may(Method::Get, below) || below == "*", "{below}");
        }
        for below in [
            "states",
            "/nothing",
            "/nothing*",
            "/states/x/y",
            "/states?limit=1",
            "/states/x/y*",
            "/oauth/token",
        ] {
            assert!(!may(Method::Get, below), "{below}");
        }
        assert!(may(Method::Post, "/graphql"));
        assert!(!may(Method::Delete, "/graphql"));
        assert!(
            matches("/states/", "/states")
                && matches("/states", "/states/")
                && !matches("/states", "/states/x")
        );
    }
}
