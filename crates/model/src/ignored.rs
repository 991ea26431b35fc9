//! What a body says that nobody asked for.
//!
//! The platform passes over fields that it does not know, so that a client may be newer than the service. Here they are
//! passed over as well, and told to who wants to know.

use std::sync::Mutex;

/// Most places that are remembered of one body. More are passed over all the same.
const PLACES_MAX: usize = 50;

/// The places of the fields that were passed over, such as `masterVariant.id`, each once.
#[derive(Debug, Default)]
pub struct Ignored(Mutex<Vec<String>>);

impl Ignored {
    /// Remembers a place.
    pub fn add(&self, place: String) {
        // Who panicked while adding left a list that is as good as before.
        let mut places = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if places.len() < PLACES_MAX && !places.contains(&place) {
            places.push(place);
        }
    }

    /// The places, in the sequence in which they were met.
    pub fn places(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}
