//! From changed documents to one commit.
//!
//! A [`ChangeSet`] holds what becomes of several documents. Each of them goes the same way: it is stamped with version and
//! times, its messages are made, the work that follows from it is found, what must hold for it is asked for, and all of
//! it is one commit, which [`crate::attempt`] hands to the storage.

use crate::attempt::Prepared;
use crate::authored::Authored;
use crate::behaviour::Behaviours;
use crate::caller::Caller;
use crate::document::{self, Document, id_of, version_of};
use crate::effects::{Companion, Count, Effects, Hidden};
use crate::pending::{self, Pending, told};
use crate::recording::{Recorded, Recording};
use crate::rules::{Found, Rules};
use crate::serving::Made;
use crate::tells::Happened;
use crate::{emit, left_work, notifications, project, write};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, OnDelete};
use kontor_storage::{Commit, IndexValue, Precondition, Put, Record, Write};

/// The version that new documents begin with.
pub(crate) const FIRST_VERSION: i64 = 1;

/// What becomes of one document.
pub(crate) struct Change {
    kind: KindId,
    /// As it is stored; `None`: it is new.
    before: Option<Found>,
    /// As it is to be; `None`: it goes.
    after: Option<Document>,
    pending: Vec<Pending>,
    is_new_version: bool,
    /// The version that a new document begins with.
    first_version: i64,
    /// What is personal goes with the document.
    erases: bool,
    /// The names of the update actions that were asked for.
    actions: Vec<String>,
    /// Nobody asked for it: what follows from other documents goes with them, whatever refers to it.
    is_derived: bool,
}

impl Behaviours {
    /// Returns the behaviours with the recording that creates a record of each change.
    #[must_use]
    pub fn recorded_by(mut self, recording: Box<dyn Recording>) -> Self {
        self.recording = Some(recording);
        self
    }
}

impl Change {
    fn of(kind: KindId, before: Option<Found>, after: Option<Document>, pending: Vec<Pending>) -> Self {
        Self {
            kind,
            before,
            after,
            pending,
            is_new_version: true,
            first_version: FIRST_VERSION,
            erases: false,
            actions: Vec::new(),
            is_derived: false,
        }
    }

    /// A new document, with its id. The model may name a message of its birth.
    pub(crate) fn created(kind: KindId, after: Document, rules: &Rules<'_>) -> Self {
        let created = rules.model.kind(kind).created;
        let pending = created.map(|message| emit::whole(kind, message, &after, rules)).into_iter().collect();
        Self::of(kind, None, Some(after), pending)
    }

    /// A new document of whose birth another message tells than the one that the kind names.
    pub(crate) fn told_by(mut self, message: Option<&str>, rules: &Rules<'_>) -> ApiResult<Self> {
        if let (Some(name), Some(after)) = (message, &self.after) {
            let unknown = || ApiError::bug(format!("the model has no message {name}"));
            let message = rules.model.message_by_name(name).ok_or_else(unknown)?;
            self.pending = vec![emit::whole(self.kind, message, after, rules)];
        }
        Ok(self)
    }

    /// A document in a new version.
    pub(crate) fn updated(kind: KindId, before: Found, after: Document, pending: Vec<Pending>) -> Self {
        Self::of(kind, Some(before), Some(after), pending)
    }

    /// The same, with the names of the update actions that were asked for.
    pub(crate) fn asked_by<'n>(self, actions: impl Iterator<Item = &'n String>) -> Self {
        Self { actions: actions.cloned().collect(), ..self }
    }

    /// A new document that begins with a version which it had elsewhere.
    pub(crate) fn in_version(self, version: Option<i64>) -> Self {
        Self { first_version: version.unwrap_or(self.first_version), ..self }
    }

    /// A document that has its version and its times from elsewhere.
    pub(crate) fn whole(kind: KindId, document: Document) -> Self {
        Self { is_derived: true, ..Self::of(kind, None, Some(document), Vec::new()) }
    }

    /// The same document in its old version: only messages and what is kept beside it are new.
    pub(crate) fn within_version(self) -> Self {
        Self { is_new_version: false, ..self }
    }

    /// A document that goes, and what is personal with it where this is asked for. The model may name a message of its end.
    pub(crate) fn deleted(kind: KindId, before: Found, erases: bool, rules: &Rules<'_>) -> Self {
        let deleted = rules.model.kind(kind).deleted;
        let pending = deleted.map(|message| emit::whole(kind, message, &before.document, rules));
        let pending = pending.into_iter().collect();
        Self { erases, ..Self::of(kind, Some(before), None, pending) }
    }

    /// A document that follows from others, in its old version; `None`: it goes, without a message of its end.
    pub(crate) fn derived(
        kind: KindId,
        before: Found,
        after: Option<Document>,
        rules: &Rules<'_>,
    ) -> ApiResult<Self> {
        let pending = match &after {
            Some(after) => told_of_change(kind, &before.document, after, rules)?,
            None => Vec::new(),
        };
        let change = Self::of(kind, Some(before), after, pending);
        Ok(Self { is_new_version: false, is_derived: true, ..change })
    }

    /// A document that changes with another one, as if it had been changed by itself; `None` where it stays as it is.
    fn along(companion: Companion, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<Option<Self>> {
        let Companion { kind, mut after, told, keeps_version, is_touched } = companion;
        let before = rules.stored(kind, id_of(&after))?;
        settle(kind, Some(&before.document), &mut after, rules, effects)?;
        if !is_touched && after == *before.document && told.as_ref().is_none_or(Vec::is_empty) {
            return Ok(None);
        }
        let told = match told {
            Some(told) => told,
            None => told_of_change(kind, &before.document, &after, rules)?,
        };
        let change = Self::updated(kind, before, after, told);
        Ok(Some(if keeps_version { change.within_version() } else { change }))
    }

    /// A document that is made with another one.
    fn beside(made: Made, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<Self> {
        let Made { kind, mut document, told } = made;
        settle(kind, None, &mut document, rules, effects)?;
        Self::created(kind, document, rules).told_by(told, rules)
    }

    fn is_of(&self, kind: KindId, id: &str) -> bool {
        let subject = self.after.as_ref().or(self.before.as_ref().map(|before| &*before.document));
        self.kind == kind && subject.is_some_and(|subject| id_of(subject) == id)
    }

    /// Asks for what must hold when it is written.
    fn require(&self, rules: &Rules<'_>) {
        let entry = rules.model.kind(self.kind);
        match (&self.before, &self.after) {
            (Some(before), _) if self.is_derived => rules.require_another(before.unchanged(&entry.type_id)),
            (Some(before), _) => rules.require(before.unchanged(&entry.type_id)),
            (None, _) => {
                if let Some(limit) = entry.limit {
                    rules.require(Precondition::CountAtMost { kind: entry.type_id.clone(), limit });
                }
            }
        }
        if let (Some(before), None, false) = (&self.before, &self.after, self.is_derived) {
            unreferenced(self.kind, &before.document, rules);
        }
    }

    /// What is kept of it for who asks what happened.
    fn recorded(&self, by: Option<&Value>, rules: &Rules<'_>) -> ApiResult<Option<Record>> {
        let Some(recording) = rules.behaviours.recording.as_deref() else { return Ok(None) };
        let recorded = Recorded {
            kind: self.kind,
            before: self.before.as_ref().map(|before| &*before.document),
            after: self.after.as_ref(),
            actions: &self.actions,
            by,
            is_derived: self.is_derived,
            erases: self.erases,
            now: rules.now,
            time: rules.time(),
            choices: rules.choices(),
            pending: &self.pending,
            model: rules.model,
        };
        recording.record(&recorded)
    }

    /// Puts version, times and who it was into the document as it is to be. What follows from others stays as it was in these.
    fn stamp(&mut self, by: Option<&Value>, rules: &Rules<'_>) {
        let Some(after) = self.after.as_mut().filter(|_| !self.is_derived) else { return };
        let before = self.before.as_ref().map(|before| &*before.document);
        let authored =
            Authored { before, first_version: self.first_version, is_new_version: self.is_new_version, by };
        authored.stamp(self.kind, after, rules);
    }
}

/// The messages of a document that changed without an action of its own.
fn told_of_change(
    kind: KindId,
    before: &Document,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Vec<Pending>> {
    let behaviour = rules.behaviours.of(kind);
    let messages = behaviour.map(|behaviour| behaviour.messages_of_change(before, after)).unwrap_or_default();
    told(messages, rules.model)
}

/// Asks that nothing refers to a document that goes, where the model says that this stands in its way.
fn unreferenced(kind: KindId, before: &Document, rules: &Rules<'_>) {
    for referrer in rules.model.referrers(kind) {
        let holder = rules.model.kind(referrer.kind);
        if !holder.is_served || referrer.on_delete != OnDelete::Block {
            continue;
        }
        let by_key = referrer.path.last().is_some_and(|end| end == "key");
        let target = if by_key { document::text(before, &["key"]) } else { Some(id_of(before)) };
        if let Some(target) = target {
            rules.require(Precondition::NotReferenced {
                kind: holder.type_id.clone(),
                path: referrer.path.join("."),
                value: IndexValue::Text(target.to_owned()),
            });
        }
    }
}

/// Brings what a document's kind works out up to date. Each document that was changed by a request is settled once, when
/// all that changes it is done.
pub(crate) fn settle(
    kind: KindId,
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    match rules.behaviours.of(kind) {
        Some(behaviour) => behaviour.settle(before, after, rules, effects),
        None => Ok(()),
    }
}

/// What a change answers.
pub(crate) struct Answered {
    /// The document that was asked for.
    pub(crate) body: Bytes,
    /// The one beside it.
    pub(crate) beside: Option<Bytes>,
}

/// A document as it is answered, with what is told beside it.
pub(crate) fn warned(body: Bytes, warnings: Vec<Value>) -> ApiResult<Bytes> {
    if warnings.is_empty() {
        return Ok(body);
    }
    let mut document = document::read(&body)?;
    document.insert("warnings", Value::Array(warnings));
    write::bytes_of(&Value::Object(document))
}

/// A document that is answered beside another one and stays as it is stored.
pub(crate) fn stored_beside(beside: Option<(KindId, String)>, rules: &Rules<'_>) -> ApiResult<Option<Bytes>> {
    let Some((kind, id)) = beside else { return Ok(None) };
    let found = rules.stored(kind, &id)?;
    write::bytes_of(&Value::Object(Document::clone(&found.document))).map(Some)
}

/// What becomes of several documents in one commit.
pub(crate) struct ChangeSet {
    changes: Vec<Change>,
    /// Which of them is answered.
    answered: usize,
}

impl ChangeSet {
    /// Of one document, which is answered.
    pub(crate) fn of(change: Change) -> Self {
        Self { changes: vec![change], answered: 0 }
    }

    /// Of several documents, of which the first one is answered.
    pub(crate) fn of_all(changes: Vec<Change>) -> Self {
        Self { changes, answered: 0 }
    }

    /// And of another one, which is answered in its place.
    #[must_use]
    pub(crate) fn and_answer(mut self, change: Change) -> Self {
        self.changes.push(change);
        Self { answered: self.changes.len() - 1, ..self }
    }

    /// The commit of all changes, with everything that the rules relied on and did beyond them, and the document that is
    /// answered, as it is written; of one that goes there is nothing.
    pub(crate) fn prepare(
        self,
        effects: Effects,
        caller: &Caller,
        rules: &Rules<'_>,
    ) -> ApiResult<Prepared<Bytes>> {
        self.prepare_with_beside(effects, caller, rules)?.answering(|answered| Ok(answered.body))
    }

    /// The same, with the document that is answered beside that one.
    pub(crate) fn prepare_with_beside(
        mut self,
        mut effects: Effects,
        caller: &Caller,
        rules: &Rules<'_>,
    ) -> ApiResult<Prepared<Answered>> {
        let beside = effects.beside();
        loop {
            if let Some(companion) = effects.next_change() {
                self.changes.extend(Change::along(companion, rules, &mut effects)?);
            } else if let Some(made) = effects.next_made() {
                self.changes.push(Change::beside(made, rules, &mut effects)?);
            } else {
                break;
            }
        }
        let by = caller.to_json();
        let kinds = self.changes.iter().map(|change| change.kind).collect();
        let mut written = Writes::default();
        let mut answered = Answered { body: Bytes::new(), beside: None };
        for (place, change) in self.changes.into_iter().enumerate() {
            let is_beside = beside.as_ref().is_some_and(|(kind, id)| change.is_of(*kind, id));
            let body = written.add(change, by.as_ref(), rules)?;
            if is_beside {
                answered.beside = Some(body.clone());
            }
            if place == self.answered {
                answered.body = body;
            }
        }
        if answered.beside.is_none() {
            answered.beside = stored_beside(beside, rules)?;
        }
        answered.body = warned(answered.body, effects.take_warnings())?;
        Ok(Prepared::new(written.into_commit(effects, rules)?, kinds, answered))
    }

    /// The commit of derived changes, which nobody asked for and nobody is answered; `None` where there is nothing to
    /// write. They are taken one after the other, so that no two documents are in memory as more than their bytes. `leave`
    /// sees all work that follows, and says what of it is left and what is written beyond the documents.
    pub(crate) fn prepare_derived(
        changes: impl Iterator<Item = ApiResult<Change>>,
        rules: &Rules<'_>,
        leave: impl FnOnce(&mut Vec<Put>, &mut Effects) -> ApiResult<()>,
    ) -> ApiResult<Option<Commit>> {
        let mut written = Writes::default();
        for change in changes {
            written.add(change?, None, rules)?;
        }
        let mut effects = Effects::default();
        leave(&mut written.work, &mut effects)?;
        let commit = written.into_commit(effects, rules)?;
        Ok(Some(commit).filter(|commit| !commit.writes.is_empty()))
    }
}

/// What changes write.
#[derive(Default)]
struct Writes {
    writes: Vec<Write>,
    /// Work that follows. Several changes may leave the same.
    work: Vec<Put>,
}

impl Writes {
    /// The commit of all this, with everything that the rules relied on and did beyond it.
    fn into_commit(self, effects: Effects, rules: &Rules<'_>) -> ApiResult<Commit> {
        let Self { mut writes, work } = self;
        writes.extend(work.into_iter().map(Write::Put));
        writes.extend(writes_of(effects, rules)?);
        let commit = Commit { preconditions: rules.take_requirements(), writes, ..Commit::new() };
        if !writes_each_once(&commit) {
            return Err(ApiError::bug("a request changes a document twice"));
        }
        Ok(commit)
    }

    /// Adds what others are told of a change.
    fn tell(&mut self, happened: &Happened<'_>, rules: &Rules<'_>) -> ApiResult<()> {
        let Some(tells) = rules.behaviours.tells() else { return Ok(()) };
        let subject = happened.after.or(happened.before);
        let about = subject.map(id_of).unwrap_or_default();
        let told = tells.of_change(happened, rules)?.into_iter();
        self.writes.extend(told.map(|told| Write::Append(notifications::line(told, about, rules))));
        Ok(())
    }

    /// Adds a change; the document as it is written.
    fn add(&mut self, mut change: Change, by: Option<&Value>, rules: &Rules<'_>) -> ApiResult<Bytes> {
        change.require(rules);
        change.stamp(by, rules);
        let record = change.recorded(by, rules)?;
        let Change { kind, before, after, pending, erases, .. } = change;
        let sequence = before.as_ref().map_or(0, |before| before.sequence);
        let id = before.as_ref().map(|before| &before.id);
        let before = before.as_ref().map(|before| &*before.document);
        let version = before.map(version_of);
        let subject = after.as_ref().or(before);
        let Some(subject) = subject else {
            return Err(ApiError::bug("a change of no document"));
        };
        let told = pending::counted(&pending);
        // Most changes have no Messages: then nobody has to be asked who wants to hear them.
        let is_heard = || project::keeps_messages(rules.project) || rules.behaviours.tells_about(kind, rules);
        let messages = match !pending.is_empty() && is_heard() {
            true => write::messages(kind, pending, subject, sequence, by, erases, rules)?,
            false => Vec::new(),
        };
        let happened = Happened { kind, before, after: after.as_ref(), messages: &messages, erases };
        self.tell(&happened, rules)?;
        let messages = write::kept_messages(messages, subject, rules)?;
        for item in left_work::work_of(kind, before, after.as_ref(), rules) {
            if self.work.iter().all(|other| (&other.kind, &other.id) != (&item.kind, &item.id)) {
                self.work.push(item);
            }
        }
        let (write, body) = match after {
            Some(after) => {
                let mut put = write::put(kind, after, sequence + told, rules)?;
                put.record = record;
                debug_assert!(id.is_none_or(|id| *id == put.id), "a document keeps its id");
                debug_assert!(
                    version.is_none_or(|version| (version..=version + 1).contains(&put.version)),
                    "{}: a version rises by one or stays",
                    put.id
                );
                let body = put.body.clone();
                (Write::Put(put), body)
            }
            None => {
                let id = id.cloned().ok_or_else(|| ApiError::bug("what is deleted was never there"))?;
                (Write::Delete { kind: rules.model.kind(kind).type_id.clone(), id, record }, Bytes::new())
            }
        };
        self.writes.push(write);
        self.writes.extend(messages.into_iter().map(Write::Put));
        Ok(body)
    }
}

/// What effects write beyond the documents that change.
pub(crate) fn writes_of(mut effects: Effects, rules: &Rules<'_>) -> ApiResult<Vec<Write>> {
    let counts = effects.take_counts();
    let (settings, hidden) = effects.into_parts();
    let mut writes: Vec<Write> =
        settings.into_iter().map(|(name, value)| Write::Setting { name, value }).collect();
    for hidden in hidden {
        writes.extend(notifications::lines_of_hidden(&hidden, rules)?);
        writes.push(match hidden {
            Hidden::Put(put) => Write::Put(put),
            Hidden::Document(kind, _, document) => Write::Put(write::put(kind, document, 0, rules)?),
            Hidden::Delete { kind, id } => Write::Delete { kind, id, record: None },
        });
    }
    writes.extend(counts.into_iter().map(|Count { counter, at_most }| Write::Count {
        counter,
        add: 1,
        at_least: None,
        at_most,
    }));
    Ok(writes)
}

/// Whether no document stands in two writes, which the storage refuses.
fn writes_each_once(commit: &Commit) -> bool {
    let mut seen = std::collections::HashSet::new();
    commit.writes.iter().all(|write| match write {
        Write::Put(Put { kind, id, .. }) | Write::Delete { kind, id, .. } => seen.insert((kind, id)),
        _ => true,
    })
}
