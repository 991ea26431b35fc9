//! Headers that several places read.

use axum::http::{HeaderMap, HeaderName};

/// Names a request in logs; others who are asked on the way get it too.
pub(crate) const CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// The value of a header that stands once. Of two, others on the way may have believed the other one.
pub(crate) fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}
