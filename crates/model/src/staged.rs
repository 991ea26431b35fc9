//! Sets of update actions that are kept to be done later.

use crate::action::Action;
use crate::id::{KindId, UnionId};

/// Update actions that documents keep, to be done to a document of another kind later.
#[derive(Debug, Clone)]
pub struct Staged {
    /// Name in the model: of the document as it will be.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The kind of the documents that the actions are done to.
    pub of: KindId,
    /// The kind that further actions are taken from.
    pub also: Option<KindId>,
    /// The actions as they are kept, told apart by the field `action`.
    pub union: UnionId,
    /// All actions: those of the kind, those that are taken from the other one, and its own.
    pub actions: Vec<Action>,
    /// The names of those that are taken from the other kind.
    pub taken: Vec<String>,
}

impl Staged {
    /// The action of a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// The kind that an action comes from which is not of this set alone.
    pub fn origin(&self, name: &str) -> KindId {
        match self.also {
            Some(also) if self.taken.iter().any(|taken| taken == name) => also,
            _ => self.of,
        }
    }
}
