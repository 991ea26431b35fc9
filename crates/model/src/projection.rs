//! Projections: kinds that show a side of another kind's documents and are not stored.

use crate::id::KindId;

/// That documents of a kind are one of two sides of the documents of another one: nothing of them is stored, and they
/// have its ids and versions.
#[derive(Debug, Clone)]
pub struct Projection {
    /// The kind of the stored documents.
    pub of: KindId,
    /// The field that holds both sides and what they share; empty where the document itself does.
    pub within: String,
    /// The side that is shown, in `within`.
    pub current: String,
    /// The side that is being worked on, in `within`.
    pub staged: String,
    /// Without a staged side, the current one is shown: a staged side is optional.
    pub else_current: bool,
    /// The flag in `within` without which there is no current side.
    pub shown_while: String,
    /// Any one of these scopes allows reading the staged side.
    pub staged_scopes: Vec<String>,
    /// The fields of the projection, and where each is found.
    pub fields: Vec<(String, Place)>,
}

/// Where a field of a projection is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the stored document itself.
    Document,
    /// Next to the sides.
    Within,
    /// In the side.
    Side,
}

impl Projection {
    /// The name of a side.
    pub fn side(&self, staged: bool) -> &str {
        if staged { &self.staged } else { &self.current }
    }

    /// Where a field of the projection is in the stored document: steps from its root. A name that is no field is
    /// its own step.
    pub fn path<'p>(&'p self, field: &'p str, staged: bool) -> Vec<&'p str> {
        let mut path = match self.fields.iter().find(|(name, _)| name == field).map(|(_, place)| *place) {
            Some(Place::Within) => vec![self.within.as_str(), field],
            Some(Place::Side) => vec![self.within.as_str(), self.side(staged), field],
            Some(Place::Document) | None => vec![field],
        };
        path.retain(|step| !step.is_empty());
        path
    }
}
