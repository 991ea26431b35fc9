//! Reads of one document or unique key through the cache, and the connections that reads use.

use rusqlite::Connection;

use super::{
    Sqlite,
    cache::{CacheLookup, CachedDocument, KeyHolder},
    connections::read_snapshot,
    index_reads::NumberedPath,
    name_number::NameNumber,
    reads,
};
use crate::Result;

impl Sqlite {
    /// Stops the watch over the file, before the caller removes it.
    pub fn expect_removal(&self) {
        self.shared.watch.stop();
    }

    /// Runs a read on a connection to the file, and records damage that it finds.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let reader = self.shared.readers.acquire()?;
        read(&reader).map_err(|error| self.shared.record_damage(error))
    }

    /// Runs several reads on one snapshot of the file.
    pub(super) fn read_snapshot<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.read(|connection| read_snapshot(connection, read))
    }

    /// Returns a document from the cache, or reads it and fills the cache; `None` if another thread is about to fill
    /// its entry.
    pub(super) fn document_unless_busy(
        &self,
        kind: NameNumber,
        id: &str,
    ) -> Result<Option<Option<CachedDocument>>> {
        match self.shared.cache.document(kind, id) {
            CacheLookup::Hit(document) => Ok(Some(Some(document))),
            CacheLookup::Miss(filling) => {
                let document = self.read(|connection| reads::document(connection, kind, id))?;
                if let Some(document) = &document {
                    self.shared.cache.fill(filling, document);
                }
                Ok(Some(document.as_ref().map(CachedDocument::from_stored)))
            }
            CacheLookup::Busy => Ok(None),
        }
    }

    /// Returns the holder of a unique key.
    pub(super) fn key_holder(&self, numbered_path: NumberedPath, value: &str) -> Result<Option<KeyHolder>> {
        let read = || {
            self.read(|connection| {
                reads::unique_holder(connection, numbered_path.kind, numbered_path.path, value)
            })
        };
        match self.shared.cache.unique_holder(numbered_path.kind, numbered_path.path, value) {
            CacheLookup::Hit(holder) => Ok(Some(holder)),
            CacheLookup::Miss(filling) => {
                let holder = read()?;
                if let Some(holder) = &holder {
                    // The insert fails if the writer was faster, which is the purpose of placeholders.
                    let _ = filling.insert(holder.clone());
                }
                Ok(holder)
            }
            CacheLookup::Busy => read(),
        }
    }
}
