//! What is served beside the kinds: the authorization service, and what operators ask.

use crate::schemas::link;
use crate::side::{Side, in_project, in_store};
use kontor_model::Model;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The name of the security scheme of tokens.
pub(crate) const OAUTH: &str = "oauth2";
/// The name of the security scheme of client credentials.
const CLIENT: &str = "client";

/// The groups of these operations.
pub(crate) fn tags() -> [Value; 2] {
    [
        json!({"name": "Authorization", "description": "Tokens, by OAuth 2.0."}),
        json!({"name": "Operation", "description": "What operators and developers ask of a server."}),
    ]
}

/// How callers prove who they are, with all scopes that operations ask for.
pub(crate) fn security_schemes(model: &Model, base_url: &str) -> Value {
    let mut uses: BTreeMap<String, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (_, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
        for side in Side::of(kind) {
            let verbs = if side.is_mine() { ["read own", "write own"] } else { ["read", "write"] };
            for (verb, writes) in verbs.into_iter().zip([false, true]) {
                for scope in side.scopes(kind, writes) {
                    let of_store = if side.is_in_store() { in_store(scope) } else { None };
                    let text = of_store.unwrap_or_else(|| in_project(scope));
                    uses.entry(text).or_default().entry(verb).or_default().push(&kind.name);
                }
            }
        }
    }
    let scopes: Map<_, _> = uses
        .into_iter()
        .map(|(scope, verbs)| {
            let parts: Vec<_> =
                verbs.into_iter().map(|(verb, kinds)| format!("{verb} {}", kinds.join(", "))).collect();
            (scope, json!(format!("May {}.", parts.join("; "))))
        })
        .collect();
    json!({
        OAUTH: {
            "type": "oauth2",
            "description": "Any one of an operation's scopes is enough. A scope of writing has that of reading in it.",
            "flows": {"clientCredentials": {"tokenUrl": format!("{base_url}/oauth/token"), "scopes": scopes}},
        },
        CLIENT: {
            "type": "http", "scheme": "basic",
            "description": "Id and secret of an API client.",
        },
    })
}

/// Adds the paths.
pub(crate) fn add(paths: &mut Map<String, Value>) {
    let form = |required: Value, properties: Value| {
        json!({
            "required": true,
            "content": {"application/x-www-form-urlencoded": {
                "schema": {"type": "object", "required": required, "properties": properties},
            }},
        })
    };
    let token = json!({"token": {"type": "string", "description": "The token that the request is about."}});
    paths.insert("/oauth/token".into(), authorization(
        "AuthToken", "Get an access token",
        form(json!(["grant_type"]), json!({
            "grant_type": {"type": "string", "enum": ["client_credentials"]},
            "scope": {"type": "string", "description": "Scopes with spaces between. Left out: all that the client has."},
        })),
        json!({"description": "A token.", "content": {"application/json": {"schema": {
            "type": "object",
            "required": ["access_token", "expires_in", "scope", "token_type"],
            "properties": {
                "access_token": {"type": "string"},
                "expires_in": {"type": "integer", "description": "How many seconds it lives."},
                "scope": {"type": "string"},
                "refresh_token": {"type": "string"},
                "token_type": {"type": "string", "const": "Bearer"},
            },
        }}}}),
    ));
    paths.insert("/oauth/introspect".into(), authorization(
        "AuthIntrospect", "Ask what a token is worth", form(json!(["token"]), token.clone()),
        json!({"description": "What is known of the token.", "content": {"application/json": {"schema": {
            "type": "object",
            "required": ["active"],
            "properties": {
                "active": {"type": "boolean"},
                "scope": {"type": "string"},
                "exp": {"type": "integer", "format": "int64", "description": "When it ends, in milliseconds since 1970."},
                "client_id": {"type": "string"},
            },
        }}}}),
    ));
    paths.insert(
        "/oauth/token/revoke".into(),
        authorization(
            "AuthRevoke",
            "Revoke a token",
            form(
                json!(["token"]),
                json!({
                    "token": token["token"],
                    "token_type_hint": {"type": "string", "enum": ["access_token", "refresh_token"]},
                }),
            ),
            json!({"description": "The token is worth nothing now."}),
        ),
    );
    let shown = |id: &str, summary: &str, media_type: &str, schema: Value| {
        json!({"get": {
            "operationId": id, "summary": summary, "tags": ["Operation"], "security": [],
            "responses": {"200": {"description": "As asked for.", "content": {media_type: {"schema": schema}}}},
        }})
    };
    paths.insert(
        "/health".into(),
        shown(
            "GetHealth",
            "Is the server serving",
            "application/json",
            json!({
                "type": "object",
                "required": ["status", "version", "projects"],
                "properties": {
                    "status": {"type": "string", "const": "ok"},
                    "version": {"type": "string"},
                    "projects": {"type": "integer", "description": "How many projects it has."},
                },
            }),
        ),
    );
    let text = json!({"type": "string"});
    paths.insert(
        "/metrics".into(),
        shown("GetMetrics", "Measurements for Prometheus", "text/plain", text.clone()),
    );
    paths.insert(
        "/openapi.json".into(),
        shown("GetOpenApi", "This document", "application/json", json!({"type": "object"})),
    );
    paths.insert("/openapi".into(), shown("GetOpenApiPage", "This document as a page", "text/html", text));
}

fn authorization(id: &str, summary: &str, body: Value, answer: Value) -> Value {
    let refused = |description: &str| json!({"description": description, "content": {"application/json": {"schema": link("OAuthErrorResponse")}}});
    json!({"post": {
        "operationId": id,
        "summary": summary,
        "tags": ["Authorization"],
        "security": [{CLIENT: []}],
        "requestBody": body,
        "responses": {
            "200": answer,
            "400": refused("The request is wrong."),
            "401": refused("The client's id or secret is wrong."),
            "503": refused("The service is over capacity."),
        },
    }})
}
