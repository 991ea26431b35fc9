//! Endpoints: operations of a kind with their own path and body.

use crate::id::{KindId, MessageId, ObjectId};
use crate::permissions::Permissions;

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
    /// Below `/me`: for every token with the scope, whoever owns the documents.
    pub open: bool,
    /// Public: no token is needed.
    pub anybody: bool,
    /// Also served below `/in-store/key={storeKey}`.
    pub in_store: bool,
    /// Also served to associates of units.
    pub as_associate: bool,
    /// Proves who a customer is by a name and a password, as the password flow asks for.
    pub signs_in: bool,
    /// The body; of GET the values in the path, and in the query where [`many`](Self::many).
    pub input: ObjectId,
    /// Of GET: HEAD says whether there is what it would answer.
    pub head: bool,
    /// For GET: the last value of its path may also be a query parameter of the parent path, by its name.
    pub by_parameter: bool,
    /// The shape of the response; `None`: a document of the kind.
    pub output: Option<ObjectId>,
    /// Of GET: a page of the documents of the kind that match the values is answered. HEAD says whether there are any.
    pub many: bool,
    /// A new document of this kind is made, which is what is answered.
    pub creates: Option<KindId>,
    /// The response is an object with the document under this name.
    pub answered_as: Option<String>,
    /// The permission of an associate, instead of that for reading the document.
    pub needs: Option<Permissions>,
    /// Messages that it may cause.
    pub emits: Vec<MessageId>,
    /// Afterwards the tokens of the customer whose document is answered are no tokens any more.
    pub ends_tokens: bool,
    /// The account that the caller authenticates for, if any.
    pub account: Option<Account>,
}

impl Endpoint {
    /// Returns whether the value is in the path.
    pub fn is_in_path(&self, name: &str) -> bool {
        self.path.iter().any(|segment| matches!(segment, Segment::Value { name: value, .. } if value == name))
    }
}

/// The account that the caller of an endpoint authenticates for.
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
        /// The text before the value, `email-token=`.
        prefix: String,
        /// The name of the value.
        name: String,
    },
}
