//! The operations that every server has, whatever its model.

use crate::endpoint::Segment;
use crate::operation::{
    Answered, Doing, Fixed, Method, SentBody, ServedOperation, Side, Target, TestControl,
};

/// Path, method, request body, effect.
type Row = (&'static str, Method, SentBody, Fixed);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    ("/{projectKey}/graphql", Method::Get, SentBody::Nothing, Fixed::GraphQlPage),
    ("/{projectKey}/graphql", Method::Post, SentBody::Json, Fixed::GraphQl),
    ("/{projectKey}/graphql/{name}", Method::Get, SentBody::Nothing, Fixed::GraphQlEditor),
    ("/oauth/token", Method::Post, SentBody::Form, Fixed::Token),
    ("/oauth/{projectKey}/anonymous/token", Method::Post, SentBody::Form, Fixed::AnonymousToken),
    ("/oauth/{projectKey}/customers/token", Method::Post, SentBody::Form, Fixed::CustomerToken),
    ("/oauth/{projectKey}/in-store/key={storeKey}/customers/token", Method::Post, SentBody::Form, Fixed::CustomerToken),
    ("/oauth/introspect", Method::Post, SentBody::Form, Fixed::Introspect),
    ("/oauth/token/revoke", Method::Post, SentBody::Form, Fixed::Revoke),
    ("/", Method::Get, SentBody::Nothing, Fixed::StartPage),
    ("/", Method::Head, SentBody::Nothing, Fixed::StartPage),
    ("/health", Method::Get, SentBody::Nothing, Fixed::Health),
    ("/health", Method::Head, SentBody::Nothing, Fixed::Health),
    ("/health/live", Method::Get, SentBody::Nothing, Fixed::Live),
    ("/health/live", Method::Head, SentBody::Nothing, Fixed::Live),
    ("/health/ready", Method::Get, SentBody::Nothing, Fixed::Ready),
    ("/health/ready", Method::Head, SentBody::Nothing, Fixed::Ready),
    ("/metrics", Method::Get, SentBody::Nothing, Fixed::Metrics),
    ("/openapi.json", Method::Get, SentBody::Nothing, Fixed::OpenApi),
    ("/openapi.json", Method::Head, SentBody::Nothing, Fixed::OpenApi),
    ("/openapi", Method::Get, SentBody::Nothing, Fixed::OpenApiPage),
    ("/openapi", Method::Head, SentBody::Nothing, Fixed::OpenApiPage),
    ("/images/{projectKey}/{name}", Method::Get, SentBody::Nothing, Fixed::Image),
    ("/images/{projectKey}/{name}", Method::Head, SentBody::Nothing, Fixed::Image),
    ("/mcp/projects/{projectKey}/{key}", Method::Get, SentBody::Nothing, Fixed::Mcp),
    ("/mcp/projects/{projectKey}/{key}", Method::Post, SentBody::Json, Fixed::Mcp),
    ("/mcp/projects/{projectKey}/{key}", Method::Delete, SentBody::Nothing, Fixed::Mcp),
    ("/_test/projects", Method::Post, SentBody::Json, Fixed::Test(TestControl::Create)),
    ("/_test/projects/{projectKey}", Method::Delete, SentBody::Nothing, Fixed::Test(TestControl::Remove)),
    ("/_test/projects/{projectKey}/clock", Method::Post, SentBody::Json, Fixed::Test(TestControl::Clock)),
    ("/_test/projects/{projectKey}/reset", Method::Post, SentBody::Json, Fixed::Test(TestControl::Reset)),
    ("/_test/projects/{projectKey}/snapshot", Method::Post, SentBody::Json, Fixed::Test(TestControl::Snapshot)),
    ("/_test/projects/{projectKey}/restore", Method::Post, SentBody::Json, Fixed::Test(TestControl::Restore)),
    ("/_test/projects/{projectKey}/settle", Method::Post, SentBody::Json, Fixed::Test(TestControl::Settle)),
    ("/_test/projects/{projectKey}/faults", Method::Post, SentBody::Json, Fixed::Test(TestControl::Faults)),
];

/// Returns the operations of all servers.
pub(super) fn operations() -> impl Iterator<Item = ServedOperation> {
    ROWS.iter().map(|(path, method, body, does)| ServedOperation {
        method: *method,
        path: segments(path),
        side: if does.is_of_project() { Side::Project } else { Side::Server },
        kind: None,
        target: Target::Only,
        doing: Doing::Fixed(*does),
        scopes: Vec::new(),
        staged_scopes: Vec::new(),
        is_open: false,
        is_for_anybody: false,
        body: *body,
        answer: if *method == Method::Head || *does == Fixed::Revoke {
            Answered::Nothing
        } else {
            Answered::Own
        },
    })
}

/// Parses a path with names in braces into segments.
pub(super) fn segments(path: &str) -> Vec<Segment> {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    segments
        .map(|segment| match segment.split_once('{') {
            None => Segment::Fixed(segment.to_owned()),
            Some((prefix, name)) => {
                Segment::Value { prefix: prefix.to_owned(), name: name.trim_end_matches('}').to_owned() }
            }
        })
        .collect()
}
