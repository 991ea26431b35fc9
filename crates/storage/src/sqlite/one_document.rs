//! How reads get a connection, and the reads of one document that the cache shares.

use rusqlite::Connection;

use super::{
    Sqlite,
    cache::{CachedDocument, Holder, Lookup},
    connections::one_state,
    index_reads::IndexPath,
    number::Number,
    reads,
};
use crate::Result;

impl Sqlite {
    /// Stops the watch over the file, before the caller removes it.
    pub fn expect_removal(&self) {
        self.shared.watch.end();
    }

    /// Reads from the file.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let reader = self.shared.readers.take()?;
        read(&reader).map_err(|error| self.shared.record_damage(error))
    }

    /// Reads more than once from one state of the file.
    pub(super) fn read_one_state<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.read(|connection| one_state(connection, read))
    }

    /// A document, out of the cache or on its way into it; `None` where somebody else is about to fill its entry.
    pub(super) fn document_unless_busy(
        &self,
        kind: Number,
        id: &str,
    ) -> Result<Option<Option<CachedDocument>>> {
        match self.shared.cache.document(kind, id) {
            Lookup::Hit(document) => Ok(Some(Some(document))),
            Lookup::Miss(filling) => {
                let document = self.read(|connection| reads::document(connection, kind, id))?;
                if let Some(document) = &document {
                    self.shared.cache.fill(filling, document);
                }
                Ok(Some(document.as_ref().map(CachedDocument::from_stored)))
            }
            Lookup::Busy => Ok(None),
        }
    }

    /// Who holds a unique key.
    pub(super) fn holder(&self, place: IndexPath, value: &str) -> Result<Option<Holder>> {
        let read = || self.read(|connection| reads::holder(connection, place.kind, place.path, value));
        match self.shared.cache.unique(place.kind, place.path, value) {
            Lookup::Hit(holder) => Ok(Some(holder)),
            Lookup::Miss(filling) => {
                let holder = read()?;
                if let Some(holder) = &holder {
                    // It fails where the writer was faster, which is the point of it.
                    let _ = filling.insert(holder.clone());
                }
                Ok(holder)
            }
            Lookup::Busy => read(),
        }
    }
}
