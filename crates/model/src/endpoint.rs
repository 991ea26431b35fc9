//! Endpoints: operations of a kind with their own path and body.

use crate::id::{KindId, MessageId, ObjectId};
use crate::permissions::Permissions;

/// An operation of a kind with its own path and body, implemented by the Rust handler of the same name.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The name in the model.
    pub name: String,
    /// The description for people.
    pub doc: String,
    /// True for POST with a body, false for GET.
    pub writes: bool,
    /// Whether the scopes for reading the kind are enough: GET, and POST that changes nothing.
    pub reads: bool,
    /// The segments of the path below the project.
    pub path: Vec<PathSegment>,
    /// Whether it is below `/me`: for the calling customer (or visitor), by the scopes of [`Kind::mine`](crate::Kind::mine).
    pub mine: bool,
    /// Below `/me`: whether every token with the scope may call it, for documents of any owner.
    pub open: bool,
    /// Whether it is public, so that no token is needed.
    pub anybody: bool,
    /// Whether it is also served below `/in-store/key={storeKey}`.
    pub in_store: bool,
    /// Whether it is also served to Associates of units.
    pub as_associate: bool,
    /// Whether it verifies a customer's name and password, as the password flow of OAuth requires.
    pub signs_in: bool,
    /// The request body; for GET the values in the path, and with [`many`](Self::many) in the query.
    pub input: ObjectId,
    /// For GET: whether HEAD is served too, for the existence of the response.
    pub head: bool,
    /// For GET: whether the last value of its path may also be a query parameter of the parent path, under its name.
    pub by_parameter: bool,
    /// The shape of the response; `None`: a document of the kind.
    pub output: Option<ObjectId>,
    /// For GET: whether it returns a page of the documents of the kind that match the values. HEAD returns whether
    /// there are any.
    pub many: bool,
    /// The kind of the document that it creates and returns.
    pub creates: Option<KindId>,
    /// The response is an object with the document under this name.
    pub answered_as: Option<String>,
    /// The permission of an associate, instead of that for reading the document.
    pub needs: Option<Permissions>,
    /// The messages that it may cause.
    pub emits: Vec<MessageId>,
    /// Whether the tokens of the customer whose document it returns are revoked.
    pub ends_tokens: bool,
    /// The account that the caller authenticates for, if any.
    pub account: Option<EndpointAccount>,
}

impl Endpoint {
    /// Returns whether the value is in the path.
    pub fn is_in_path(&self, name: &str) -> bool {
        self.path
            .iter()
            .any(|segment| matches!(segment, PathSegment::Value { name: value, .. } if value == name))
    }
}

/// The account for which the caller of an endpoint authenticates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointAccount {
    /// The account in this field of the body.
    Field(String),
    /// The customer of the token.
    Asker,
}

/// One segment of an endpoint's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment {
    /// A fixed text.
    Fixed(String),
    /// `prefix` followed by a value.
    Value {
        /// The text before the value, e.g. `email-token=`.
        prefix: String,
        /// The name of the value.
        name: String,
    },
}
