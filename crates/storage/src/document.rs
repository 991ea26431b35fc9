//! A document as it is stored.

use bytes::Bytes;

/// A document and its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The id, unique within its kind.
    pub id: String,
    /// The version that the API shows. Writes of derived fields may leave it as it is.
    pub version: i64,
    /// The position in the change log of the last write, so it changes with each write, derived ones
    /// included. [`Precondition::Revision`](crate::Precondition::Revision) compares it; no two states of a
    /// shop's documents ever share one.
    pub revision: i64,
    /// The number of the last message about the document (`sequenceNumber` of messages).
    pub sequence: i64,
    /// The JSON in the form that clients get. Cloning shares the bytes.
    pub body: Bytes,
}

impl Stored {
    /// The same, borrowed.
    pub fn borrowed(&self) -> StoredRef<'_> {
        StoredRef {
            id: &self.id,
            version: self.version,
            revision: self.revision,
            sequence: self.sequence,
            body: &self.body,
        }
    }
}

/// A document during a scan: the same as [`Stored`], borrowed for the length of one visit.
#[derive(Debug, Clone, Copy)]
pub struct StoredRef<'a> {
    /// See [`Stored::id`].
    pub id: &'a str,
    /// See [`Stored::version`].
    pub version: i64,
    /// See [`Stored::revision`].
    pub revision: i64,
    /// See [`Stored::sequence`].
    pub sequence: i64,
    /// See [`Stored::body`].
    pub body: &'a [u8],
}

impl StoredRef<'_> {
    /// A copy that outlives the visit.
    pub fn to_stored(&self) -> Stored {
        Stored {
            id: self.id.to_owned(),
            version: self.version,
            revision: self.revision,
            sequence: self.sequence,
            body: Bytes::copy_from_slice(self.body),
        }
    }
}
