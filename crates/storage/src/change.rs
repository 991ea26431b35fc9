//! The entries of the change log. Each shop has one log; each write of a document adds one entry, in order.

/// A position in the change log. The first entry has 1; 0 is the position before it.
///
/// Positions rise by one, without gaps. A reset or restore continues them, and starts a new epoch.
pub type Seq = u64;

/// The effect of a write on its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeOperation {
    /// The document did not exist before.
    Created,
    /// The document existed before, and has new bytes.
    Updated,
    /// The document was deleted.
    Deleted,
}

/// An entry of the change log: which document changed, without its content.
///
/// A consumer reads the document itself. It may find a later state than that of the entry; then another entry follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLogEntry {
    /// The position of the entry.
    pub seq: Seq,
    /// The kind of the document.
    pub kind: String,
    /// The id of the document.
    pub id: String,
    /// The version after the write; of a deleted document its last version.
    pub version: i64,
    /// The operation.
    pub operation: ChangeOperation,
}
