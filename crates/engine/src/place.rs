//! Places in a body, for errors.

use kontor_model::Location;

/// `a.b`, or `b` where there is no `a`.
pub(crate) fn join(place: &str, name: &str) -> String {
    Location::Member(&Location::Of(place), name).to_string()
}
