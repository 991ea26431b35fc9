//! The rules that say who is asked before a change is written.

use crate::asked::Question;
use crate::behaviour::Behaviours;
use crate::document::Document;
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;

/// A change that others may have a say in.
pub struct Proposed<'a> {
    /// The kind of the document.
    pub kind: KindId,
    /// As it is stored; `None`: it is new.
    pub before: Option<&'a Document>,
    /// As it is to be, with its version, the time, and who makes the change.
    pub after: &'a Document,
    /// What is kept apart with the change: names and values.
    pub kept_apart: &'a [(String, Option<String>)],
}

/// Who is asked about changes, by rules.
pub trait Asks: Send + Sync {
    /// Whether anybody may be asked about changes of a kind. This is asked for each change.
    fn concerns(&self, kind: KindId, rules: &Rules<'_>) -> bool;

    /// How many rounds of questions there are. What a round answers is done before the next one is asked.
    fn rounds(&self) -> usize;

    /// The questions of a round.
    fn questions(&self, proposed: &Proposed<'_>, round: usize, rules: &Rules<'_>)
    -> ApiResult<Vec<Question>>;

    /// The error that it is when the update actions that came back cannot be done.
    fn refused(&self, asked: &Document, why: ApiError) -> ApiError;
}

impl Behaviours {
    /// The same, with rules that say who is asked before a change is written.
    #[must_use]
    pub fn asking(mut self, asks: Box<dyn Asks>) -> Self {
        self.asks = Some(asks);
        self
    }

    /// The rules that say who is asked before a change is written.
    pub(crate) fn asks(&self) -> Option<&dyn Asks> {
        self.asks.as_deref()
    }

    /// The same, where somebody may be asked about changes of a kind.
    pub(crate) fn asks_about(&self, kind: KindId, rules: &Rules<'_>) -> Option<&dyn Asks> {
        self.asks().filter(|asks| asks.concerns(kind, rules))
    }
}
