//! Staged actions: sets of update actions that documents store, to apply them later.

use crate::action::Action;
use crate::id::{KindId, UnionId};

/// A set of update actions that documents store, to apply them to a document of another kind later.
#[derive(Debug, Clone)]
pub struct StagedActionSet {
    /// The name in the model: that of the changed document.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The kind of the documents that the actions change.
    pub of: KindId,
    /// The kind from which further actions are taken.
    pub also: Option<KindId>,
    /// The stored form of the actions, distinguished by the field `action`.
    pub union: UnionId,
    /// All actions: those of the kind, those taken from the other kind, and its own.
    pub actions: Vec<Action>,
    /// The names of the actions taken from the other kind.
    pub taken: Vec<String>,
}

impl StagedActionSet {
    /// Returns the action with a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// Returns the kind that an action comes from, for an action that is not only in this set.
    pub fn origin(&self, name: &str) -> KindId {
        match self.also {
            Some(also) if self.taken.iter().any(|taken| taken == name) => also,
            _ => self.of,
        }
    }
}
