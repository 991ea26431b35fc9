//! The contexts in which update actions run (as a verb of the model or in Rust), and in which due documents
//! change.

use crate::caller::Caller;
use crate::document::Document;
use crate::effects::Effects;
use crate::pending_messages::{PendingMessage, message_of_action};
use crate::rules::Rules;
use kontor_errors::ApiResult;
use kontor_model::{Action, Location};

/// An update action in Rust. The arguments are checked against the model, their identifiers are looked up.
pub type ActionHandler = fn(&mut ActionContext<'_, '_>, &Document) -> ApiResult<()>;

/// The context of an update action in Rust.
pub struct ActionContext<'a, 'r> {
    /// The document as it is now; earlier actions of the request have changed it.
    pub document: &'a mut Document,
    /// The rules' access to the model, the project and other documents.
    pub rules: &'a Rules<'r>,
    /// Changes apart from the document itself.
    pub effects: &'a mut Effects,
    /// The action as the model describes it.
    pub action: &'a Action,
    /// Place of the action in the body, for errors.
    pub place: &'a str,
    /// The caller of the request.
    pub caller: &'a Caller,
    pub(crate) messages: &'a mut Vec<PendingMessage>,
}

impl ActionContext<'_, '_> {
    /// Adds a Message to the change. Fails with an internal error if the model does not name the Message for this
    /// action.
    pub fn emit(&mut self, name: &str, fields: Document) -> ApiResult<()> {
        self.messages.push(message_of_action(&self.action.emits, name, fields, self.rules.model)?);
        Ok(())
    }
}

/// The rule by which documents of a kind change at a certain time, without a request.
#[derive(Clone, Copy)]
pub struct DueRule {
    /// Returns the next time at which a document changes by itself, in the format of documents; `None` if it
    /// waits for no time.
    pub at: fn(&Document) -> Option<String>,
    /// Changes a due document. The document is settled afterwards, as after update actions. A failed change
    /// is retried after a second.
    pub act: fn(&mut Document, &Rules<'_>, &mut Effects) -> ApiResult<DueOutcome>,
}

/// The result of a due change.
pub struct DueOutcome {
    /// False if only fields changed that follow from the time: a client that has seen the document may still
    /// use its version.
    pub is_new_version: bool,
    /// The names of the Messages with their fields.
    pub messages: Vec<(&'static str, Document)>,
}

/// One step of a background task: changes some documents, and updates the state of the task.
pub type TaskStep = fn(&mut Document, &Rules<'_>, &mut Effects) -> ApiResult<TaskProgress>;

/// The result of a step of a background task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskProgress {
    /// The task needs further steps.
    Unfinished,
    /// The task is done; its state is deleted.
    Finished,
}

/// Completes and checks a value of an object with `@complete`; the location is its place in the body.
pub type ValueCompletion = fn(&mut Document, &Location<'_>, &Rules<'_>) -> ApiResult<()>;

/// The context of a verb: the arguments, and the object that it changes.
pub(crate) struct VerbContext<'a, 'r> {
    pub(crate) action: &'a Action,
    pub(crate) arguments: &'a Document,
    pub(crate) rules: &'a Rules<'r>,
    /// Place of the action in the body, for errors.
    pub(crate) place: &'a str,
    /// The document as it is now, where no action before this one may have changed it.
    pub(crate) unchanged: Option<&'a Document>,
}
