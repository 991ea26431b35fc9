//! How one document of a kind is meant.

/// Which document of a kind is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address<'a> {
    /// By id.
    Id(&'a str),
    /// By its unique key.
    Key(&'a str),
    /// By the values of the fields that address the kind, `/{container}/{key}`.
    Fields(Vec<&'a str>),
    /// The only one.
    Only,
}

impl Address<'_> {
    /// Completes "The Resource … was not found".
    pub fn describe(&self) -> String {
        match self {
            Address::Id(id) => format!("with ID '{id}'"),
            Address::Key(key) => format!("with key '{key}'"),
            Address::Fields(parts) => format!("at '{}'", parts.join("/")),
            Address::Only => "itself".to_owned(),
        }
    }
}
