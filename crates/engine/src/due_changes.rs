//! Changes documents when their time comes, without a request: [`Behaviour::due_rule`](crate::Behaviour::due_rule) has
//! the times and the changes.
//!
//! The time is a row of an index, so one lookup finds all due documents, however many wait. Each is an
//! ordinary change in a commit of its own, which sets the next time of the document: a crash loses none.

use crate::action_context::DueRule;
use crate::caller::Caller;
use crate::change::{self, ChangeSet, DocumentChange};
use crate::clock::format_time;
use crate::commit_retry::PreparedCommit;
use crate::effects::Effects;
use crate::pending_messages::messages_by_name;
use crate::rules::FoundDocument;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use crate::time_rows::DUE_AT;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{IndexPage, IndexRange, IndexSort, IndexValue, PageStart};
use std::ops::Bound;

/// Documents that are looked up at once.
const CHUNK: usize = 64;
/// Maximum number of changes in one run, so that derived work is done in between.
const CHANGES_MAX: usize = 256;
/// Attempts of a change that loses races against others, before it waits for the next run.
pub(crate) const ATTEMPTS_MAX: usize = 8;

impl Shop {
    /// Runs due changes and background tasks, up to a maximum number. Returns true if there may be more.
    pub(crate) fn run_due_changes(&self) -> ApiResult<bool> {
        let mut left = CHANGES_MAX;
        self.run_background_tasks(&mut left)?;
        for (kind, _) in self.model.kinds() {
            if let Some(due) = self.behaviours.get(kind).and_then(|behaviour| behaviour.due_rule()) {
                self.run_due_changes_of_kind(kind, due, &mut left)?;
            }
        }
        Ok(left == 0)
    }

    fn run_due_changes_of_kind(&self, kind: KindId, due: DueRule, left: &mut usize) -> ApiResult<()> {
        let type_id = &self.model.kind(kind).type_id;
        let now = IndexValue::Text(format_time(self.clock.now()));
        let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
        let mut after = None;
        while *left > 0 {
            let page = IndexPage { sort: IndexSort::Value, after: after.take(), ..IndexPage::first(CHUNK) };
            let ids = self.storage.find_indexed(type_id, DUE_AT, &range, &page).map_err(storage_failure)?;
            for id in &ids {
                let at = self.run_due_changes_of_document(kind, due, id, left)?;
                after = at.map(|at| PageStart::Value(IndexValue::Text(at), id.clone())).or(after);
            }
            if ids.len() < CHUNK || after.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs the due changes of one document, as often as its time has come. Returns the first time at which it
    /// was due.
    fn run_due_changes_of_document(
        &self,
        kind: KindId,
        due: DueRule,
        id: &str,
        left: &mut usize,
    ) -> ApiResult<Option<String>> {
        let (mut first, mut refused) = (None, 0);
        while *left > 0 && refused < ATTEMPTS_MAX {
            let stored = self.storage.get(&self.model.kind(kind).type_id, id).map_err(storage_failure)?;
            let Some(stored) = stored else { break };
            let before = FoundDocument::read(&stored)?;
            let now = format_time(self.clock.now());
            let Some(at) = (due.at)(&before.document).filter(|at| *at <= now) else { break };
            first.get_or_insert_with(|| at.clone());
            *left -= 1;
            self.catch_up_blocking()?;
            match self.prepare_due_change(kind, due, before) {
                Ok((prepared, next)) if prepared.has_changes() => {
                    let is_written = self.commit_blocking(prepared)?;
                    refused += usize::from(!is_written);
                    if is_written && next.is_some_and(|next| next <= at) {
                        break;
                    }
                }
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(project = %self.key, id, %error, "due change failed");
                    break;
                }
            }
        }
        Ok(first)
    }

    /// Prepares a due change. Returns it with the next time that the document waits for.
    fn prepare_due_change(
        &self,
        kind: KindId,
        due: DueRule,
        before: FoundDocument,
    ) -> ApiResult<(PreparedCommit<Bytes>, Option<String>)> {
        self.with_rules(&self.project(), |rules| {
            let (mut after, mut effects) = ((*before.document).clone(), Effects::default());
            let became = (due.act)(&mut after, rules, &mut effects)?;
            change::settle(kind, Some(&before.document), &mut after, rules, &mut effects)?;
            let next = (due.at)(&after);
            let is_same = after == *before.document && became.messages.is_empty();
            if is_same && effects.is_empty() {
                return Ok((PreparedCommit::without_changes(Bytes::new()), next));
            }
            let messages = messages_by_name(became.messages, rules.model)?;
            let change = DocumentChange::updated(kind, before, after, messages);
            let change = if became.is_new_version { change } else { change.keeping_version() };
            Ok((ChangeSet::single(change).prepare(effects, &Caller::default(), rules)?, next))
        })
    }
}
