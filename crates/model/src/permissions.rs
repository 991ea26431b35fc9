//! Operations on documents, and the permissions of Associates for them.

/// An operation on documents of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// GET of a document.
    Get,
    /// HEAD of a document or of a query.
    Head,
    /// GET of a page of documents.
    Query,
    /// POST of a draft.
    Create,
    /// POST of actions.
    Update,
    /// DELETE of a document.
    Delete,
}

/// The permissions of an Associate: for own documents, and for those of others. A single name applies to both;
/// without names, every Associate of the unit is permitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    names: Vec<String>,
}

impl Permissions {
    /// Permissions with one or two names, or none.
    pub fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// Returns the permission for own documents.
    pub fn own_permission(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// Returns the permission for documents of others.
    pub fn other_permission(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }

    /// Returns all names.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
