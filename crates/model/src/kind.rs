//! Kinds of documents: where they are served, what may be done with them, what that tells the world.

use crate::action::Action;
use crate::belonging::{ForAssociates, InStore, Mine};
use crate::endpoint::Endpoint;
use crate::id::{KindId, MessageId, ObjectId};
use crate::permissions::Operation;
use crate::projection::Projection;
use crate::search::{ParameterSearch, Search};
use crate::shape::{Field, OnDelete, Shape};

/// The object of the model that says by which names, given by users, others know documents.
pub(crate) const PROVIDED_IDENTIFIERS: &str = "UserProvidedIdentifiers";

/// A kind of document with an address of its own.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Name in the model, `TaxCategory`.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The `typeId` of references to it, `tax-category`.
    pub type_id: String,
    /// Path below the project, `tax-categories`. Empty: the project itself.
    pub path: String,
    /// False for a kind without an address of its own: its documents are listed by [`Kind::lists`] only.
    pub has_path: bool,
    /// False for a kind that others refer to and that is not served yet.
    pub is_served: bool,
    /// What may be done.
    pub operations: Vec<Operation>,
    /// How one document is addressed.
    pub addressing: Addressing,
    /// The unique field by which documents are addressed where [`Addressing::Id`] says so: `key`, or `orderNumber` in
    /// `/order-number={orderNumber}`.
    pub key_field: String,
    /// DELETE may leave out `version`: whatever it is.
    pub deletes_any_version: bool,
    /// DELETE takes `dataErasure`.
    pub erasure: bool,
    /// An export has its documents as they are: no draft says all that they hold.
    pub whole: bool,
    /// Whether there is any is asked by scalar fields alone.
    pub plain_head: bool,
    /// The answer to a creation is an object that holds the document as [`created_as`](Self::created_as) says, and may hold one of
    /// this kind too, under its [`camel_name`](Self::camel_name).
    pub created_beside: Option<KindId>,
    /// The segment below its path at which documents are created, where that is not the path itself.
    pub create_path: Option<String>,
    /// The first segment of its paths, before the project: a service that has a host of its own elsewhere, and no GraphQL.
    pub service: Option<String>,
    /// Who holds the documents, where that is not the shop's storage.
    pub held: Option<String>,
    /// A query counts all matches unless it says otherwise.
    pub counts: bool,
    /// How many a project may have.
    pub limit: Option<u64>,
    /// Any one of these scopes allows reading.
    pub view_scopes: Vec<String>,
    /// Any one of these scopes allows queries: those for reading, and further ones.
    pub query_scopes: Vec<String>,
    /// Any one of these scopes allows writing.
    pub manage_scopes: Vec<String>,
    /// The stored document.
    pub object: ObjectId,
    /// The document as it is sent to be created.
    pub draft: Option<ObjectId>,
    /// Update actions in the sequence of the model.
    pub actions: Vec<Action>,
    /// What may be done beside drafts and update actions.
    pub endpoints: Vec<Endpoint>,
    /// Where documents are listed beside the kind's own path.
    pub lists: Vec<Listing>,
    /// Other objects that one document is shown as, at paths below it.
    pub views: Vec<View>,
    /// Update actions that can be done to many documents in one request, each for itself.
    pub bulk: Vec<String>,
    /// Unique paths.
    pub unique: Vec<Unique>,
    /// Indexed paths, as steps from the document's root; references end in `id`.
    pub indexed: Vec<Vec<String>>,
    /// Those of the indexed paths that lead to the id of the Type of custom fields.
    pub custom_fields: Vec<Vec<String>>,
    /// Paths of maps and localized texts that are indexed: by names with values.
    pub pairs: Vec<PairIndex>,
    /// Paths of texts, and the paths of the indexes that hold them in lower case.
    pub lowercased: Vec<(Vec<String>, Vec<String>)>,
    /// The fields that are names which users give to documents, as `UserProvidedIdentifiers` lists them.
    pub provided_identifiers: Vec<String>,
    /// Paths of values that are masked wherever a document is shown inside of something else.
    pub masked: Vec<Vec<String>>,
    /// Written when a document is born.
    pub created: Option<MessageId>,
    /// Written when a document is deleted.
    pub deleted: Option<MessageId>,
    /// Its documents are the Stores that `/in-store/key={storeKey}` names.
    pub is_store: bool,
    /// A reference to a document of the kind is resolved for every caller, whatever their scopes.
    pub is_open: bool,
    /// Served below `/in-store/key={storeKey}`.
    pub in_store: Option<InStore>,
    /// Served below `/me`.
    pub mine: Option<Mine>,
    /// Served to associates of units.
    pub associates: Option<ForAssociates>,
    /// Its documents are sides of those of another kind.
    pub projection: Option<Projection>,
    /// Its documents are found by a search.
    pub search: Option<Search>,
    /// Its documents are found by a search with parameters.
    pub parameter_search: Option<ParameterSearch>,
    /// Query parameters by which Rust puts something into answers.
    pub parameters: Vec<String>,
    /// The field with the days that a document stays after its last modification.
    pub expires: Option<String>,
}

/// A path that is indexed by names with values: one row for each pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairIndex {
    /// Steps from the document's root.
    pub path: Vec<String>,
    /// The name under which its rows stand, which paths share that lead to the same type. So a pair that stands at several places
    /// of a document, as on both sides of one, has one row there. Whoever finds a document by it asks the document itself.
    pub rows: String,
    /// Where objects stand at the path: the fields with their names and values. Without, a map stands there, and each
    /// of its members is a pair.
    pub fields: Option<(String, String)>,
}

impl Kind {
    /// Its name as that of a field: `TaxCategory` gives `taxCategory`.
    pub fn camel_name(&self) -> String {
        lower_first(&self.name)
    }

    /// The name under which the answer to a creation holds the document; `None`: it is the document.
    pub fn created_as(&self) -> Option<String> {
        self.created_beside.map(|_| self.camel_name())
    }

    /// True where its documents are the units that associates act for: they belong to no other unit.
    pub fn is_unit(&self) -> bool {
        self.associates.as_ref().is_some_and(|associates| associates.unit.is_empty())
    }

    /// True where documents belong to somebody: to Stores, to customers and visitors, or to units.
    pub fn has_owner(&self) -> bool {
        let has_stores = self.in_store.as_ref().is_some_and(|in_store| !in_store.at.is_empty());
        has_stores || self.mine.is_some() || self.associates.is_some()
    }

    /// The update action of a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// True where creating an existing one replaces it: clients choose the whole of an address, and mean what is there.
    pub fn upserts(&self) -> bool {
        matches!(self.addressing, Addressing::Fields(_))
    }

    /// True where the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// A name with its first letter in lower case.
pub fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

/// How one document of a kind is addressed below the kind's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addressing {
    /// `/{id}`, and `/key={key}` where the kind has a unique key.
    Id {
        /// The kind has such a [`Kind::key_field`].
        by_key: bool,
    },
    /// `/{container}/{key}`: the values of these fields.
    Fields(Vec<String>),
    /// The kind's path is the one document: that of the project itself.
    Singleton,
}

/// A list of documents below another one that they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Name in the model.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The kind of the other document.
    pub parent: KindId,
    /// Last segment of the path, after the address of the other document.
    pub path: String,
    /// The field that refers to the other document, or to what Rust names for it.
    pub by: String,
    /// The other document stands in the path as `/in-store/key={storeKey}` does.
    pub inside: bool,
    /// What is shown of each document.
    pub shows: ObjectId,
}

/// An object that one document is shown as: `GET /{kind}/{id}/{path}`, and in Stores where the kind is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Name in the model, and of the object.
    pub name: String,
    /// For people.
    pub doc: String,
    /// Last segment of the path.
    pub path: String,
    /// Query parameters by which Rust puts something into it.
    pub parameters: Vec<String>,
    /// What is shown.
    pub shows: ObjectId,
}

/// A unique path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unique {
    /// The field.
    pub field: String,
    /// Together with these.
    pub with: Vec<String>,
    /// A localized text: unique a locale.
    pub localized: bool,
}

/// Something that happened, told to who wants to know.
#[derive(Debug, Clone)]
pub struct Message {
    /// The value of `type`.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The kind it is about, by `typeId`.
    pub resource: String,
    /// Fields of its own.
    pub fields: Vec<Field>,
    /// Paths of values in it that are masked.
    pub masked: Vec<Vec<String>>,
}

/// A kind that refers to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referrer {
    /// Who refers.
    pub kind: KindId,
    /// The indexed path of the reference, ending in `id` (or `key` of a key reference).
    pub path: Vec<String>,
    /// What deleting the target does.
    pub on_delete: OnDelete,
}

/// True for shapes that hold a reference to one of several kinds by id.
pub(crate) fn is_reference(shape: &Shape) -> bool {
    matches!(shape.element(), Shape::Reference(_) | Shape::KeyReference(_))
}
