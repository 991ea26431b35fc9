//! The writer of a shop in this process: queued commits share one transaction, and are acknowledged when it is on disk.
//! Start at [`run`].

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deadpool_postgres::Object;
use kontor_storage::{CommitError, Error, Receipt, Result};
use metrics::histogram;
use tokio::time::{sleep, timeout};

use crate::{
    failure::{failure, is_passing},
    group::{Asked, Head, Judge, Needs, Written, asked, find, paths_of, write},
    queue::Job,
    server::ANSWER_TIMEOUT,
    shop::Shop,
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
type Outcome = std::result::Result<Receipt, CommitError>;

/// Writes groups of commits until the queue is empty.
pub(crate) async fn run(shop: Arc<Shop>) {
    let watch = Watch(&shop);
    while let Some(group) = shop.queue.take() {
        let has_company = group.len() >= COMPANY_MIN;
        answer(&shop, group).await;
        if has_company {
            sleep(GATHERED_FOR).await;
        }
    }
    std::mem::forget(watch);
}

/// Detects a panic of the writer: only then it is dropped.
struct Watch<'s>(&'s Shop);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.0.queue.writer_is_gone();
    }
}

async fn answer(shop: &Shop, group: Vec<Job>) {
    let Some(refused) = write_group(shop, group).await else { return };
    // One commit is at fault; the others must not fail with it.
    for job in refused {
        // A single commit gets its result in any case.
        write_group(shop, vec![job]).await;
    }
}

/// Reports to callers that nothing was written.
fn give_up(shop: &Shop, group: Vec<Job>, error: &Error) {
    tracing::warn!(project = shop.project(), %error, commits = group.len(), "could not write commits");
    for job in group {
        job.answer.keep(Err(error.clone().into()));
    }
}

/// Writes a group and delivers the results. Returns the group if it failed for a reason that may concern only one of
/// its commits.
async fn write_group(shop: &Shop, group: Vec<Job>) -> Option<Vec<Job>> {
    let begun = Instant::now();
    let written = loop {
        match attempt(shop, &group).await {
            // Nothing was written, so it can be retried.
            Err(NotWritten::Nothing(error)) if is_passing(&error) && begun.elapsed() < TRY_FOR => {
                sleep(TRY_AFTER).await;
            }
            other => break other,
        }
    };
    match written {
        Ok((seq, outcomes)) => {
            histogram!("kontor_commits_in_transaction").record(group.len() as f64);
            if let Some(seq) = seq {
                shop.log.heard(seq.unsigned_abs(), None);
                shop.server.notices.add(shop.project(), seq.unsigned_abs());
            }
            for (job, outcome) in group.into_iter().zip(outcomes) {
                job.answer.keep(outcome);
            }
            None
        }
        Err(NotWritten::Nothing(error)) if group.len() > 1 && !is_passing(&error) => Some(group),
        Err(NotWritten::Nothing(error) | NotWritten::Unknown(error)) => {
            give_up(shop, group, &error);
            None
        }
    }
}

/// The state of the database after a failed group.
enum NotWritten {
    Nothing(Error),
    /// Maybe everything: the server did not report the result.
    Unknown(Error),
}

/// Writes a group. Returns the position of the log, if it has grown, and the result of each commit.
async fn attempt(shop: &Shop, group: &[Job]) -> std::result::Result<(Option<i64>, Vec<Outcome>), NotWritten> {
    let client = shop.server.client().await.map_err(NotWritten::Nothing)?;
    let (ended, is_clean) = match transaction(shop, &client, group).await {
        Ok(Ended::Written(seq, outcomes)) => (Ok((seq, outcomes)), true),
        Ok(Ended::Unknown { error, transaction }) => {
            drop(Object::take(client));
            must_be_gone(shop, &transaction).await.map_err(NotWritten::Unknown)?;
            return Err(NotWritten::Nothing(error));
        }
        Err(error) => (Err(NotWritten::Nothing(error)), false),
    };
    if !is_clean {
        // The transaction may still be open; it ends with the connection.
        drop(Object::take(client));
    }
    ended
}

/// The end of a transaction.
enum Ended {
    Written(Option<i64>, Vec<Outcome>),
    /// The result is unknown and must be queried.
    Unknown {
        error: Error,
        transaction: String,
    },
}

async fn transaction(shop: &Shop, client: &Object, group: &[Job]) -> Result<Ended> {
    let paths = &shop.server.paths;
    let new: Vec<_> = group.iter().flat_map(|job| paths_of(&job.commit)).collect();
    paths.add(client, &new).await.map_err(|error| failure(&error))?;
    let asked: Vec<Asked<'_>> = group.iter().map(|job| asked(paths, &job.commit)).collect::<Result<_>>()?;
    let needs = Needs::of(&asked);
    let found = timeout(ANSWER_TIMEOUT, find(client, shop.project(), &needs)).await;
    let found = found.unwrap_or_else(|_| Err(Error::Unavailable("it does not answer".into())))?;
    let Some((head, found)) = found else { return Err(Error::Closed) };
    let Head { seq: seq_before, base: base_before, epoch, transaction } = head;
    let mut judge = Judge::new(paths, seq_before, found);
    let outcomes: Vec<Outcome> = asked.iter().map(|asked| judge.judge(asked)).collect();
    let (seq, writes) = judge.finish();
    let cache = &shop.log.cache;
    for (asked, outcome) in asked.iter().zip(&outcomes) {
        if outcome.is_err() {
            // The retry must see why the commit was refused.
            cache.forget(Needs::of(std::slice::from_ref(asked)).documents.into_iter());
        }
    }
    if writes.is_empty() {
        client.batch_execute("ROLLBACK").await.map_err(|error| failure(&error))?;
        return Ok(Ended::Written(None, outcomes));
    }
    let base = trimmed(base_before, seq, shop.server.options.changes_kept);
    let gone_on = (seq > seq_before).then_some(seq);
    let written =
        timeout(ANSWER_TIMEOUT, write(client, shop.project(), &writes, seq, (base_before, base))).await;
    match written.unwrap_or_else(|_| Ok(Written::Unknown(Error::Unavailable("it does not answer".into()))))? {
        Written::Done => {
            let (kinds, ids) = &writes.deleted;
            cache.forget(kinds.iter().copied().zip(ids.iter().copied()));
            // The cache may say that they do not exist.
            cache.forget(writes.appended());
            cache.wrote(writes.documents());
            shop.log.tail.wrote(epoch, writes.changes());
            Ok(Ended::Written(gone_on, outcomes))
        }
        Written::Failed(error) => Err(error),
        Written::Unknown(error) => Ok(Ended::Unknown { error, transaction }),
    }
}

/// Returns the new position of the newest removed entry of the log.
fn trimmed(base: i64, seq: i64, kept: u64) -> i64 {
    let kept = i64::try_from(kept).unwrap_or(i64::MAX);
    let surplus = (seq - base).saturating_sub(kept);
    if surplus < CHANGES_DROPPED.min(kept) { base } else { base + surplus.min(CHANGES_DROPPED_MAX) }
}

/// Succeeds if a transaction whose connection was lost was rolled back. Queries the server until it responds. The
/// status "committed" is not trusted: after a crash the server may reuse the number of a transaction of which nothing
/// reached the disk.
async fn must_be_gone(shop: &Shop, transaction: &str) -> Result<()> {
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

async fn status(shop: &Shop, transaction: &str) -> Result<String> {
    let client = shop.server.client().await?;
    let sql = "SELECT coalesce(pg_xact_status($1::text::xid8), 'aborted')";
    let row = client.query_one(sql, &[&transaction]).await.map_err(|error| failure(&error))?;
    Ok(row.get(0))
}
