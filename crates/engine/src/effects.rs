//! Changes that rules make apart from their own document. Rules only collect them here; the engine writes
//! them, in the commit of the change. Start at [`Effects`].

use crate::document::{self, Document, id_of};
use crate::endpoint_context::CreatedDocument;
use crate::pending_messages::PendingMessage;
use crate::rules::Rules;
use crate::staged_result::StagedResult;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::Put;
use std::collections::VecDeque;

/// The collected effects of the rules of one request.
///
/// Hidden documents have no versions and no messages, clients cannot change them, and most of their kinds are
/// not served. They are written with the change of the document that they belong to.
#[derive(Default, Clone)]
pub struct Effects {
    changes: VecDeque<CompanionChange>,
    created: VecDeque<CreatedDocument>,
    hidden: Vec<HiddenWrite>,
    settings: Vec<(String, Option<String>)>,
    counter_increments: Vec<CounterIncrement>,
    is_marked_changed: bool,
    additional_document: Option<(KindId, String)>,
    warnings: Vec<kontor_json::Value>,
    is_deferred: bool,
}

/// An increment of a document's counter.
#[derive(Clone)]
pub(crate) struct CounterIncrement {
    /// The full name of the counter.
    pub(crate) counter: String,
    /// The maximum value.
    pub(crate) at_most: Option<i64>,
}

/// Another document that changes together with the main one.
#[derive(Clone)]
pub(crate) struct CompanionChange {
    pub(crate) kind: KindId,
    pub(crate) after: Document,
    /// The messages of its change; `None`: the default of its kind.
    pub(crate) messages: Option<Vec<PendingMessage>>,
    /// Whether its version stays as it is.
    pub(crate) keeps_version: bool,
    /// Whether it gets a new version even if none of its fields changes.
    pub(crate) is_touched: bool,
}

impl CompanionChange {
    fn new(kind: KindId, after: Document) -> Self {
        Self { kind, after, messages: None, keeps_version: false, is_touched: false }
    }

    fn is_of(&self, kind: KindId, id: &str) -> bool {
        self.kind == kind && id_of(&self.after) == id
    }
}

/// A write of a hidden document.
#[derive(Clone)]
pub(crate) enum HiddenWrite {
    Put(Put),
    /// Of a kind that the model describes, with its `typeId`.
    Document(KindId, String, Document),
    Delete {
        kind: String,
        id: String,
    },
}

impl HiddenWrite {
    /// The kind and the id of the document.
    pub(crate) fn kind_and_id(&self) -> (&str, &str) {
        match self {
            Self::Put(Put { kind, id, .. }) | Self::Delete { kind, id } => (kind, id),
            Self::Document(_, kind, document) => (kind, id_of(document)),
        }
    }
}

impl Effects {
    /// Changes another document together with this one. It gets a new version, is settled, and has messages as
    /// if it was changed by itself ([`Behaviour::messages_of_change`](crate::Behaviour::messages_of_change)).
    /// The commit requires that it still is as the rules read it. A request changes a document once.
    pub fn change(&mut self, kind: KindId, after: Document) {
        self.changes.push_back(CompanionChange::new(kind, after));
    }

    /// Like [`change`](Self::change), for a document that stored staged actions have changed. It gets a new
    /// version even if only messages result.
    pub fn change_staged(&mut self, kind: KindId, staged: StagedResult) {
        let StagedResult { document, pending } = staged;
        self.changes
            .push_back(CompanionChange { messages: Some(pending), ..CompanionChange::new(kind, document) });
    }

    /// Gives another document a new version, whether or not one of its fields changes.
    pub fn touch(&mut self, kind: KindId, document: Document) {
        self.changes.push_back(CompanionChange { is_touched: true, ..CompanionChange::new(kind, document) });
    }

    /// Takes out the document that stored staged actions have changed, if external calls are needed for its
    /// kind.
    pub(crate) fn take_staged(&mut self, is_asked_about: impl Fn(KindId) -> bool) -> Option<CompanionChange> {
        let is_asked = |other: &CompanionChange| other.messages.is_some() && is_asked_about(other.kind);
        self.changes.iter().position(is_asked).and_then(|place| self.changes.remove(place))
    }

    /// Puts that document back.
    pub(crate) fn put_staged(&mut self, staged: CompanionChange) {
        self.changes.push_back(staged);
    }

    /// Like `change`, for a document that several parts of a request change, each based on
    /// [`changed_document`](Self::changed_document): it is one change, and the last state counts.
    pub fn change_further(&mut self, kind: KindId, after: Document) {
        self.change_again(kind, after, false);
    }

    /// Like [`change_further`](Self::change_further), but keeps the version, unless another part of the
    /// request raises it: clients may continue with the version that they have seen.
    pub fn change_within_version(&mut self, kind: KindId, after: Document) {
        self.change_again(kind, after, true);
    }

    fn change_again(&mut self, kind: KindId, after: Document, keeps_version: bool) {
        match self.changes.iter_mut().find(|other| other.is_of(kind, id_of(&after))) {
            Some(other) => {
                other.after = after;
                other.keeps_version &= keeps_version;
            }
            None => {
                self.changes.push_back(CompanionChange { keeps_version, ..CompanionChange::new(kind, after) })
            }
        }
    }

    /// Returns another document as this request has changed it so far; `None` if it has not.
    pub fn changed_document(&self, kind: KindId, id: &str) -> Option<&Document> {
        self.changes.iter().find(|other| other.is_of(kind, id)).map(|other| &other.after)
    }

    /// Adds a warning to the list `warnings` of the response. It is not stored.
    pub fn warn(&mut self, warning: kontor_json::Value) {
        self.warnings.push(warning);
    }

    /// Takes the warnings for the response.
    pub(crate) fn take_warnings(&mut self) -> Vec<kontor_json::Value> {
        std::mem::take(&mut self.warnings)
    }

    /// Creates another document together with this one. It has an id ([`Rules::new_id`]), and is settled when
    /// it is written. `creation_message` replaces the creation message of the kind.
    pub fn create(&mut self, kind: KindId, document: Document, creation_message: Option<&'static str>) {
        self.created.push_back(CreatedDocument { kind, document, creation_message });
    }

    /// Adds other effects, e.g. those of rules that were first only tried.
    pub fn merge(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.created.extend(other.created);
        other.hidden.into_iter().for_each(|write| self.write(write));
        self.settings.extend(other.settings);
        self.counter_increments.extend(other.counter_increments);
        self.is_marked_changed |= other.is_marked_changed;
        self.additional_document = other.additional_document.or(self.additional_document.take());
        self.warnings.extend(other.warnings);
        self.is_deferred |= other.is_deferred;
    }

    /// Writes a hidden document.
    pub fn put_hidden(&mut self, put: Put) {
        self.write(HiddenWrite::Put(put));
    }

    /// Writes a hidden document of a kind that the model describes: with the keys and the index rows of the kind.
    pub fn put_hidden_document(&mut self, kind: KindId, document: Document, rules: &Rules<'_>) {
        let type_id = rules.model.kind(kind).type_id.clone();
        self.write(HiddenWrite::Document(kind, type_id, document));
    }

    /// Deletes a hidden document, which must still exist at the commit.
    pub fn delete_hidden(&mut self, kind: &str, id: &str) {
        self.write(HiddenWrite::Delete { kind: kind.to_owned(), id: id.to_owned() });
    }

    /// Deletes a hidden document; does nothing if it does not exist, or was only written by this request. Fails if the
    /// storage fails.
    pub fn forget_hidden(&mut self, kind: &str, id: &str, rules: &Rules<'_>) -> ApiResult<()> {
        self.hidden.retain(|other| other.kind_and_id() != (kind, id));
        if rules.peek_hidden(kind, id)?.is_some() {
            self.delete_hidden(kind, id);
        }
        Ok(())
    }

    /// Returns a hidden document of a kind of the model, as it will be after the effects of this request so
    /// far. Fails if the storage fails.
    pub fn hidden_as_written(&self, kind: &str, id: &str, rules: &Rules<'_>) -> ApiResult<Option<Document>> {
        match self.hidden.iter().find(|write| write.kind_and_id() == (kind, id)) {
            Some(HiddenWrite::Document(_, _, document)) => Ok(Some(document.clone())),
            Some(HiddenWrite::Delete { .. }) => Ok(None),
            Some(HiddenWrite::Put(put)) => document::read(&put.body).map(Some),
            None => Ok(rules.peek_hidden(kind, id)?.map(|found| (*found.document).clone())),
        }
    }

    /// Stores a setting outside of all documents, written with the change, for values that no response may
    /// contain, e.g. the secret part of a setting. `None` removes it.
    pub fn store_setting(&mut self, name: &str, value: Option<String>) {
        self.settings.push((name.to_owned(), value));
    }

    /// Increments a counter of a document: see [`Rules::counter_value`]. Concurrent requests may count too; if the
    /// counter would exceed `at_most`, nothing of the request is written, and its rules run again.
    pub fn count(&mut self, type_id: &str, id: &str, name: &str, at_most: Option<i64>) {
        self.counter_increments.push(CounterIncrement { counter: counter_name(type_id, id, name), at_most });
    }

    /// Marks the request as a change even if a later action reverts it: the document gets a new version and
    /// its messages.
    pub fn mark_changed(&mut self) {
        self.is_marked_changed = true;
    }

    /// Marks the request as accepted only: a part of its effects follows in the background.
    pub(crate) fn mark_deferred(&mut self) {
        self.is_deferred = true;
    }

    /// Returns whether the request has begun a background task.
    pub fn is_deferred(&self) -> bool {
        self.is_deferred
    }

    /// Adds the document of a kind with an id to the response, in its state after the change. The model
    /// declares where that is possible (`createdBeside`).
    pub fn return_additional(&mut self, kind: KindId, id: &str) {
        self.additional_document = Some((kind, id.to_owned()));
    }

    /// Takes the additional document of the response.
    pub(crate) fn take_additional(&mut self) -> Option<(KindId, String)> {
        self.additional_document.take()
    }

    /// Returns the settings outside of all documents.
    pub(crate) fn settings(&self) -> &[(String, Option<String>)] {
        &self.settings
    }

    /// True if there are no effects.
    pub(crate) fn is_empty(&self) -> bool {
        let writes = self.changes.len() + self.created.len() + self.hidden.len() + self.settings.len();
        !self.is_marked_changed && writes + self.counter_increments.len() == 0
    }

    /// Takes the next document that changes too.
    pub(crate) fn next_change(&mut self) -> Option<CompanionChange> {
        self.changes.pop_front()
    }

    /// Takes the next document that is created too.
    pub(crate) fn next_created(&mut self) -> Option<CreatedDocument> {
        self.created.pop_front()
    }

    /// Takes the counters.
    pub(crate) fn take_counter_increments(&mut self) -> Vec<CounterIncrement> {
        std::mem::take(&mut self.counter_increments)
    }

    /// Returns the settings outside of all documents, and the hidden documents.
    pub(crate) fn into_parts(self) -> (Vec<(String, Option<String>)>, Vec<HiddenWrite>) {
        (self.settings, self.hidden)
    }

    /// Adds the write of a hidden document in place of an earlier one: a commit writes each document once.
    fn write(&mut self, write: HiddenWrite) {
        self.hidden.retain(|other| other.kind_and_id() != write.kind_and_id());
        self.hidden.push(write);
    }
}

/// Returns the full name of a document's counter.
pub(crate) fn counter_name(type_id: &str, id: &str, name: &str) -> String {
    format!("{type_id} {id} {name}")
}
