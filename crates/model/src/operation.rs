//! The table of operations: every method of every path that a server handles, with its effect and its
//! callers.
//!
//! It is built once, from the kinds of the model and the paths that every server has ([`fixed`]). Routing,
//! API descriptions and tests use this table, so that they agree on what is served.

mod documents;
mod fixed;
mod history;
mod imports;
mod services;
mod side;

pub use side::{Side, Target};

use crate::Model;
use crate::endpoint::Segment;
use crate::id::{KindId, ObjectId};
use crate::permissions::Operation;
use std::fmt;

/// First segments of paths that are no project keys, in addition to those of the fixed paths.
pub const RESERVED_SEGMENTS: [&str; 2] = ["console", "_operator"];

/// One method of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedOperation {
    /// By which method.
    pub method: Method,
    /// All segments of the path.
    pub path: Vec<Segment>,
    /// For whom, which is what stands before the path of a kind.
    pub side: Side,
    /// The kind of its documents; `None` for fixed paths.
    pub kind: Option<KindId>,
    /// Which documents of the kind.
    pub target: Target,
    /// Its effect.
    pub doing: Doing,
    /// The scopes of which any one allows it. Empty: public, or a fixed path that checks its caller itself.
    pub scopes: Vec<String>,
    /// Any one of these allows reading the side that is being worked on, where there is one: in place of `scopes`, or for
    /// searches together with them.
    pub staged_scopes: Vec<String>,
    /// Below `/me`: for every token with the scope. A caller that signs up or in has no customer yet.
    pub is_open: bool,
    /// Public operation on documents: no token is needed.
    pub is_for_anybody: bool,
    /// The request body.
    pub body: SentBody,
    /// The response of a successful request.
    pub answer: Answered,
}

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Reads.
    Get,
    /// Reads what GET would answer, without its body.
    Head,
    /// Creates or changes, or reads by a body.
    Post,
    /// Deletes.
    Delete,
    /// Changes.
    Put,
}

/// The effect of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// A standard operation of every kind.
    Documents(Operation),
    /// The endpoint of the kind at this position of [`Kind::endpoints`](crate::Kind::endpoints).
    Endpoint(usize),
    /// The action of the kind at this position of [`Kind::actions`](crate::Kind::actions), by a file.
    Upload(usize),
    /// A search by a body.
    Search,
    /// Says whether there is an index to search.
    SearchExists,
    /// Says how far the indexing is.
    SearchStatus,
    /// A search with parameters.
    ParameterSearch,
    /// Completes search keywords.
    Suggest,
    /// The list of the kind at this position of [`Kind::lists`](crate::Kind::lists), of the document that is addressed.
    List(usize),
    /// The view of the kind at this position of [`Kind::views`](crate::Kind::views).
    View(usize),
    /// Actions of many documents, each for itself.
    Bulk,
    /// One of the Import API.
    Import(Importing),
    /// A call of a service: the one at this position of [`Model::services`].
    Service(usize),
    /// One of the Change History API.
    History(Recalling),
    /// An operation that every server has, whatever its model.
    Fixed(Fixed),
}

/// The operations of the Import API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importing {
    /// Makes a container.
    CreateContainer,
    /// Queries containers.
    Containers,
    /// Answers a container.
    Container,
    /// Changes a container.
    UpdateContainer,
    /// Deletes a container with all that is in it.
    DeleteContainer,
    /// Queries what became of the resources in a container.
    Operations,
    /// Counts that by states.
    Summary,
    /// Answers what became of one resource.
    Operation,
    /// Takes resources of the type at this position of [`Model::imports`].
    Request(usize),
}

/// The operations of the Change History API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recalling {
    /// Queries records of resources of any type.
    Records,
    /// Queries records of resources of one type.
    OfType,
    /// Queries records of one resource.
    OfResource,
    /// Queries by GraphQL.
    GraphQl,
}

/// The operations of the fixed paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    /// A token for an API client, or for a refresh token.
    Token,
    /// A token for a visitor without an account.
    AnonymousToken,
    /// A token for a customer, of a project or of one of its Stores.
    CustomerToken,
    /// Introspection of a token.
    Introspect,
    /// Ends a token.
    Revoke,
    /// A GraphQL request.
    GraphQl,
    /// The page for people at the same path.
    GraphQlPage,
    /// A file of that page.
    GraphQlEditor,
    /// The page that says what the server is.
    StartPage,
    /// Whether the server serves.
    Health,
    /// Whether its process lives.
    Live,
    /// Whether all that it has can be served.
    Ready,
    /// Measurements.
    Metrics,
    /// The description of all this.
    OpenApi,
    /// A page that shows it.
    OpenApiPage,
    /// An image that was uploaded.
    Image,
    /// Tools for AI agents.
    Mcp,
    /// An operation of the test controls.
    Test(TestControl),
}

impl Fixed {
    /// Returns true for operations of a project, false for operations of the server.
    pub fn is_of_project(self) -> bool {
        matches!(self, Self::GraphQl | Self::GraphQlPage | Self::GraphQlEditor | Self::Mcp)
    }
}

/// The operations of the test controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestControl {
    /// Makes a project.
    Create,
    /// Removes one.
    Remove,
    /// Sets its clock.
    Clock,
    /// Empties it.
    Reset,
    /// Keeps its content.
    Snapshot,
    /// Puts kept content back.
    Restore,
    /// Answers when everything has caught up.
    Settle,
    /// Adds faults to come.
    Faults,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentBody {
    /// Nothing.
    Nothing,
    /// A JSON value.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// The bytes of an image.
    File,
}

/// The content of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// A status alone.
    Nothing,
    /// A document of a kind.
    Document(KindId),
    /// A page of documents of a kind.
    Page(KindId),
    /// An object of the model.
    Object(ObjectId),
    /// A page of objects of the model.
    Objects(ObjectId),
    /// A response of this operation alone.
    Own,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 5] = [Method::Get, Method::Head, Method::Post, Method::Delete, Method::Put];

    /// Returns the spelling in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Post => "POST",
            Method::Delete => "DELETE",
            Method::Put => "PUT",
        }
    }

    /// The method of this name, which is case-sensitive (RFC 9110, section 9.1).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name)
    }
}

impl ServedOperation {
    /// The path, with names in braces in place of values: `/{projectKey}/states/key={key}`.
    pub fn template(&self) -> String {
        template(&self.path)
    }

    /// The same, to be written where it is shown.
    pub fn shown_template(&self) -> impl fmt::Display {
        Template(&self.path)
    }

    /// The names of the values in the path, in their sequence.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.path.iter().filter_map(|segment| match segment {
            Segment::Value { name, .. } => Some(name.as_str()),
            Segment::Fixed(_) => None,
        })
    }

    /// True for what is for those who may write: it may leave something changed.
    pub fn changes(&self) -> bool {
        match self.doing {
            Doing::Documents(operation) => {
                matches!(operation, Operation::Create | Operation::Update | Operation::Delete)
            }
            Doing::Endpoint(_) => self.method == Method::Post,
            Doing::Upload(_) | Doing::Bulk => true,
            Doing::Import(_) | Doing::Service(_) => self.method != Method::Get,
            _ => false,
        }
    }
}

/// Segments as a path, with names in braces in place of values.
pub(crate) fn template(path: &[Segment]) -> String {
    Template(path).to_string()
}

/// A path as documents show it.
struct Template<'p>(&'p [Segment]);

impl fmt::Display for Template<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|segment| match segment {
            Segment::Fixed(text) => write!(f, "/{text}"),
            Segment::Value { prefix, name } => write!(f, "/{prefix}{{{name}}}"),
        })
    }
}

/// All operations of a model, kind by kind, and those of every server.
pub(crate) fn table(model: &Model) -> Vec<ServedOperation> {
    let of_kinds = model.kinds().filter(|(_, kind)| kind.is_served);
    let of_kinds = of_kinds.flat_map(|(id, _)| documents::of_kind(model, id));
    let beside = imports::operations(model).chain(history::operations(model));
    let beside = beside.chain(services::operations(model));
    of_kinds.chain(beside).chain(fixed::operations()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_method_of_a_path_means_two_things() {
        let model = Model::embedded().unwrap();
        let mut seen = HashSet::new();
        for operation in model.operations() {
            // Names of values make no difference between paths.
            let path: Vec<String> = operation
                .path
                .iter()
                .map(|segment| match segment {
                    Segment::Fixed(text) => text.clone(),
                    Segment::Value { prefix, .. } => format!("{prefix}{{}}"),
                })
                .collect();
            assert!(seen.insert((operation.method, path)), "{:?} {}", operation.method, operation.template());
        }
        assert!(seen.len() > 450);
    }

    #[test]
    fn what_is_asked_of_documents_asks_for_scopes() {
        let model = Model::embedded().unwrap();
        for operation in model.operations() {
            let is_fixed = matches!(operation.doing, Doing::Fixed(_));
            assert_eq!(
                operation.scopes.is_empty(),
                is_fixed || operation.is_for_anybody,
                "{:?} {}",
                operation.method,
                operation.template()
            );
            let is_beside =
                matches!(operation.doing, Doing::Import(_) | Doing::History(_) | Doing::Service(_));
            assert_eq!(operation.kind.is_none(), is_fixed || is_beside);
        }
    }
}
