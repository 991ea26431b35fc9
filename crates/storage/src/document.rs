//! Stored documents: [`StoredDocument`] owns its bytes, [`StoredDocumentRef`] borrows them during a scan.

use bytes::Bytes;

/// A document with its version and revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
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

impl StoredDocument {
    /// Borrows the document.
    pub fn borrowed(&self) -> StoredDocumentRef<'_> {
        StoredDocumentRef {
            id: &self.id,
            version: self.version,
            revision: self.revision,
            sequence: self.sequence,
            body: &self.body,
        }
    }
}

/// A document during a scan: a [`StoredDocument`] that is valid for one call of the visitor.
#[derive(Debug, Clone, Copy)]
pub struct StoredDocumentRef<'a> {
    /// See [`StoredDocument::id`].
    pub id: &'a str,
    /// See [`StoredDocument::version`].
    pub version: i64,
    /// See [`StoredDocument::revision`].
    pub revision: i64,
    /// See [`StoredDocument::sequence`].
    pub sequence: i64,
    /// See [`StoredDocument::body`].
    pub body: &'a [u8],
}

impl StoredDocumentRef<'_> {
    /// Copies the document, for use after the call.
    pub fn to_stored(&self) -> StoredDocument {
        StoredDocument {
            id: self.id.to_owned(),
            version: self.version,
            revision: self.revision,
            sequence: self.sequence,
            body: Bytes::copy_from_slice(self.body),
        }
    }
}
