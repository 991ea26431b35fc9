//! Turns changed documents into one commit.
//!
//! A [`ChangeSet`] holds the changes of several documents. Each of them gets its version and times, its messages, its
//! follow-up work and its preconditions. The result is one commit, which [`crate::commit_retry`] submits to the storage.

use crate::behaviour::Behaviours;
use crate::caller::Caller;
use crate::change_metadata::ChangeMetadata;
use crate::change_recorder::{ChangeRecorder, RecordedChange};
use crate::commit_retry::PreparedCommit;
use crate::document::{self, Document, id_of, version_of};
use crate::effect_writes::effect_writes;
use crate::effects::{CompanionChange, Effects};
use crate::endpoint_context::CreatedDocument;
use crate::event_policy::ChangeEvent;
use crate::pending_messages::{self, PendingMessage, messages_by_name};
use crate::rules::{FoundDocument, Rules};
use crate::{derivation_queue, document_writes, message_fields, notification_queue, project};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, OnDelete};
use kontor_storage::{ChangeRecord, Commit, IndexValue, Precondition, Put, Write};

/// The version that new documents begin with.
pub(crate) const FIRST_VERSION: i64 = 1;

/// The change of one document.
pub(crate) struct DocumentChange {
    kind: KindId,
    /// The stored document; `None` for a new one.
    before: Option<FoundDocument>,
    /// The document to write; `None` for a deletion.
    after: Option<Document>,
    pending: Vec<PendingMessage>,
    is_new_version: bool,
    /// The version that a new document begins with.
    first_version: i64,
    /// Whether personal data is erased with the document.
    erases: bool,
    /// The names of the requested update actions.
    actions: Vec<String>,
    /// Whether the change follows from other documents. References do not prevent a derived deletion.
    is_derived: bool,
}

impl Behaviours {
    /// Returns the behaviours with the recording that creates a record of each change.
    #[must_use]
    pub fn with_change_recorder(mut self, recording: Box<dyn ChangeRecorder>) -> Self {
        self.change_recorder = Some(recording);
        self
    }
}

impl DocumentChange {
    fn new(
        kind: KindId,
        before: Option<FoundDocument>,
        after: Option<Document>,
        pending: Vec<PendingMessage>,
    ) -> Self {
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

    /// A new document, which has an id. The model may declare a message for its creation.
    pub(crate) fn created(kind: KindId, after: Document, rules: &Rules<'_>) -> Self {
        let created = rules.model.kind(kind).created;
        let pending = created
            .map(|message| message_fields::whole_document_message(kind, message, &after, rules))
            .into_iter()
            .collect();
        Self::new(kind, None, Some(after), pending)
    }

    /// Replaces the creation message of the kind by another one, if `message` names one.
    pub(crate) fn with_creation_message(
        mut self,
        message: Option<&str>,
        rules: &Rules<'_>,
    ) -> ApiResult<Self> {
        if let (Some(name), Some(after)) = (message, &self.after) {
            let unknown = || ApiError::bug(format!("the model has no message {name}"));
            let message = rules.model.message_by_name(name).ok_or_else(unknown)?;
            self.pending = vec![message_fields::whole_document_message(self.kind, message, after, rules)];
        }
        Ok(self)
    }

    /// A document in a new version.
    pub(crate) fn updated(
        kind: KindId,
        before: FoundDocument,
        after: Document,
        pending: Vec<PendingMessage>,
    ) -> Self {
        Self::new(kind, Some(before), Some(after), pending)
    }

    /// Sets the names of the requested update actions.
    pub(crate) fn with_action_names<'n>(self, actions: impl Iterator<Item = &'n String>) -> Self {
        Self { actions: actions.cloned().collect(), ..self }
    }

    /// Sets the first version of a new document, for one that was imported.
    pub(crate) fn with_first_version(self, version: Option<i64>) -> Self {
        Self { first_version: version.unwrap_or(self.first_version), ..self }
    }

    /// A document that is written with the version and the times that it has.
    pub(crate) fn rewritten(kind: KindId, document: Document) -> Self {
        Self { is_derived: true, ..Self::new(kind, None, Some(document), Vec::new()) }
    }

    /// Leaves the version as it is: only messages and hidden documents are new.
    pub(crate) fn keeping_version(self) -> Self {
        Self { is_new_version: false, ..self }
    }

    /// A deletion, with the personal data about the document if `erases`. The model may declare a message for it.
    pub(crate) fn deleted(kind: KindId, before: FoundDocument, erases: bool, rules: &Rules<'_>) -> Self {
        let deleted = rules.model.kind(kind).deleted;
        let pending = deleted
            .map(|message| message_fields::whole_document_message(kind, message, &before.document, rules));
        let pending = pending.into_iter().collect();
        Self { erases, ..Self::new(kind, Some(before), None, pending) }
    }

    /// A change that follows from other documents and leaves the version as it is; `None` deletes the document
    /// without a message.
    pub(crate) fn derived(
        kind: KindId,
        before: FoundDocument,
        after: Option<Document>,
        rules: &Rules<'_>,
    ) -> ApiResult<Self> {
        let pending = match &after {
            Some(after) => change_messages(kind, &before.document, after, rules)?,
            None => Vec::new(),
        };
        let change = Self::new(kind, Some(before), after, pending);
        Ok(Self { is_new_version: false, is_derived: true, ..change })
    }

    /// The change of a document together with another one. It is settled as if it was changed by itself. Returns
    /// `None` if nothing changes.
    fn from_companion(
        companion: CompanionChange,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<Option<Self>> {
        let CompanionChange { kind, mut after, messages, keeps_version, is_touched } = companion;
        let before = rules.stored_document(kind, id_of(&after))?;
        settle(kind, Some(&before.document), &mut after, rules, effects)?;
        if !is_touched && after == *before.document && messages.as_ref().is_none_or(Vec::is_empty) {
            return Ok(None);
        }
        let told = match messages {
            Some(told) => told,
            None => change_messages(kind, &before.document, &after, rules)?,
        };
        let change = Self::updated(kind, before, after, told);
        Ok(Some(if keeps_version { change.keeping_version() } else { change }))
    }

    /// A document that is created together with another one.
    fn from_created(made: CreatedDocument, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<Self> {
        let CreatedDocument { kind, mut document, creation_message } = made;
        settle(kind, None, &mut document, rules, effects)?;
        Self::created(kind, document, rules).with_creation_message(creation_message, rules)
    }

    fn is_of(&self, kind: KindId, id: &str) -> bool {
        let subject = self.after.as_ref().or(self.before.as_ref().map(|before| &*before.document));
        self.kind == kind && subject.is_some_and(|subject| id_of(subject) == id)
    }

    /// Adds the preconditions of the change.
    fn require(&self, rules: &Rules<'_>) {
        let entry = rules.model.kind(self.kind);
        match (&self.before, &self.after) {
            (Some(old), _) if self.is_derived => rules.require_another(old.precondition(&entry.type_id)),
            (Some(old), _) => rules.require(old.precondition(&entry.type_id)),
            (None, _) => {
                if let Some(limit) = entry.limit {
                    rules.require(Precondition::CountAtMost { kind: entry.type_id.clone(), limit });
                }
            }
        }
        if let (Some(before), None, false) = (&self.before, &self.after, self.is_derived) {
            require_unreferenced(self.kind, &before.document, rules);
        }
    }

    /// Returns the Change History record of the change.
    fn recorded(&self, by: Option<&Value>, rules: &Rules<'_>) -> ApiResult<Option<ChangeRecord>> {
        let Some(recording) = rules.behaviours.change_recorder.as_deref() else { return Ok(None) };
        let recorded = RecordedChange {
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

    /// Sets version, times and author in the document. A derived change leaves them as they are.
    fn stamp(&mut self, by: Option<&Value>, rules: &Rules<'_>) {
        let Some(after) = self.after.as_mut().filter(|_| !self.is_derived) else { return };
        let before = self.before.as_ref().map(|before| &*before.document);
        let authored = ChangeMetadata {
            before,
            first_version: self.first_version,
            is_new_version: self.is_new_version,
            by,
        };
        authored.stamp(self.kind, after, rules);
    }
}

/// Returns the messages of a change without actions of its own.
fn change_messages(
    kind: KindId,
    before: &Document,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<Vec<PendingMessage>> {
    let behaviour = rules.behaviours.get(kind);
    let messages = behaviour.map(|behaviour| behaviour.messages_of_change(before, after)).unwrap_or_default();
    messages_by_name(messages, rules.model)
}

/// Requires that no document refers to a deleted one, if the model declares that references prevent the deletion.
fn require_unreferenced(kind: KindId, before: &Document, rules: &Rules<'_>) {
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

/// Checks a document and updates its computed fields ([`crate::Behaviour::settle`]). Runs once for each document that
/// a request changed, after all its changes.
pub(crate) fn settle(
    kind: KindId,
    before: Option<&Document>,
    after: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    match rules.behaviours.get(kind) {
        Some(behaviour) => behaviour.settle(before, after, rules, effects),
        None => Ok(()),
    }
}

/// The result of a change.
pub(crate) struct ChangeResponse {
    /// The requested document.
    pub(crate) body: Bytes,
    /// The additional document of the response.
    pub(crate) additional_document: Option<Bytes>,
}

/// Adds warnings to the document of a response.
pub(crate) fn add_warnings(body: Bytes, warnings: Vec<Value>) -> ApiResult<Bytes> {
    if warnings.is_empty() {
        return Ok(body);
    }
    let mut document = document::read(&body)?;
    document.insert("warnings", Value::Array(warnings));
    document_writes::serialize_value(&Value::Object(document))
}

/// Returns the additional document of a response in its stored form, if the change does not write it.
pub(crate) fn stored_additional_document(
    beside: Option<(KindId, String)>,
    rules: &Rules<'_>,
) -> ApiResult<Option<Bytes>> {
    let Some((kind, id)) = beside else { return Ok(None) };
    let found = rules.stored_document(kind, &id)?;
    document_writes::serialize_value(&Value::Object(Document::clone(&found.document))).map(Some)
}

/// The changes of several documents, which become one commit.
pub(crate) struct ChangeSet {
    changes: Vec<DocumentChange>,
    /// The index of the change whose document is returned.
    outcome: usize,
}

impl ChangeSet {
    /// A single change, whose document is returned.
    pub(crate) fn single(change: DocumentChange) -> Self {
        Self { changes: vec![change], outcome: 0 }
    }

    /// Several changes; the document of the first one is returned.
    pub(crate) fn from_changes(changes: Vec<DocumentChange>) -> Self {
        Self { changes, outcome: 0 }
    }

    /// Adds a change, whose document is returned instead.
    #[must_use]
    pub(crate) fn and_return(mut self, change: DocumentChange) -> Self {
        self.changes.push(change);
        Self { outcome: self.changes.len() - 1, ..self }
    }

    /// Returns the commit of all changes, with all preconditions and effects of the rules, and the returned document
    /// as it will be written. It is empty for a deletion.
    pub(crate) fn prepare(
        self,
        effects: Effects,
        caller: &Caller,
        rules: &Rules<'_>,
    ) -> ApiResult<PreparedCommit<Bytes>> {
        self.prepare_with_additional(effects, caller, rules)?.map_result(|outcome| Ok(outcome.body))
    }

    /// Like [`prepare`](Self::prepare), with the additional document of the response.
    pub(crate) fn prepare_with_additional(
        mut self,
        mut effects: Effects,
        caller: &Caller,
        rules: &Rules<'_>,
    ) -> ApiResult<PreparedCommit<ChangeResponse>> {
        let beside = effects.take_additional();
        loop {
            if let Some(companion) = effects.next_change() {
                self.changes.extend(DocumentChange::from_companion(companion, rules, &mut effects)?);
            } else if let Some(made) = effects.next_created() {
                self.changes.push(DocumentChange::from_created(made, rules, &mut effects)?);
            } else {
                break;
            }
        }
        let by = caller.to_json();
        let kinds = self.changes.iter().map(|change| change.kind).collect();
        let mut written = CommitWrites::default();
        let mut outcome = ChangeResponse { body: Bytes::new(), additional_document: None };
        for (place, change) in self.changes.into_iter().enumerate() {
            let is_beside = beside.as_ref().is_some_and(|(kind, id)| change.is_of(*kind, id));
            let body = written.add(change, by.as_ref(), rules)?;
            if is_beside {
                outcome.additional_document = Some(body.clone());
            }
            if place == self.outcome {
                outcome.body = body;
            }
        }
        if outcome.additional_document.is_none() {
            outcome.additional_document = stored_additional_document(beside, rules)?;
        }
        outcome.body = add_warnings(outcome.body, effects.take_warnings())?;
        Ok(PreparedCommit::new(written.into_commit(effects, rules)?, kinds, outcome))
    }

    /// Returns the commit of derived changes; `None` if there is nothing to write. The changes are taken one after
    /// the other, so that only one document at a time is in memory in its parsed form. `leave` may remove follow-up
    /// work and add further writes.
    pub(crate) fn prepare_derived(
        changes: impl Iterator<Item = ApiResult<DocumentChange>>,
        rules: &Rules<'_>,
        leave: impl FnOnce(&mut Vec<Put>, &mut Effects) -> ApiResult<()>,
    ) -> ApiResult<Option<Commit>> {
        let mut written = CommitWrites::default();
        for change in changes {
            written.add(change?, None, rules)?;
        }
        let mut effects = Effects::default();
        leave(&mut written.work, &mut effects)?;
        let commit = written.into_commit(effects, rules)?;
        Ok(Some(commit).filter(|commit| !commit.writes.is_empty()))
    }
}

/// The writes of a commit.
#[derive(Default)]
struct CommitWrites {
    writes: Vec<Write>,
    /// Follow-up work, each item once.
    work: Vec<Put>,
}

impl CommitWrites {
    /// Returns the commit, with all preconditions and effects of the rules.
    fn into_commit(self, effects: Effects, rules: &Rules<'_>) -> ApiResult<Commit> {
        let Self { mut writes, work } = self;
        writes.extend(work.into_iter().map(Write::Put));
        writes.extend(effect_writes(effects, rules)?);
        let commit = Commit { preconditions: rules.take_requirements(), writes, ..Commit::new() };
        if !writes_each_once(&commit) {
            return Err(ApiError::bug("a request changes a document twice"));
        }
        Ok(commit)
    }

    /// Adds the notifications about a change.
    fn add_notifications(&mut self, happened: &ChangeEvent<'_>, rules: &Rules<'_>) -> ApiResult<()> {
        let Some(tells) = rules.behaviours.event_policy() else { return Ok(()) };
        let subject = happened.after.or(happened.before);
        let about = subject.map(id_of).unwrap_or_default();
        let told = tells.of_change(happened, rules)?.into_iter();
        self.writes
            .extend(told.map(|told| Write::Append(notification_queue::queue_line(told, about, rules))));
        Ok(())
    }

    /// Adds a change. Returns the document as it will be written.
    fn add(&mut self, mut change: DocumentChange, by: Option<&Value>, rules: &Rules<'_>) -> ApiResult<Bytes> {
        change.require(rules);
        change.stamp(by, rules);
        let record = change.recorded(by, rules)?;
        let DocumentChange { kind, before, after, pending, erases, .. } = change;
        let sequence = before.as_ref().map_or(0, |before| before.sequence);
        let id = before.as_ref().map(|before| &before.id);
        let before = before.as_ref().map(|before| &*before.document);
        let version = before.map(version_of);
        let subject = after.as_ref().or(before);
        let Some(subject) = subject else {
            return Err(ApiError::bug("a change of no document"));
        };
        let told = pending_messages::count_of_document(&pending);
        // Most changes have no Messages; then the Subscriptions need not be checked.
        let is_heard =
            || project::keeps_messages(rules.project) || rules.behaviours.has_notifications_for(kind, rules);
        let messages = match !pending.is_empty() && is_heard() {
            true => document_writes::create_messages(kind, pending, subject, sequence, by, erases, rules)?,
            false => Vec::new(),
        };
        let happened = ChangeEvent { kind, before, after: after.as_ref(), messages: &messages, erases };
        self.add_notifications(&happened, rules)?;
        let messages = document_writes::message_writes(messages, subject, rules)?;
        for item in derivation_queue::work_items_of(kind, before, after.as_ref(), rules) {
            if self.work.iter().all(|other| (&other.kind, &other.id) != (&item.kind, &item.id)) {
                self.work.push(item);
            }
        }
        let (write, body) = match after {
            Some(after) => {
                let mut put = document_writes::document_put(kind, after, sequence + told, rules)?;
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
                let id = id.cloned().ok_or_else(|| ApiError::bug("a document to delete does not exist"))?;
                (Write::Delete { kind: rules.model.kind(kind).type_id.clone(), id, record }, Bytes::new())
            }
        };
        self.writes.push(write);
        self.writes.extend(messages.into_iter().map(Write::Put));
        Ok(body)
    }
}

/// Whether each document is written only once, which the storage requires.
fn writes_each_once(commit: &Commit) -> bool {
    let mut seen = std::collections::HashSet::new();
    commit.writes.iter().all(|write| match write {
        Write::Put(Put { kind, id, .. }) | Write::Delete { kind, id, .. } => seen.insert((kind, id)),
        _ => true,
    })
}
