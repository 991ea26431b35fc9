//! Commits changes, with retry: prepares a change from its reads, commits it, and repeats both if something that
//! it relied on has changed meanwhile.
//!
//! Start at [`Shop::commit_with_retries`]. An [`RetryableChange`] is a change that can be retried, [`PreparedCommit`] is the result of its
//! preparation.

use crate::claims::{HeldClaims, SubmittedCommit};
use crate::customer_tokens::TokenRevocation;
use crate::derivation_queue;
use crate::document::PROJECT;
use crate::erasure::DocumentErasure;
use crate::notification_queue;
use crate::refusal::{RefusalOutcome, refusal_outcome};
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::KindId;
use kontor_storage::{Commit, CommitError, CommitFuture, Write};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Attempts of a change that run concurrently with all others. Further attempts wait for the lock of changes
/// that lost a race, so that those do not refuse each other.
const CONCURRENT_ATTEMPTS_MAX: usize = 2;

/// Time limit for all attempts of a change, including the wait for the lock, in seconds. It is shorter than the
/// usual timeout of clients.
pub(crate) const TRYING_SECONDS_MAX: u64 = 20;

/// A change that can be retried from its reads.
pub(crate) trait RetryableChange: Sync {
    /// The result for the caller when the change is on disk.
    type ChangeResult: Send;

    /// Reads what the change needs and runs its rules. Writes nothing, and holds nothing afterwards but the
    /// claims in the result.
    fn prepare(
        &self,
        shop: &Shop,
    ) -> impl Future<Output = ApiResult<PreparedCommit<Self::ChangeResult>>> + Send;
}

/// A change that is ready to be committed. It owns all that it relied on, as preconditions of its commit, so
/// that time may pass before the commit.
#[must_use = "nothing is written before it is committed"]
pub(crate) struct PreparedCommit<T> {
    /// `None` if nothing changes.
    commit: Option<Commit>,
    /// The kinds of the changed documents, the requested one first.
    kinds: Vec<KindId>,
    /// The tokens that are revoked with the change.
    ending: Option<TokenRevocation>,
    /// The claims of the change, held until its commit is submitted.
    claimed: HeldClaims,
    response: T,
}

impl<T> PreparedCommit<T> {
    /// A commit, and the result for the caller when it is on disk.
    pub(crate) fn new(commit: Commit, kinds: Vec<KindId>, response: T) -> Self {
        Self { commit: Some(commit), kinds, ending: None, claimed: HeldClaims::default(), response }
    }

    /// The result of a request that changes nothing.
    pub(crate) fn without_changes(response: T) -> Self {
        Self { commit: None, kinds: Vec::new(), ending: None, claimed: HeldClaims::default(), response }
    }

    /// Returns the same result for a request that only asks for it: nothing is written.
    pub(crate) fn into_dry_run(self) -> Self {
        Self::without_changes(self.response)
    }

    /// Returns the commit alone, e.g. to extend it for a new project.
    pub(crate) fn into_commit(self) -> Commit {
        self.commit.unwrap_or_default()
    }

    /// True if there is something to write.
    pub(crate) fn has_changes(&self) -> bool {
        self.commit.is_some()
    }

    /// Returns the commit, the kinds of the changed documents, and the result; `None` if tokens are revoked
    /// with the change or claims are held.
    pub(crate) fn into_parts(self) -> Option<(Commit, Vec<KindId>, T)> {
        let PreparedCommit { commit, kinds, ending, claimed, response } = self;
        (ending.is_none() && claimed.is_empty()).then(|| (commit.unwrap_or_default(), kinds, response))
    }

    /// Replaces the result.
    pub(crate) fn map_result<U>(self, map: impl FnOnce(T) -> ApiResult<U>) -> ApiResult<PreparedCommit<U>> {
        let PreparedCommit { commit, kinds, ending, claimed, response: before } = self;
        Ok(PreparedCommit { commit, kinds, ending, claimed, response: map(before)? })
    }

    /// Adds claims, which are held until the commit is submitted.
    pub(crate) fn with_claims(self, claimed: HeldClaims) -> Self {
        Self { claimed, ..self }
    }

    /// Adds the revocation of all tokens of a customer.
    pub(crate) fn with_token_revocation(self, customer_id: &str) -> Self {
        debug_assert!(self.has_changes(), "tokens end with a change");
        let ending = TokenRevocation::for_customer(customer_id);
        let note = Write::Put(ending.to_put());
        Self { ending: Some(ending), ..self.with_writes([note]) }
    }

    /// Adds the writes and preconditions of an erasure.
    pub(crate) fn with_erasure(mut self, erasure: DocumentErasure) -> Self {
        if let Some(commit) = &mut self.commit {
            commit.preconditions.extend(erasure.preconditions);
        }
        self.with_writes(erasure.writes)
    }

    /// Adds writes to the commit.
    pub(crate) fn with_writes(mut self, writes: impl IntoIterator<Item = Write>) -> Self {
        if let Some(commit) = &mut self.commit {
            commit.writes.extend(writes);
        }
        self
    }
}

/// The follow-up work when a commit is on disk.
struct FollowUpWork {
    leaves_work: bool,
    has_notifications: bool,
    /// The settings of the project as they were written.
    settings: Option<Bytes>,
    /// The kinds of resident documents that were written.
    resident_kinds: Vec<&'static str>,
    ending: Option<TokenRevocation>,
}

impl FollowUpWork {
    /// Whether this request must do the follow-up work. Background workers also find their work without a
    /// notification.
    fn must_be_done(&self) -> bool {
        self.settings.is_some() || !self.resident_kinds.is_empty() || self.ending.is_some()
    }
}

pub(crate) fn over_capacity() -> ApiError {
    ApiError::new(Code::OverCapacity, "The resources involved change too often. Try again.")
}

impl Shop {
    /// Commits a change, and retries it for up to [`TRYING_SECONDS_MAX`]. A change that loses races against
    /// others is queued, not refused, as long as the writer keeps up; then it fails with OverCapacity.
    pub(crate) async fn commit_with_retries<A: RetryableChange>(
        &self,
        attempt: &A,
    ) -> ApiResult<A::ChangeResult> {
        let until = Instant::now() + Duration::from_secs(TRYING_SECONDS_MAX);
        for _ in 0..CONCURRENT_ATTEMPTS_MAX {
            if let Some(response) = self.try_once(attempt).await? {
                return Ok(response);
            }
        }
        let Ok(_retry_guard) = timeout_at(until, self.retry_lock.lock()).await else {
            return Err(over_capacity());
        };
        while Instant::now() < until {
            if let Some(response) = self.try_once(attempt).await? {
                return Ok(response);
            }
        }
        Err(over_capacity())
    }

    /// Tries a change once. Returns `None` if something that it relied on has changed meanwhile.
    async fn try_once<A: RetryableChange>(&self, attempt: &A) -> ApiResult<Option<A::ChangeResult>> {
        let prepared = attempt.prepare(self).await?;
        match self.commit(prepared).await {
            Ok(response) => Ok(Some(response)),
            Err(RefusalOutcome::Retry) => Ok(None),
            Err(RefusalOutcome::Refuse(error)) => Err(error),
        }
    }

    /// Commits a prepared change, and does its follow-up work when it is on disk.
    pub(crate) async fn commit<T>(&self, prepared: PreparedCommit<T>) -> Result<T, RefusalOutcome> {
        let PreparedCommit { commit, kinds, ending, claimed, response } = prepared;
        let Some(commit) = commit else { return Ok(response) };
        let preconditions = commit.preconditions.clone();
        let afterwards = FollowUpWork {
            leaves_work: derivation_queue::has_work_items(&commit),
            has_notifications: notification_queue::has_notifications(&commit),
            settings: self.settings_in(&commit),
            resident_kinds: self
                .resident_documents
                .written_kinds(self.behaviours.resident_kinds(), &commit.writes),
            ending,
        };
        let (committing, handed_in) = claimed.submit(commit, &*self.storage);
        let done = match self.weak_self.upgrade().filter(|_| afterwards.must_be_done()) {
            None => self.finish((committing, handed_in), afterwards).await,
            // A submitted commit happens even if the client disconnects. In the task of the request, the
            // follow-up work would be cancelled then, and memory would stay behind the disk.
            Some(shop) => {
                let finishing =
                    tokio::spawn(async move { shop.finish((committing, handed_in), afterwards).await });
                finishing.await.unwrap_or_else(|error| {
                    Ok(Err(ApiError::bug(format!("the follow-up work of a commit ended early: {error}"))))
                })
            }
        };
        match done {
            Ok(done) => done.map(|()| response).map_err(RefusalOutcome::Refuse),
            Err(error) => Err(refusal_outcome(error, &preconditions, self, &kinds)),
        }
    }

    /// Waits until a commit is on disk, and does its follow-up work.
    async fn finish(
        &self,
        (committing, _handed_in): (CommitFuture, SubmittedCommit),
        afterwards: FollowUpWork,
    ) -> Result<ApiResult<()>, CommitError> {
        committing.await?;
        if afterwards.leaves_work {
            self.work.notify_one();
        }
        if afterwards.has_notifications {
            self.wake_deliverers();
        }
        if let Some(settings) = &afterwards.settings {
            self.update_settings(settings);
        }
        if let Err(error) = self.resident_documents.read(&afterwards.resident_kinds, &*self.storage) {
            return Ok(Err(error));
        }
        Ok(match afterwards.ending {
            Some(ending) => self.revoke_tokens(ending).await,
            None => Ok(()),
        })
    }

    /// Like [`commit`](Self::commit), with a single attempt that blocks the thread. Returns false if the commit
    /// was refused.
    pub(crate) fn commit_blocking(&self, prepared: PreparedCommit<Bytes>) -> ApiResult<bool> {
        let Some(commit) = prepared.commit else { return Ok(true) };
        debug_assert!(prepared.ending.is_none(), "a blocking commit cannot revoke tokens");
        let leaves_work = derivation_queue::has_work_items(&commit);
        let tells = notification_queue::has_notifications(&commit);
        let resident_kinds =
            self.resident_documents.written_kinds(self.behaviours.resident_kinds(), &commit.writes);
        match self.storage.commit_blocking(commit) {
            Ok(_) => {
                if leaves_work {
                    self.work.notify_one();
                }
                if tells {
                    self.wake_deliverers();
                }
                self.resident_documents.read(&resident_kinds, &*self.storage)?;
            }
            Err(CommitError::Refused(_)) => return Ok(false),
            Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
        }
        Ok(true)
    }

    /// Returns the settings of the project, if a commit writes them.
    fn settings_in(&self, commit: &Commit) -> Option<Bytes> {
        commit.writes.iter().find_map(|write| match write {
            Write::Put(put) if put.kind == PROJECT => Some(put.body.clone()),
            _ => None,
        })
    }
}
