//! The change log: one rising sequence for each shop, one entry for each write of a document.

/// A position in the change log. The first entry is 1; 0 stands before it.
///
/// Positions rise by one, without gaps, also across a reset or restore (which start a new epoch instead).
pub type Seq = u64;

/// The effect of a write on its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The document was not there before.
    Created,
    /// The document was there before and has new bytes.
    Updated,
    /// The document is gone.
    Deleted,
}

/// An entry of the change log: that a document changed, not what it was or is.
///
/// A consumer reads the document itself. It may find a later state than this entry speaks of, and then
/// another entry follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The position of the entry.
    pub seq: Seq,
    /// The kind of the document.
    pub kind: String,
    /// The id of the document.
    pub id: String,
    /// The version the write gave it; of a deleted document the last that it had.
    pub version: i64,
    /// The operation.
    pub operation: Operation,
}
