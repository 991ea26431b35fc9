//! The table of operations: every method of every path that a server handles, with its effect and its
//! callers.
//!
//! It is built once, from the kinds of the model and the paths that every server has ([`fixed`]). Routing,
//! API descriptions and tests use this table, so that they agree on what is served.

mod documents;
mod fixed;
mod history;
mod imports;
mod path_prefix;
mod services;

pub use path_prefix::{PathPrefix, PathTarget};

use crate::Model;
use crate::endpoint::PathSegment;
use crate::id::{KindId, ObjectId};
use crate::permissions::Operation;
use std::fmt;

/// First segments of paths that are no project keys, in addition to those of the fixed paths.
pub const RESERVED_SEGMENTS: [&str; 2] = ["console", "_operator"];

/// One method of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedOperation {
    /// The HTTP method.
    pub method: Method,
    /// All segments of the path.
    pub path: Vec<PathSegment>,
    /// The kind of path before that of the resource, e.g. `/me`.
    pub side: PathPrefix,
    /// The kind of its documents; `None` for fixed paths.
    pub kind: Option<KindId>,
    /// The documents of the kind that the path addresses.
    pub target: PathTarget,
    /// Its effect.
    pub operation_kind: OperationKind,
    /// Any one of these scopes allows it. Empty: public, or a fixed path that checks its caller itself.
    pub scopes: Vec<String>,
    /// Any one of these scopes allows reading the staged projection, if there is one: in place of `scopes`, or for
    /// searches in addition to them.
    pub staged_scopes: Vec<String>,
    /// Whether every token with the scope may call it below `/me`, e.g. to sign up or in, when the caller has no
    /// customer yet.
    pub is_open: bool,
    /// Whether it is a public operation on documents, so that no token is needed.
    pub is_for_anybody: bool,
    /// The request body.
    pub body: RequestBody,
    /// The response of a successful request.
    pub response: ResponseContent,
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Reads.
    Get,
    /// Like GET, without the body of the response.
    Head,
    /// Creates or changes, or reads with a body.
    Post,
    /// Deletes.
    Delete,
    /// Changes.
    Put,
}

/// The effect of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// A standard operation of every kind.
    Documents(Operation),
    /// The endpoint of the kind at this position of [`Kind::endpoints`](crate::Kind::endpoints).
    Endpoint(usize),
    /// The upload form of the action at this position of [`Kind::actions`](crate::Kind::actions).
    Upload(usize),
    /// A search, described by its body.
    Search,
    /// Whether there is a search index.
    SearchExists,
    /// The progress of the search index.
    SearchStatus,
    /// A search with parameters.
    ParameterSearch,
    /// Completes search keywords.
    Suggest,
    /// The list of the kind at this position of [`Kind::lists`](crate::Kind::lists), below the addressed document.
    List(usize),
    /// The view of the kind at this position of [`Kind::views`](crate::Kind::views).
    View(usize),
    /// The same actions for many documents, each with its own result.
    Bulk,
    /// An operation of the Import API.
    Import(ImportOperation),
    /// The call of a service at this position of [`Model::services`].
    Service(usize),
    /// An operation of the Change History API.
    History(HistoryOperation),
    /// An operation that every server has, whatever its model.
    Fixed(FixedOperation),
}

/// The operations of the Import API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOperation {
    /// Creates a container.
    CreateContainer,
    /// Queries containers.
    Containers,
    /// Returns a container.
    Container,
    /// Changes a container.
    UpdateContainer,
    /// Deletes a container with its content.
    DeleteContainer,
    /// Queries the import operations of a container.
    Operations,
    /// Counts the import operations of a container by state.
    Summary,
    /// Returns an import operation.
    Operation,
    /// Accepts resources of the type at this position of [`Model::imports`].
    Request(usize),
}

/// The operations of the Change History API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryOperation {
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
pub enum FixedOperation {
    /// A token for an API client, or for a refresh token.
    Token,
    /// A token for a visitor without an account.
    AnonymousToken,
    /// A token for a customer, of a project or of one of its Stores.
    CustomerToken,
    /// Introspection of a token.
    Introspect,
    /// Revokes a token.
    Revoke,
    /// A GraphQL request.
    GraphQl,
    /// The GraphQL explorer page at the same path.
    GraphQlPage,
    /// A file of the explorer page.
    GraphQlEditor,
    /// The start page, which describes the server.
    StartPage,
    /// The health of the server.
    Health,
    /// Liveness: whether the process runs.
    Live,
    /// Readiness: whether all projects can be served.
    Ready,
    /// The metrics.
    Metrics,
    /// The OpenAPI document.
    OpenApi,
    /// The page that shows the OpenAPI document.
    OpenApiPage,
    /// An uploaded image.
    Image,
    /// Tools for AI agents (MCP).
    Mcp,
    /// An operation of the test controls.
    Test(TestControl),
}

impl FixedOperation {
    /// Returns true for operations of a project, false for operations of the server.
    pub fn is_of_project(self) -> bool {
        matches!(self, Self::GraphQl | Self::GraphQlPage | Self::GraphQlEditor | Self::Mcp)
    }
}

/// The operations of the test controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestControl {
    /// Lists the test controls.
    List,
    /// Lists the projects.
    Projects,
    /// Returns the last requests to a project.
    Requests,
    /// Empties the log of the requests to a project.
    ClearRequests,
    /// Returns what a project has sent to Subscriptions and API Extensions.
    Deliveries,
    /// Empties the log of these deliveries.
    ClearDeliveries,
    /// Creates a project.
    Create,
    /// Deletes a project.
    Remove,
    /// Sets the clock of a project.
    Clock,
    /// Empties a project.
    Reset,
    /// Takes a snapshot of the content of a project.
    Snapshot,
    /// Restores a snapshot.
    Restore,
    /// Waits until all follow-up work of a project is done.
    Settle,
    /// Injects faults.
    Faults,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestBody {
    /// No body.
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
pub enum ResponseContent {
    /// Only a status.
    Nothing,
    /// A document of a kind.
    Document(KindId),
    /// A page of documents of a kind.
    Page(KindId),
    /// An object of the model.
    Object(ObjectId),
    /// A page of objects of the model.
    Objects(ObjectId),
    /// A response that only this operation has.
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

    /// Returns the method with this name, which is case-sensitive (RFC 9110, section 9.1).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name)
    }
}

impl ServedOperation {
    /// Returns the path with names in braces in place of values, e.g. `/{projectKey}/states/key={key}`.
    pub fn template(&self) -> String {
        template(&self.path)
    }

    /// Like [`template`](Self::template), formatted without an allocation.
    pub fn shown_template(&self) -> impl fmt::Display {
        PathTemplate(&self.path)
    }

    /// The names of the values in the path, in order.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.path.iter().filter_map(|segment| match segment {
            PathSegment::Value { name, .. } => Some(name.as_str()),
            PathSegment::Fixed(_) => None,
        })
    }

    /// True if the operation may change data.
    pub fn changes(&self) -> bool {
        match self.operation_kind {
            OperationKind::Documents(operation) => {
                matches!(operation, Operation::Create | Operation::Update | Operation::Delete)
            }
            OperationKind::Endpoint(_) => self.method == Method::Post,
            OperationKind::Upload(_) | OperationKind::Bulk => true,
            OperationKind::Import(_) | OperationKind::Service(_) => self.method != Method::Get,
            _ => false,
        }
    }
}

/// Formats segments as a path, with names in braces in place of values.
pub(crate) fn template(path: &[PathSegment]) -> String {
    PathTemplate(path).to_string()
}

/// Formats a path for people.
struct PathTemplate<'p>(&'p [PathSegment]);

impl fmt::Display for PathTemplate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|segment| match segment {
            PathSegment::Fixed(text) => write!(f, "/{text}"),
            PathSegment::Value { prefix, name } => write!(f, "/{prefix}{{{name}}}"),
        })
    }
}

/// Returns all operations of a model: those of each kind, of services, and the fixed ones.
pub(crate) fn table(model: &Model) -> Vec<ServedOperation> {
    let of_kinds = model.kinds().filter(|(_, kind)| kind.is_served);
    let of_kinds = of_kinds.flat_map(|(id, _)| documents::operations_of_kind(model, id));
    let beside = imports::operations(model).chain(history::operations(model));
    let beside = beside.chain(services::operations(model));
    of_kinds.chain(beside).chain(fixed::operations()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn has_each_method_and_path_once() {
        let model = Model::embedded().unwrap();
        let mut seen = HashSet::new();
        for operation in model.operations() {
            // The names of values do not distinguish paths.
            let path: Vec<String> = operation
                .path
                .iter()
                .map(|segment| match segment {
                    PathSegment::Fixed(text) => text.clone(),
                    PathSegment::Value { prefix, .. } => format!("{prefix}{{}}"),
                })
                .collect();
            assert!(seen.insert((operation.method, path)), "{:?} {}", operation.method, operation.template());
        }
        assert!(seen.len() > 450);
    }

    #[test]
    fn requires_scopes_for_document_operations() {
        let model = Model::embedded().unwrap();
        for operation in model.operations() {
            let is_fixed = matches!(operation.operation_kind, OperationKind::Fixed(_));
            assert_eq!(
                operation.scopes.is_empty(),
                is_fixed || operation.is_for_anybody,
                "{:?} {}",
                operation.method,
                operation.template()
            );
            let is_beside = matches!(
                operation.operation_kind,
                OperationKind::Import(_) | OperationKind::History(_) | OperationKind::Service(_)
            );
            assert_eq!(operation.kind.is_none(), is_fixed || is_beside);
        }
    }
}
