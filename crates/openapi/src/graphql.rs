//! Describes the GraphQL operation, and the page at the same URL.

use crate::errors::error_response;
use crate::names::OAUTH;
use crate::operation::content;
use crate::parameters::by_name;
use crate::schemas::{Schemas, link};
use kontor_json::{Map, Value, json};
use kontor_model::{FixedOperation, Model};

/// The tag of these operations.
pub(crate) fn tag() -> Value {
    json!({
        "name": "GraphQL",
        "description": "The same resources by queries and mutations. Introspection returns the schema.",
    })
}

/// Describes the GraphQL operations; `None` for others.
pub(crate) fn describe(model: &Model, fixed: FixedOperation) -> Option<Value> {
    match fixed {
        FixedOperation::GraphQlPage => Some(page()),
        FixedOperation::GraphQlEditor => Some(editor_file()),
        FixedOperation::GraphQl => Some(executed(model)),
        _ => None,
    }
}

fn page() -> Value {
    json!({
        "operationId": "ByProjectKeyGraphqlGet",
        "summary": "A page with an editor and the schema's documentation",
        "description": "The page for browsers, requested with `Accept: text/html`.",
        "tags": ["GraphQL"],
        "security": [],
        "responses": {
            "200": {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}},
            "404": error_response(404),
        },
    })
}

fn editor_file() -> Value {
    json!({
        "operationId": "ByProjectKeyGraphqlByNameGet",
        "summary": "A file of that page",
        "description": "`graphiql.js`, `graphiql.css` and `licenses.txt`, compressed.",
        "tags": ["GraphQL"],
        "security": [],
        "responses": {
            "200": {"description": "The file.", "content": {"*/*": {"schema": {"type": "string"}}}},
            "404": error_response(404),
        },
    })
}

fn executed(model: &Model) -> Value {
    let mut parameters = vec![by_name("externalUserId"), by_name("abTestId")];
    parameters.extend(model.setting_overrides().iter().map(|one| by_name(&one.header)));
    let mut responses = Map::new();
    let executed = "The request was executed. `errors` lists what failed.";
    let response = json!({"description": executed, "content": content(&link("GraphQLResponse"))});
    responses.insert("200", response);
    let refused = "The request could not be executed: its syntax, names, variables or complexity.";
    let either = json!({"anyOf": [link("GraphQLResponse"), link("ErrorResponse")]});
    responses.insert("400", json!({"description": refused, "content": content(&either)}));
    responses
        .extend([401, 403, 404, 413, 500, 503].map(|status| (status.to_string(), error_response(status))));
    json!({
        "operationId": "ByProjectKeyGraphqlPost",
        "summary": "Execute a GraphQL request",
        "description": "Requires any token of the project; each field of the query requires the scopes of its kind.",
        "tags": ["GraphQL"],
        "security": [{OAUTH: []}],
        "parameters": parameters,
        "requestBody": {"required": true, "content": content(&link("GraphQLRequest"))},
        "responses": responses,
    })
}

/// Adds the schemas of requests and responses.
pub(crate) fn add_schemas(schemas: &mut Schemas<'_>) {
    schemas.share("GraphQLRequest", |_| {
        json!({
            "type": "object",
            "description": "A query or mutation, and the values of its variables.",
            "required": ["query"],
            "properties": {
                "query": {"type": "string", "description": "The document with its operations and fragments."},
                "operationName": {
                    "type": ["string", "null"],
                    "description": "The operation to execute, if the document has several.",
                },
                "variables": {
                    "type": ["object", "null"],
                    "description": "Values of the variables, by their names without `$`.",
                    "additionalProperties": true,
                },
            },
            "additionalProperties": true,
        })
    });
    schemas.share("GraphQLResponse", |_| {
        json!({
            "type": "object",
            "description": "The requested data, and the errors.",
            "properties": {
                "data": {"type": ["object", "null"], "additionalProperties": true},
                "errors": {"type": "array", "items": link("GraphQLError")},
            },
        })
    });
    schemas.share("GraphQLError", |_| {
        json!({
            "type": "object",
            "description": "One error, with its locations.",
            "required": ["message", "locations", "extensions"],
            "properties": {
                "message": {"type": "string", "description": "A message for people."},
                "locations": {
                    "type": "array",
                    "description": "Locations in the query.",
                    "items": {
                        "type": "object",
                        "required": ["line", "column"],
                        "properties": {
                            "line": {"type": "integer", "format": "int64"},
                            "column": {"type": "integer", "format": "int64"},
                        },
                    },
                },
                "path": {
                    "type": "array",
                    "description": "The path in the response: names of fields and positions in lists.",
                    "items": {"type": ["string", "integer"]},
                },
                "extensions": link("GraphQLErrorObject"),
            },
        })
    });
}
