//! The trait of the rules that select notifications for a written change.

use crate::behaviour::Behaviours;
use crate::document::Document;
use crate::rules::Rules;
use bytes::Bytes;
use kontor_errors::ApiResult;
use kontor_model::KindId;

/// A change of one document that is about to be written.
pub struct ChangeEvent<'a> {
    /// The kind of the document.
    pub kind: KindId,
    /// The stored document; `None` for a creation.
    pub before: Option<&'a Document>,
    /// The document as it will be written; `None` for a deletion.
    pub after: Option<&'a Document>,
    /// The Messages of the change, even if the project does not store them.
    pub messages: &'a [Document],
    /// Whether personal data is erased with the document: `dataErasure`.
    pub erases: bool,
}

/// A notification: the id of its Subscription, and the bodies in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct NewNotification {
    /// The id of the Subscription.
    pub to: String,
    /// At least one body, as JSON. Several Subscriptions may share one.
    pub bodies: Vec<Bytes>,
}

/// Selects the notifications for changes.
pub trait EventPolicy: Send + Sync {
    /// Returns whether changes of a kind may need notifications. Runs for each change with Messages, so it
    /// must be cheap.
    fn is_relevant_kind(&self, kind: KindId, rules: &Rules<'_>) -> bool;

    /// Returns the notifications of a change.
    fn of_change(&self, happened: &ChangeEvent<'_>, rules: &Rules<'_>) -> ApiResult<Vec<NewNotification>>;

    /// Returns the notifications of a hidden document that is created (`is_new`) or deleted with the change
    /// of another one.
    fn of_hidden(
        &self,
        kind: &str,
        id: &str,
        is_new: bool,
        rules: &Rules<'_>,
    ) -> ApiResult<Vec<NewNotification>>;

    /// Returns the notifications of an event of another application.
    fn of_event(&self, event: &Document, rules: &Rules<'_>) -> ApiResult<Vec<NewNotification>>;
}

impl Behaviours {
    /// Returns the behaviours with rules that select notifications.
    #[must_use]
    pub fn with_event_policy(mut self, tells: Box<dyn EventPolicy>) -> Self {
        self.event_policy = Some(tells);
        self
    }

    /// Returns the rules that select notifications.
    pub(crate) fn event_policy(&self) -> Option<&dyn EventPolicy> {
        self.event_policy.as_deref()
    }

    /// Returns whether changes of a kind may need notifications.
    pub(crate) fn has_notifications_for(&self, kind: KindId, rules: &Rules<'_>) -> bool {
        self.event_policy().is_some_and(|tells| tells.is_relevant_kind(kind, rules))
    }
}
