//! Reports ignored fields of a request body in a header of the response.

use axum::http::{HeaderName, HeaderValue};
use kontor_errors::ApiResult;
use kontor_model::IgnoredFields;
use kontor_rest::response::{self, HttpResponse};
use std::fmt::Write as _;

/// The header with the paths of ignored fields, e.g. `masterVariant.id, webImageUrl`.
pub(crate) const IGNORED: HeaderName = HeaderName::from_static("x-kontor-ignored");
/// Maximum length of the header's value, because clients and proxies limit headers.
const IGNORED_BYTES_MAX: usize = 1_000;

/// Adds the header to a response or an error, if fields were ignored.
pub(crate) fn add_ignored_header(
    ignored: &IgnoredFields,
    result: ApiResult<HttpResponse>,
) -> ApiResult<HttpResponse> {
    let places = ignored.paths();
    if places.is_empty() {
        return result;
    }
    tracing::debug!(fields = %places.join(", "), "unknown fields were ignored");
    let mut http_response = result.unwrap_or_else(|error| response::error(&error));
    if let Ok(value) = HeaderValue::from_str(&join_paths(&places)) {
        http_response.headers_mut().insert(IGNORED, value);
    }
    Ok(http_response)
}

/// Joins the paths, up to the maximum length. Characters that a header cannot contain are escaped.
fn join_paths(places: &[String]) -> String {
    let mut joined = String::new();
    for place in places {
        let before = joined.len();
        let comma = if joined.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(joined, "{comma}{}", place.escape_default());
        if joined.len() > IGNORED_BYTES_MAX {
            joined.truncate(before);
            joined.push_str(comma);
            joined.push_str("...");
            break;
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_value_is_limited_and_has_no_line_breaks() {
        assert_eq!(join_paths(&["a.b".into(), "c".into()]), "a.b, c");
        assert_eq!(join_paths(&["a\r\nX: 1".into()]), "a\\r\\nX: 1");
        let many: Vec<String> = (0..200).map(|index| format!("variants[{index}].attributes")).collect();
        let line = join_paths(&many);
        assert!(line.len() <= IGNORED_BYTES_MAX + 5 && line.ends_with(", ..."), "{line}");
    }
}
