//! The operations that every server has, whatever its model.

use crate::endpoint::PathSegment;
use crate::operation::{
    FixedOperation, Method, OperationKind, PathPrefix, PathTarget, RequestBody, ResponseContent,
    ServedOperation, TestControl,
};

/// Path, method, request body, effect.
type FixedRow = (&'static str, Method, RequestBody, FixedOperation);

#[rustfmt::skip] // A table.
const ROWS: &[FixedRow] = &[
    ("/{projectKey}/graphql", Method::Get, RequestBody::Nothing, FixedOperation::GraphQlPage),
    ("/{projectKey}/graphql", Method::Post, RequestBody::Json, FixedOperation::GraphQl),
    ("/{projectKey}/graphql/{name}", Method::Get, RequestBody::Nothing, FixedOperation::GraphQlEditor),
    ("/oauth/token", Method::Post, RequestBody::Form, FixedOperation::Token),
    ("/oauth/{projectKey}/anonymous/token", Method::Post, RequestBody::Form, FixedOperation::AnonymousToken),
    ("/oauth/{projectKey}/customers/token", Method::Post, RequestBody::Form, FixedOperation::CustomerToken),
    ("/oauth/{projectKey}/in-store/key={storeKey}/customers/token", Method::Post, RequestBody::Form, FixedOperation::CustomerToken),
    ("/oauth/introspect", Method::Post, RequestBody::Form, FixedOperation::Introspect),
    ("/oauth/token/revoke", Method::Post, RequestBody::Form, FixedOperation::Revoke),
    ("/", Method::Get, RequestBody::Nothing, FixedOperation::StartPage),
    ("/", Method::Head, RequestBody::Nothing, FixedOperation::StartPage),
    ("/health", Method::Get, RequestBody::Nothing, FixedOperation::Health),
    ("/health", Method::Head, RequestBody::Nothing, FixedOperation::Health),
    ("/health/live", Method::Get, RequestBody::Nothing, FixedOperation::Live),
    ("/health/live", Method::Head, RequestBody::Nothing, FixedOperation::Live),
    ("/health/ready", Method::Get, RequestBody::Nothing, FixedOperation::Ready),
    ("/health/ready", Method::Head, RequestBody::Nothing, FixedOperation::Ready),
    ("/metrics", Method::Get, RequestBody::Nothing, FixedOperation::Metrics),
    ("/openapi.json", Method::Get, RequestBody::Nothing, FixedOperation::OpenApi),
    ("/openapi.json", Method::Head, RequestBody::Nothing, FixedOperation::OpenApi),
    ("/openapi", Method::Get, RequestBody::Nothing, FixedOperation::OpenApiPage),
    ("/openapi", Method::Head, RequestBody::Nothing, FixedOperation::OpenApiPage),
    ("/images/{projectKey}/{name}", Method::Get, RequestBody::Nothing, FixedOperation::Image),
    ("/images/{projectKey}/{name}", Method::Head, RequestBody::Nothing, FixedOperation::Image),
    ("/mcp/projects/{projectKey}/{key}", Method::Get, RequestBody::Nothing, FixedOperation::Mcp),
    ("/mcp/projects/{projectKey}/{key}", Method::Post, RequestBody::Json, FixedOperation::Mcp),
    ("/mcp/projects/{projectKey}/{key}", Method::Delete, RequestBody::Nothing, FixedOperation::Mcp),
    ("/_test", Method::Get, RequestBody::Nothing, FixedOperation::Test(TestControl::List)),
    ("/_test/projects", Method::Get, RequestBody::Nothing, FixedOperation::Test(TestControl::Projects)),
    ("/_test/projects/{projectKey}/requests", Method::Get, RequestBody::Nothing, FixedOperation::Test(TestControl::Requests)),
    ("/_test/projects/{projectKey}/requests", Method::Delete, RequestBody::Nothing, FixedOperation::Test(TestControl::ClearRequests)),
    ("/_test/projects/{projectKey}/deliveries", Method::Get, RequestBody::Nothing, FixedOperation::Test(TestControl::Deliveries)),
    ("/_test/projects/{projectKey}/deliveries", Method::Delete, RequestBody::Nothing, FixedOperation::Test(TestControl::ClearDeliveries)),
    ("/_test/projects", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Create)),
    ("/_test/projects/{projectKey}", Method::Delete, RequestBody::Nothing, FixedOperation::Test(TestControl::Remove)),
    ("/_test/projects/{projectKey}/clock", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Clock)),
    ("/_test/projects/{projectKey}/reset", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Reset)),
    ("/_test/projects/{projectKey}/snapshot", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Snapshot)),
    ("/_test/projects/{projectKey}/restore", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Restore)),
    ("/_test/projects/{projectKey}/settle", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Settle)),
    ("/_test/projects/{projectKey}/faults", Method::Post, RequestBody::Json, FixedOperation::Test(TestControl::Faults)),
];

/// Returns the operations of all servers.
pub(super) fn operations() -> impl Iterator<Item = ServedOperation> {
    ROWS.iter().map(|(path, method, body, does)| ServedOperation {
        method: *method,
        path: segments(path),
        side: if does.is_of_project() { PathPrefix::Project } else { PathPrefix::Server },
        kind: None,
        target: PathTarget::Only,
        operation_kind: OperationKind::Fixed(*does),
        scopes: Vec::new(),
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: *body,
        response: if *method == Method::Head || *does == FixedOperation::Revoke {
            ResponseContent::Nothing
        } else {
            ResponseContent::Own
        },
    })
}

/// Parses a path with names in braces into segments.
pub(super) fn segments(path: &str) -> Vec<PathSegment> {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    segments
        .map(|segment| match segment.split_once('{') {
            None => PathSegment::Fixed(segment.to_owned()),
            Some((prefix, name)) => {
                PathSegment::Value { prefix: prefix.to_owned(), name: name.trim_end_matches('}').to_owned() }
            }
        })
        .collect()
}
