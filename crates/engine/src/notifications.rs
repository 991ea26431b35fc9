//! What others are told of changes, on its way to them.
//!
//! A commit that somebody is told of keeps what they are told, in the same transaction. It goes when it was delivered, so that a
//! crash loses none; who delivers it is no part of the engine. The ids begin with who is told, and go on with a time, so that a
//! range of ids is what one of them still has to hear, in its sequence.

use crate::document::{self, Document, read_stored};
use crate::failure::storage_failure;
use crate::rules::Rules;
use crate::shop::Shop;
use crate::tells::ToTell;
use crate::write;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::KindId;
use kontor_storage::{Commit, CommitError, Precondition, Put, ScanDirection, StoredRef, Write};
use std::ops::ControlFlow;
use tokio::sync::watch;

/// The kind under which notifications are stored. It is no kind of the model, so no face can see it.
pub const NOTIFICATION: &str = "notification";
/// Stands between who is told and the rest of an id.
const AFTER_WHOM: char = '/';
/// The character behind the separator: ids with it are behind all of those who are told.
const BEHIND: char = '0';
/// Room for most notifications of changes, as they are kept.
const BODY_BYTES_USUAL: usize = 512;
/// How often a note on a document is tried that others were in the way of.
const ATTEMPTS_MAX: usize = 16;

/// What somebody is told of one change, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// Its id, for [`Shop::delivered`].
    pub id: String,
    /// When the change was written, as documents have it.
    pub at: String,
    /// What changed. Notifications about the same are delivered in their sequence.
    pub about: String,
    /// The bodies of the notifications, in their sequence.
    pub bodies: Vec<Value>,
    /// The place in the change log.
    position: i64,
}

impl Notification {
    /// The part of the id that no other notification has.
    pub fn name(&self) -> &str {
        self.id.rsplit(AFTER_WHOM).next().unwrap_or(&self.id)
    }
}

/// What is written so that somebody is told.
pub(crate) fn put(told: ToTell, about: &str, rules: &Rules<'_>) -> Put {
    let body = Document::of_different(vec![
        ("at".into(), rules.time().into()),
        ("about".into(), about.into()),
        ("bodies".into(), Value::Array(told.bodies)),
    ]);
    let mut bytes = Vec::with_capacity(BODY_BYTES_USUAL);
    kontor_json::write(&Value::Object(body), &mut bytes);
    Put {
        kind: NOTIFICATION.to_owned(),
        id: format!("{}{AFTER_WHOM}{}", told.to, rules.new_id()),
        version: 1,
        body: bytes.into(),
        is_appended: true,
        ..Put::default()
    }
}

/// Whether somebody is told by a commit. Who writes it rings ([`Shop::ring`]).
pub fn tells(commit: &Commit) -> bool {
    commit.writes.iter().any(|write| matches!(write, Write::Put(put) if put.kind == NOTIFICATION))
}

fn read(stored: StoredRef<'_>) -> ApiResult<Notification> {
    let stored = stored.to_stored();
    let mut body = read_stored(&stored)?;
    let bodies = match body.shift_remove("bodies") {
        Some(Value::Array(bodies)) => bodies,
        _ => Vec::new(),
    };
    let text = |name: &str| document::text(&body, &[name]).unwrap_or_default().to_owned();
    let (at, about) = (text("at"), text("about"));
    Ok(Notification { id: stored.id, at, about, bodies, position: stored.revision })
}

impl Shop {
    /// Rings when somebody was told something. Not each time: who is late hears it once.
    pub fn telling(&self) -> watch::Receiver<u64> {
        self.telling.subscribe()
    }

    /// Wakes those who deliver what was told.
    pub fn ring(&self) {
        self.telling.send_modify(|rung| *rung += 1);
    }

    /// The oldest notifications that are not delivered to somebody, in the sequence of their commits. Holds the thread.
    pub fn notifications(&self, to: &str, limit: usize) -> ApiResult<Vec<Notification>> {
        let start = format!("{to}{AFTER_WHOM}");
        let (mut all, mut broken) = (Vec::new(), None);
        let mut visit = |stored: StoredRef<'_>| {
            if all.len() >= limit || !stored.id.starts_with(&start) {
                return ControlFlow::Break(());
            }
            match read(stored) {
                Ok(kept) => all.push(kept),
                Err(error) => broken = Some(error),
            }
            ControlFlow::Continue(())
        };
        self.storage
            .scan(NOTIFICATION, ScanDirection::Ascending, Some(&start), &mut visit)
            .map_err(storage_failure)?;
        if let Some(error) = broken {
            return Err(error);
        }
        // Two attempts may have got their ids the other way round.
        all.sort_by_key(|kept: &Notification| kept.position);
        Ok(all)
    }

    /// Who has notifications that are not delivered. Holds the thread.
    pub fn who_is_told(&self) -> ApiResult<Vec<String>> {
        let mut all: Vec<String> = Vec::new();
        if self.storage.count(NOTIFICATION).map_err(storage_failure)? == 0 {
            return Ok(all);
        }
        loop {
            let after = all.last().map(|last| format!("{last}{BEHIND}"));
            let mut next = None;
            let mut visit = |stored: StoredRef<'_>| {
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

    /// Forgets notifications that are delivered, or not to be.
    pub async fn delivered(&self, ids: &[String]) -> ApiResult<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let all = ids.iter().fold(Commit::new(), |commit, id| commit.delete(NOTIFICATION, id));
        match self.storage.commit(all).await {
            Ok(_) => return Ok(()),
            Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            // Some went with the content that was replaced.
            Err(CommitError::Refused(_)) => {}
        }
        for id in ids {
            if let Err(CommitError::Failed(error)) =
                self.storage.commit(Commit::new().delete(NOTIFICATION, id)).await
            {
                return Err(storage_failure(error));
            }
        }
        Ok(())
    }

    /// Tells of an event of another application: whoever wants to hear of it has it kept when this returns.
    pub async fn tell(&self, event: &Document) -> ApiResult<()> {
        let writes = self.writes_of_event(event)?;
        if writes.is_empty() {
            return Ok(());
        }
        let commit = Commit { preconditions: Vec::new(), writes };
        match self.storage.commit(commit).await {
            Ok(_) => self.ring(),
            Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            Err(CommitError::Refused(refusal)) => {
                return Err(ApiError::bug(format!("an event was refused: {refusal}")));
            }
        }
        Ok(())
    }

    /// What tells of an event of another application, to be written along with what it is about. None where nobody listens.
    pub fn writes_of_event(&self, event: &Document) -> ApiResult<Vec<Write>> {
        self.with_rules(&self.project(), |rules| {
            let Some(tells) = rules.behaviours.tells() else { return Ok(Vec::new()) };
            let about = document::text(event, &["resourceType"]).unwrap_or_default();
            let told = tells.of_event(event, rules)?;
            Ok(told.into_iter().map(|told| Write::Put(put(told, about, rules))).collect())
        })
    }

    /// Writes a field of a document that says how work beside the changes goes. Makes no new version, and nobody is told.
    pub async fn note(&self, kind: KindId, id: &str, field: &str, value: Value) -> ApiResult<()> {
        let type_id = &self.model.kind(kind).type_id;
        for _ in 0..ATTEMPTS_MAX {
            let Some(stored) = self.storage.get(type_id, id).map_err(storage_failure)? else { return Ok(()) };
            let mut after = read_stored(&stored)?;
            if after.get(field) == Some(&value) {
                return Ok(());
            }
            after.insert(field.to_owned(), value.clone());
            let put =
                self.with_rules(&self.project(), |rules| write::put(kind, after, stored.sequence, rules))?;
            let same = Precondition::Revision {
                kind: type_id.clone(),
                id: id.to_owned(),
                revision: stored.revision,
            };
            let commit = Commit::new().require(same).put(put);
            let standing = self.standing.written(self.behaviours.standing_kinds(), &commit.writes);
            match self.storage.commit(commit).await {
                Ok(_) => return self.standing.read(&standing, &*self.storage),
                Err(CommitError::Refused(_)) => {}
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
        }
        Ok(())
    }
}
