//! The owners of documents of a kind: Stores, customers and visitors, Associates of Business Units.

use crate::action::Action;
use crate::id::{KindId, ObjectId};
use crate::permissions::{Operation, Permissions};

/// Declares that documents of a kind are served below `/in-store/key={storeKey}`, by the scopes of the kind or of
/// that Store.
#[derive(Debug, Clone, Default)]
pub struct StoreAccess {
    /// The path to the key of the Store of a document, or of several: steps from the document's root, through lists
    /// too, ending in `key`. Empty: the behaviour of the kind decides which documents a Store has.
    pub at: Vec<String>,
    /// The path to the keys of further Stores of a document.
    pub also: Vec<String>,
    /// The allowed operations.
    pub operations: Vec<Operation>,
    /// Whether documents without a Store belong to each Store.
    pub global: bool,
    /// A reference through which each document can also be addressed: there is at most one per Store, and the unique
    /// key of this name contains the key of the Store and the id of the target.
    pub through: Option<String>,
}

impl StoreAccess {
    /// True if the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// Declares that customers (and visitors without an account) have their own documents of a kind below `/me`.
#[derive(Debug, Clone, Default)]
pub struct MeAccess {
    /// The name in the model, e.g. `MyPayment`.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The path below `/me`. Empty: `/me` is the only document, that of the customer.
    pub path: String,
    /// The path of the creation, if documents have no path of their own, e.g. `signup`.
    pub create: Option<String>,
    /// The paths to the id of the customer: steps from the document's root, through lists too. A created
    /// document gets the customer at the first one.
    pub customer: Vec<Vec<String>>,
    /// The path to the id of an anonymous session. Empty: visitors without an account have no documents.
    pub session: Vec<String>,
    /// Any one of these scopes allows everything.
    pub scopes: Vec<String>,
    /// The allowed operations.
    pub operations: Vec<Operation>,
    /// Whether it is also served below `/in-store/key={storeKey}/me`.
    pub in_store: bool,
    /// Whether a document can also be addressed by its key.
    pub by_key: bool,
    /// Kinds to which no reference is expanded; requests to expand them are refused.
    pub unexpanded: Vec<KindId>,
    /// The visible part of a document; `None`: all of it.
    pub object: Option<ObjectId>,
    /// The draft of a creation.
    pub draft: Option<ObjectId>,
    /// Update actions in the order of the model.
    pub actions: Vec<Action>,
}

impl MeAccess {
    /// Returns the update action with a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// True if the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// Declares that documents of a kind are served to Associates of units, by the scopes of the kind:
/// `/as-associate/{associateId}/in-business-unit/key={key}/…`, or for the units themselves
/// `/as-associate/{associateId}/…`.
#[derive(Debug, Clone, Default)]
pub struct AssociateAccess {
    /// The path to the key of the unit of a document. Empty: the documents are units themselves.
    pub unit: Vec<String>,
    /// The paths to the ids of the owning customers. Empty: documents have no single owner.
    pub owner: Vec<Vec<String>>,
    /// The allowed operations.
    pub operations: Vec<Operation>,
    /// The permissions for reading.
    pub view: Permissions,
    /// The permissions for creating.
    pub create: Permissions,
    /// The permissions for updates by actions without permissions of their own.
    pub update: Permissions,
    /// The permissions for deleting.
    pub delete: Permissions,
    /// Whether there are no other paths to the documents.
    pub only: bool,
}

impl AssociateAccess {
    /// True if the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }

    /// Returns the permissions for an operation.
    pub fn permissions(&self, operation: Operation) -> &Permissions {
        match operation {
            Operation::Get | Operation::Head | Operation::Query => &self.view,
            Operation::Create => &self.create,
            Operation::Update => &self.update,
            Operation::Delete => &self.delete,
        }
    }
}
