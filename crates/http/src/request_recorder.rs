//! Records finished requests in the log of their project (`kontor_services::RequestLog`).
//!
//! Refused requests are always recorded. Others are recorded where they are in the access log too, and otherwise for some
//! minutes after a client has read the log, so that servers without an access log do not pay for it.

use crate::fixed_paths::is_test_path;
use crate::request_metadata::RequestMetadata;
use crate::server::Server;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use kontor_model::{PathSegment, ServedOperation};
use kontor_services::{LoggedRequest, SentRequest};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write as _};
use std::time::Duration;

/// The first segment of the logs' own paths, after the project.
const LOGS: &str = "kontor";
/// Parameters whose values are shown: they name fields, numbers and settings, no data of persons.
const SHOWN_PARAMETERS: [&str; 14] = [
    "limit",
    "offset",
    "withTotal",
    "expand",
    "sort",
    "version",
    "staged",
    "dataErasure",
    "priceCurrency",
    "priceCountry",
    "priceChannel",
    "localeProjection",
    "storeProjection",
    "fuzzy",
];
/// The replacement of other values.
const HIDDEN: char = '…';

/// Records a finished request. `is_recorded` says whether it is recorded although it was not refused.
pub(crate) fn record(
    server: &Server,
    parts: &Parts,
    (status, duration): (StatusCode, Duration),
    correlation: &HeaderValue,
    is_recorded: bool,
) {
    let Some(noted) = RequestMetadata::from_parts(parts) else { return };
    // A GraphQL response may be a 200 with errors in its body.
    let is_refused = status.is_client_error() || status.is_server_error() || noted.reason.get().is_some();
    if !is_refused && !is_recorded {
        return;
    }
    let Some(project) = noted.project.get() else { return };
    let operation = noted.operation.get().and_then(|at| server.model.operations().get(*at));
    if is_about_logs(operation, parts) || !is_refused && is_view_of_operator(noted, operation) {
        return;
    }
    let log = server.services.requests();
    let text = |text: Option<&String>| text.cloned();
    let sent = log.body_bytes_max().map(|_| SentRequest {
        uri: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        body: noted.sent_body.as_ref().map(|body| body.text()).unwrap_or_default(),
    });
    let elapsed_ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    let request = LoggedRequest {
        at_ms: jiff::Timestamp::now().as_millisecond().saturating_sub(elapsed_ms),
        method: parts.method.as_str().to_owned(),
        path: shown_path(parts),
        status: status.as_u16(),
        duration,
        client: text(noted.client.get()),
        operator: text(noted.operator.get()),
        correlation_id: correlation.to_str().unwrap_or_default().to_owned(),
        reason: text(noted.reason.get()),
        sent,
    };
    log.record(project, request, || server.auth.project(project).is_some());
}

/// Returns true for the paths of the logs themselves, and of the test controls.
fn is_about_logs(operation: Option<&ServedOperation>, parts: &Parts) -> bool {
    let second = operation.and_then(|operation| operation.path.get(1));
    matches!(second, Some(PathSegment::Fixed(name)) if name == LOGS) || is_test_path(parts.uri.path())
}

/// Returns whether an operator only looks at something: the console reads all the time.
fn is_view_of_operator(noted: &RequestMetadata, operation: Option<&ServedOperation>) -> bool {
    noted.operator.get().is_some() && !operation.is_some_and(ServedOperation::changes)
}

/// Returns the path with the names of its parameters.
fn shown_path(parts: &Parts) -> String {
    let mut shown = RedactedPath(parts.uri.path()).to_string();
    for (position, parameter) in parts.uri.query().into_iter().flat_map(|query| query.split('&')).enumerate()
    {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        shown.push(if position == 0 { '?' } else { '&' });
        shown.push_str(name);
        let value = match SHOWN_PARAMETERS.contains(&name) {
            true => Cow::Borrowed(value),
            false if value.is_empty() => continue,
            false => Cow::Owned(HIDDEN.to_string()),
        };
        // Writing to a string does not fail.
        _ = write!(shown, "={value}");
    }
    shown
}

/// A path for logs, without the secret value of `…-token={value}`.
pub(crate) struct RedactedPath<'a>(pub(crate) &'a str);

impl Display for RedactedPath<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // A token may contain characters such as `/`, so the rest of the path is cut off.
        match self.0.find("token=").map(|at| at + "token=".len()) {
            Some(end) => write!(f, "{}{HIDDEN}", &self.0[..end]),
            None => f.write_str(self.0),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use axum::http::Request;

    #[test]
    fn shows_names_of_parameters_and_few_values() {
        for (sent, shown) in [
            ("/shop/carts", "/shop/carts"),
            ("/shop/carts?limit=2&where=customerEmail%3D%22a%22", "/shop/carts?limit=2&where=…"),
            ("/shop/carts?var.a=1&sort=id+asc&expand", "/shop/carts?var.a=…&sort=id+asc&expand="),
            ("/shop/customers/email-token=a/b?x", "/shop/customers/email-token=…?x"),
        ] {
            let (parts, ()) = Request::builder().uri(sent).body(()).unwrap().into_parts();
            assert_eq!(shown_path(&parts), shown);
        }
    }
}
