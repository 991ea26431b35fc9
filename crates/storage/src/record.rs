//! Records of changes, for Change History.
//!
//! A record is written with its change ([`Put::record`](crate::Put::record),
//! [`Write::Delete`](crate::Write::Delete)) and never changes. It is not a document: it has no key, no version,
//! no index row and no entry in the change log. Records are queried by the time of the change, for all documents
//! or for one, even a deleted one.

use bytes::Bytes;

use crate::{Error, Result};

/// A record of a change of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// The time of the change, in milliseconds since 1970, by a clock that may have been set back.
    pub at_ms: i64,
    /// The content: JSON.
    pub body: Bytes,
}

/// The position of a record among all of a shop: by time, then by the order of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPosition {
    /// The time of the change, in milliseconds since 1970.
    pub at_ms: i64,
    /// The order of changes within a millisecond.
    pub order: i64,
}

impl RecordPosition {
    /// Returns the position before all records of a time.
    pub fn before_time(at_ms: i64) -> Self {
        RecordPosition { at_ms, order: 0 }
    }
}

/// The requested records.
#[derive(Debug, Clone, Copy)]
pub struct RecordRange<'a> {
    /// The kinds of documents; empty: all kinds.
    pub kinds: &'a [&'a str],
    /// The id of a document of one of these kinds; `None`: all documents.
    pub id: Option<&'a str>,
    /// The oldest position, inclusive.
    pub from: RecordPosition,
    /// The newest position, exclusive.
    pub before: RecordPosition,
}

impl RecordRange<'_> {
    /// Fails with [`Error::Invalid`] for an id without a kind.
    pub fn check(&self) -> Result<()> {
        match (self.id, self.kinds) {
            (Some(id), []) => Err(Error::Invalid(format!("records of {id} were requested without its kind"))),
            _ => Ok(()),
        }
    }
}

/// A stored record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its position.
    pub place: RecordPosition,
    /// The kind of the document.
    pub kind: String,
    /// The id of the document.
    pub id: String,
    /// The content.
    pub body: Bytes,
}
