//! The queue of notifications for Subscriptions, before their delivery. Start at [`Shop::notifications`].
//!
//! A commit writes its notifications in the same transaction: a line for each Subscription, in a separate list for
//! each. A line is deleted after its delivery (by `kontor-events`), so that a crash loses none. The ids of the
//! documents with the lines start with the id of the Subscription, followed by a time. So a range of ids is the queue
//! of one Subscription, in order.

use crate::document::{self, Document, read_stored};
use crate::document_writes;
use crate::effects::HiddenWrite;
use crate::erasure::DocumentErasure;
use crate::event_policy::NewNotification;
use crate::rules::Rules;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{ObjectWriter, Value};
use kontor_model::KindId;
use kontor_storage::{
    Commit, CommitError, LINE_END, ListLine, Precondition, Put, ScanDirection, SealKey, StoredDocumentRef,
    Write,
};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::watch;

/// The kind under which notifications are stored. It is no kind of the model, so no API shows it.
pub const NOTIFICATION: &str = "notification";
/// Separates the id of the Subscription from the rest of an id.
const AFTER_WHOM: char = '/';
/// The `notificationType` of a notification that has a Message in it.
pub const MESSAGE_NOTIFICATION: &str = "Message";
/// The character after the separator: an id with it is behind all ids of a Subscription.
const BEHIND: char = '0';
/// Initial capacity of a stored notification, enough for most.
const LINE_BYTES_USUAL: usize = 640;
/// Attempts to write a field of a document while other changes interfere.
const ATTEMPTS_MAX: usize = 16;

/// The stored notification of one change for one Subscription.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// Its unique name.
    pub name: String,
    /// The id of the document that contains it, maybe with others of the same commit; see [`Shop::delete_delivered`].
    pub kept_in: String,
    /// When the change was written, in the format of documents.
    pub at: String,
    /// The id of the changed document. Notifications about the same document are delivered in order.
    pub document_id: String,
    /// The bodies of the notifications, in order.
    pub bodies: Vec<Value>,
    /// The position in the change log.
    position: i64,
}

/// Returns the line that stores a notification.
pub(crate) fn queue_line(told: NewNotification, about: &str, rules: &Rules<'_>) -> ListLine {
    let name = rules.new_id();
    let mut text = ObjectWriter::with_capacity(LINE_BYTES_USUAL);
    text.text("name", &name);
    text.text("at", rules.time());
    text.text("about", about);
    text.array_of("bodies", told.bodies.iter().map(|body| &body[..]));
    ListLine { kind: NOTIFICATION.to_owned(), list: told.to, name, text: text.finish().into() }
}

/// Returns the writes that notify Subscriptions of a hidden document.
pub(crate) fn hidden_lines(hidden: &HiddenWrite, rules: &Rules<'_>) -> ApiResult<Vec<Write>> {
    let Some(tells) = rules.behaviours.event_policy() else { return Ok(Vec::new()) };
    let (kind, id) = hidden.kind_and_id();
    let is_new = !matches!(hidden, HiddenWrite::Delete { .. });
    let notifications = tells.of_hidden(kind, id, is_new, rules)?.into_iter();
    Ok(notifications.map(|one| Write::Append(queue_line(one, id, rules))).collect())
}

/// Returns whether a commit contains notifications. After writing it, call [`Shop::wake_deliverers`].
pub fn has_notifications(commit: &Commit) -> bool {
    commit.writes.iter().any(|write| matches!(write, Write::Append(line) if line.kind == NOTIFICATION))
}

/// Returns a line without the Messages about a document; `None` if nothing is left of it, or if it cannot be read.
fn without_messages<'l>(line: &'l [u8], about: &str) -> Option<Cow<'l, [u8]>> {
    // Most lines are about other documents, and need not be parsed.
    if !line.windows(about.len()).any(|part| part == about.as_bytes()) {
        return Some(Cow::Borrowed(line));
    }
    let mut notification = document::read_borrowed(line).ok()?;
    if document::text(&notification, &["about"]) != Some(about) {
        return Some(Cow::Borrowed(line));
    }
    let bodies = notification.get_mut("bodies").and_then(Value::as_array_mut)?;
    bodies.retain(|body| body["notificationType"] != MESSAGE_NOTIFICATION);
    (!bodies.is_empty()).then(|| Cow::Owned(Value::Object(notification).to_string().into_bytes()))
}

/// Adds the notifications in a stored document to `all`.
fn read_lines(
    stored: StoredDocumentRef<'_>,
    seal: Option<&Arc<SealKey>>,
    all: &mut Vec<Notification>,
) -> ApiResult<()> {
    // The name of a notification that an early release stored alone, without lines.
    let alone = stored.id.rsplit(AFTER_WHOM).next().unwrap_or(stored.id);
    let body = seal.map_or(Cow::Borrowed(stored.body), |seal| seal.unseal_all(stored.body));
    for line in body.split(|byte| *byte == LINE_END) {
        let mut line = document::read_borrowed(line)?;
        let bodies = match line.shift_remove("bodies") {
            Some(Value::Array(bodies)) => bodies,
            _ => Vec::new(),
        };
        all.push(Notification {
            name: document::text(&line, &["name"]).unwrap_or(alone).to_owned(),
            kept_in: stored.id.to_owned(),
            at: document::text_or_log(&line, &["at"]).to_owned(),
            document_id: document::text_or_log(&line, &["about"]).to_owned(),
            bodies,
            position: stored.revision,
        });
    }
    Ok(())
}

impl Shop {
    /// Returns a receiver that is notified of new notifications. Several of them may result in one wake-up.
    pub fn new_notifications(&self) -> watch::Receiver<u64> {
        self.notifications_written.subscribe()
    }

    /// Wakes the workers that deliver notifications.
    pub fn wake_deliverers(&self) {
        self.notifications_written.send_modify(|rung| *rung += 1);
    }

    /// Returns the oldest undelivered notifications of a Subscription, in the order of their commits: those of whole
    /// documents, until there are `limit`. Those named in `received` are left out and do not count. Blocks the
    /// thread. Fails if the storage fails, or if a line of the queue cannot be parsed or unsealed.
    pub fn notifications(
        &self,
        to: &str,
        limit: usize,
        received: &HashSet<String>,
    ) -> ApiResult<Vec<Notification>> {
        let start = format!("{to}{AFTER_WHOM}");
        let (mut all, mut broken) = (Vec::new(), None);
        let mut visit = |stored: StoredDocumentRef<'_>| {
            if all.len() >= limit || !stored.id.starts_with(&start) {
                return ControlFlow::Break(());
            }
            let known = all.len();
            if let Err(error) = read_lines(stored, self.behaviours.seal(), &mut all) {
                broken = Some(error);
            }
            if !received.is_empty() {
                let new = all.split_off(known).into_iter();
                all.extend(new.filter(|kept| !received.contains(&kept.name)));
            }
            ControlFlow::Continue(())
        };
        self.storage
            .scan(NOTIFICATION, ScanDirection::Ascending, Some(&start), &mut visit)
            .map_err(storage_failure)?;
        if let Some(error) = broken {
            return Err(error);
        }
        // The names of two commits may be in the other order.
        all.sort_by_key(|kept: &Notification| kept.position);
        Ok(all)
    }

    /// Returns the ids of Subscriptions with undelivered notifications. Blocks the thread. Fails if the storage fails.
    pub fn recipients_with_queue(&self) -> ApiResult<Vec<String>> {
        let mut all: Vec<String> = Vec::new();
        if self.storage.count(NOTIFICATION).map_err(storage_failure)? == 0 {
            return Ok(all);
        }
        loop {
            let after = all.last().map(|last| format!("{last}{BEHIND}"));
            let mut next = None;
            let mut visit = |stored: StoredDocumentRef<'_>| {
                next = stored.id.split(AFTER_WHOM).next().map(str::to_owned);
                ControlFlow::Break(())
            };
            self.storage
                .scan(NOTIFICATION, ScanDirection::Ascending, after.as_deref(), &mut visit)
                .map_err(storage_failure)?;
            match next {
                Some(next) => all.push(next),
                None => return Ok(all),
            }
        }
    }

    /// Removes undelivered Messages about a document. The notifications of its changes stay.
    pub(crate) fn erase_notifications(&self, about: &str, erasure: &mut DocumentErasure) -> ApiResult<()> {
        if self.storage.count(NOTIFICATION).map_err(storage_failure)? == 0 {
            return Ok(());
        }
        let mut visit = |stored: StoredDocumentRef<'_>| {
            let lines: Vec<&[u8]> = stored.body.split(|byte| *byte == LINE_END).collect();
            let left: Vec<Cow<'_, [u8]>> =
                lines.iter().filter_map(|line| without_messages(line, about)).collect();
            if left == lines {
                return ControlFlow::Continue(());
            }
            let (kind, id) = (NOTIFICATION.to_owned(), stored.id.to_owned());
            // The document may be removed concurrently, because it was delivered.
            let same =
                Precondition::Revision { kind: kind.clone(), id: id.clone(), revision: stored.revision };
            erasure.preconditions.push(same);
            erasure.writes.push(match left.is_empty() {
                true => Write::Delete { kind, id, record: None },
                false => {
                    let body = left.join(&LINE_END).into();
                    Write::Put(Put { kind, id, version: 1, body, ..Put::default() })
                }
            });
            ControlFlow::Continue(())
        };
        self.storage.scan(NOTIFICATION, ScanDirection::Ascending, None, &mut visit).map_err(storage_failure)
    }

    /// Deletes documents of notifications that are all delivered or discarded. The same commit writes `note`, which
    /// records the delivered ones of other documents. Fails if the storage fails. Missing documents are no error.
    pub fn delete_delivered<'a>(
        &'a self,
        ids: &'a [String],
        note: Option<Write>,
    ) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            if ids.is_empty() && note.is_none() {
                return Ok(());
            }
            let mut all = ids.iter().fold(Commit::new(), |commit, id| commit.delete(NOTIFICATION, id));
            all.writes.extend(note.clone());
            match self.storage.commit(all).await {
                Ok(_) => return Ok(()),
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
                // Some documents were removed when the content was replaced.
                Err(CommitError::Refused(_)) => {}
            }
            let each = ids.iter().map(|id| Commit::new().delete(NOTIFICATION, id));
            for commit in each.chain(note.map(|note| Commit::new().write(note))) {
                if let Err(CommitError::Failed(error)) = self.storage.commit(commit).await {
                    return Err(storage_failure(error));
                }
            }
            Ok(())
        })
    }

    /// Queues notifications of an event of another application for all Subscriptions to it. Fails if the storage fails.
    pub fn queue_event<'a>(&'a self, event: &'a Document) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let writes = self.writes_of_event(event)?;
            if writes.is_empty() {
                return Ok(());
            }
            let commit = Commit { writes, ..Commit::new() };
            match self.storage.commit(commit).await {
                Ok(_) => self.wake_deliverers(),
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
                Err(CommitError::Refused(refusal)) => {
                    return Err(ApiError::bug(format!("an event was refused: {refusal}")));
                }
            }
            Ok(())
        })
    }

    /// Returns the writes that notify Subscriptions of an event of another application, for a commit of the caller.
    /// Empty if there is no such Subscription. Fails if the event has no `resourceType`, or if a needed document cannot
    /// be read.
    pub fn writes_of_event(&self, event: &Document) -> ApiResult<Vec<Write>> {
        self.with_rules(&self.project(), |rules| {
            let Some(tells) = rules.behaviours.event_policy() else { return Ok(Vec::new()) };
            let about = document::must_text(event, &["resourceType"])?;
            let notifications = tells.of_event(event, rules)?;
            Ok(notifications.into_iter().map(|one| Write::Append(queue_line(one, about, rules))).collect())
        })
    }

    /// Writes a field of a document that describes background work, e.g. its progress or health. Makes no new version
    /// and no notifications. Does nothing if the document does not exist or changes in each attempt. Fails if the
    /// storage fails.
    pub fn write_status<'a>(
        &'a self,
        kind: KindId,
        id: &'a str,
        field: &'a str,
        value: Value,
    ) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let type_id = &self.model.kind(kind).type_id;
            for _ in 0..ATTEMPTS_MAX {
                let Some(stored) = self.storage.get(type_id, id).map_err(storage_failure)? else {
                    return Ok(());
                };
                let mut after = read_stored(&stored)?;
                if after.get(field) == Some(&value) {
                    return Ok(());
                }
                after.insert(field, value.clone());
                let put = self.with_rules(&self.project(), |rules| {
                    document_writes::document_put(kind, after, stored.sequence, rules)
                })?;
                let same = Precondition::Revision {
                    kind: type_id.clone(),
                    id: id.to_owned(),
                    revision: stored.revision,
                };
                let commit = Commit::new().require(same).put(put);
                let resident_kinds =
                    self.resident_documents.written_kinds(self.behaviours.resident_kinds(), &commit.writes);
                match self.storage.commit(commit).await {
                    Ok(_) => return self.resident_documents.read(&resident_kinds, &*self.storage),
                    Err(CommitError::Refused(_)) => {}
                    Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
                }
            }
            Ok(())
        })
    }
}
