//! Metadata that a document brings from elsewhere: its id, its version, and hashes instead of secrets.
//!
//! The platform sets all of this itself for other clients; only the operator may bring it, and has the data anyway.

/// The preserved metadata of a created document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PreservedMetadata<'a> {
    /// Its id. A used id is refused with DuplicateField, so that repeating a call with a lost response
    /// creates nothing twice.
    pub id: Option<&'a str>,
    /// Its version, from 1.
    pub version: Option<i64>,
    /// The fields with `@secret` contain hashes, as [`crate::Shop::stored_secret_hashes`] returns them. Any other
    /// value is InvalidInput.
    pub is_hashed: bool,
}
