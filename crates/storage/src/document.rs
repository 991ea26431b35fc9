//! Stored documents: [`Stored`] owns its bytes, [`StoredRef`] borrows them during a scan.

use bytes::Bytes;

/// A document with its version and revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The id, unique within its kind.
    pub id: String,
    /// The version that the API shows. Writes of derived fields may leave it unchanged.
    pub version: i64,
    /// The position of the last write in the change log. Every write changes it, also those of derived fields, so
    /// [`Precondition::Revision`](crate::Precondition::Revision) compares it. No two states of documents of a
    /// shop have the same revision.
    pub revision: i64,
    /// The number of the last message about the document (`sequenceNumber` of messages).
    pub sequence: i64,
    /// The JSON as clients get it. A clone shares the bytes.
    pub body: Bytes,
}

impl Stored {
    /// Borrows the document.
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

/// A document during a scan: a [`Stored`] that is valid for one call of the visitor.
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
    /// Copies the document, for use after the call.
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
