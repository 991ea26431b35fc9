//! Records of changes, for Change History.
//!
//! A record is written with its change ([`Put::record`](crate::Put::record),
//! [`Write::Delete`](crate::Write::Delete)) and never changes. It is no document: it has no key, no version,
//! no index row and no entry in the change log. Records are read by the time of the change, of all documents
//! or of one, even if that is deleted.

use bytes::Bytes;

use crate::{Error, Result};

/// A record of a change of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When it happened, in milliseconds since 1970. The clock is believed, also where it was set back.
    pub at_ms: i64,
    /// The content: JSON.
    pub body: Bytes,
}

/// The position of a record among all of a shop: by time, then by the order of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPlace {
    /// When the change happened, in milliseconds since 1970.
    pub at_ms: i64,
    /// Tells apart changes of one millisecond.
    pub order: i64,
}

impl RecordPlace {
    /// Before all records of a time, and behind all before it.
    pub fn at(at_ms: i64) -> Self {
        RecordPlace { at_ms, order: 0 }
    }
}

/// The requested records.
#[derive(Debug, Clone, Copy)]
pub struct RecordRange<'a> {
    /// The kinds of their documents; none: of any kind.
    pub kinds: &'a [&'a str],
    /// The document that they are of, which is of one of these kinds; `None`: of all.
    pub id: Option<&'a str>,
    /// Not older than this.
    pub from: RecordPlace,
    /// Older than this.
    pub before: RecordPlace,
}

impl RecordRange<'_> {
    /// [`Error::Invalid`] for a document without a kind.
    pub fn check(&self) -> Result<()> {
        match (self.id, self.kinds) {
            (Some(id), []) => Err(Error::Invalid(format!("records of {id} are asked for without its kind"))),
            _ => Ok(()),
        }
    }
}

/// A record as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRecord {
    /// Its place.
    pub place: RecordPlace,
    /// The kind of the document.
    pub kind: String,
    /// The id of the document.
    pub id: String,
    /// The content.
    pub body: Bytes,
}
