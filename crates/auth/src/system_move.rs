//! Support for moving projects, clients and tokens to another storage.

use futures_util::future::BoxFuture;
use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use crate::{AuthService, Result, store::SystemContents};

impl AuthService {
    /// Refuses all changes from now on with [`Error::Moved`](crate::Error::Moved), and returns once all earlier changes
    /// are written; `None` accepts changes again. If other processes write too, this does nothing: then the database
    /// is locked instead.
    pub fn refuse_changes(&self, moves_to: Option<&str>) -> BoxFuture<'_, Result<()>> {
        self.store.refuse_changes(moves_to.map(Arc::from))
    }

    /// Marks this system as moved: [`catch_up`](Self::catch_up) fails from now on, so that nothing is served
    /// from here.
    pub fn mark_as_moved(&self) {
        self.is_shared.store(true, Ordering::Release);
    }

    /// Returns all stored data, in one consistent state. `file` must not exist; a copy is written there first.
    pub fn contents(&self, file: &Path) -> Result<SystemContents> {
        self.store.backup(file)?;
        SystemContents::from_file(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, SystemDurability};
    use pollster::block_on;

    #[test]
    fn refuses_changes_while_moving_and_reads_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let auth = AuthService::open(&folder.path().join("system.db"), SystemDurability::InMemory).unwrap();
        block_on(auth.create_project("demo", "Demo", 0)).unwrap();
        block_on(auth.refuse_changes(Some("there"))).unwrap();
        assert!(block_on(auth.create_project("other", "Other", 0)).is_err());
        assert!(block_on(auth.catch_up()).is_ok());
        block_on(auth.refuse_changes(None)).unwrap();
        block_on(auth.create_project("other", "Other", 0)).unwrap();
        block_on(auth.refuse_changes(Some("there"))).unwrap();
        auth.mark_as_moved();
        assert!(matches!(block_on(auth.catch_up()), Err(Error::Moved(place)) if &*place == "there"));
        let contents = auth.contents(&folder.path().join("copy.db")).unwrap();
        assert_eq!(contents.projects.len(), 2);
    }
}
