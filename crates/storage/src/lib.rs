//! Documents, unique keys, counters, records and the change log of one shop: the [`Storage`] trait and its SQLite
//! implementation.
//!
//! Start at [`Storage`]; each shop has one. A document is its JSON bytes with a few numbers. Next to it are rows for
//! its unique and indexed paths, and each write of it adds one entry to the change log. All changes go through
//! [`Storage::commit`], which is atomic, checks its preconditions inside the transaction, and reports success when the
//! commit is on disk.
//!
//! **Invariants.** Nothing here parses a document, knows a kind by name or speaks HTTP. Preconditions on other
//! documents (they exist, no document refers to them, a key is free) are checked in the transaction that writes, never
//! read first and written later. The change log has no gaps.

mod batch;
mod change;
mod commit;
mod commit_future;
mod counting;
mod delta;
mod disk;
mod document;
mod error;
mod folder_lock;
mod index;
mod record;
mod sealed;
pub mod sqlite;
mod storage;
mod transformed_storage;

pub use batch::BatchKey;
pub use change::{ChangeLogEntry, ChangeOperation, Seq};
pub use commit::{
    Commit, CommitError, CommitReceipt, CommitRefusal, DocumentState, ERASED, LINE_END, ListLine,
    Precondition, Put, UniqueKey, Write, provisional_revision,
};
pub use commit_future::{CommitFuture, CommitPromise};
pub use counting::{CountingStorage, StorageCalls};
pub use delta::{Delta, NamedValues};
pub use disk::{BytesLeft, DISK_BYTES_KEPT_DEFAULT, disk_bytes};
pub use document::{StoredDocument, StoredDocumentRef};
pub use error::{DamagedRow, Error, Result};
pub use folder_lock::{FolderLock, LOCK_FILE};
pub use index::{IndexPage, IndexRange, IndexSort, IndexValue, PageStart, ScanDirection, WHOLE_REAL_MAX};
pub use record::{ChangeRecord, RecordPosition, RecordRange, StoredRecord};
pub use sealed::{SEAL_KEY_BYTES, SealKey, SealedValues};
pub use sqlite::{
    BackupReader, BackupWriter, CopyFile, DamageFinding, DamageLog, Durability, Sqlite, SqliteOptions,
    VerifyReport, check_file, has_documents, read_setting, row_checksum, verify_file, verify_pages,
};
pub use storage::Storage;
pub use transformed_storage::{ReadTransform, TransformedStorage};
