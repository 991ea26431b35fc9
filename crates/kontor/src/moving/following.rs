//! A copy of one project that follows it.

use super::target::{Copying, MoveTarget};
use anyhow::{Context as _, bail};
use kontor_engine::Shop;
use kontor_storage::{BackupReader, Error, Seq};
use std::path::Path;
use std::sync::Arc;

/// Entries of the change log that follow at once.
const ENTRIES_MAX: usize = 2_000;
/// How often a copy begins again, because the log has gone on too far or the content was replaced.
const BEGUN_MAX: usize = 5;

/// A project and its copy.
pub(crate) struct Following {
    /// Held, so that it stays open.
    pub(crate) shop: Arc<Shop>,
    copy: Copying,
    epoch: u64,
    /// Up to where the copy has followed.
    at: Seq,
}

impl Following {
    /// Copies a project as it is now.
    pub(crate) fn begin(shop: &Arc<Shop>, target: &MoveTarget, parts: &Path) -> anyhow::Result<Self> {
        for _ in 0..BEGUN_MAX {
            let begun = Self::try_begin(shop, target, parts);
            if let Some(begun) = begun.with_context(|| format!("project '{}'", shop.key))? {
                return Ok(begun);
            }
        }
        bail!("project '{}' changes faster than it can be copied", shop.key)
    }

    /// `None`: it has to begin again.
    fn try_begin(shop: &Arc<Shop>, target: &MoveTarget, parts: &Path) -> anyhow::Result<Option<Self>> {
        let storage = shop.storage();
        let epoch = storage.epoch()?;
        // The oldest entry that is kept.
        let base = match storage.changes(0, 1) {
            Err(Error::Behind { base, .. }) => base,
            kept => kept.map(|_| 0)?,
        };
        let file = target.file_of(&shop.key).unwrap_or_else(|| parts.join("project.db"));
        if file.exists() {
            std::fs::remove_file(&file)?;
        }
        storage.backup(&file)?;
        let backup = BackupReader::open(&file)?;
        let newest = backup.newest()?;
        let mut at = base.min(newest);
        let mut copy = target.copy(&shop.key, &file, &backup, epoch, at)?;
        while at < newest {
            let limit = usize::try_from(newest - at).unwrap_or(ENTRIES_MAX).min(ENTRIES_MAX);
            let changes = match storage.changes(at, limit) {
                Err(Error::Behind { .. }) => return Ok(None),
                changes => changes?,
            };
            let Some(last) = changes.last().map(|change| change.seq) else { return Ok(None) };
            copy.log(&changes)?;
            at = last;
        }
        if storage.epoch()? != epoch {
            return Ok(None);
        }
        Ok(Some(Following { shop: Arc::clone(shop), copy, epoch, at }))
    }

    /// Follows until nothing is behind. Answers with how many entries of the change log came.
    pub(crate) fn follow(&mut self, target: &MoveTarget, parts: &Path) -> anyhow::Result<usize> {
        let mut followed = 0;
        loop {
            let delta = match self.shop.storage().delta(self.at, ENTRIES_MAX) {
                Err(Error::Behind { .. }) => None,
                delta => Some(delta?).filter(|delta| delta.epoch == self.epoch),
            };
            let Some(delta) = delta else {
                let shop = Arc::clone(&self.shop);
                *self = Self::begin(&shop, target, parts)?;
                continue;
            };
            self.copy.take(&delta)?;
            followed += delta.changes.len();
            self.at = delta.last().unwrap_or(self.at);
            if delta.rest.is_some() {
                return Ok(followed);
            }
        }
    }

    /// Ends with the copy on disk.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.copy.finish()
    }
}
