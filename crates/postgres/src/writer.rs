//! The writer of a shop in this process: queued commits share one transaction, and are acknowledged when it is on disk.
//! Start at [`run`].

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deadpool_postgres::Object;
use kontor_storage::{CommitError, CommitReceipt, Error, Result};
use metrics::histogram;
use tokio::time::{sleep, timeout};

use crate::{
    failure::{failure, is_transient},
    group::{
        GroupCommit, LockedHead, PreconditionCheck, RequiredRows, WriteResult, lock_and_read, paths_of,
        prepare_commit, write,
    },
    open_shop::OpenShop,
    queue::QueuedCommit,
    server::ANSWER_TIMEOUT,
};

/// How long commits are retried while the server cannot be reached.
const TRY_FOR: Duration = Duration::from_secs(5);
/// Pause between two attempts.
const TRY_AFTER: Duration = Duration::from_millis(100);
/// Minimum number of commits of a group that is followed by a pause.
const COMPANY_MIN: usize = 16;
/// The length of the pause. Acknowledged callers come back with their next change, and share a transaction
/// with those that waited meanwhile; without it two groups alternate, and cost two transactions.
const GATHERED_FOR: Duration = Duration::from_millis(2);
/// Number of surplus entries of the change log before some are removed, and the maximum removed at once.
const CHANGES_DROPPED: i64 = 4 * 1024;
const CHANGES_DROPPED_MAX: i64 = 4 * CHANGES_DROPPED;

/// The result of a commit.
type CommitResult = std::result::Result<CommitReceipt, CommitError>;

/// Writes groups of commits until the queue is empty.
pub(crate) async fn run(shop: Arc<OpenShop>) {
    let watch = WriterPanicGuard(&shop);
    while let Some(group) = shop.queue.take() {
        let has_company = group.len() >= COMPANY_MIN;
        write_or_split(&shop, group).await;
        if has_company {
            sleep(GATHERED_FOR).await;
        }
    }
    std::mem::forget(watch);
}

/// Detects a panic of the writer: only then it is dropped.
struct WriterPanicGuard<'s>(&'s OpenShop);

impl Drop for WriterPanicGuard<'_> {
    fn drop(&mut self) {
        self.0.queue.writer_is_gone();
    }
}

async fn write_or_split(shop: &OpenShop, group: Vec<QueuedCommit>) {
    let Some(refused) = write_group(shop, group).await else { return };
    // One commit is at fault; the others must not fail with it.
    for job in refused {
        // A single commit gets its result in any case.
        write_group(shop, vec![job]).await;
    }
}

/// Reports to callers that nothing was written.
fn give_up(shop: &OpenShop, group: Vec<QueuedCommit>, error: &Error) {
    tracing::warn!(project = shop.project(), %error, commits = group.len(), "could not write commits");
    for job in group {
        job.response.fulfil(Err(error.clone().into()));
    }
}

/// Writes a group and delivers the results. Returns the group if it failed for a reason that may concern only one of
/// its commits.
async fn write_group(shop: &OpenShop, group: Vec<QueuedCommit>) -> Option<Vec<QueuedCommit>> {
    let begun = Instant::now();
    let written = loop {
        match try_write(shop, &group).await {
            // Nothing was written, so it can be retried.
            Err(GroupFailure::Nothing(error)) if is_transient(&error) && begun.elapsed() < TRY_FOR => {
                sleep(TRY_AFTER).await;
            }
            other => break other,
        }
    };
    match written {
        Ok((seq, outcomes)) => {
            histogram!("kontor_commits_in_transaction").record(group.len() as f64);
            if let Some(seq) = seq {
                shop.log.advance(seq.unsigned_abs(), None);
                shop.server.notices.add(shop.project(), seq.unsigned_abs());
            }
            for (job, outcome) in group.into_iter().zip(outcomes) {
                job.response.fulfil(outcome);
            }
            None
        }
        Err(GroupFailure::Nothing(error)) if group.len() > 1 && !is_transient(&error) => Some(group),
        Err(GroupFailure::Nothing(error) | GroupFailure::Unknown(error)) => {
            give_up(shop, group, &error);
            None
        }
    }
}

/// The state of the database after a failed group.
enum GroupFailure {
    Nothing(Error),
    /// Maybe everything: the server did not report the result.
    Unknown(Error),
}

/// Writes a group. Returns the position of the log, if it has grown, and the result of each commit.
async fn try_write(
    shop: &OpenShop,
    group: &[QueuedCommit],
) -> std::result::Result<(Option<i64>, Vec<CommitResult>), GroupFailure> {
    let client = shop.server.client().await.map_err(GroupFailure::Nothing)?;
    let (ended, is_clean) = match transaction(shop, &client, group).await {
        Ok(TransactionEnd::Written(seq, outcomes)) => (Ok((seq, outcomes)), true),
        Ok(TransactionEnd::Unknown { error, transaction }) => {
            drop(Object::take(client));
            ensure_rolled_back(shop, &transaction).await.map_err(GroupFailure::Unknown)?;
            return Err(GroupFailure::Nothing(error));
        }
        Err(error) => (Err(GroupFailure::Nothing(error)), false),
    };
    if !is_clean {
        // The transaction may still be open; it ends with the connection.
        drop(Object::take(client));
    }
    ended
}

/// The end of a transaction.
enum TransactionEnd {
    Written(Option<i64>, Vec<CommitResult>),
    /// The result is unknown and must be queried.
    Unknown {
        error: Error,
        transaction: String,
    },
}

async fn transaction(shop: &OpenShop, client: &Object, group: &[QueuedCommit]) -> Result<TransactionEnd> {
    let paths = &shop.server.paths;
    let new: Vec<_> = group.iter().flat_map(|job| paths_of(&job.commit)).collect();
    paths.add(client, &new).await.map_err(|error| failure(&error))?;
    let requested: Vec<GroupCommit<'_>> =
        group.iter().map(|job| prepare_commit(paths, &job.commit)).collect::<Result<_>>()?;
    let needs = RequiredRows::of_group(&requested);
    let found = timeout(ANSWER_TIMEOUT, lock_and_read(client, shop.project(), &needs)).await;
    let found = found.unwrap_or_else(|_| Err(Error::Unavailable("it does not respond".into())))?;
    let Some((head, found)) = found else { return Err(Error::Closed) };
    let LockedHead { seq: seq_before, base: base_before, epoch, transaction } = head;
    let mut judge = PreconditionCheck::new(paths, seq_before, found);
    let outcomes: Vec<CommitResult> = requested.iter().map(|requested| judge.check(requested)).collect();
    let (seq, writes) = judge.finish();
    let cache = &shop.log.cache;
    for (requested, outcome) in requested.iter().zip(&outcomes) {
        if outcome.is_err() {
            // The retry must see why the commit was refused.
            cache.remove(RequiredRows::of_group(std::slice::from_ref(requested)).documents.into_iter());
        }
    }
    if writes.is_empty() {
        client.batch_execute("ROLLBACK").await.map_err(|error| failure(&error))?;
        return Ok(TransactionEnd::Written(None, outcomes));
    }
    let base = trimmed_base(base_before, seq, shop.server.options.changes_kept);
    let gone_on = (seq > seq_before).then_some(seq);
    let written =
        timeout(ANSWER_TIMEOUT, write(client, shop.project(), &writes, seq, (base_before, base))).await;
    match written
        .unwrap_or_else(|_| Ok(WriteResult::Unknown(Error::Unavailable("it does not respond".into()))))?
    {
        WriteResult::Done => {
            let (kinds, ids) = &writes.deleted;
            cache.remove(kinds.iter().copied().zip(ids.iter().copied()));
            // The cache may say that they do not exist.
            cache.remove(writes.appended());
            cache.insert_written(writes.documents());
            shop.log.tail.push(epoch, writes.changes());
            Ok(TransactionEnd::Written(gone_on, outcomes))
        }
        WriteResult::Failed(error) => Err(error),
        WriteResult::Unknown(error) => Ok(TransactionEnd::Unknown { error, transaction }),
    }
}

/// Returns the new position of the newest removed entry of the log.
fn trimmed_base(base: i64, seq: i64, kept: u64) -> i64 {
    let kept = i64::try_from(kept).unwrap_or(i64::MAX);
    let surplus = (seq - base).saturating_sub(kept);
    if surplus < CHANGES_DROPPED.min(kept) { base } else { base + surplus.min(CHANGES_DROPPED_MAX) }
}

/// Succeeds if a transaction whose connection was lost was rolled back. Queries the server until it responds. The
/// status "committed" is not trusted: after a crash the server may reuse the number of a transaction of which nothing
/// reached the disk.
async fn ensure_rolled_back(shop: &OpenShop, transaction: &str) -> Result<()> {
    let begun = Instant::now();
    loop {
        match status(shop, transaction).await.as_deref() {
            Ok("aborted") => return Ok(()),
            // The transaction ends when the server notices the lost connection.
            Ok("in progress") | Err(_) if begun.elapsed() < TRY_FOR => sleep(TRY_AFTER).await,
            _ => return Err(Error::Unavailable("it does not say whether the commits are written".into())),
        }
    }
}

async fn status(shop: &OpenShop, transaction: &str) -> Result<String> {
    let client = shop.server.client().await?;
    let sql = "SELECT coalesce(pg_xact_status($1::text::xid8), 'aborted')";
    let row = client.query_one(sql, &[&transaction]).await.map_err(|error| failure(&error))?;
    Ok(row.get(0))
}
