//! Kinds of documents: where they are served, what may be done with them, what that tells the world.

use crate::search::{ParameterSearch, Search};
use crate::shape::{Field, ObjectId, Shape, ids};

ids! {
    /// Names a [`Kind`] of a model.
    KindId
    /// Names a [`Message`] of a model.
    MessageId
}

/// A kind of document with an address of its own.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Name in the model, `TaxCategory`.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The `typeId` of references to it, `tax-category`.
    pub type_id: String,
    /// What else its documents are called, `company`: files of drafts may have these names.
    pub also_called: Vec<String>,
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
    /// Creating an existing one replaces it.
    pub upsert: bool,
    /// DELETE takes `dataErasure`.
    pub erasure: bool,
    /// The answer to a creation is an object that holds the document under this name.
    pub created_as: Option<String>,
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
    /// Those of the indexed paths whose rows may follow a change only when somebody asks for them.
    pub late: Vec<Vec<String>>,
    /// Paths that are indexed by names with values.
    pub pairs: Vec<PairIndex>,
    /// Written when a document is born.
    pub created: Option<MessageId>,
    /// Written when a document is deleted.
    pub deleted: Option<MessageId>,
    /// Its documents are the Stores that `/in-store/key={storeKey}` names.
    pub is_store: bool,
    /// Served below `/in-store/key={storeKey}`.
    pub in_store: Option<InStore>,
    /// Served below `/me`.
    pub mine: Option<Mine>,
    /// Its documents are the units that associates act for.
    pub is_unit: bool,
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
    /// Update actions of the kinds below which its documents are listed; documents are made by them alone.
    pub made_by: Vec<String>,
}

/// A path that is indexed by names with values: one row for each pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairIndex {
    /// Steps from the document's root.
    pub path: Vec<String>,
    /// Where objects stand at the path: the fields with their names and values. Without, a map stands there, and each
    /// of its members is a pair.
    pub fields: Option<(String, String)>,
}

/// That documents of a kind are one of two sides of the documents of another one: nothing of them is stored, and they
/// have its ids and versions.
#[derive(Debug, Clone)]
pub struct Projection {
    /// Whose documents are stored.
    pub of: KindId,
    /// The field that holds both sides and what they share; empty where the document itself does.
    pub within: String,
    /// The side that is shown, in `within`.
    pub current: String,
    /// The side that is being worked on, in `within`.
    pub staged: String,
    /// Where there is no staged side, the current one stands for it.
    pub else_current: bool,
    /// The flag in `within` without which there is no current side.
    pub shown_while: String,
    /// Any one of these scopes allows reading the staged side.
    pub staged_scopes: Vec<String>,
    /// The fields of the projection, and where each is found.
    pub fields: Vec<(String, Place)>,
}

/// Where a field of a projection is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the stored document itself.
    Document,
    /// Beside the sides.
    Within,
    /// In the side.
    Side,
}

impl Projection {
    /// The name of a side.
    pub fn side(&self, staged: bool) -> &str {
        if staged { &self.staged } else { &self.current }
    }

    /// Where a field of the projection is in the stored document: steps from its root. A name that is no field is
    /// its own step.
    pub fn path<'p>(&'p self, field: &'p str, staged: bool) -> Vec<&'p str> {
        let mut path = match self.fields.iter().find(|(name, _)| name == field).map(|(_, place)| *place) {
            Some(Place::Within) => vec![self.within.as_str(), field],
            Some(Place::Side) => vec![self.within.as_str(), self.side(staged), field],
            Some(Place::Document) | None => vec![field],
        };
        path.retain(|step| !step.is_empty());
        path
    }
}

/// That documents of a kind are served below `/in-store/key={storeKey}`, by the scopes of the kind or of that Store.
#[derive(Debug, Clone, Default)]
pub struct InStore {
    /// Leads to the key of the Store that a document belongs to, or to those of several: steps from the document's
    /// root, through lists too, ending in `key`. Empty: what a Store has is for Rust to say.
    pub at: Vec<String>,
    /// Where further Stores are named that a document belongs to as well.
    pub also: Vec<String>,
    /// What may be done.
    pub operations: Vec<Operation>,
    /// Any one of these scopes allows reading.
    pub view_scopes: Vec<String>,
    /// Any one of these scopes allows writing.
    pub manage_scopes: Vec<String>,
    /// A reference, by which each document is also found below what it refers to: there is at most one a Store, and
    /// the unique key of this name holds the key of the Store and the id of the target.
    pub through: Option<String>,
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
    /// Leads to the id of the customer, each in a way of its own: steps from the document's root, through lists too.
    /// What is created gets the customer at the first one.
    pub customer: Vec<Vec<String>>,
    /// Leads to the id of an anonymous session. Empty: visitors without an account have none.
    pub session: Vec<String>,
    /// Any one of these scopes allows everything.
    pub scopes: Vec<String>,
    /// What may be done.
    pub operations: Vec<Operation>,
    /// Also served below `/in-store/key={storeKey}/me`.
    pub in_store: bool,
    /// One document is also addressed by its key.
    pub by_key: bool,
    /// Kinds to which no reference is expanded; asking for it is refused.
    pub unexpanded: Vec<KindId>,
    /// What of a document is shown; `None`: all of it.
    pub object: Option<ObjectId>,
    /// The document as it is sent to be created.
    pub draft: Option<ObjectId>,
    /// Update actions in the sequence of the model.
    pub actions: Vec<Action>,
}

/// That documents of a kind are served to associates of units, by the scopes of the kind:
/// `/as-associate/{associateId}/in-business-unit/key={key}/…`, or of units themselves `/as-associate/{associateId}/…`.
#[derive(Debug, Clone, Default)]
pub struct ForAssociates {
    /// Leads to the key of the unit that a document belongs to. Empty: documents are units themselves.
    pub unit: Vec<String>,
    /// Leads to the ids of the customers whose document it is. Empty: it is nobody's in particular.
    pub owner: Vec<Vec<String>>,
    /// What may be done.
    pub operations: Vec<Operation>,
    /// What reading asks for.
    pub view: Permissions,
    /// What creating asks for.
    pub create: Permissions,
    /// What updates ask for, where an action asks for nothing else.
    pub update: Permissions,
    /// What deleting asks for.
    pub delete: Permissions,
    /// There are no other paths to the documents.
    pub only: bool,
}

impl ForAssociates {
    /// True where the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }

    /// What an operation asks for.
    pub fn permissions(&self, operation: Operation) -> &Permissions {
        match operation {
            Operation::Get | Operation::Head | Operation::Query => &self.view,
            Operation::Create => &self.create,
            Operation::Update => &self.update,
            Operation::Delete => &self.delete,
        }
    }
}

/// What an associate needs: the permission for documents of their own, and the one for those of others. One name
/// alone is for both, none at all: every associate of the unit may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    names: Vec<String>,
}

impl Permissions {
    /// One or two names, or none.
    pub fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// What documents of one's own ask for.
    pub fn own(&self) -> Option<&str> {
        self.names.first().map(String::as_str)
    }

    /// What documents of others ask for.
    pub fn others(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }

    /// All names.
    pub fn names(&self) -> &[String] {
        &self.names
    }
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

impl InStore {
    /// True where the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

impl Kind {
    /// The update action of a name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// True where the model lists the operation.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// How one document of a kind is addressed below the kind's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addressing {
    /// `/{id}`, and `/key={key}` where the kind has a unique key.
    Id {
        /// The kind has a unique `key`.
        by_key: bool,
    },
    /// `/{container}/{key}`: the values of these fields.
    Fields(Vec<String>),
    /// The kind's path is the one document.
    Singleton,
}

/// What may be done with a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// GET of one.
    Get,
    /// HEAD of one or of a query.
    Head,
    /// GET of many.
    Query,
    /// POST of a draft.
    Create,
    /// POST of actions.
    Update,
    /// DELETE of one.
    Delete,
}

/// That an action is also done by sending a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Last segment of the path, after the address of the document.
    pub path: String,
    /// Leads to the id of the variant that is meant where the request names none: steps from the document's root,
    /// through references.
    pub default: Vec<String>,
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

/// A change that a client may ask for.
#[derive(Debug, Clone)]
pub struct Action {
    /// The value of `action`.
    pub name: String,
    /// For people.
    pub doc: String,
    /// The action's fields.
    pub arguments: ObjectId,
    /// What the engine does; `None`: a Rust handler does it.
    pub verb: Option<Verb>,
    /// The element of a list that the verb works in.
    pub element: Option<Element>,
    /// A change that changes nothing is refused.
    pub refuses_same: bool,
    /// An empty value removes the field.
    pub removes_empty: bool,
    /// An empty value is refused.
    pub refuses_empty: bool,
    /// Messages that the action may cause.
    pub emits: Vec<MessageId>,
    /// Belongs to a public beta.
    pub beta: bool,
    /// Still served, no longer recommended.
    pub deprecated: bool,
    /// The tokens of the customer whose document it is end with it.
    pub ends_tokens: bool,
    /// It is also done by sending a file.
    pub upload: Option<Upload>,
    /// What an associate needs for it, where that is not what all updates ask for.
    pub needs: Option<Permissions>,
}

/// What the engine does for an action without Rust of its own. Paths are steps from the document, or
/// from the element of [`Action::element`].
#[derive(Debug, Clone, PartialEq)]
pub enum Verb {
    /// Each argument replaces a field.
    Set {
        /// Inside this object.
        within: Vec<String>,
    },
    /// Adds to a list.
    Append {
        /// The list.
        to: Vec<String>,
    },
    /// Removes from a list.
    Remove {
        /// The list.
        from: Vec<String>,
        /// Arguments that identify the element; none: equal elements.
        by: Vec<String>,
    },
    /// Puts a new element in the place of an identified one.
    Replace {
        /// The list.
        within: Vec<String>,
        /// Arguments that identify the element.
        by: Vec<String>,
    },
    /// Sorts a list as the argument says.
    Arrange {
        /// The list.
        list: Vec<String>,
        /// The field of the elements that the argument lists.
        by: String,
    },
    /// Sets or removes a custom type with its fields.
    CustomType {
        /// The field of shape `CustomFields`.
        within: Vec<String>,
    },
    /// Sets or removes one custom field.
    CustomField {
        /// The field of shape `CustomFields`.
        within: Vec<String>,
    },
}

/// The element of a list that an action works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The list.
    pub of: Vec<String>,
    /// Arguments that identify the element: `…Id` by `id`, `…Key` by `key`, `…Name` by `name`.
    pub by: Vec<String>,
}

impl Element {
    /// The field of an element that an identifying argument means.
    pub fn field_of(argument: &str) -> &'static str {
        match argument {
            text if text.ends_with("Key") || text == "key" => "key",
            text if text.ends_with("Name") || text == "name" => "name",
            _ => "id",
        }
    }
}

/// An operation of a kind with a path and a body of its own, done by a Rust handler of its name.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Name in the model.
    pub name: String,
    /// For people.
    pub doc: String,
    /// True for POST with a body, false for GET.
    pub writes: bool,
    /// Asks for the scopes that read the kind: GET, and POST that changes nothing.
    pub reads: bool,
    /// Segments below the project.
    pub path: Vec<Segment>,
    /// Below `/me`: for the customer (or visitor) who asks, by the scopes of [`Kind::mine`].
    pub mine: bool,
    /// Of those below `/me`: for whoever has the scope, whosever documents are meant.
    pub open: bool,
    /// Also served below `/in-store/key={storeKey}`.
    pub in_store: bool,
    /// Proves who a customer is by a name and a password, as the password flow asks for.
    pub signs_in: bool,
    /// The body; of GET the texts in the path.
    pub input: ObjectId,
    /// What is answered; `None`: a document of the kind.
    pub output: Option<ObjectId>,
    /// A new document of this kind is made, which is what is answered.
    pub creates: Option<KindId>,
    /// The answer is an object that holds the document under this name.
    pub answered_as: Option<String>,
    /// Messages that it may cause.
    pub emits: Vec<MessageId>,
    /// Afterwards the tokens of the customer whose document is answered are no tokens any more.
    pub ends_tokens: bool,
    /// Whoever calls it proves to be somebody, who is named here.
    pub account: Option<Account>,
}

/// Who the caller of an endpoint proves to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Account {
    /// Whom this field of the body names.
    Field(String),
    /// The customer of the token.
    Asker,
}

/// One segment of an endpoint's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// As it stands.
    Fixed(String),
    /// `prefix` followed by a value.
    Value {
        /// What stands before the value, `email-token=`.
        prefix: String,
        /// The name of the value.
        name: String,
    },
}

impl Endpoint {
    /// The values in the path, in the sequence of its segments; `None` where the path is another one. A value
    /// without a prefix is no `key=…`.
    pub fn values_in<'a>(&self, segments: &'a [impl AsRef<str>]) -> Option<Vec<&'a str>> {
        if segments.len() != self.path.len() {
            return None;
        }
        let mut values = Vec::new();
        for (segment, expected) in segments.iter().zip(&self.path) {
            match expected {
                Segment::Fixed(fixed) if fixed == segment.as_ref() => {}
                Segment::Fixed(_) => return None,
                Segment::Value { prefix, .. } => {
                    let value = segment.as_ref().strip_prefix(prefix.as_str())?;
                    if value.is_empty() || (prefix.is_empty() && value.starts_with("key=")) {
                        return None;
                    }
                    values.push(value);
                }
            }
        }
        Some(values)
    }
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
}

/// What deleting the target of a reference does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// Refused with ReferenceExists.
    Block,
    /// The field is removed soon after.
    Clear,
    /// Nothing.
    Dangle,
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
