//! The owners of documents of a kind: Stores, customers and visitors, associates of Business Units.

use crate::action::Action;
use crate::id::{KindId, ObjectId};
use crate::permissions::{Operation, Permissions};

/// That documents of a kind are served below `/in-store/key={storeKey}`, by the scopes of the kind or of that Store.
#[derive(Debug, Clone, Default)]
pub struct InStore {
    /// Leads to the key of the Store that a document belongs to, or to those of several: steps from the document's
    /// root, through lists too, ending in `key`. Empty: what a Store has is for Rust to say.
    pub at: Vec<String>,
    /// Where further Stores are named that a document belongs to as well.
    pub also: Vec<String>,
    /// The allowed operations.
    pub operations: Vec<Operation>,
    /// A reference, by which each document is also found below what it refers to: there is at most one a Store, and
    /// the unique key of this name holds the key of the Store and the id of the target.
    pub through: Option<String>,
}

impl InStore {
    /// True where the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// That customers (and visitors without an account) have their own documents of a kind below `/me`.
#[derive(Debug, Clone, Default)]
pub struct Mine {
    /// Name in the model, `MyPayment`.
    pub name: String,
    /// For people.
    pub doc: String,
    /// Path below `/me`. Empty: `/me` is the one document, that of the customer.
    pub path: String,
    /// Path of the creation where the documents themselves have none: `signup`.
    pub create: Option<String>,
    /// The paths to the id of the customer: steps from the document's root, through lists too. A created
    /// document gets the customer at the first one.
    pub customer: Vec<Vec<String>>,
    /// Leads to the id of an anonymous session. Empty: visitors without an account have none.
    pub session: Vec<String>,
    /// Any one of these scopes allows everything.
    pub scopes: Vec<String>,
    /// The allowed operations.
    pub operations: Vec<Operation>,
    /// Also served below `/in-store/key={storeKey}/me`.
    pub in_store: bool,
    /// One document is also addressed by its key.
    pub by_key: bool,
    /// Kinds to which no reference is expanded; asking for it is refused.
    pub unexpanded: Vec<KindId>,
    /// The visible part of a document; `None`: all of it.
    pub object: Option<ObjectId>,
    /// The draft of a creation.
    pub draft: Option<ObjectId>,
    /// Update actions in the order of the model.
    pub actions: Vec<Action>,
}

impl Mine {
    /// The update action of a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// True where the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// That documents of a kind are served to associates of units, by the scopes of the kind:
/// `/as-associate/{associateId}/in-business-unit/key={key}/…`, or of units themselves `/as-associate/{associateId}/…`.
#[derive(Debug, Clone, Default)]
pub struct ForAssociates {
    /// Leads to the key of the unit that a document belongs to. Empty: documents are units themselves.
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
    /// There are no other paths to the documents.
    pub only: bool,
}

impl ForAssociates {
    /// True where the model lists the operation.
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
