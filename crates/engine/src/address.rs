//! Addresses of one document of a kind: id, key, or the fields that address it.

/// The address of one document of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address<'a> {
    /// By id.
    Id(&'a str),
    /// By its unique key.
    Key(&'a str),
    /// By the values of the fields that address the kind, `/{container}/{key}`.
    Fields(Vec<&'a str>),
    /// The only document of a singleton kind.
    Only,
}

impl Address<'_> {
    /// Returns the middle of the sentence "The Resource … was not found", e.g. `with ID 'x'`.
    pub fn describe(&self) -> String {
        match self {
            Address::Id(id) => format!("with ID '{id}'"),
            Address::Key(key) => format!("with key '{key}'"),
            Address::Fields(parts) => format!("at '{}'", parts.join("/")),
            Address::Only => "itself".to_owned(),
        }
    }
}
