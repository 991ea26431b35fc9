//! What an update action works on, with a verb of the model or in Rust, and what nobody asks for but the time.

use crate::caller::Caller;
use crate::document::Document;
use crate::effects::Effects;
use crate::pending::{Pending, named};
use crate::rules::Rules;
use kontor_errors::ApiResult;
use kontor_model::Action;

/// An update action in Rust. The arguments are checked against the model, their identifiers are looked up.
pub type ActionHandler = fn(&mut Acting<'_, '_>, &Document) -> ApiResult<()>;

/// What an action in Rust works on.
pub struct Acting<'a, 'r> {
    /// The document as it is now; earlier actions of the request have changed it.
    pub document: &'a mut Document,
    /// What the rules may know.
    pub rules: &'a Rules<'r>,
    /// What the action does beyond the document.
    pub effects: &'a mut Effects,
    /// The action as the model describes it.
    pub action: &'a Action,
    /// Place of the action in the body, for errors.
    pub place: &'a str,
    /// Who asks.
    pub caller: &'a Caller,
    pub(crate) messages: &'a mut Vec<Pending>,
}

impl Acting<'_, '_> {
    /// Writes one of the messages that the model names for this action.
    pub fn emit(&mut self, name: &str, fields: Document) -> ApiResult<()> {
        self.messages.push(named(&self.action.emits, name, fields, self.rules.model)?);
        Ok(())
    }
}

/// What becomes of the documents of a kind when a time comes.
#[derive(Clone, Copy)]
pub struct Due {
    /// The next time at which something becomes of a document, as documents have times; `None`: it waits for none.
    pub at: fn(&Document) -> Option<String>,
    /// What becomes of it then. The document is settled afterwards, as after update actions. What fails is tried again a second
    /// later.
    pub act: fn(&mut Document, &Rules<'_>, &mut Effects) -> ApiResult<Became>,
}

/// What a document has become when its time came.
pub struct Became {
    /// False where only fields have changed that follow from the time: who has seen the document may go on with its
    /// version.
    pub is_new_version: bool,
    /// What is told: names of Messages with their fields.
    pub messages: Vec<(&'static str, Document)>,
}

/// What a verb sees: the arguments, and the object that it works in.
pub(crate) struct Doing<'a, 'r> {
    pub(crate) action: &'a Action,
    pub(crate) arguments: &'a Document,
    pub(crate) rules: &'a Rules<'r>,
    /// Place of the action in the body, for errors.
    pub(crate) place: &'a str,
    /// The document as it is now, where no action before this one may have changed it.
    pub(crate) unchanged: Option<&'a Document>,
}
