//! Commits: preconditions and writes that happen together or not at all, and why a commit is refused.
//!
//! Start at [`Commit`].

use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;

use crate::{ChangeRecord, Error, IndexValue, Seq};

/// A set of writes that happen together or not at all.
///
/// The writer checks the preconditions and the unique keys inside the transaction. A document is written
/// at most once in a commit ([`Error::Invalid`] otherwise).
#[derive(Debug, Clone, Default)]
pub struct Commit {
    /// Conditions that must hold. The first one that does not determines the [`CommitRefusal`].
    pub preconditions: Vec<Precondition>,
    /// The writes. Each document write takes the next position in the change log, in this order.
    pub writes: Vec<Write>,
    /// A stand-in for the revisions that this commit's documents will get, made by [`provisional_revision`]. A later
    /// commit can use it in a [`Precondition::Revision`] while this one is still on its way to disk. It is refused if
    /// this commit failed or was long ago. Only for storages that
    /// [take them](crate::Storage::takes_provisional_revisions).
    pub provisional_revision: Option<i64>,
}

/// Returns a provisional revision (a negative number) that no other commit of this process has.
pub fn provisional_revision() -> i64 {
    static NEWEST: AtomicI64 = AtomicI64::new(0);
    NEWEST.fetch_sub(1, Ordering::Relaxed) - 1
}

impl Commit {
    /// Creates an empty commit.
    pub fn new() -> Self {
        Commit::default()
    }

    /// Adds a precondition.
    #[must_use]
    pub fn require(mut self, precondition: Precondition) -> Self {
        self.preconditions.push(precondition);
        self
    }

    /// Adds a document to write.
    #[must_use]
    pub fn put(mut self, put: Put) -> Self {
        self.writes.push(Write::Put(put));
        self
    }

    /// Adds a document to delete.
    #[must_use]
    pub fn delete(mut self, kind: impl Into<String>, id: impl Into<String>) -> Self {
        self.writes.push(Write::Delete { kind: kind.into(), id: id.into(), record: None });
        self
    }

    /// Turns each appended line of at least `bytes_min` bytes into a document of its own, written after all others.
    #[must_use]
    pub fn split_large_lines(self, bytes_min: usize) -> Self {
        let Commit { preconditions, writes, provisional_revision } = self;
        let is_line = |write: &Write| matches!(write, Write::Append(line) if line.text.len() >= bytes_min);
        if !writes.iter().any(is_line) {
            return Commit { preconditions, writes, provisional_revision };
        }
        let (lines, mut writes): (Vec<Write>, Vec<Write>) = writes.into_iter().partition(is_line);
        writes.extend(lines.into_iter().map(|write| match write {
            Write::Append(line) => Write::Put(line.into_put()),
            other => other,
        }));
        Commit { preconditions, writes, provisional_revision }
    }

    /// Adds any other write.
    #[must_use]
    pub fn write(mut self, write: Write) -> Self {
        self.writes.push(write);
        self
    }
}

/// One write of a commit.
#[derive(Debug, Clone)]
pub enum Write {
    /// Writes a document; creates it if it does not exist.
    Put(Put),
    /// Deletes a document. Refused with [`CommitRefusal::Missing`] if it does not exist.
    Delete {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
        /// The record of the deletion, for Change History.
        record: Option<ChangeRecord>,
    },
    /// Appends a line to a list.
    Append(ListLine),
    /// Adds to a named counter, which starts at 0. Refused with [`CommitRefusal::Counter`] if the result would leave the
    /// bounds.
    Count {
        /// The name of the counter.
        counter: String,
        /// The number to add; negative to subtract.
        add: i64,
        /// The minimum of the result.
        at_least: Option<i64>,
        /// The maximum of the result.
        at_most: Option<i64>,
    },
    /// Stores the position (cursor) of a consumer of the change log.
    Position {
        /// The name of the consumer.
        consumer: String,
        /// The last entry that the consumer has processed.
        seq: Seq,
    },
    /// Writes a setting, or removes it.
    Setting {
        /// The name of the setting.
        name: String,
        /// Its value; `None` removes it.
        value: Option<String>,
    },
    /// Removes the stored records of a document, except the one of this commit.
    EraseRecords {
        /// The kind of the document.
        kind: String,
        /// The id of the document, which may be deleted.
        id: String,
    },
    /// Removes the oldest records of all documents (retention).
    EndRecords {
        /// Removes records of changes before this time, in milliseconds since 1970.
        before_ms: i64,
        /// The maximum number of removed records.
        at_most: usize,
    },
}

/// A document to write. It replaces the stored one with all its keys and index values.
#[derive(Debug, Clone, Default)]
pub struct Put {
    /// The kind.
    pub kind: String,
    /// The id: a UUIDv7 in lower case for documents that are listed in the order of creation.
    pub id: String,
    /// The version that the API shows.
    pub version: i64,
    /// The number of the last message about the document.
    pub sequence: i64,
    /// The JSON.
    pub body: Bytes,
    /// The values that no other document of the kind may hold at the same path.
    pub unique: Vec<UniqueKey>,
    /// The values of indexed paths. A path may have several.
    pub indexed: Vec<(String, IndexValue)>,
    /// The record of this change, for Change History.
    pub record: Option<ChangeRecord>,
    /// The document is new, has a generated id, and will rarely be read by it. The storage then neither looks for a
    /// document that it replaces nor caches it.
    pub is_appended: bool,
}

/// The name of a setting. A commit that removes data for good (e.g. for the GDPR) writes a new value to it. Then
/// nothing that this commit or earlier ones deleted or replaced may stay anywhere. A storage that leaves deleted values
/// in its files removes them soon; other stores of derived data (e.g. search indexes) do the same.
pub const ERASED: &str = "erased";

/// The separator between the lines of a document. JSON never contains it (RFC 7464), unlike line breaks.
pub const LINE_END: u8 = 0x1E;

/// A line appended to a list: a small piece of data that is read and deleted together with the others of its list, in
/// order.
///
/// Lines of concurrent commits may share a document, so that a line costs little more than its bytes. The document has
/// the kind of the lines, the version 1, and the id `list/name`, where `name` is the greatest name of its lines. Its
/// body is the lines in the order of their commits, separated by [`LINE_END`]. These documents follow the commit's
/// other writes in the change log, at positions that its [`CommitReceipt`] need not contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListLine {
    /// The kind of the documents.
    pub kind: String,
    /// The name of the list, without a `/`.
    pub list: String,
    /// The name of the line, greater than those of earlier lines: a new UUIDv7.
    pub name: String,
    /// The content: JSON, or any bytes without [`LINE_END`].
    pub text: Bytes,
}

impl ListLine {
    /// Returns a document that contains only this line.
    pub fn into_put(self) -> Put {
        let ListLine { kind, list, name, text } = self;
        Put { kind, id: line_id(&list, &name), version: 1, body: text, is_appended: true, ..Put::default() }
    }
}

/// Returns the id of a document whose last line has this name.
pub(crate) fn line_id(list: &str, name: &str) -> String {
    format!("{list}/{name}")
}

/// A value that at most one document of a kind may have. A scope (a Store, a locale) is part of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueKey {
    /// The path, for example `key` or `masterData.current.slug`.
    pub path: String,
    /// The value.
    pub value: String,
}

impl UniqueKey {
    /// Creates a unique key.
    pub fn new(path: impl Into<String>, value: impl Into<String>) -> Self {
        UniqueKey { path: path.into(), value: value.into() }
    }
}

/// A condition that must hold for a commit to happen.
///
/// [`Absent`](Self::Absent) and [`Revision`](Self::Revision) check the documents before the writes of the commit; all
/// others check the result of the writes. So a commit may create a target together with a reference to it, or delete a
/// target together with the last document that refers to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Precondition {
    /// The document does not exist yet.
    Absent {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
    },
    /// The document exists, and was not written since it was read.
    Revision {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
        /// The [`StoredDocument::revision`](crate::StoredDocument::revision) that was read, or a
        /// [provisional](Commit::provisional_revision) one.
        revision: i64,
    },
    /// The document, the target of a reference, exists.
    Exists {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
    },
    /// A document has this unique key: the target of a key reference exists.
    ExistsUnique {
        /// The kind of the document.
        kind: String,
        /// The path of the unique key.
        path: String,
        /// The value of the unique key.
        value: String,
    },
    /// No document of the kind has this value at the indexed path: nothing refers to a deleted target.
    NotReferenced {
        /// The kind of the referring documents.
        kind: String,
        /// The indexed path of the reference.
        path: String,
        /// The id or key of the target.
        value: IndexValue,
    },
    /// The kind has at most `limit` documents.
    CountAtMost {
        /// The kind.
        kind: String,
        /// The maximum number of documents.
        limit: u64,
    },
    /// At most `limit` documents of the kind have this value at the indexed path.
    IndexedAtMost {
        /// The kind.
        kind: String,
        /// The indexed path.
        path: String,
        /// The value.
        value: IndexValue,
        /// The maximum number of documents.
        limit: u64,
    },
}

/// The result of a commit that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitReceipt {
    /// The position of its first document write. The n-th document write of the commit (from 0) has `first + n`, which
    /// is also the revision of the document.
    pub first: Seq,
    /// The position of its last document write; `first - 1` if it has none.
    pub last: Seq,
}

/// The state of a document that did not match a precondition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentState {
    /// The version of the document.
    pub version: i64,
    /// The revision of the document.
    pub revision: i64,
}

/// Why a commit was refused. Nothing of it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitRefusal {
    /// A precondition does not hold.
    #[error("precondition {index} of the commit does not hold")]
    Precondition {
        /// The index of the precondition in [`Commit::preconditions`].
        index: usize,
        /// The current state of the document that the precondition names, if it exists.
        current_state: Option<DocumentState>,
        /// The id of the conflicting document, e.g. one that still refers to the deleted target.
        holder: Option<String>,
    },
    /// Another document has this unique key already.
    #[error("{kind} {holder} already holds {value:?} at {path}")]
    Duplicate {
        /// The kind.
        kind: String,
        /// The path of the unique key.
        path: String,
        /// The value of the unique key.
        value: String,
        /// The id of the other document.
        holder: String,
    },
    /// The document to delete does not exist.
    #[error("there is no {kind} {id}")]
    Missing {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
    },
    /// A counter would leave its bounds.
    #[error("the counter {counter} is at {value} and would leave its bounds")]
    Counter {
        /// The name of the counter.
        counter: String,
        /// Its current value.
        value: i64,
    },
}

/// Why a commit did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// A condition does not hold. The caller gets the documented API error.
    #[error(transparent)]
    Refused(#[from] CommitRefusal),
    /// The storage failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl CommitError {
    /// Returns the failure of a commit that has no preconditions.
    pub(crate) fn into_failure(self) -> Error {
        match self {
            CommitError::Failed(error) => error,
            CommitError::Refused(refusal) => Error::Invalid(refusal.to_string()),
        }
    }
}
