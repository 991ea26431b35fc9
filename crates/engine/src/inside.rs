//! How much a request sees of documents inside of others, by the kinds of the former.
//!
//! Who may read an Order may not be meant to read the Customer that it names. What somebody could not ask for by itself
//! is not shown where a reference to it is expanded either: the reference stays as it is.

use crate::bounds::Bounds;
use kontor_model::{KindId, Model};

/// How much of a kind is shown inside of other documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// All of it.
    Shown,
    /// What is within the bounds, of some of which it is enough.
    Within(Vec<Bounds>),
}

impl Inside {
    /// Whether a stored document is shown; a kind that nothing is said of is not.
    pub(crate) fn shows(kinds: &[Inside], model: &Model, kind: KindId, body: &[u8]) -> bool {
        match kinds.get(kind.index()) {
            Some(Inside::Shown) => true,
            Some(Inside::Within(bounds)) => bounds.iter().any(|bounds| bounds.admit(model, kind, body)),
            None => false,
        }
    }
}
