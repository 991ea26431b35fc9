//! A commit: what it asks for, what it writes, and what can be said against it.

use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;

use crate::{Error, IndexValue, Record, Seq};

/// A set of writes that happen together or not at all.
///
/// The writer checks the preconditions and the unique keys inside the transaction. A document is written
/// at most once in a commit ([`Error::Invalid`] otherwise).
#[derive(Debug, Clone, Default)]
pub struct Commit {
    /// What must hold, in the sequence in which refusals are wanted.
    pub preconditions: Vec<Precondition>,
    /// What is written. Each document write takes the next position in the change log, in this sequence.
    pub writes: Vec<Write>,
    /// What stands for the revision of each document that it writes, in the [`Precondition::Revision`] of later commits, before it
    /// is known which one that is: that of [`provisional_revision`]. So a commit can follow one
    /// that is on its way to the disk; where that one did not happen, or was long ago, the later one is refused. For a storage
    /// that [takes them](crate::Storage::takes_provisional_revisions).
    pub provisional_revision: Option<i64>,
}

/// A provisional revision that no other commit of this process has.
pub fn provisional_revision() -> i64 {
    static NEWEST: AtomicI64 = AtomicI64::new(0);
    NEWEST.fetch_sub(1, Ordering::Relaxed) - 1
}

impl Commit {
    /// An empty commit.
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

    /// The same, with a document for each line that has so many bytes, behind all others.
    #[must_use]
    pub fn with_lines_apart(self, bytes_min: usize) -> Self {
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
    /// Writes a document, new or not.
    Put(Put),
    /// Deletes a document. Refused with [`Refusal::Missing`] where there is none.
    Delete {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
        /// What is kept of its end.
        record: Option<Record>,
    },
    /// Adds a line to a list.
    Append(Line),
    /// Adds to a named counter, which starts at 0. Refused with [`Refusal::Counter`] where the result would
    /// leave the bounds.
    Count {
        /// The name of the counter.
        counter: String,
        /// What to add; negative to take away.
        add: i64,
        /// The least the result may be.
        at_least: Option<i64>,
        /// The most the result may be.
        at_most: Option<i64>,
    },
    /// Records how far a consumer of the change log has come.
    Position {
        /// The name of the consumer.
        consumer: String,
        /// The last entry that it has dealt with.
        seq: Seq,
    },
    /// Writes a setting, or removes it.
    Setting {
        /// The name of the setting.
        name: String,
        /// Its value; `None` removes it.
        value: Option<String>,
    },
    /// Removes the records of a document that are kept so far: not the one that comes with this commit.
    EraseRecords {
        /// The kind of the document.
        kind: String,
        /// The id of the document, which may be gone.
        id: String,
    },
    /// Removes the oldest records of all documents.
    EndRecords {
        /// Those of changes before this time, in milliseconds since 1970.
        before_ms: i64,
        /// No more than so many.
        at_most: usize,
    },
}

/// A document to write, whole. What is not named here any more is removed.
#[derive(Debug, Clone, Default)]
pub struct Put {
    /// The kind.
    pub kind: String,
    /// The id, a UUIDv7 in lower case for documents that are listed in the sequence of creation.
    pub id: String,
    /// The version that the API shows.
    pub version: i64,
    /// The number of the last message about the document.
    pub sequence: i64,
    /// The JSON.
    pub body: Bytes,
    /// The values that no other document of the kind may hold at the same path.
    pub unique: Vec<UniqueKey>,
    /// The values to be found by. A path may hold several.
    pub indexed: Vec<(String, IndexValue)>,
    /// What is kept of this change.
    pub record: Option<Record>,
    /// It is new, under an id that was made for it, and few ask for it by that id: nobody need look for a document that it replaces,
    /// nor keep it ready in memory.
    pub is_appended: bool,
}

/// The setting that a commit writes, with a value that it did not have before, when it removes data for good: nothing of what the commit
/// deletes or replaces, or earlier ones did, may stay anywhere. A storage that keeps deleted values in its files removes them from
/// there soon; whoever derives something from documents does the same with that.
pub const ERASED: &str = "erased";

/// Stands between the lines of a document: no JSON has it anywhere (RFC 7464), while line breaks may stand in what others wrote.
pub const LINE_END: u8 = 0x1E;

/// A line that is added to a list: one of many small things that are read together, in their sequence, and go together.
///
/// What is written at once may share a document, so that a line costs little more than its bytes. The document has the kind, the id
/// `list/name` with the name of one of its lines that no other one is behind, and the version 1. Its body are the lines in the
/// sequence of their commits, [`LINE_END`] between them. The documents stand in the change log behind those that the commit itself
/// writes, at places that its [`Receipt`] need not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The kind of the documents.
    pub kind: String,
    /// The list, without a `/`.
    pub list: String,
    /// The name of the line, made for it, such that a later one is behind it: a UUIDv7.
    pub name: String,
    /// What it says: JSON, or anything else without a [`LINE_END`].
    pub text: Bytes,
}

impl Line {
    /// A document that has this line alone.
    pub fn into_put(self) -> Put {
        let Line { kind, list, name, text } = self;
        Put { kind, id: line_id(&list, &name), version: 1, body: text, is_appended: true, ..Put::default() }
    }
}

/// The id of the document that ends with a line.
pub(crate) fn line_id(list: &str, name: &str) -> String {
    format!("{list}/{name}")
}

/// A value that one document of a kind may hold. Scopes (a store, a locale) are part of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueKey {
    /// The path, for example `key` or `masterData.current.slug`.
    pub path: String,
    /// The value.
    pub value: String,
}

impl UniqueKey {
    /// A unique key.
    pub fn new(path: impl Into<String>, value: impl Into<String>) -> Self {
        UniqueKey { path: path.into(), value: value.into() }
    }
}

/// What must hold for a commit to happen.
///
/// [`Absent`](Self::Absent) and [`Revision`](Self::Revision) speak of the documents as they are before the
/// writes; all others of what the writes leave behind. So a target may be created in the same commit as the
/// document that refers to it, and a document that is deleted or no longer refers in this commit does not
/// stand in the way of the deletion of its target.
#[derive(Debug, Clone, PartialEq)]
pub enum Precondition {
    /// There is no such document yet.
    Absent {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
    },
    /// The document is there and has not been written since it was read.
    Revision {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
        /// The [`Stored::revision`](crate::Stored::revision) that was read, or a
        /// [provisional](Commit::provisional_revision) one.
        revision: i64,
    },
    /// The document is there: the target of a reference.
    Exists {
        /// The kind of the document.
        kind: String,
        /// The id of the document.
        id: String,
    },
    /// A document holds this unique key: the target of a key reference.
    ExistsUnique {
        /// The kind of the document.
        kind: String,
        /// The path of the unique key.
        path: String,
        /// The value of the unique key.
        value: String,
    },
    /// No document of the kind holds this value at the indexed path: nothing refers to a target that goes.
    NotReferenced {
        /// The kind that may refer.
        kind: String,
        /// The indexed path at which it may refer.
        path: String,
        /// The id or key of the target.
        value: IndexValue,
    },
    /// The kind has at most this many documents.
    CountAtMost {
        /// The kind.
        kind: String,
        /// The most documents there may be.
        limit: u64,
    },
    /// At most this many documents of the kind hold this value at the indexed path.
    IndexedAtMost {
        /// The kind.
        kind: String,
        /// The indexed path.
        path: String,
        /// The value.
        value: IndexValue,
        /// The most documents there may be.
        limit: u64,
    },
}

/// That a commit happened, and is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The position of its first document write. The n-th document write of the commit has `first + n`,
    /// which is also the revision of the document.
    pub first: Seq,
    /// The position of its last document write. Without any, this is `first - 1`.
    pub last: Seq,
}

/// What a precondition found instead of what it asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The version of the document.
    pub version: i64,
    /// The revision of the document.
    pub revision: i64,
}

/// Why a commit did not happen. Nothing of it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A precondition does not hold.
    #[error("precondition {which} of the commit does not hold")]
    Precondition {
        /// The place of the precondition in [`Commit::preconditions`].
        which: usize,
        /// The document it speaks of, where there is one.
        found: Option<Found>,
        /// The id of the document that stands in the way: a document that still refers.
        holder: Option<String>,
    },
    /// Another document holds a unique key.
    #[error("{kind} {holder} already holds {value:?} at {path}")]
    Duplicate {
        /// The kind.
        kind: String,
        /// The path of the unique key.
        path: String,
        /// The value of the unique key.
        value: String,
        /// The id of the document that holds it.
        holder: String,
    },
    /// A document to be deleted is not there.
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
        /// Its value now.
        value: i64,
    },
}

/// Why a commit did not happen: something stands against it, or it could not be written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// Something stands against it. To be answered as the API documents it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It could not be written.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl CommitError {
    /// The failure of a commit that has nothing which could be refused.
    pub(crate) fn into_failure(self) -> Error {
        match self {
            CommitError::Failed(error) => error,
            CommitError::Refused(refusal) => Error::Invalid(refusal.to_string()),
        }
    }
}
