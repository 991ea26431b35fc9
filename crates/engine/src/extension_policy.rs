//! The trait of the rules that select external calls for a change.

use crate::behaviour::Behaviours;
use crate::document::Document;
use crate::extension_client::ExtensionCall;
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::KindId;

/// A change for which external calls may be needed.
pub struct ProposedChange<'a> {
    /// The kind of the document.
    pub kind: KindId,
    /// The stored document; `None` for a creation.
    pub before: Option<&'a Document>,
    /// The document as it will be written, with its version, times and author.
    pub after: &'a Document,
    /// Settings that are stored with the change: names and values.
    pub kept_apart: &'a [(String, Option<String>)],
}

/// Selects the external calls for changes.
pub trait ExtensionPolicy: Send + Sync {
    /// Returns whether changes of a kind may need a call. Runs for each change, so it must be cheap.
    fn is_relevant_kind(&self, kind: KindId, rules: &Rules<'_>) -> bool;

    /// Returns the number of rounds of calls. The actions of one round are applied before the next one is
    /// sent.
    fn rounds(&self) -> usize;

    /// Returns the calls of a round, from 0.
    fn calls(
        &self,
        proposed: &ProposedChange<'_>,
        round: usize,
        rules: &Rules<'_>,
    ) -> ApiResult<Vec<ExtensionCall>>;

    /// Returns the error for the client if the update actions of a response cannot be applied.
    fn refusal_error(&self, request: &Document, why: ApiError) -> ApiError;
}

impl Behaviours {
    /// Returns the behaviours with rules that select external calls.
    #[must_use]
    pub fn with_extension_policy(mut self, asks: Box<dyn ExtensionPolicy>) -> Self {
        self.extension_policy = Some(asks);
        self
    }

    /// Returns the rules that select external calls.
    pub(crate) fn extension_policy(&self) -> Option<&dyn ExtensionPolicy> {
        self.extension_policy.as_deref()
    }

    /// Returns these rules if changes of a kind may need a call.
    pub(crate) fn extension_policy_for(
        &self,
        kind: KindId,
        rules: &Rules<'_>,
    ) -> Option<&dyn ExtensionPolicy> {
        self.extension_policy().filter(|asks| asks.is_relevant_kind(kind, rules))
    }
}
