//! The same update actions on several documents, with shared reads. Start at [`Shop::update_each`].

use super::{DocumentUpdate, UpdateProgress};
use crate::action_parser::parse_actions;
use crate::address::Address;
use crate::caller::Caller;
use crate::commit_retry::PreparedCommit;
use crate::pre_commit_hooks::CallResponseCache;
use crate::prefetch_plan::PrefetchPlan;
use crate::shop::{Shop, WrittenDocument};
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::KindId;
use kontor_storage::StoredDocument;

impl Shop {
    /// Applies the same actions to several documents, each of them all or none, with separate results. A
    /// document must have the version given with it, if any.
    pub(crate) async fn update_each(
        &self,
        kind: KindId,
        addresses: &[(Address<'_>, Option<i64>)],
        actions: &[Value],
        caller: &Caller,
    ) -> ApiResult<Vec<ApiResult<WrittenDocument>>> {
        let mut actions = parse_actions(actions.to_vec(), kind, caller, &self.model)?;
        self.hash_secrets_of(kind, &mut actions, caller).await?;
        let updating = |(address, version)| DocumentUpdate {
            kind,
            address,
            version,
            actions: actions.clone(),
            is_dry: false,
            is_large: false,
            caller,
            call_responses: CallResponseCache::default(),
        };
        let attempts: Vec<DocumentUpdate<'_>> =
            addresses.iter().map(|(address, version)| updating((address, *version))).collect();
        let prepared = self.prepare_each(kind, &attempts, caller).await;
        Ok(self.change_each(&attempts, prepared).await)
    }

    /// Prepares several updates concurrently, with shared reads.
    async fn prepare_each(
        &self,
        kind: KindId,
        attempts: &[DocumentUpdate<'_>],
        caller: &Caller,
    ) -> Vec<ApiResult<PreparedCommit<WrittenDocument>>> {
        let mut prepared = Vec::with_capacity(attempts.len());
        for (attempt, begun) in attempts.iter().zip(self.prepare_updates(kind, attempts, caller)) {
            prepared.push(match begun {
                Ok((stored, step)) => attempt.call_extensions(&stored, step, self).await,
                Err(error) => Err(error),
            });
        }
        prepared
    }

    fn prepare_updates(
        &self,
        kind: KindId,
        attempts: &[DocumentUpdate<'_>],
        caller: &Caller,
    ) -> Vec<ApiResult<UpdateProgress>> {
        if caller.bounds.associate.is_some() {
            // Updates with claims need their own reads.
            return attempts.iter().map(|attempt| attempt.prepare_update(self)).collect();
        }
        let addresses: Vec<&Address<'_>> = attempts.iter().map(|attempt| attempt.address).collect();
        // All updates have the same actions.
        let wanted = attempts
            .first()
            .map_or_else(|| PrefetchPlan::new(&self.model), |first| first.prefetch_plan(self));
        match self.get_each_to_change(kind, &addresses, &caller.bounds, wanted) {
            Ok((each, ahead)) => {
                let begin = |(attempt, stored): (&DocumentUpdate<'_>, ApiResult<StoredDocument>)| {
                    stored.and_then(|stored| attempt.prepare_stored(stored, &ahead, self))
                };
                attempts.iter().zip(each).map(begin).collect()
            }
            Err(error) => attempts.iter().map(|_| Err(error.clone())).collect(),
        }
    }
}
