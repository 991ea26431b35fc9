//! Processes derived work: the dependents of many work items in one commit, in chunks small enough not to
//! delay other writers. Start at [`Shop::process_round`].
//!
//! While one commit is being written, the next is prepared. It is submitted when the one before it is on
//! disk, so that an item is removed only after all its dependents are updated.
//!
//! The dependents of several items are collected first and updated in the order of their ids, which is mostly
//! the order of their rows: so the documents of a commit are in few pages, each of which is written once and
//! not once for each item.

use super::CHUNK_STEPS;
use super::item::{ITEMS_READ, WorkItem};
use super::stored_sources::StoredSources;
use crate::change::{ChangeSet, DocumentChange};
use crate::derivation::{Derivation, DeriveOutcome};
use crate::derivation_queue::{WORK, has_work_items};
use crate::effects::Effects;
use crate::rules::{FoundDocument, Rules};
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{BatchKey, Commit, CommitError, CommitFuture, Precondition, Put, StoredDocument};
use std::collections::HashSet;

/// Maximum number of collected dependents before they are updated; bounds the memory.
const PENDING_DEPENDENTS_MAX: usize = 16 * 1024;
/// Documents that are read in one batch before they are updated one after the other.
const DEPENDENTS_PER_BATCH: usize = 16;
/// Number of parts into which a refused chunk is split.
const RETRY_PARTS: usize = 8;

/// One step of the work.
enum WorkStep<'i> {
    /// Updates a document.
    UpdateDependent { kind: KindId, derivation: &'static Derivation, id: String },
    /// Removes an item whose dependents are all updated.
    Done(&'i WorkItem),
    /// Saves the progress of an item for all documents of a kind.
    SaveProgress(&'i WorkItem, String),
}

/// A document to update: its kind, the derivation, and its id.
type PendingDependent<'s> = (KindId, &'static Derivation, &'s str);

impl WorkStep<'_> {
    fn dependent(&self) -> Option<PendingDependent<'_>> {
        match self {
            WorkStep::UpdateDependent { kind, derivation, id } => Some((*kind, derivation, id)),
            WorkStep::Done(_) | WorkStep::SaveProgress(..) => None,
        }
    }
}

/// Collected dependents: their ids by derivation, in the order in which they were found.
#[derive(Default)]
struct PendingDependents {
    by_derivation: Vec<(KindId, &'static Derivation, Vec<String>)>,
    count: usize,
}

impl PendingDependents {
    fn add(&mut self, kind: KindId, derivation: &'static Derivation, id: String) {
        self.count += 1;
        let same = |(of, by, _): &&mut (KindId, &'static Derivation, Vec<String>)| {
            *of == kind && std::ptr::eq(*by, derivation)
        };
        match self.by_derivation.iter_mut().find(same) {
            Some((_, _, ids)) => ids.push(id),
            None => self.by_derivation.push((kind, derivation, vec![id])),
        }
    }

    /// Adds an update of each dependent, once for each derivation.
    fn follow(&mut self, chunks: &mut ChunkedCommits<'_, '_>) -> ApiResult<()> {
        self.count = 0;
        for (kind, derivation, mut ids) in std::mem::take(&mut self.by_derivation) {
            ids.sort_unstable();
            ids.dedup();
            for id in ids {
                chunks.follow(kind, derivation, id)?;
            }
        }
        Ok(())
    }
}

/// Steps that are put into commits.
struct ChunkedCommits<'s, 'i> {
    shop: &'s Shop,
    steps: Vec<WorkStep<'i>>,
    /// The documents among the steps: a commit writes each document once.
    dependents: HashSet<(KindId, String)>,
    in_flight: Option<(CommitFuture, Vec<WorkStep<'i>>)>,
    /// Whether further work followed from some steps.
    leaves_work: bool,
}

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundResult {
    /// There was no work.
    Nothing,
    /// All work was done.
    Complete,
    /// A part of the work was done, or further work followed from it.
    Part,
}

impl Shop {
    /// Does all work there is. Items that another change renews meanwhile are done again.
    pub(super) fn process_pending_work(&self) -> ApiResult<()> {
        self.wake_due()?;
        while self.process_round()? != RoundResult::Nothing {}
        Ok(())
    }

    /// Does the work that there is now.
    pub(super) fn process_round(&self) -> ApiResult<RoundResult> {
        let items = self.work_items()?;
        if items.is_empty() {
            return Ok(RoundResult::Nothing);
        }
        let mut chunks = ChunkedCommits::new(self);
        let (mut gathered, mut ends) = (PendingDependents::default(), Vec::new());
        for item in &items {
            let behind = self.each_dependent(item, &mut |kind, derivation, id| {
                gathered.add(kind, derivation, id);
                if gathered.count < PENDING_DEPENDENTS_MAX { Ok(()) } else { gathered.follow(&mut chunks) }
            })?;
            ends.push(behind.map_or(WorkStep::Done(item), |behind| WorkStep::SaveProgress(item, behind)));
        }
        gathered.follow(&mut chunks)?;
        let goes_on = ends.iter().any(|end| matches!(end, WorkStep::SaveProgress(..)));
        for end in ends {
            chunks.push(end)?;
        }
        chunks.submit()?;
        chunks.await_submitted()?;
        let is_part = goes_on || chunks.leaves_work || items.len() == ITEMS_READ;
        Ok(if is_part { RoundResult::Part } else { RoundResult::Complete })
    }

    /// Returns the commit of the steps for the current documents; `None` if everything is up to date.
    fn commit_of_steps(&self, steps: &[WorkStep<'_>]) -> ApiResult<Option<Commit>> {
        let project = self.project();
        let sources = StoredSources::new(self);
        let followers: Vec<PendingDependent<'_>> = steps.iter().filter_map(WorkStep::dependent).collect();
        self.with_rules(&project, |rules| {
            let batches = followers.chunks(DEPENDENTS_PER_BATCH).map(|batch| self.read(batch));
            let read = batches.flat_map(|batch| match batch {
                Ok(read) => read.into_iter().map(Ok).collect::<Vec<_>>(),
                Err(error) => vec![Err(error)],
            });
            let changes = read.filter_map(|read| {
                let followed =
                    read.and_then(|(follower, stored)| update_dependent(follower, &stored, &sources, rules));
                followed.transpose()
            });
            ChangeSet::prepare_derived(changes, rules, |work, effects| {
                self.keep_with_dependents(work, rules)?;
                self.end_items(steps, work, effects, rules)
            })
        })
    }

    /// Reads the documents to update, without those that were deleted.
    fn read<'f>(
        &self,
        followers: &[PendingDependent<'f>],
    ) -> ApiResult<Vec<(PendingDependent<'f>, StoredDocument)>> {
        let key =
            |(kind, _, id): &PendingDependent<'f>| BatchKey::Id { kind: &self.model.kind(*kind).type_id, id };
        let keys: Vec<BatchKey<'_>> = followers.iter().map(key).collect();
        let stored = self.storage.get_batch(&keys).map_err(storage_failure)?;
        let read = followers.iter().zip(stored);
        Ok(read.filter_map(|(follower, stored)| Some((*follower, stored?))).collect())
    }

    /// Removes finished items, and saves the progress of the others. An item that was renewed, by another
    /// change or by the follow-up work `left`, is done again.
    fn end_items(
        &self,
        steps: &[WorkStep<'_>],
        left: &[Put],
        effects: &mut Effects,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        let renewed: HashSet<&str> = left.iter().map(|work| work.id.as_str()).collect();
        for step in steps {
            let (item, behind) = match step {
                WorkStep::Done(item) => (item, None),
                WorkStep::SaveProgress(item, behind) => (item, Some(behind)),
                WorkStep::UpdateDependent { .. } => continue,
            };
            let now = self.storage.get(WORK, &item.id).map_err(storage_failure)?;
            let Some(now) = now.filter(|now| now.revision == item.revision) else { continue };
            if renewed.contains(item.id.as_str()) {
                continue;
            }
            rules.require_another(Precondition::Revision {
                kind: WORK.into(),
                id: item.id.clone(),
                revision: item.revision,
            });
            match behind {
                None => effects.delete_hidden(WORK, &item.id),
                Some(behind) => effects.put_hidden(item.gone_on(&now.body, behind)?),
            }
        }
        Ok(())
    }
}

/// Updates one document. Returns `None` if it is up to date.
fn update_dependent(
    (kind, derivation, _): PendingDependent<'_>,
    stored: &StoredDocument,
    sources: &StoredSources<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Option<DocumentChange>> {
    let before = FoundDocument::read(stored)?;
    let mut after = (*before.document).clone();
    let fate = (derivation.derive)(&mut after, sources)?;
    if fate == DeriveOutcome::Keep && after == *before.document {
        return Ok(None);
    }
    DocumentChange::derived(kind, before, (fate == DeriveOutcome::Keep).then_some(after), rules).map(Some)
}

impl<'s, 'i> ChunkedCommits<'s, 'i> {
    fn new(shop: &'s Shop) -> Self {
        Self { shop, steps: Vec::new(), dependents: HashSet::new(), in_flight: None, leaves_work: false }
    }

    fn follow(&mut self, kind: KindId, derivation: &'static Derivation, id: String) -> ApiResult<()> {
        let follower = (kind, id.clone());
        if self.dependents.contains(&follower) {
            self.submit()?;
        }
        self.dependents.insert(follower);
        self.push(WorkStep::UpdateDependent { kind, derivation, id })
    }

    fn push(&mut self, step: WorkStep<'i>) -> ApiResult<()> {
        self.steps.push(step);
        if self.steps.len() >= CHUNK_STEPS { self.submit() } else { Ok(()) }
    }

    /// Makes a commit of the steps, and submits it after the previous commit is on disk.
    fn submit(&mut self) -> ApiResult<()> {
        let steps = std::mem::take(&mut self.steps);
        self.dependents.clear();
        let commit = self.shop.commit_of_steps(&steps)?;
        self.leaves_work |= commit.as_ref().is_some_and(has_work_items);
        self.await_submitted()?;
        self.in_flight = commit.map(|commit| (self.shop.storage.commit(commit), steps));
        Ok(())
    }

    /// Waits for the submitted commit, and retries its steps if it was refused.
    fn await_submitted(&mut self) -> ApiResult<()> {
        let Some((response, steps)) = self.in_flight.take() else { return Ok(()) };
        if is_refused(response)? { self.retry(&steps) } else { Ok(()) }
    }

    /// Retries the steps of a refused commit, in parts: a document that others write all the time delays fewer
    /// others then, and is written right after it was read.
    fn retry(&self, steps: &[WorkStep<'_>]) -> ApiResult<()> {
        for part in steps.chunks(steps.len().div_ceil(RETRY_PARTS)) {
            loop {
                let Some(commit) = self.shop.commit_of_steps(part)? else { break };
                if !is_refused(self.shop.storage.commit(commit))? {
                    break;
                }
                if part.len() > 1 {
                    self.retry(part)?;
                    break;
                }
            }
        }
        Ok(())
    }
}

/// True if the commit was refused.
fn is_refused(commit: CommitFuture) -> ApiResult<bool> {
    match commit.wait() {
        Ok(_) => Ok(false),
        Err(CommitError::Refused(_)) => Ok(true),
        Err(CommitError::Failed(error)) => Err(storage_failure(error)),
    }
}
