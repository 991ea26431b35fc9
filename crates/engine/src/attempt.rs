//! The one way of a change into the storage: prepared from what is read, committed, and tried again from its reads where
//! something that it relied on has changed meanwhile.

use crate::claims::{Claimed, HandedIn};
use crate::document::PROJECT;
use crate::erasure::Erasure;
use crate::failure::storage_failure;
use crate::left_work;
use crate::notifications;
use crate::refusal::{Outcome, outcome};
use crate::sessions::Ending;
use crate::shop::Shop;
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::KindId;
use kontor_storage::{Commit, CommitAnswer, CommitError, Write};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How often a change is tried beside all others. Behind that it waits for its turn among those that others were in the
/// way of, so that they are not in each other's.
const ATTEMPTS_BESIDE_OTHERS_MAX: usize = 2;

/// How long a change is tried when what it relied on changes again and again, waiting for its turn included: less than
/// clients wait for an answer.
pub(crate) const TRYING_SECONDS_MAX: u64 = 20;

/// A change that can be tried again from its reads.
pub(crate) trait Attempt: Sync {
    /// What is told to the caller when the change is on disk.
    type Answer: Send;

    /// Reads what the change needs and runs its rules. Nothing is written, and nothing is held afterwards.
    fn prepare(&self, shop: &Shop) -> impl Future<Output = ApiResult<Prepared<Self::Answer>>> + Send;
}

/// A change that is ready to be written. It owns all that it relied on, as preconditions of its commit, so that time may
/// pass before it is committed.
#[must_use = "nothing is written before it is committed"]
pub(crate) struct Prepared<T> {
    /// `None`: nothing changes.
    commit: Option<Commit>,
    /// The kinds of the documents that change, the one that was asked for first.
    kinds: Vec<KindId>,
    /// The tokens that end with the change.
    ending: Option<Ending>,
    /// What nobody else is to change until it is handed in.
    claimed: Claimed,
    answer: T,
}

impl<T> Prepared<T> {
    /// A commit, and what is answered when it is on disk.
    pub(crate) fn new(commit: Commit, kinds: Vec<KindId>, answer: T) -> Self {
        Self { commit: Some(commit), kinds, ending: None, claimed: Claimed::default(), answer }
    }

    /// Of a request that changes nothing.
    pub(crate) fn nothing(answer: T) -> Self {
        Self { commit: None, kinds: Vec::new(), ending: None, claimed: Claimed::default(), answer }
    }

    /// The commit alone, for who writes it beside all requests.
    pub(crate) fn into_commit(self) -> Commit {
        self.commit.unwrap_or_default()
    }

    /// True where there is something to write.
    pub(crate) fn changes_something(&self) -> bool {
        self.commit.is_some()
    }

    /// The commit, the kinds of the documents that change, and what is answered; `None` where more than that is to be done, or
    /// something is claimed.
    pub(crate) fn into_parts(self) -> Option<(Commit, Vec<KindId>, T)> {
        let Prepared { commit, kinds, ending, claimed, answer } = self;
        (ending.is_none() && claimed.is_empty()).then(|| (commit.unwrap_or_default(), kinds, answer))
    }

    /// With another answer.
    pub(crate) fn answering<U>(self, answer: impl FnOnce(T) -> ApiResult<U>) -> ApiResult<Prepared<U>> {
        let Prepared { commit, kinds, ending, claimed, answer: before } = self;
        Ok(Prepared { commit, kinds, ending, claimed, answer: answer(before)? })
    }

    /// With claims that last until it is handed in.
    pub(crate) fn claiming(self, claimed: Claimed) -> Self {
        Self { claimed, ..self }
    }

    /// With the end of all tokens of a customer.
    pub(crate) fn ending_tokens_of(self, customer_id: &str) -> Self {
        debug_assert!(self.changes_something(), "tokens end with a change");
        let ending = Ending::of(customer_id);
        let note = Write::Put(ending.put());
        Self { ending: Some(ending), ..self.writing([note]) }
    }

    /// With what an erasure writes and requires beyond its document.
    pub(crate) fn erasing(mut self, erasure: Erasure) -> Self {
        if let Some(commit) = &mut self.commit {
            commit.preconditions.extend(erasure.preconditions);
        }
        self.writing(erasure.writes)
    }

    /// With further writes in the same commit.
    pub(crate) fn writing(mut self, writes: impl IntoIterator<Item = Write>) -> Self {
        if let Some(commit) = &mut self.commit {
            commit.writes.extend(writes);
        }
        self
    }
}

/// What is to be done when a commit is on disk.
struct Afterwards {
    leaves_work: bool,
    tells: bool,
    /// The settings of the project as they were written.
    settings: Option<Bytes>,
    /// The kinds that stand in memory and were written.
    standing: Vec<&'static str>,
    ending: Option<Ending>,
}

impl Afterwards {
    /// Whether nobody else would do it: those who are woken look by themselves, too.
    fn must_be_done(&self) -> bool {
        self.settings.is_some() || !self.standing.is_empty() || self.ending.is_some()
    }
}

pub(crate) fn over_capacity() -> ApiError {
    ApiError::new(Code::OverCapacity, "The resources involved change too often. Try again.")
}

impl Shop {
    /// Brings a change into the storage. What others were in the way of is queued, not refused, as long as the writer
    /// keeps up.
    pub(crate) async fn change<A: Attempt>(&self, attempt: &A) -> ApiResult<A::Answer> {
        let until = Instant::now() + Duration::from_secs(TRYING_SECONDS_MAX);
        for _ in 0..ATTEMPTS_BESIDE_OTHERS_MAX {
            if let Some(answer) = self.attempted(attempt).await? {
                return Ok(answer);
            }
        }
        let Ok(_turn) = timeout_at(until, self.turn.lock()).await else { return Err(over_capacity()) };
        while Instant::now() < until {
            if let Some(answer) = self.attempted(attempt).await? {
                return Ok(answer);
            }
        }
        Err(over_capacity())
    }

    /// Tries a change once; `None` where something that it relied on has changed meanwhile.
    async fn attempted<A: Attempt>(&self, attempt: &A) -> ApiResult<Option<A::Answer>> {
        let prepared = attempt.prepare(self).await?;
        match self.commit(prepared).await {
            Ok(answer) => Ok(Some(answer)),
            Err(Outcome::Again) => Ok(None),
            Err(Outcome::Refuse(error)) => Err(error),
        }
    }

    /// Commits what was prepared, and does what is to be done when it is on disk.
    pub(crate) async fn commit<T>(&self, prepared: Prepared<T>) -> Result<T, Outcome> {
        let Prepared { commit, kinds, ending, claimed, answer } = prepared;
        let Some(commit) = commit else { return Ok(answer) };
        let preconditions = commit.preconditions.clone();
        let afterwards = Afterwards {
            leaves_work: left_work::leaves_work(&commit),
            tells: notifications::tells(&commit),
            settings: self.settings_in(&commit),
            standing: self.standing.written(self.behaviours.standing_kinds(), &commit.writes),
            ending,
        };
        let (committing, handed_in) = claimed.hand_in(commit, &*self.storage);
        let done = match self.itself.upgrade().filter(|_| afterwards.must_be_done()) {
            None => self.finish((committing, handed_in), afterwards).await,
            // A commit that was handed in happens. In the request's own task this would go with its client, and memory would stay
            // behind the disk.
            Some(shop) => {
                let finishing =
                    tokio::spawn(async move { shop.finish((committing, handed_in), afterwards).await });
                finishing.await.unwrap_or_else(|error| {
                    Ok(Err(ApiError::bug(format!("what follows from a change ended early: {error}"))))
                })
            }
        };
        match done {
            Ok(done) => done.map(|()| answer).map_err(Outcome::Refuse),
            Err(error) => Err(outcome(error, &preconditions, self, &kinds)),
        }
    }

    /// Waits until a commit is on disk, and does what follows from it.
    async fn finish(
        &self,
        (committing, _handed_in): (CommitAnswer, HandedIn),
        afterwards: Afterwards,
    ) -> Result<ApiResult<()>, CommitError> {
        committing.await?;
        if afterwards.leaves_work {
            self.work.notify_one();
        }
        if afterwards.tells {
            self.ring();
        }
        if let Some(settings) = &afterwards.settings {
            self.remember_project(settings);
        }
        if let Err(error) = self.standing.read(&afterwards.standing, &*self.storage) {
            return Ok(Err(error));
        }
        Ok(match afterwards.ending {
            Some(ending) => self.end_sessions(ending).await,
            None => Ok(()),
        })
    }

    /// As [`commit`](Self::commit), once, holding the thread. False where something stood against it.
    pub(crate) fn commit_blocking(&self, prepared: Prepared<Bytes>) -> ApiResult<bool> {
        let Some(commit) = prepared.commit else { return Ok(true) };
        debug_assert!(prepared.ending.is_none(), "tokens are ended by who waits for it");
        let leaves_work = left_work::leaves_work(&commit);
        let tells = notifications::tells(&commit);
        let standing = self.standing.written(self.behaviours.standing_kinds(), &commit.writes);
        match self.storage.commit_blocking(commit) {
            Ok(_) => {
                if leaves_work {
                    self.work.notify_one();
                }
                if tells {
                    self.ring();
                }
                self.standing.read(&standing, &*self.storage)?;
            }
            Err(CommitError::Refused(_)) => return Ok(false),
            Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
        }
        Ok(true)
    }

    /// The settings of the project, where a commit writes them.
    fn settings_in(&self, commit: &Commit) -> Option<Bytes> {
        commit.writes.iter().find_map(|write| match write {
            Write::Put(put) if put.kind == PROJECT => Some(put.body.clone()),
            _ => None,
        })
    }
}
