//! Projections: kinds that show one side (current or staged) of another kind's documents.

use crate::id::KindId;

/// Declares that documents of a kind are one of two sides of the documents of another kind: they are not stored, and
/// have its ids and versions.
#[derive(Debug, Clone)]
pub struct Projection {
    /// The kind of the stored documents.
    pub of: KindId,
    /// The field that contains both sides and their common fields; empty for the document itself.
    pub within: String,
    /// The field of the published side, in `within`.
    pub current: String,
    /// The field of the staged side, in `within`.
    pub staged: String,
    /// Whether the current side is shown if there is no staged one.
    pub else_current: bool,
    /// The flag in `within` that must be true for the current side to exist.
    pub shown_while: String,
    /// Any one of these scopes allows reading the staged side.
    pub staged_scopes: Vec<String>,
    /// The fields of the projection, each with its place.
    pub fields: Vec<(String, ProjectionPlace)>,
}

/// The place of a field of a projection in the stored document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectionPlace {
    /// In the stored document itself.
    Document,
    /// Next to the sides.
    Within,
    /// In the side.
    Side,
}

impl Projection {
    /// The field of a side.
    pub fn side(&self, staged: bool) -> &str {
        if staged { &self.staged } else { &self.current }
    }

    /// Returns the path of a field of the projection in the stored document: steps from its root. An unknown name is
    /// a path of one step.
    pub fn path<'p>(&'p self, field: &'p str, staged: bool) -> Vec<&'p str> {
        let mut path = match self.fields.iter().find(|(name, _)| name == field).map(|(_, place)| *place) {
            Some(ProjectionPlace::Within) => vec![self.within.as_str(), field],
            Some(ProjectionPlace::Side) => vec![self.within.as_str(), self.side(staged), field],
            Some(ProjectionPlace::Document) | None => vec![field],
        };
        path.retain(|step| !step.is_empty());
        path
    }
}
