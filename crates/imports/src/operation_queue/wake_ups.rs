//! Finds in the change log which waiting operations can be processed now. Start at [`OperationQueue::wake`].

use super::{CHANGES_READ, LOOK_PERIOD, OperationQueue, WakePolicy};
use crate::import_store::{CONTAINER, OPERATION};
use crate::outcome::MissingReference;
use kontor_engine::{Shop, document, storage_failure};
use kontor_errors::ApiResult;
use kontor_storage::{ChangeLogEntry, ChangeOperation, Error};
use std::collections::{HashMap, HashSet};
use std::time::Instant;

impl OperationQueue {
    /// Checks whether there are operations of other servers and whether missing references exist now, if anything has
    /// changed since the last check. Returns true if an operation was added or woken.
    pub(super) fn wake(&self, shop: &Shop, looks: WakePolicy) -> ApiResult<bool> {
        let is_shared = shop.storage().is_shared();
        loop {
            if is_shared && self.has_nothing_to_read(shop) {
                return Ok(false);
            }
            let newest = shop.storage().last_seq().map_err(storage_failure)?;
            let after = {
                let mut state = self.state.lock();
                if state.waiting.is_empty() && !is_shared {
                    // An operation that waits from now on has checked its references itself.
                    state.seen = newest;
                    return Ok(false);
                }
                state.seen
            };
            let changes = match shop.storage().changes(after, CHANGES_READ) {
                // The log may already show a commit whose documents are not visible yet: such entries are skipped now.
                Ok(mut changes) => {
                    changes.retain(|change| change.seq <= newest);
                    changes
                }
                Err(Error::Behind { .. }) if is_shared => {
                    self.state.lock().epoch = None;
                    return Ok(true);
                }
                Err(Error::Behind { .. }) => return self.wake_all(shop),
                Err(error) => return Err(storage_failure(error)),
            };
            let Some(last) = changes.last().map(|change| change.seq) else {
                return Ok(self.wake_others(shop, looks, false));
            };
            let is_any = is_shared && self.add_of_others(&changes);
            let is_any = self.wake_for_changes(shop, &changes)? || is_any;
            let of_others = |change: &ChangeLogEntry| ![OPERATION, CONTAINER].contains(&change.kind.as_str());
            let is_any = self.wake_others(shop, looks, changes.iter().any(of_others)) || is_any;
            self.state.lock().seen = last;
            if is_any {
                return Ok(true);
            }
        }
    }

    /// Whether the change log has not grown and no operation waits: the common case, found without a read. The known
    /// position of the log may be a second old.
    fn has_nothing_to_read(&self, shop: &Shop) -> bool {
        let newest = *shop.storage().subscribe().borrow();
        let state = self.state.lock();
        state.waiting.is_empty() && newest <= state.seen
    }

    /// Adds the operations that were created by changes. Returns false if there are none.
    fn add_of_others(&self, changes: &[ChangeLogEntry]) -> bool {
        let is_new = |change: &&ChangeLogEntry| {
            change.kind == OPERATION && change.operation == ChangeOperation::Created
        };
        let ids: Vec<String> = changes.iter().filter(is_new).map(|change| change.id.clone()).collect();
        let is_any = !ids.is_empty();
        self.state.lock().ready.extend(ids);
        is_any
    }

    /// Wakes operations that waited for one of the changed documents.
    fn wake_for_changes(&self, shop: &Shop, changes: &[ChangeLogEntry]) -> ApiResult<bool> {
        let mut ids: HashMap<String, HashSet<&str>> = {
            let state = self.state.lock();
            state.waiting.keys().map(|missing| (missing.type_id.clone(), HashSet::new())).collect()
        };
        for change in changes.iter().filter(|change| change.operation != ChangeOperation::Deleted) {
            if let Some(ids) = ids.get_mut(&change.kind) {
                ids.insert(&change.id);
            }
        }
        let mut is_any = false;
        for (type_id, ids) in ids {
            let Some(kind) = shop.model().kind_by_type_id(&type_id) else { continue };
            let ids: Vec<&str> = ids.into_iter().collect();
            for stored in shop.storage().get_many(&type_id, &ids).map_err(storage_failure)?.iter().flatten() {
                let came = document::read_stored(stored)?;
                let key = document::text(&came, &[&shop.model().kind(kind).key_field]);
                is_any |= key.is_some_and(|key| {
                    self.wake_waiting_for(&MissingReference { type_id: type_id.clone(), key: key.to_owned() })
                });
            }
        }
        Ok(is_any)
    }

    /// Wakes operations that wait for a part of a document, if any document has changed since the last time.
    fn wake_others(&self, shop: &Shop, looks: WakePolicy, is_changed: bool) -> bool {
        let others: Vec<MissingReference> = {
            let mut state = self.state.lock();
            state.is_changed |= is_changed;
            let is_early = state.looked_at.is_some_and(|at| at.elapsed() < LOOK_PERIOD);
            if !state.is_changed || (looks == WakePolicy::SomeTimes && is_early) {
                return false;
            }
            (state.is_changed, state.looked_at) = (false, Some(Instant::now()));
            let is_other = |one: &&MissingReference| shop.model().kind_by_type_id(&one.type_id).is_none();
            state.waiting.keys().filter(is_other).cloned().collect()
        };
        let woken = others.iter().filter(|one| self.wake_waiting_for(one)).count();
        woken > 0
    }

    /// Wakes all waiting operations, because the change log no longer has the entries since the last check.
    fn wake_all(&self, shop: &Shop) -> ApiResult<bool> {
        let seen = shop.storage().last_seq().map_err(storage_failure)?;
        let mut state = self.state.lock();
        state.seen = seen;
        let ids: Vec<String> = state.waiting.drain().flat_map(|(_, ids)| ids).collect();
        state.ready.extend(ids);
        Ok(!state.ready.is_empty())
    }

    /// Wakes operations that waited for this reference.
    pub(super) fn wake_waiting_for(&self, one: &MissingReference) -> bool {
        let mut state = self.state.lock();
        match state.waiting.remove(one) {
            Some(ids) => {
                state.ready.extend(ids);
                true
            }
            None => false,
        }
    }
}
