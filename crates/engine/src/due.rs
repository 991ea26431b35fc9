//! Changes documents when their time comes, without a request: [`Behaviour::due`](crate::Behaviour::due) has
//! the times and the changes.
//!
//! The time is a row of an index, so one lookup finds all due documents, however many wait. Each is an
//! ordinary change in a commit of its own, which sets the next time of the document: a crash loses none.

use crate::acting::Due;
use crate::attempt::Prepared;
use crate::caller::Caller;
use crate::change::{self, Change, ChangeSet};
use crate::clock::format_time;
use crate::effects::Effects;
use crate::ends_at::DUE_AT;
use crate::failure::storage_failure;
use crate::pending::told;
use crate::rules::Found;
use crate::shop::Shop;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{After, IndexPage, IndexRange, IndexSort, IndexValue};
use std::ops::Bound;

/// Documents that are looked up at once.
const CHUNK: usize = 64;
/// Maximum number of changes in one run, so that derived work is done in between.
const CHANGES_MAX: usize = 256;
/// Attempts of a change that loses races against others, before it waits for the next run.
const ATTEMPTS_MAX: usize = 8;

impl Shop {
    /// Runs due changes, up to a maximum number. Returns true if there may be more.
    pub(crate) fn do_due(&self) -> ApiResult<bool> {
        let mut left = CHANGES_MAX;
        for (kind, _) in self.model.kinds() {
            if let Some(due) = self.behaviours.of(kind).and_then(|behaviour| behaviour.due()) {
                self.do_due_of(kind, due, &mut left)?;
            }
        }
        Ok(left == 0)
    }

    fn do_due_of(&self, kind: KindId, due: Due, left: &mut usize) -> ApiResult<()> {
        let type_id = &self.model.kind(kind).type_id;
        let now = IndexValue::Text(format_time(self.clock.now()));
        let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
        let mut after = None;
        while *left > 0 {
            let page = IndexPage { sort: IndexSort::Value, after: after.take(), ..IndexPage::first(CHUNK) };
            let ids = self.storage.find_indexed(type_id, DUE_AT, &range, &page).map_err(storage_failure)?;
            for id in &ids {
                let at = self.do_due_at(kind, due, id, left)?;
                after = at.map(|at| After::Value(IndexValue::Text(at), id.clone())).or(after);
            }
            if ids.len() < CHUNK || after.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs the due changes of one document, as often as its time has come. Returns the first time at which it
    /// was due.
    fn do_due_at(&self, kind: KindId, due: Due, id: &str, left: &mut usize) -> ApiResult<Option<String>> {
        let (mut first, mut refused) = (None, 0);
        while *left > 0 && refused < ATTEMPTS_MAX {
            let stored = self.storage.get(&self.model.kind(kind).type_id, id).map_err(storage_failure)?;
            let Some(stored) = stored else { break };
            let before = Found::read(&stored)?;
            let now = format_time(self.clock.now());
            let Some(at) = (due.at)(&before.document).filter(|at| *at <= now) else { break };
            first.get_or_insert_with(|| at.clone());
            *left -= 1;
            match self.due_change(kind, due, before) {
                Ok((prepared, next)) if prepared.changes_something() => {
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
    fn due_change(
        &self,
        kind: KindId,
        due: Due,
        before: Found,
    ) -> ApiResult<(Prepared<Bytes>, Option<String>)> {
        self.with_rules(&self.project(), |rules| {
            let (mut after, mut effects) = ((*before.document).clone(), Effects::default());
            let became = (due.act)(&mut after, rules, &mut effects)?;
            change::settle(kind, Some(&before.document), &mut after, rules, &mut effects)?;
            let next = (due.at)(&after);
            let is_same = after == *before.document && became.messages.is_empty();
            if is_same && effects.is_empty() {
                return Ok((Prepared::nothing(Bytes::new()), next));
            }
            let messages = told(became.messages, rules.model)?;
            let change = Change::updated(kind, before, after, messages);
            let change = if became.is_new_version { change } else { change.within_version() };
            Ok((ChangeSet::of(change).prepare(effects, &Caller::default(), rules)?, next))
        })
    }
}
