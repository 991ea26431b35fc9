//! Resident documents: all documents of kinds with few of them that nearly every change needs, kept in
//! memory.

use crate::document::{self, Document};
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_storage::{ScanDirection, Storage, Write};
use parking_lot::{Mutex, RwLock};
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::watch;

/// All documents of a kind, in the order of their creation.
pub type AllOfKind = Arc<[Arc<Document>]>;

/// The resident documents, by the `typeId` of their kind. A linear search is enough for so few kinds.
#[derive(Default)]
pub(crate) struct ResidentDocuments {
    kinds: RwLock<Vec<(&'static str, AllOfKind)>>,
    /// Held while a kind is read, so that an older read does not replace a newer one.
    reading: Mutex<()>,
    /// Kinds that were written and could not be read again. [`get`](Self::get) does not return them.
    outdated: RwLock<Vec<&'static str>>,
    /// Increases when a kind was read again.
    changed: watch::Sender<u64>,
}

impl ResidentDocuments {
    /// Returns all documents of a kind; `None` if the kind is not resident, or if its documents in memory are
    /// outdated.
    pub(crate) fn get(&self, type_id: &str) -> Option<AllOfKind> {
        if self.outdated.read().contains(&type_id) {
            return None;
        }
        self.kinds.read().iter().find(|(kind, _)| *kind == type_id).map(|(_, all)| Arc::clone(all))
    }

    /// Returns a receiver that is notified when a kind was read again.
    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Whether documents in memory are outdated, because they could not be read.
    pub(crate) fn is_outdated(&self) -> bool {
        !self.outdated.read().is_empty()
    }

    /// Reads the kinds that could not be read before.
    pub(crate) fn read_outdated(&self, storage: &dyn Storage) -> ApiResult<()> {
        let outdated = self.outdated.read().clone();
        self.read(&outdated, storage)
    }

    /// Reads all documents of these kinds into memory.
    pub(crate) fn read(&self, kinds: &[&'static str], storage: &dyn Storage) -> ApiResult<()> {
        self.read_kinds_with(kinds, |kind| read_all(kind, storage))
    }

    fn read_kinds_with(
        &self,
        kinds: &[&'static str],
        read: impl Fn(&'static str) -> ApiResult<AllOfKind>,
    ) -> ApiResult<()> {
        for (place, kind) in kinds.iter().enumerate() {
            let _turn = self.reading.lock();
            let all = match read(kind) {
                Ok(all) => all,
                Err(error) => {
                    let mut outdated = self.outdated.write();
                    outdated.retain(|kind| !kinds[place..].contains(kind));
                    outdated.extend(&kinds[place..]);
                    return Err(error);
                }
            };
            let mut known = self.kinds.write();
            match known.iter_mut().find(|(known, _)| known == kind) {
                Some((_, known)) => *known = all,
                None => known.push((kind, all)),
            }
            drop(known);
            self.outdated.write().retain(|outdated| outdated != kind);
            self.changed.send_modify(|changed| *changed += 1);
        }
        Ok(())
    }

    /// Returns the kinds among these that a commit writes.
    pub(crate) fn written_kinds(&self, kinds: &[&'static str], writes: &[Write]) -> Vec<&'static str> {
        let is_written = |type_id: &&&'static str| {
            writes.iter().any(|write| match write {
                Write::Put(put) => put.kind == **type_id,
                Write::Delete { kind, .. } => kind == **type_id,
                _ => false,
            })
        };
        kinds.iter().filter(is_written).copied().collect()
    }
}

/// Reads all documents of a kind.
fn read_all(kind: &'static str, storage: &dyn Storage) -> ApiResult<AllOfKind> {
    let (mut all, mut broken) = (Vec::new(), None);
    storage
        .scan(kind, ScanDirection::Ascending, None, &mut |stored| {
            match document::read_borrowed(stored.body) {
                Ok(document) => all.push(Arc::new(document)),
                Err(error) => broken = Some(error),
            }
            ControlFlow::Continue(())
        })
        .map_err(storage_failure)?;
    if let Some(error) = broken {
        tracing::error!(%error, kind, "resident document is not valid JSON");
    }
    Ok(all.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::ApiError;
    use kontor_storage::{Sqlite, SqliteOptions};

    #[test]
    fn outdated_documents_are_not_returned_until_they_are_read() {
        let storage = Sqlite::in_memory(SqliteOptions::default()).unwrap();
        let resident = ResidentDocuments::default();
        resident.read(&["zone", "type", "state"], &storage).unwrap();
        let read_zones =
            |kind| if kind == "zone" { read_all(kind, &storage) } else { Err(ApiError::internal()) };
        assert!(resident.read_kinds_with(&["zone", "type", "state"], read_zones).is_err());
        assert!(resident.is_outdated() && resident.get("zone").is_some());
        assert!(resident.get("type").is_none() && resident.get("state").is_none());
        resident.read(&["state"], &storage).unwrap();
        assert!(resident.get("type").is_none() && resident.get("state").is_some());
        resident.read_outdated(&storage).unwrap();
        assert!(!resident.is_outdated() && resident.get("type").is_some());
    }
}
