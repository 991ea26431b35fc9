//! Describes the fixed paths: OAuth, health, metrics and pages.

use crate::errors::error_response;
use crate::names::{CLIENT, HISTORY, IMPORT, OAUTH, operation_id};
use crate::oauth;
use crate::side::{project_scope, store_scope};
use kontor_json::{Map, Value, json};
use kontor_model::{FixedOperation, Method, Model, OperationKind, ServedOperation};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the tags of all operations.
pub(crate) fn tags(model: &Model) -> Vec<Value> {
    let mut tags = vec![
        json!({"name": IMPORT, "description": "Imports resources in bulk, in the background."}),
        json!({"name": HISTORY, "description": "Records of changes: what, by whom, and when."}),
        json!({"name": "Authorization", "description": "OAuth 2.0 tokens."}),
        json!({"name": "Operation", "description": "Health, metrics and pages for operators and developers."}),
    ];
    for call in model.services() {
        let tag = json!({"name": call.service, "description": call.service_doc});
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Returns the security schemes, with all scopes that operations require.
pub(crate) fn security_schemes(model: &Model, base_url: &str) -> Value {
    let mut uses: BTreeMap<String, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for operation in model.operations() {
        let name = match (operation.kind, operation.operation_kind) {
            (Some(kind), _) => model.kind(kind).name.as_str(),
            (None, OperationKind::Import(_)) => "imports",
            (None, OperationKind::Service(does)) => &model.services()[does].service,
            (None, OperationKind::History(_)) => "what happened",
            (None, _) => continue,
        };
        let verb = match (operation.side.is_mine(), operation.changes()) {
            (true, false) => "read own",
            (true, true) => "write own",
            (false, false) => "read",
            (false, true) => "write",
        };
        for scope in &operation.scopes {
            let of_store = if operation.side.is_in_store() { store_scope(scope) } else { None };
            let text = of_store.unwrap_or_else(|| project_scope(scope));
            uses.entry(text).or_default().entry(verb).or_default().insert(name);
        }
    }
    let scopes: Map = uses
        .into_iter()
        .map(|(scope, verbs)| {
            let parts: Vec<_> =
                verbs.into_iter().map(|(verb, kinds)| format!("{verb} {}", joined(kinds))).collect();
            (scope, json!(format!("May {}.", parts.join("; "))))
        })
        .collect();
    json!({
        OAUTH: {
            "type": "oauth2",
            "description": "Any one of an operation's scopes is enough. A `manage` scope includes the `view` scope.",
            "flows": {
                "clientCredentials": {
                    "tokenUrl": format!("{base_url}/oauth/token"),
                    "refreshUrl": format!("{base_url}/oauth/token"),
                    "scopes": scopes.clone(),
                },
                // OpenAPI has no parameters in token URLs, so the endpoint is described as a path, too.
                "password": {"tokenUrl": format!("{base_url}/oauth/{{projectKey}}/customers/token"), "scopes": scopes},
            },
        },
        CLIENT: {
            "type": "http", "scheme": "basic",
            "description": "Id and secret of an API client.",
        },
    })
}

fn joined(names: BTreeSet<&str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Describes an operation of a fixed path; `None` for test controls.
pub(crate) fn describe(operation: &ServedOperation, fixed: FixedOperation) -> Option<Value> {
    if operation.method == Method::Head {
        return Some(without_body(operation));
    }
    let text = json!({"type": "string"});
    Some(match fixed {
        FixedOperation::Health => {
            describe_read("GetHealth", "Check whether the server is serving", "application/json", &health())
        }
        FixedOperation::Live => describe_read(
            "GetHealthLive",
            "Check whether the process is alive",
            "application/json",
            &status("live"),
        ),
        FixedOperation::Ready => {
            let mut ready = describe_read(
                "GetHealthReady",
                "Check whether the server is ready",
                "application/json",
                &status("ready"),
            );
            let body = json!({"application/json": {"schema": reasons()}});
            ready["responses"]["503"] = json!({"description": "The server is not ready.", "content": body});
            ready
        }
        FixedOperation::Metrics => {
            describe_read("GetMetrics", "Get metrics in the format of Prometheus", "text/plain", &text)
        }
        FixedOperation::OpenApi => {
            describe_read("GetOpenApi", "This document", "application/json", &json!({"type": "object"}))
        }
        FixedOperation::StartPage => describe_read("GetStartPage", "The start page", "text/html", &text),
        FixedOperation::OpenApiPage => {
            describe_read("GetOpenApiPage", "This document as a page", "text/html", &text)
        }
        FixedOperation::Mcp => tools(operation),
        FixedOperation::Image => {
            let bytes = json!({"type": "string", "format": "binary"});
            let mut image = describe_read("GetImage", "Get an uploaded image", "image/*", &bytes);
            image["responses"]["404"] = error_response(404);
            image
        }
        _ => return oauth::describe(operation, fixed),
    })
}

fn health() -> Value {
    json!({
        "type": "object",
        "required": ["status", "version", "projects"],
        "properties": {
            "status": {"type": "string", "const": "ok"},
            "version": {"type": "string"},
            "projects": {"type": "integer", "description": "Number of projects."},
        },
    })
}

fn status(status: &str) -> Value {
    let properties = json!({"status": {"type": "string", "const": status}});
    json!({"type": "object", "required": ["status"], "properties": properties})
}

fn reasons() -> Value {
    let mut reasons = status("not ready");
    reasons["properties"]["reasons"] = json!({"type": "array", "items": {"type": "string"}});
    reasons
}

fn describe_read(id: &str, summary: &str, media_type: &str, schema: &Value) -> Value {
    json!({
        "operationId": id, "summary": summary, "tags": ["Operation"], "security": [],
        "responses": {"200": {"description": "The requested data.", "content": {media_type: {"schema": schema}}}},
    })
}

fn without_body(operation: &ServedOperation) -> Value {
    json!({
        "operationId": operation_id(operation), "summary": "The same as GET, without a body", "tags": ["Operation"],
        "security": [], "responses": {"200": {"description": "The page exists."}},
    })
}

/// Describes the endpoint of an MCP Server.
fn tools(operation: &ServedOperation) -> Value {
    let message = json!({"application/json": {"schema": {"type": "object"}}});
    let mut described = json!({
        "operationId": operation_id(operation),
        "summary": "Tools for AI agents",
        "description": "JSON-RPC of the Model Context Protocol, by POST alone. Any token of the project may ask; tools may do what it may.",
        "tags": ["Operation"],
        "security": [{OAUTH: []}],
        "responses": {"401": error_response(401), "403": error_response(403), "404": error_response(404)},
    });
    if operation.method == Method::Post {
        described["requestBody"] = json!({"required": true, "content": message});
        described["responses"]["200"] =
            json!({"description": "The response to the message.", "content": message});
        described["responses"]["202"] = json!({"description": "The message needs no response."});
    } else {
        described["responses"]["405"] = json!({"description": "There are no streams and no sessions."});
    }
    described
}
