//! Places in a body, for errors.

/// `a.b`, or `b` where there is no `a`.
pub(crate) fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}
