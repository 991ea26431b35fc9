//! Unknown fields of a request body.
//!
//! The platform ignores unknown fields, so that a client may be newer than the service. Here they are ignored
//! as well, and reported.

use std::sync::Mutex;

/// Maximum number of reported fields of one body. Further ones are ignored all the same.
const PLACES_MAX: usize = 50;

/// The paths of ignored fields, e.g. `masterVariant.id`, without duplicates.
#[derive(Debug, Default)]
pub struct IgnoredFields(Mutex<Vec<String>>);

impl IgnoredFields {
    /// Adds the path of an ignored field.
    pub fn add(&self, place: String) {
        // A panic while adding leaves the list valid.
        let mut places = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if places.len() < PLACES_MAX && !places.contains(&place) {
            places.push(place);
        }
    }

    /// The paths, in the order in which they were added.
    pub fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}
