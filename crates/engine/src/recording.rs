//! What is kept of changes, for who asks later what happened: written in the commit of each change.

use crate::behaviour::Behaviours;
use crate::choices::Choices;
use crate::document::Document;
use crate::pending::Pending;
use jiff::Timestamp;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::{KindId, Model};
use kontor_storage::Record;

/// A change that is about to be written.
pub struct Recorded<'a> {
    /// The kind of the document.
    pub kind: KindId,
    /// As it was; `None`: it is new.
    pub before: Option<&'a Document>,
    /// As it is to be, with its version and times; `None`: it goes.
    pub after: Option<&'a Document>,
    /// The names of the update actions that were asked for; none where something else changed it.
    pub actions: &'a [String],
    /// Who made the change, as `lastModifiedBy` tells it; `None`: nobody is known.
    pub by: Option<&'a Value>,
    /// It follows from the change of another document: nobody asked for it.
    pub is_derived: bool,
    /// What is personal goes with the document.
    pub erases: bool,
    /// The shop's time.
    pub now: Timestamp,
    /// The same, as documents have it.
    pub time: &'a str,
    /// What the operator chose.
    pub choices: &'a Choices,
    pub(crate) pending: &'a [Pending],
    pub(crate) model: &'a Model,
}

impl<'a> Recorded<'a> {
    /// The Messages that tell of the change: their names, and the fields that they have of their own.
    pub fn told(&self) -> impl Iterator<Item = (&'a str, &'a Document)> {
        let model = self.model;
        self.pending.iter().map(|pending| (model.message(pending.message).name.as_str(), &pending.fields))
    }
}

/// Who keeps what happened.
pub trait Recording: Send + Sync {
    /// What is written with a change; nothing where nobody will ask for it.
    fn record(&self, change: &Recorded<'_>) -> ApiResult<Option<Record>>;

    /// The names of what an operator can choose here.
    fn choices(&self) -> &'static [&'static str] {
        &[]
    }
}

impl Behaviours {
    /// The same, with somebody who keeps what happened.
    #[must_use]
    pub fn recorded_by(mut self, recording: Box<dyn Recording>) -> Self {
        self.recording = Some(recording);
        self
    }
}
