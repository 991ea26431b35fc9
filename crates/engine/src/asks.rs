//! The trait of the rules that select external calls for a change.

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
    /// The stored document; `None` for a creation.
    pub before: Option<&'a Document>,
    /// As it is to be, with its version, the time, and who makes the change.
    pub after: &'a Document,
    /// Settings that are stored with the change: names and values.
    pub kept_apart: &'a [(String, Option<String>)],
}

/// Selects the external calls for changes.
pub trait Asks: Send + Sync {
    /// Returns whether changes of a kind may need a call. Runs for each change, so it must be cheap.
    fn concerns(&self, kind: KindId, rules: &Rules<'_>) -> bool;

    /// Returns the number of rounds of calls. The actions of one round are applied before the next one is
    /// sent.
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

    /// Returns these rules if changes of a kind may need a call.
    pub(crate) fn asks_about(&self, kind: KindId, rules: &Rules<'_>) -> Option<&dyn Asks> {
        self.asks().filter(|asks| asks.concerns(kind, rules))
    }
}
