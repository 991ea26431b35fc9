//! Which rows the documents of a kind have in indexes, and how they come to have others.
//!
//! A release may index what an earlier one did not, or under other names. What a shop's documents have is kept in a setting of its
//! storage; where that differs from what the model says now, documents are written again as they are, so that they get their rows,
//! before anybody asks for them.

use crate::document::parse;
use crate::failure::storage_failure;
use crate::shop::Shop;
use crate::write;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Kind, KindId, Model, PairIndex};
use kontor_storage::{Commit, CommitError, Precondition, ScanDirection, Stored, Write};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::behaviour::Behaviours;

/// The setting of a storage that holds the layouts of all kinds.
const SETTING: &str = "index layouts";

/// Documents that are written together.
const DOCUMENTS_OF_COMMIT: usize = 128;

/// The first bytes of a digest say enough.
const DIGEST_BYTES: usize = 8;

/// That a new storage has the rows that the model says.
pub(crate) fn of_new(model: &Model, behaviours: &Behaviours) -> Write {
    Write::Setting { name: SETTING.to_owned(), value: Some(of_all(model, behaviours)) }
}

/// A line for each kind, which changes when its rows do.
fn of_all(model: &Model, behaviours: &Behaviours) -> String {
    let line =
        |(id, kind): (KindId, &Kind)| format!("{} {}", kind.type_id, of(kind, behaviours.paired_paths(id)));
    model.kinds().map(line).collect::<Vec<_>>().join("\n")
}

fn of(kind: &Kind, pairs: &[PairIndex]) -> String {
    let mut paths: Vec<String> = kind.indexed.iter().map(|path| path.join(".")).collect();
    paths.extend(
        kind.lowercased.iter().map(|(path, index)| format!("{} {}", path.join("."), index.join("."))),
    );
    paths.extend(
        pairs.iter().map(|PairIndex { path, rows, fields }| format!("{rows} {} {fields:?}", path.join("."))),
    );
    paths.sort_unstable();
    let digest = Sha256::digest(paths.join("\n"));
    digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

impl Shop {
    /// Gives all documents the rows that the model says, where an earlier release gave them others. Waits for the disk.
    pub(crate) fn bring_rows_up_to_date(&self) -> ApiResult<()> {
        let layouts = of_all(&self.model, &self.behaviours);
        let kept = self.storage.setting(SETTING).map_err(storage_failure)?;
        if kept.as_ref() == Some(&layouts) {
            return Ok(());
        }
        let kept: Option<HashMap<&str, &str>> =
            kept.as_ref().map(|kept| kept.lines().filter_map(|line| line.split_once(' ')).collect());
        for (id, kind) in self.model.kinds() {
            let pairs = self.behaviours.paired_paths(id);
            let is_as_kept = match &kept {
                Some(kept) => kept.get(&*kind.type_id).is_some_and(|layout| *layout == of(kind, pairs)),
                // Of a release that kept none: since then the rows of names with values have other names.
                None => pairs.is_empty(),
            };
            if !is_as_kept && self.storage.count(&kind.type_id).map_err(storage_failure)? > 0 {
                tracing::info!(
                    project = self.key,
                    kind = kind.type_id,
                    "gives documents the index rows of this release"
                );
                self.write_again(id)?;
            }
        }
        self.storage.set_setting(SETTING, Some(&layouts)).map_err(storage_failure)
    }

    /// Writes all documents of a kind as they are.
    fn write_again(&self, kind: KindId) -> ApiResult<()> {
        let mut after = None;
        loop {
            let documents = self.documents_behind(kind, after.as_deref())?;
            let Some(last) = documents.last() else { return Ok(()) };
            let last = last.id.clone();
            match self.storage.commit_blocking(self.commit_of(kind, documents)?) {
                Ok(_) => after = Some(last),
                // Somebody else wrote one of them: they are read again.
                Err(CommitError::Refused(_)) => {}
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
        }
    }

    fn documents_behind(&self, kind: KindId, after: Option<&str>) -> ApiResult<Vec<Stored>> {
        let mut documents = Vec::new();
        let type_id = &self.model.kind(kind).type_id;
        self.storage
            .scan(type_id, ScanDirection::Ascending, after, &mut |stored| {
                documents.push(stored.to_stored());
                if documents.len() < DOCUMENTS_OF_COMMIT {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(storage_failure)?;
        Ok(documents)
    }

    fn commit_of(&self, kind: KindId, documents: Vec<Stored>) -> ApiResult<Commit> {
        self.with_rules(&self.project(), |rules| {
            let type_id = &rules.model.kind(kind).type_id;
            let mut commit = Commit::new();
            for stored in documents {
                let put = write::put(kind, parse(&stored)?, stored.sequence, rules)?;
                let Stored { id, revision, body, .. } = stored;
                commit = commit
                    .require(Precondition::Revision { kind: type_id.clone(), id, revision })
                    .put(kontor_storage::Put { body, ..put });
            }
            Ok::<_, ApiError>(commit)
        })
    }
}
