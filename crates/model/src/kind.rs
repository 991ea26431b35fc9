//! Kinds of documents (resource types): their paths, operations, update actions, indexes and messages.
//!
//! Start at [`Kind`].

use crate::action::Action;
use crate::endpoint::Endpoint;
use crate::id::{KindId, MessageId, ObjectId};
use crate::ownership::{AssociateAccess, MeAccess, StoreAccess};
use crate::permissions::Operation;
use crate::projection::Projection;
use crate::search::{ParameterSearchModel, Search};
use crate::shape::{Field, OnDelete, Shape};

/// The name of the object in the model that lists user-provided identifiers.
pub(crate) const PROVIDED_IDENTIFIERS: &str = "UserProvidedIdentifiers";

/// A kind of document (resource type), as the model describes it.
#[derive(Debug, Clone)]
pub struct Kind {
    /// The name in the model, e.g. `TaxCategory`.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The `typeId` of references to it, e.g. `tax-category`.
    pub type_id: String,
    /// The path below the project, e.g. `tax-categories`. Empty for the project itself.
    pub path: String,
    /// False for a kind without paths of its own: its documents are only in [`Kind::lists`].
    pub has_path: bool,
    /// False for a kind that others refer to, but that is not served yet.
    pub is_served: bool,
    /// The allowed operations.
    pub operations: Vec<Operation>,
    /// The form of addresses of a document.
    pub addressing: Addressing,
    /// The unique field that addresses documents ([`Addressing::Id`]): `key`, or `orderNumber` in
    /// `/order-number={orderNumber}`.
    pub key_field: String,
    /// Whether DELETE may omit `version`, and then deletes any version.
    pub deletes_any_version: bool,
    /// Whether DELETE has the parameter `dataErasure`.
    pub erasure: bool,
    /// Whether an export has the stored documents, because drafts cannot express everything in them.
    pub exports_stored: bool,
    /// Whether HEAD of a query only allows predicates about scalar fields.
    pub plain_head: bool,
    /// The kind of an additional document in the response of a creation, under its [`camel_name`](Self::camel_name).
    /// The response is then an object with the created document under [`creation_field`](Self::creation_field).
    pub created_beside: Option<KindId>,
    /// The segment below its path at which documents are created, if that is not the path itself.
    pub create_path: Option<String>,
    /// The first segment of its paths, before the project: a service that has a host of its own on the platform, and
    /// no GraphQL.
    pub service: Option<String>,
    /// The store of the documents, if that is not the shop's storage.
    pub external_store: Option<String>,
    /// Whether a query counts all matches by default.
    pub counts_by_default: bool,
    /// The maximum number of documents in a project.
    pub limit: Option<u64>,
    /// Any one of these scopes allows reading.
    pub view_scopes: Vec<String>,
    /// Any one of these scopes allows queries: the scopes for reading, and further ones.
    pub query_scopes: Vec<String>,
    /// Any one of these scopes allows writing.
    pub manage_scopes: Vec<String>,
    /// The shape of the stored document.
    pub object: ObjectId,
    /// The shape of the draft that creates a document.
    pub draft: Option<ObjectId>,
    /// The update actions, in the order of the model.
    pub actions: Vec<Action>,
    /// The operations in addition to drafts and update actions.
    pub endpoints: Vec<Endpoint>,
    /// The lists of documents at other paths than the kind's own.
    pub lists: Vec<Listing>,
    /// The objects that show a document in another form, at paths below it.
    pub views: Vec<KindView>,
    /// The update actions that can be applied to many documents in one request, each with its own result.
    pub bulk: Vec<String>,
    /// The unique keys.
    pub unique: Vec<UniqueField>,
    /// Indexed paths, as steps from the document's root; references end in `id`.
    pub indexed: Vec<Vec<String>>,
    /// The indexed paths of the id of a Type of custom fields.
    pub custom_fields: Vec<Vec<String>>,
    /// The indexed paths of maps and localized texts: their rows are name-value pairs.
    pub pairs: Vec<PairIndex>,
    /// The paths of texts with a lower-case index, and the path of that index.
    pub lowercased: Vec<(Vec<String>, Vec<String>)>,
    /// The fields that are user-provided identifiers (`UserProvidedIdentifiers`).
    pub provided_identifiers: Vec<String>,
    /// The paths of values that are masked wherever a document is shown inside of another one.
    pub masked: Vec<Vec<String>>,
    /// The message of a creation.
    pub created: Option<MessageId>,
    /// The message of a deletion.
    pub deleted: Option<MessageId>,
    /// Whether its documents are the Stores of `/in-store/key={storeKey}`.
    pub is_store: bool,
    /// Whether a reference to a document of the kind is resolved for every caller, whatever the scopes.
    pub is_open: bool,
    /// Of a kind that is served neither below `/me` nor to associates nor in Stores: the fields that refer to the owner of a document.
    pub owned_by: Vec<String>,
    /// Its access below `/in-store/key={storeKey}`.
    pub in_store: Option<StoreAccess>,
    /// Its access below `/me`.
    pub mine: Option<MeAccess>,
    /// Its access for Associates of units.
    pub associates: Option<AssociateAccess>,
    /// Set if its documents are projections of those of another kind.
    pub projection: Option<Projection>,
    /// Its search.
    pub search: Option<Search>,
    /// Its search with parameters.
    pub parameter_search: Option<ParameterSearchModel>,
    /// The query parameters by which the behaviour adapts responses.
    pub parameters: Vec<String>,
    /// The headers that replace settings of the Project for one request.
    pub overrides: Vec<SettingOverride>,
    /// The field with the number of days after the last modification at which a document expires.
    pub expires: Option<String>,
}

/// A path that is indexed by name-value pairs: one row for each pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairIndex {
    /// The steps from the document's root.
    pub path: Vec<String>,
    /// The name of the index, shared by paths to the same type. So a pair at several places of a document, e.g. in
    /// both projections, has one row. A document found by the index must still be checked.
    pub rows: String,
    /// For a list of objects: the fields with the name and the value. `None`: the path leads to a map, each member of
    /// which is a pair.
    pub fields: Option<(String, String)>,
}

impl Kind {
    /// Its name as that of a field, e.g. `taxCategory` for `TaxCategory`.
    pub fn camel_name(&self) -> String {
        lower_first(&self.name)
    }

    /// Returns the name of the document in the response of a creation; `None`: the response is the document.
    pub fn creation_field(&self) -> Option<String> {
        self.created_beside.map(|_| self.camel_name())
    }

    /// True if its documents are the units that Associates act for: they belong to no other unit.
    pub fn is_unit(&self) -> bool {
        self.associates.as_ref().is_some_and(|associates| associates.unit.is_empty())
    }

    /// True if documents have owners: Stores, customers and visitors, or units.
    pub fn has_owner(&self) -> bool {
        let has_stores = self.in_store.as_ref().is_some_and(|in_store| !in_store.at.is_empty());
        has_stores || self.mine.is_some() || self.associates.is_some()
    }

    /// Returns the update action with a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// True if creating an existing document replaces it: clients choose the whole address.
    pub fn upserts(&self) -> bool {
        matches!(self.addressing, Addressing::Fields(_))
    }

    /// True if the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// Returns a name with its first letter in lower case.
pub fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

/// The form of addresses of a document below the path of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addressing {
    /// `/{id}`, and `/key={key}` if the kind has a unique key.
    Id {
        /// Whether the kind has a [`Kind::key_field`].
        by_key: bool,
    },
    /// `/{container}/{key}`: the values of these fields.
    Fields(Vec<String>),
    /// The kind's path is its only document: that of the project itself.
    Singleton,
}

/// A list of documents below another document that they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The name in the model.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The kind of the parent document.
    pub parent: KindId,
    /// The last segment of the path, after the address of the parent document.
    pub path: String,
    /// The field that refers to the parent document, or to ids that the behaviour derives from it.
    pub by: String,
    /// Whether the parent document is in the path like a Store, `/in-store/key={storeKey}`.
    pub inside: bool,
    /// The shape of each element.
    pub shows: ObjectId,
}

/// Another form of a document: `GET /{kind}/{id}/{path}`, and in Stores if the kind is served there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindView {
    /// The name in the model, which is also that of the object.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The last segment of the path.
    pub path: String,
    /// The query parameters by which the behaviour adapts it.
    pub parameters: Vec<String>,
    /// The shape of the object.
    pub shows: ObjectId,
}

/// A unique key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueField {
    /// The field.
    pub field: String,
    /// Further fields that the key is unique together with.
    pub with: Vec<String>,
    /// For a localized text: whether it is unique in each locale.
    pub localized: bool,
}

/// A Message: an event of a document that Subscriptions and queries can read.
#[derive(Debug, Clone)]
pub struct Message {
    /// The value of `type`.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// The `typeId` of its subject.
    pub resource: String,
    /// Its own fields.
    pub fields: Vec<Field>,
    /// The paths of masked values in it.
    pub masked: Vec<Vec<String>>,
}

/// A kind that refers to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referrer {
    /// The kind with the reference.
    pub kind: KindId,
    /// The indexed path of the reference, ending in `id` (or `key` of a key reference).
    pub path: Vec<String>,
    /// The effect of deleting the target.
    pub on_delete: OnDelete,
}

/// True for the shape of a reference, or a list of references.
pub(crate) fn is_reference(shape: &Shape) -> bool {
    matches!(shape.element(), Shape::Reference(_) | Shape::KeyReference(_))
}

/// A header that replaces a setting of the Project for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingOverride {
    /// The name of the header, in lower case.
    pub header: String,
    /// The field of the Project.
    pub setting: String,
    /// The allowed values.
    pub values: Vec<String>,
}
