//! The rules that say who is told of a change that is written, and what.

use crate::behaviour::Behaviours;
use crate::document::Document;
use crate::rules::Rules;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_model::KindId;

/// A change of one document, as it is about to be written.
pub struct Happened<'a> {
    /// The kind of the document.
    pub kind: KindId,
    /// As it is stored; `None`: it is new.
    pub before: Option<&'a Document>,
    /// As it is written; `None`: it goes.
    pub after: Option<&'a Document>,
    /// The Messages of the change, whether or not the project keeps them.
    pub messages: &'a [Document],
    /// What is personal goes with the document: `dataErasure`.
    pub erases: bool,
}

/// What somebody is told: the id of the document that says who, and the bodies of the notifications in their sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct ToTell {
    /// Who.
    pub to: String,
    /// What: at least one notification, as JSON. Several may be told the same.
    pub bodies: Vec<Bytes>,
}

/// Who is told of what, by rules.
pub trait Tells: Send + Sync {
    /// Whether anybody is told of changes of a kind. This is asked for each change that has Messages.
    fn concerns(&self, kind: KindId, rules: &Rules<'_>) -> bool;

    /// Who is told of a change, and what.
    fn of_change(&self, happened: &Happened<'_>, rules: &Rules<'_>) -> ApiResult<Vec<ToTell>>;

    /// Who is told of a document without a life of its own, which comes (`is_new`) or goes with the change of another one, and what.
    fn of_hidden(&self, kind: &str, id: &str, is_new: bool, rules: &Rules<'_>) -> ApiResult<Vec<ToTell>>;

    /// Who is told of an event of another application, and what.
    fn of_event(&self, event: &Document, rules: &Rules<'_>) -> ApiResult<Vec<ToTell>>;
}

impl Behaviours {
    /// The same, with rules that say who is told of changes.
    #[must_use]
    pub fn telling(mut self, tells: Box<dyn Tells>) -> Self {
        self.tells = Some(tells);
        self
    }

    /// The rules that say who is told of changes.
    pub(crate) fn tells(&self) -> Option<&dyn Tells> {
        self.tells.as_deref()
    }

    /// Whether somebody is told of changes of a kind.
    pub(crate) fn tells_about(&self, kind: KindId, rules: &Rules<'_>) -> bool {
        self.tells().is_some_and(|tells| tells.concerns(kind, rules))
    }
}
