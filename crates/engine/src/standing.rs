//! Documents that nearly every change asks for, of kinds with few of them: all of such a kind are kept in memory.

use crate::document::{self, Document};
use crate::failure::storage_failure;
use kontor_errors::ApiResult;
use kontor_storage::{ScanDirection, Storage, Write};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::watch;

/// All documents of a kind, in the sequence of their creation.
pub type AllOfKind = Arc<[Arc<Document>]>;

/// The documents that stand in memory, by the `typeId` of their kind.
#[derive(Default)]
pub(crate) struct StandingDocuments {
    kinds: RwLock<HashMap<&'static str, AllOfKind>>,
    /// Held while a kind is read, so that what was read first is not kept last.
    reading: Mutex<()>,
    /// Counts up when a kind was read again.
    changed: watch::Sender<u64>,
}

impl StandingDocuments {
    /// All documents of a kind; `None` where the kind does not stand in memory.
    pub(crate) fn of(&self, type_id: &str) -> Option<AllOfKind> {
        self.kinds.read().get(type_id).map(Arc::clone)
    }

    /// Rings when a kind was read again.
    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Reads all documents of these kinds.
    pub(crate) fn read(&self, kinds: &[&'static str], storage: &dyn Storage) -> ApiResult<()> {
        for kind in kinds {
            let _turn = self.reading.lock();
            let (mut all, mut broken) = (Vec::new(), None);
            storage
                .scan(kind, ScanDirection::Ascending, None, &mut |stored| {
                    match document::read_lent(stored.body) {
                        Ok(document) => all.push(Arc::new(document)),
                        Err(error) => broken = Some(error),
                    }
                    ControlFlow::Continue(())
                })
                .map_err(storage_failure)?;
            if let Some(error) = broken {
                tracing::error!(%error, kind, "a document that stands in memory is no JSON");
            }
            self.kinds.write().insert(kind, all.into());
            self.changed.send_modify(|changed| *changed += 1);
        }
        Ok(())
    }

    /// Those of these kinds that a commit writes.
    pub(crate) fn written(&self, kinds: &[&'static str], writes: &[Write]) -> Vec<&'static str> {
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
