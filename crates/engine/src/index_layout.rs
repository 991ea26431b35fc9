//! The index layout of a kind: which rows its documents have, and the update of documents with an older
//! layout.
//!
//! A release may add an index or rename one. The storage records the layout of a shop's documents in a
//! setting; if it differs from the model's, documents are written again unchanged, so that they get their
//! rows, before any query runs. Each commit records the progress, so that an interrupted start continues
//! there.

use crate::document::read_stored;
use crate::document_writes;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_model::{Kind, KindId, Model, PairIndex};
use kontor_storage::{
    Commit, CommitError, CommitRefusal, Precondition, Put, ScanDirection, StoredDocument, Write,
};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::behaviour::Behaviours;

/// The setting of a storage that holds the layouts of all kinds.
pub const INDEX_LAYOUTS: &str = "index layouts";

/// The setting with the progress of an update: kind, layout, and the id of the last updated document.
const SO_FAR: &str = "index layouts so far";

/// Maximum number of documents in one commit, and about how many bytes they have.
const DOCUMENTS_OF_COMMIT: usize = 128;
const BYTES_OF_COMMIT: usize = 4 * 1024 * 1024;

/// The stored bytes of a digest; enough to detect a change.
const DIGEST_BYTES: usize = 8;

/// Returns the write that records the layout of a new storage.
pub(crate) fn layout_of_new_storage(model: &Model, behaviours: &Behaviours) -> Write {
    Write::Setting { name: INDEX_LAYOUTS.to_owned(), value: Some(index_layouts(model, behaviours)) }
}

/// Returns the value of [`INDEX_LAYOUTS`] if all documents have the rows of the model: a line for each kind,
/// which changes with its rows.
pub fn index_layouts(model: &Model, behaviours: &Behaviours) -> String {
    let layout =
        |(id, kind): (KindId, &Kind)| (kind.type_id.clone(), layout_of(kind, behaviours.paired_paths(id)));
    lines(&model.kinds().map(layout).collect())
}

/// Formats layouts by kind for the setting.
fn lines(layouts: &BTreeMap<String, String>) -> String {
    let line = |(type_id, layout): (&String, &String)| format!("{type_id} {layout}");
    layouts.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the layout of the model's rows. Rows that a behaviour adds are not included.
fn layout_of(kind: &Kind, pairs: &[PairIndex]) -> String {
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
    /// Updates the index rows of all documents that an earlier release wrote with another layout. Blocks on the
    /// disk.
    pub(crate) fn update_index_rows(&self) -> ApiResult<()> {
        let layouts = index_layouts(&self.model, &self.behaviours);
        // A release without this setting had other indexes.
        let kept = self.storage.setting(INDEX_LAYOUTS).map_err(storage_failure)?.unwrap_or_default();
        if kept == layouts {
            return Ok(());
        }
        let owned = |(type_id, layout): (&str, &str)| (type_id.to_owned(), layout.to_owned());
        let mut kept: BTreeMap<String, String> =
            kept.lines().filter_map(|line| line.split_once(' ')).map(owned).collect();
        for (id, kind) in self.model.kinds() {
            let layout = layout_of(kind, self.behaviours.paired_paths(id));
            if kept.get(&kind.type_id) == Some(&layout)
                || self.storage.count(&kind.type_id).map_err(storage_failure)? == 0
            {
                continue;
            }
            tracing::info!(project = self.key, kind = kind.type_id, "updating the index rows of documents");
            self.write_again(id, &layout)?;
            kept.insert(kind.type_id.clone(), layout);
            self.storage.set_setting(INDEX_LAYOUTS, Some(&lines(&kept))).map_err(storage_failure)?;
        }
        self.storage.set_setting(INDEX_LAYOUTS, Some(&layouts)).map_err(storage_failure)?;
        self.storage.set_setting(SO_FAR, None).map_err(storage_failure)
    }

    /// Writes all documents of a kind again, from where an interrupted update stopped.
    fn write_again(&self, kind: KindId, layout: &str) -> ApiResult<()> {
        let so_far = format!("{} {layout} ", self.model.kind(kind).type_id);
        let place = self.storage.setting(SO_FAR).map_err(storage_failure)?;
        let mut after = place.as_deref().and_then(|place| place.strip_prefix(&*so_far)).map(str::to_owned);
        loop {
            let documents = self.documents_behind(kind, after.as_deref())?;
            let Some(last) = documents.last() else { return Ok(()) };
            let place =
                Write::Setting { name: SO_FAR.to_owned(), value: Some(format!("{so_far}{}", last.id)) };
            match self.storage.commit_blocking(self.commit_of(kind, &documents).write(place)) {
                Ok(_) => {}
                // Another change wrote one of the documents: they are read again.
                Err(CommitError::Refused(CommitRefusal::Precondition { .. })) => continue,
                Err(CommitError::Refused(_)) => self.write_each_again(kind, &documents)?,
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
            after = Some(last.id.clone());
        }
    }

    /// Writes documents one by one, after their commit was refused. One that cannot be written keeps its old
    /// rows.
    fn write_each_again(&self, kind: KindId, documents: &[StoredDocument]) -> ApiResult<()> {
        for stored in documents {
            match self.storage.commit_blocking(self.commit_of(kind, std::slice::from_ref(stored))) {
                // A concurrent change of the document already wrote its rows.
                Ok(_) | Err(CommitError::Refused(CommitRefusal::Precondition { .. })) => {}
                Err(CommitError::Refused(refusal)) => self.log_outdated_rows(kind, &stored.id, &refusal),
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
        }
        Ok(())
    }

    fn log_outdated_rows(&self, kind: KindId, id: &str, why: &dyn std::fmt::Display) {
        let kind = &self.model.kind(kind).type_id;
        tracing::error!(project = self.key, kind, id, %why, "index rows of a document could not be updated");
    }

    /// Reads the next documents, at most as many as one commit writes.
    fn documents_behind(&self, kind: KindId, after: Option<&str>) -> ApiResult<Vec<StoredDocument>> {
        let (mut documents, mut bytes) = (Vec::new(), 0);
        let type_id = &self.model.kind(kind).type_id;
        self.storage
            .scan(type_id, ScanDirection::Ascending, after, &mut |stored| {
                bytes += stored.body.len();
                documents.push(stored.to_stored());
                if documents.len() < DOCUMENTS_OF_COMMIT && bytes < BYTES_OF_COMMIT {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(storage_failure)?;
        Ok(documents)
    }

    /// Returns the commit that writes documents unchanged. It leaves out those that the rules cannot read any
    /// more.
    fn commit_of(&self, kind: KindId, documents: &[StoredDocument]) -> Commit {
        self.with_rules(&self.project(), |rules| {
            let type_id = &rules.model.kind(kind).type_id;
            let mut commit = Commit::new();
            for stored in documents {
                let put = match read_stored(stored).and_then(|document| {
                    document_writes::document_put(kind, document, stored.sequence, rules)
                }) {
                    Ok(put) => put,
                    Err(error) => {
                        self.log_outdated_rows(kind, &stored.id, &error);
                        continue;
                    }
                };
                let StoredDocument { id, version, revision, body, .. } = stored.clone();
                commit = commit
                    .require(Precondition::Revision { kind: type_id.clone(), id, revision })
                    .put(Put { version, body, ..put });
            }
            commit
        })
    }
}
