//! What may be done with documents, and what Associates need for it.

/// An operation on documents of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// GET of one.
    Get,
    /// HEAD of one or of a query.
    Head,
    /// GET of many.
    Query,
    /// POST of a draft.
    Create,
    /// POST of actions.
    Update,
    /// DELETE of one.
    Delete,
}

/// The permissions of an associate: for own documents, and for those of others. A single name is for both;
/// without names, every associate of the unit is permitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    names: Vec<String>,
}

impl Permissions {
    /// One or two names, or none.
    pub fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// Returns the permission for own documents.
    pub fn own(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// Returns the permission for documents of others.
    pub fn others(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }

    /// All names.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
