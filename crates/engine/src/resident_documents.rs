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
    /// Increases when a kind was read again.
    changed: watch::Sender<u64>,
}

impl ResidentDocuments {
    /// Returns all documents of a kind; `None` if the kind is not resident.
    pub(crate) fn get(&self, type_id: &str) -> Option<AllOfKind> {
        self.kinds.read().iter().find(|(kind, _)| *kind == type_id).map(|(_, all)| Arc::clone(all))
    }

    /// Returns a receiver that is notified when a kind was read again.
    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Reads all documents of these kinds into memory.
    pub(crate) fn read(&self, kinds: &[&'static str], storage: &dyn Storage) -> ApiResult<()> {
        for kind in kinds {
            let _turn = self.reading.lock();
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
            let all = all.into();
            let mut kinds = self.kinds.write();
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, known)) => *known = all,
                None => kinds.push((kind, all)),
            }
            drop(kinds);
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
