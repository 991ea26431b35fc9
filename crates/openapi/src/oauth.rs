//! Describes the OAuth endpoints.
//!
//! Source: document A, "Authentication"; RFC 6749, 7009 and 7662.

use crate::names::CLIENT;
use crate::schemas::link;
use kontor_json::{Value, json};
use kontor_model::{FixedOperation, ServedOperation};

/// Describes an OAuth endpoint; `None` for other operations.
pub(crate) fn describe(operation: &ServedOperation, fixed: FixedOperation) -> Option<Value> {
    let of_store = operation.values().any(|name| name == "storeKey");
    Some(match fixed {
        FixedOperation::Token => authorization(
            "AuthToken",
            "Get an access token for a client, or a new one for a refresh token",
            token_form(),
            &token(&["expires_in"]),
        ),
        FixedOperation::AnonymousToken => authorization(
            "AuthAnonymousToken",
            "Get tokens for a visitor without an account",
            anonymous_form(),
            &token(&["expires_in", "refresh_token"]),
        ),
        FixedOperation::CustomerToken => authorization(
            if of_store { "AuthCustomerTokenInStore" } else { "AuthCustomerToken" },
            if of_store {
                "Get tokens for a customer of a Store, by email address and password"
            } else {
                "Get tokens for a customer, by email address and password"
            },
            password_form(),
            &token(&["expires_in", "refresh_token"]),
        ),
        FixedOperation::Introspect => authorization(
            "AuthIntrospect",
            "Introspect a token",
            form(&json!(["token"]), &json!({"token": text("The token that the request is about.")})),
            &introspection_response(),
        ),
        FixedOperation::Revoke => authorization(
            "AuthRevoke",
            "Revoke a token",
            form(
                &json!(["token"]),
                &json!({
                    "token": text("The token that the request is about."),
                    "token_type_hint": {"type": "string", "enum": ["access_token", "refresh_token"]},
                }),
            ),
            &json!({"description": "The token is invalid now."}),
        ),
        _ => return None,
    })
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn scope() -> Value {
    text("Scopes separated by spaces. Default: all scopes of the client.")
}

fn grant(name: &str) -> Value {
    json!({"type": "string", "const": name})
}

fn form(required: &Value, properties: &Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

fn token_form() -> Value {
    let refresh = text("A refresh token of the same client.");
    json!({"oneOf": [
        form(&json!(["grant_type"]), &json!({"grant_type": grant("client_credentials"), "scope": scope()})),
        form(
            &json!(["grant_type", "refresh_token"]),
            &json!({"grant_type": grant("refresh_token"), "refresh_token": refresh}),
        ),
    ]})
}

fn anonymous_form() -> Value {
    let id = text("The id of the anonymous session. Default: a generated id.");
    form(
        &json!(["grant_type"]),
        &json!({"grant_type": grant("client_credentials"), "scope": scope(), "anonymous_id": id}),
    )
}

fn password_form() -> Value {
    form(
        &json!(["grant_type", "username", "password"]),
        &json!({
            "grant_type": grant("password"),
            "username": text("The email address."),
            "password": text("The password."),
            "scope": scope(),
        }),
    )
}

/// Returns the schema of a token response, with these required fields in addition to the usual ones.
fn token(always: &[&str]) -> Value {
    let required: Vec<&str> =
        ["access_token", "scope", "token_type"].into_iter().chain(always.iter().copied()).collect();
    let schema = json!({
        "type": "object",
        "required": required,
        "properties": {
            "access_token": {"type": "string"},
            "expires_in": {"type": "integer", "description": "The lifetime of the token in seconds."},
            "scope": {"type": "string"},
            "refresh_token": {"type": "string"},
            "token_type": {"type": "string", "const": "Bearer"},
        },
    });
    json!({"description": "A token.", "content": {"application/json": {"schema": schema}}})
}

fn introspection_response() -> Value {
    let schema = json!({
        "type": "object",
        "required": ["active"],
        "properties": {
            "active": {"type": "boolean"},
            "scope": {"type": "string"},
            "exp": {"type": "integer", "format": "int64",
                "description": "The expiry of the token, in milliseconds since 1970."},
            "client_id": {"type": "string"},
        },
    });
    json!({"description": "The properties of the token.", "content": {"application/json": {"schema": schema}}})
}

fn authorization(id: &str, summary: &str, form: Value, reply: &Value) -> Value {
    let refused = |description: &str| json!({"description": description, "content": {"application/json": {"schema": link("OAuthErrorResponse")}}});
    json!({
        "operationId": id,
        "summary": summary,
        "tags": ["Authorization"],
        "security": [{CLIENT: []}],
        "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": form}}},
        "responses": {
            "200": reply,
            "400": refused("The request is malformed."),
            "401": refused("The client's id or secret is wrong."),
            "403": refused("The client lacks a scope, or belongs to another project."),
            "429": refused("Too many requests, or too many wrong secrets."),
            "503": refused("The service is over capacity."),
        },
    })
}
