//! What comes along with a document that was somewhere else before: its id, its version, and hashes in the place of secrets.
//!
//! The platform makes all of this itself for whoever creates a document; only who has the data anyway may bring it.

/// What is kept of a document's earlier life when it is created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept<'a> {
    /// Its id. Refused with DuplicateField where it is taken, so that whoever repeats a call whose answer was lost creates
    /// nothing twice.
    pub id: Option<&'a str>,
    /// Its version, from 1.
    pub version: Option<i64>,
    /// The fields with `@secret` have hashes, as [`crate::Shop::kept_secrets`] gives them. What is no such hash is InvalidInput.
    pub is_hashed: bool,
}
