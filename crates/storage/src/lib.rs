//! Documents, unique keys, messages and the change log of one shop: the trait and its SQLite implementation.
//!
//! Start at [`Storage`]. A shop is one storage. A document is its JSON bytes plus a few numbers; beside it
//! stand rows for its unique and indexed paths, and each write of it leaves one entry in the change log.
//! Everything that changes goes through [`Storage::commit`], which is atomic, checks its preconditions
//! inside the transaction and is on disk when it answers.
//!
//! **Invariants.** Nothing here parses a document, knows a kind by name or speaks HTTP. What a commit says
//! about other documents (they exist, nobody refers to them, a key is free) is checked where it is written,
//! never read first and written later. The change log has no gaps.

mod answer;
mod batch;
mod change;
mod commit;
mod counting;
mod delta;
mod disk;
mod document;
mod error;
mod folder_lock;
mod index;
mod record;
mod sealed;
mod sealed_storage;
pub mod sqlite;
mod storage;

pub use answer::{CommitAnswer, CommitPromise};
pub use batch::BatchKey;
pub use change::{Change, Operation, Seq};
pub use commit::{
    Commit, CommitError, ERASED, Found, LINE_END, Line, Precondition, Put, Receipt, Refusal, UniqueKey,
    Write, provisional_revision,
};
pub use counting::{CountingStorage, StorageCalls};
pub use delta::{Delta, Rest};
pub use disk::{DISK_BYTES_KEPT_DEFAULT, disk_bytes_free};
pub use document::{Stored, StoredRef};
pub use error::{DamagedRow, Error, Result};
pub use folder_lock::{FolderLock, LOCK_FILE};
pub use index::{After, IndexPage, IndexRange, IndexSort, IndexValue, ScanDirection, WHOLE_REAL_MAX};
pub use record::{KeptRecord, Record, RecordPlace, RecordRange};
pub use sealed::{SEAL_KEY_BYTES, SealKey};
pub use sealed_storage::SealedStorage;
pub use sqlite::{
    BackupReader, BackupWriter, CopyFile, Durability, Finding, Sqlite, SqliteOptions, Verified, check_file,
    holds, setting_of, verify_file, verify_pages,
};
pub use storage::Storage;
