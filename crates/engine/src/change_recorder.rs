//! The trait of Change History: a record of each change, written in its commit.

use crate::choices::{Choice, Choices};
use crate::document::Document;
use crate::pending_messages::PendingMessage;
use jiff::Timestamp;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::{KindId, Model};
use kontor_storage::ChangeRecord;

/// A change that is about to be written.
pub struct RecordedChange<'a> {
    /// The kind of the document.
    pub kind: KindId,
    /// The stored document; `None` for a creation.
    pub before: Option<&'a Document>,
    /// The document as it will be written, with its version and times; `None` for a deletion.
    pub after: Option<&'a Document>,
    /// The names of the requested update actions; empty if something else changed the document.
    pub actions: &'a [String],
    /// The author of the change, as in `lastModifiedBy`; `None` if unknown.
    pub by: Option<&'a Value>,
    /// The change follows from the change of another document, without a request of its own.
    pub is_derived: bool,
    /// Personal data is erased with the document.
    pub erases: bool,
    /// The current time of the shop.
    pub now: Timestamp,
    /// The same time, in the format of documents.
    pub time: &'a str,
    /// The operator's choices.
    pub choices: &'a Choices,
    pub(crate) pending: &'a [PendingMessage],
    pub(crate) model: &'a Model,
}

impl<'a> RecordedChange<'a> {
    /// The Messages of the change: their names, and their own fields.
    pub fn messages(&self) -> impl Iterator<Item = (&'a str, &'a Document)> {
        let model = self.model;
        self.pending.iter().map(|pending| (model.message(pending.message).name.as_str(), &pending.fields))
    }
}

/// Creates records of changes.
pub trait ChangeRecorder: Send + Sync {
    /// Returns the record of a change, or `None` if it is not recorded.
    fn record(&self, change: &RecordedChange<'_>) -> ApiResult<Option<ChangeRecord>>;

    /// Returns what the operator can choose about records.
    fn choices(&self) -> &'static [Choice] {
        &[]
    }
}
