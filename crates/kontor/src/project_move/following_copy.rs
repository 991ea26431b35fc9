//! A copy of one project that follows its changes by the change log, until the move switches.

use super::move_target::{MoveTarget, ProjectCopy};
use anyhow::{Context as _, bail};
use kontor_engine::Shop;
use kontor_storage::{BackupReader, Error, Seq};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of change log entries in one step.
const ENTRIES_MAX: usize = 2_000;
/// How often a copy starts over, because the log was truncated meanwhile or the content was replaced.
const BEGUN_MAX: usize = 5;

/// A project and its copy.
pub(crate) struct FollowingCopy {
    /// Keeps the project open.
    pub(crate) shop: Arc<Shop>,
    copy: ProjectCopy,
    epoch: u64,
    /// The last change log entry that the copy has.
    at: Seq,
}

impl FollowingCopy {
    /// Copies the current state of a project. Fails if it changes too fast.
    pub(crate) fn start(shop: &Arc<Shop>, target: &MoveTarget, parts: &Path) -> anyhow::Result<Self> {
        for _ in 0..BEGUN_MAX {
            let begun = Self::try_begin(shop, target, parts);
            if let Some(begun) = begun.with_context(|| format!("project '{}'", shop.key))? {
                return Ok(begun);
            }
        }
        bail!("project '{}' changes faster than it can be copied", shop.key)
    }

    /// Copies once. Returns `None` if the copy has to start over.
    fn try_begin(shop: &Arc<Shop>, target: &MoveTarget, parts: &Path) -> anyhow::Result<Option<Self>> {
        let storage = shop.storage();
        let epoch = storage.epoch()?;
        // The oldest entry in the log.
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
        let newest = backup.last_position()?;
        let mut at = base.min(newest);
        let mut copy = target.start_copy(&shop.key, &file, &backup, epoch, at)?;
        while at < newest {
            let limit = usize::try_from(newest - at).unwrap_or(ENTRIES_MAX).min(ENTRIES_MAX);
            let changes = match storage.changes(at, limit) {
                Err(Error::Behind { .. }) => return Ok(None),
                changes => changes?,
            };
            let Some(last) = changes.last().map(|change| change.seq) else { return Ok(None) };
            copy.append_log(&changes)?;
            at = last;
        }
        if storage.epoch()? != epoch {
            return Ok(None);
        }
        Ok(Some(FollowingCopy { shop: Arc::clone(shop), copy, epoch, at }))
    }

    /// Applies changes to the copy until it is up to date. Returns the number of change log entries applied.
    pub(crate) fn follow(&mut self, target: &MoveTarget, parts: &Path) -> anyhow::Result<usize> {
        let mut followed = 0;
        loop {
            let delta = match self.shop.storage().delta(self.at, ENTRIES_MAX) {
                Err(Error::Behind { .. }) => None,
                delta => Some(delta?).filter(|delta| delta.epoch == self.epoch),
            };
            let Some(delta) = delta else {
                let shop = Arc::clone(&self.shop);
                *self = Self::start(&shop, target, parts)?;
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

    /// Completes the copy and syncs it to disk.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.copy.finish()
    }
}
