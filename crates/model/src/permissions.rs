//! What may be done with documents, and what Associates need for it.

/// What may be done with a kind.
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

/// What an associate needs: the permission for documents of their own, and the one for those of others. One name
/// alone is for both, none at all: every associate of the unit may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    names: Vec<String>,
}

impl Permissions {
    /// One or two names, or none.
    pub fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// What documents of one's own ask for.
    pub fn own(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// What documents of others ask for.
    pub fn others(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }

    /// All names.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
