//! Records: what is kept of each change of a document, for who asks later what happened.
//!
//! A record is written with the change that it tells of ([`Put::record`](crate::Put::record),
//! [`Write::Delete`](crate::Write::Delete)) and is never changed. It is no document: it has no key, no version, no row in an
//! index and no entry in the change log. Records are read by the time of the change, of all documents or of one, also when
//! that is gone.

use bytes::Bytes;

use crate::{Error, Result};

/// What is kept of a change of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When it happened, in milliseconds since 1970. The clock is believed, also where it was set back.
    pub at_ms: i64,
    /// What is kept: JSON.
    pub body: Bytes,
}

/// The place of a record among all of a shop: by the time, then by what was written first.
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

/// Which records are asked for.
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
    /// [`Error::Invalid`] where a document is asked for and no kind.
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
    /// What is kept.
    pub body: Bytes,
}
