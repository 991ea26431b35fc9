//! Describes error responses, from the table of error codes.

use crate::names::pascal;
use crate::schemas::{Schemas, ValueDirection, link, put_first};
use kontor_errors::Code;
use kontor_json::{Map, Value, json};

/// Error statuses: status, name among the components, description.
const STATUSES: &[(u16, &str, &str)] = &[
    (400, "BadRequest", "The request is malformed, or does not fit the stored data."),
    (401, "Unauthorized", "The token is missing or invalid."),
    (403, "Forbidden", "The token does not allow this."),
    (404, "NotFound", "The project, resource or path does not exist."),
    (409, "Conflict", "The version in the request is not the current version."),
    (413, "ContentTooLarge", "The body is too large."),
    (415, "UnsupportedMediaType", "The content type of the body is not supported."),
    (500, "InternalError", "The server failed."),
    (503, "Unavailable", "The server cannot do this now. Trying again may help."),
];

/// Returns a reference to the response of a status.
pub(crate) fn error_response(status: u16) -> Value {
    let name =
        STATUSES.iter().find(|(known, ..)| *known == status).map_or("InternalError", |(_, name, _)| name);
    json!({"$ref": format!("#/components/responses/{name}")})
}

/// Returns an error response without a body, for HEAD.
pub(crate) fn bodyless_error(status: u16) -> Value {
    let meaning = STATUSES.iter().find(|(known, ..)| *known == status).map_or("", |(.., meaning)| meaning);
    json!({"description": meaning})
}

/// Returns the responses of all statuses.
pub(crate) fn responses() -> Value {
    let mut all = Map::new();
    for (status, name, meaning) in STATUSES {
        let codes: Vec<_> = Code::ALL
            .iter()
            .filter(|code| code.status() == *status)
            .map(|code| format!("`{}`", code.name()))
            .collect();
        let schema = if matches!(status, 401 | 403) { "AuthErrorResponse" } else { "ErrorResponse" };
        let description = format!("{meaning} Codes: {}.", codes.join(", "));
        all.insert(
            (*name).to_owned(),
            json!({"description": description, "content": {"application/json": {"schema": link(schema)}}}),
        );
    }
    Value::Object(all)
}

/// Adds the schemas of error bodies.
pub(crate) fn add_schemas(schemas: &mut Schemas<'_>) {
    add_objects(schemas);
    let properties = json!({
        "statusCode": {"type": "integer", "format": "int32", "description": "The HTTP status."},
        "message": {"type": "string", "description": "The first error's message."},
        "errors": {"type": "array", "items": link("ErrorObject")},
        "error": {"type": "string", "description": "The error code of OAuth 2.0, with the statuses 401 and 403."},
        "error_description": {"type": "string", "description": "The message, with `error`."},
    });
    schemas.share("ErrorResponse", |_| {
        json!({
            "type": "object",
            "description": "The error response of a request.",
            "required": ["statusCode", "message", "errors"],
            "properties": properties.clone(),
        })
    });
    schemas.share("AuthErrorResponse", |_| {
        json!({
            "type": "object",
            "description": "The error response for an invalid token.",
            "required": ["statusCode", "message", "errors", "error"],
            "properties": properties,
        })
    });
    schemas.share("OAuthErrorResponse", |_| {
        json!({
            "type": "object",
            "description": "The error response of the authorization service (RFC 6749, section 5.2).",
            "required": ["error"],
            "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}},
            "additionalProperties": true,
        })
    });
}

/// Adds a schema for each error code, as errors in REST and as `extensions` in GraphQL, and the union of both kinds.
fn add_objects(schemas: &mut Schemas<'_>) {
    for (union, prefix, description) in [
        ("ErrorObject", "", "One error: a code, a message, and the fields of the code."),
        (
            "GraphQLErrorObject",
            "GraphQL",
            "The code of an error, and the fields that the same error has in REST.",
        ),
    ] {
        schemas.share(union, |schemas| {
            let mut links = Vec::new();
            let mut mapping = Map::new();
            for code in Code::ALL {
                let own = type_name(*code);
                let link = schemas.share(&format!("{prefix}{own}"), |schemas| {
                    object(schemas, *code, &own, prefix.is_empty())
                });
                mapping.insert(code.name(), link["$ref"].clone());
                links.push(link);
            }
            json!({
                "description": description,
                "oneOf": links,
                "discriminator": {"propertyName": "code", "mapping": mapping},
            })
        });
    }
}

/// Returns the name of the type of a code's errors: `InvalidTokenError` of `invalid_token`.
fn type_name(code: Code) -> String {
    format!("{}Error", pascal(&code.name().replace('_', "-")))
}

/// The fields that errors of every code may have.
fn common() -> [(&'static str, Value); 3] {
    let position = |description: &str| json!({"type": "integer", "description": description});
    [
        (
            "action",
            json!({"type": "object", "description": "The update action that failed.", "additionalProperties": true}),
        ),
        ("actionIndex", position("The number of that action in the request; the first is 1.")),
        (
            "resourceIndex",
            position(
                "The position of the resource in the request, counted from 0. Present only in the Import API.",
            ),
        ),
    ]
}

/// Returns the schema of a code's errors. The model declares the fields of codes that have some.
fn object(schemas: &mut Schemas<'_>, code: Code, name: &str, has_message: bool) -> Value {
    let declared = schemas.model.object_by_name(name).map(|id| &schemas.model.object(id).fields);
    let mut schema = schemas.fields(declared.map_or(&[][..], Vec::as_slice), ValueDirection::Response);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.extend(common());
    }
    if has_message {
        let message = json!({"type": "string", "description": "A message for people."});
        put_first(&mut schema, "message", message);
    }
    put_first(&mut schema, "code", json!({"type": "string", "const": code.name()}));
    // API Extensions may add fields to the errors that they return.
    schema.insert("additionalProperties", json!(true));
    Value::Object(schema)
}
