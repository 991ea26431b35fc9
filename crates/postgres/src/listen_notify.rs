//! Notifications between processes that a change log has grown.
//!
//! A commit marks its shop, and a moment later one statement notifies for all marked shops (`NOTIFY`). This
//! happens outside of the commits: notifying transactions run one after the other on the whole server, with a
//! disk sync each. Listeners wake at once; because a notification may be lost, and does not pass a pgbouncer,
//! each process also polls every second.

use std::{
    future::poll_fn,
    sync::{Arc, Weak},
    time::Duration,
};

use kontor_storage::Seq;
use tokio::time::{sleep, timeout};
use tokio_postgres::AsyncMessage;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    failure::failure,
    keeper_lease::renew_leases,
    reads::{CHANGES, bigint, log_read},
    server::ServerPool,
    shop_log::ShopLog,
};

/// The channel of the notifications.
const CHANNEL: &str = "kontor_changes";
/// Sends notifications. Without a sync of the disk, which would double the number of syncs: a notification lost in a
/// crash is as harmless as any other lost one.
const NOTIFY: &str = "
    SELECT pg_notify($1, word) FROM set_config('synchronous_commit', 'off', true), unnest($2::text[]) word";
/// How long changes are collected before a notification.
const NOTIFY_DELAY: Duration = Duration::from_millis(5);
/// Poll interval of all processes, in case a notification was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of log entries read at once in the background.
const CHANGES_SEEN: i64 = 10_000;
/// Delay before listening again after a lost connection.
const RECONNECT_DELAY: Duration = Duration::from_secs(2);

/// Starts the tasks that send, receive and poll, for as long as the server is used by this process.
pub(crate) fn listen(server: &Arc<ServerPool>, tls: MakeRustlsConnect) {
    server.spawn(send_notifications(Arc::downgrade(server)));
    server.spawn(poll_logs(Arc::downgrade(server)));
    server.spawn(receive_notifications(Arc::downgrade(server), tls));
}

async fn send_notifications(server: Weak<ServerPool>) {
    loop {
        let Some(in_use) = server.upgrade() else { return };
        // With a timeout, to notice when the server is no longer used here.
        let woken = timeout(POLL_INTERVAL, in_use.notices.wait()).await;
        if woken.is_err() {
            continue;
        }
        sleep(NOTIFY_DELAY).await;
        let waiting = in_use.notices.take();
        let words: Vec<String> =
            waiting.into_iter().map(|(project, seq)| format!("{seq} {project}")).collect();
        if let Err(error) = in_use.rows(NOTIFY, &[&CHANNEL, &words]).await {
            tracing::debug!(%error, "could not notify other processes of changes: they poll every second");
        }
    }
}

async fn poll_logs(server: Weak<ServerPool>) {
    loop {
        sleep(POLL_INTERVAL).await;
        let Some(server) = server.upgrade() else { return };
        let logs = server.open_logs();
        if logs.is_empty() {
            continue;
        }
        if let Err(error) = renew_leases(&server, &logs).await {
            tracing::debug!(%error, "could not renew the leases of shops");
        }
        let projects: Vec<&str> = logs.iter().map(|log| log.project()).collect();
        let sql = "SELECT project, seq, epoch FROM kontor.heads WHERE project = ANY ($1)";
        match server.rows(sql, &[&projects]).await {
            Ok(rows) => {
                for row in rows {
                    let (project, seq, epoch): (&str, i64, i64) = (row.get(0), row.get(1), row.get(2));
                    if let Some(log) = logs.iter().find(|log| log.project() == project) {
                        log.advance(seq.unsigned_abs(), Some(epoch.unsigned_abs()));
                        refresh_cache(&server, log, seq.unsigned_abs()).await;
                    }
                }
            }
            Err(error) => tracing::debug!(%error, "could not poll for changes"),
        }
    }
}

/// Removes changed documents from the cache if no request has read the log for a while.
async fn refresh_cache(server: &ServerPool, log: &ShopLog, newest: Seq) {
    let Some(seen) = log.cache.read_position().filter(|seen| *seen < newest) else { return };
    let rows = server.rows(CHANGES, &[&log.project(), &bigint(seen), &CHANGES_SEEN]).await;
    let read = rows.and_then(|rows| log_read(&rows).map_err(|error| failure(&error)));
    if read.and_then(|read| log.cache.apply_log_read(seen, read)).is_err() {
        log.cache.invalidate();
    }
}

async fn receive_notifications(server: Weak<ServerPool>, tls: MakeRustlsConnect) {
    loop {
        let Some(in_use) = server.upgrade() else { return };
        let connected = in_use.options.config().connect(tls.clone()).await;
        drop(in_use);
        if let Ok((client, mut connection)) = connected {
            let listening = async {
                // Ends when the connection does.
                if client.batch_execute(&format!("LISTEN {CHANNEL}")).await.is_ok() {
                    std::future::pending::<()>().await;
                }
            };
            let words = async {
                while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                    let Some(server) = server.upgrade() else { return };
                    if let AsyncMessage::Notification(word) = message
                        && let Some((seq, project)) = word.payload().split_once(' ')
                        && let (Ok(seq), Some(log)) = (seq.parse(), server.open_log(project))
                    {
                        log.advance(seq, None);
                    }
                }
            };
            tokio::select! {
                () = listening => {}
                () = words => {}
            }
        }
        sleep(RECONNECT_DELAY).await;
    }
}
