//! The parts of an operation's description that all operations share.

use crate::errors::error_response;
use crate::names::{HISTORY, IMPORT, OAUTH, operation_id};
use crate::side::{project_scope, store_scope};
use kontor_json::{Map, Value, json};
use kontor_model::{Model, OperationKind, RequestBody, ServedOperation};

/// The part of a description that depends on the kind of operation. The rest follows from its row in the
/// table.
pub(crate) struct OperationDescription {
    pub(crate) summary: String,
    /// Parameters in addition to those of its path.
    pub(crate) parameters: Vec<Value>,
    /// The content of the body by media type.
    pub(crate) content: Option<Value>,
    pub(crate) responses: Value,
}

/// Returns the operation in the form of the document.
pub(crate) fn object(model: &Model, operation: &ServedOperation, described: OperationDescription) -> Value {
    let kind = operation.kind.map(|kind| model.kind(kind));
    let mut object = Map::new();
    object.insert("operationId", json!(operation_id(operation)));
    object.insert("summary", json!(described.summary));
    object.extend(kind.map(|kind| ("tags", json!([kind.name]))));
    match operation.operation_kind {
        OperationKind::Import(_) => _ = object.insert("tags", json!([IMPORT])),
        OperationKind::History(_) => _ = object.insert("tags", json!([HISTORY])),
        OperationKind::Service(does) => _ = object.insert("tags", json!([model.services()[does].service])),
        _ => {}
    }
    if is_deprecated(model, operation) {
        object.insert("deprecated", json!(true));
    }
    object.insert("security", security(model, operation));
    object.extend(tokens(model, operation).map(|tokens| ("x-tokens", tokens)));
    if !described.parameters.is_empty() {
        object.insert("parameters", Value::Array(described.parameters));
    }
    if let Some(content) = described.content {
        // A form may be sent in the query instead.
        let is_required = operation.body != RequestBody::Form;
        object.insert("requestBody", json!({"required": is_required, "content": content}));
    }
    object.insert("responses", described.responses);
    Value::Object(object)
}

/// Whether the platform advises against an operation.
fn is_deprecated(model: &Model, operation: &ServedOperation) -> bool {
    let by_parameters =
        matches!(operation.operation_kind, OperationKind::ParameterSearch | OperationKind::Suggest);
    let search = operation.kind.and_then(|kind| model.kind(kind).parameter_search.as_ref());
    by_parameters && search.is_some_and(|search| search.deprecated_since.is_some())
}

/// Returns the security requirements: any of the scopes is enough, for the project or for a Store.
fn security(model: &Model, operation: &ServedOperation) -> Value {
    // A caller with search scopes for some Stores may also search on the path of the project.
    let searches = matches!(operation.operation_kind, OperationKind::Search | OperationKind::SearchExists);
    let is_of_stores = operation.kind.is_some_and(|kind| model.kind(kind).in_store.is_some());
    let takes_stores = operation.side.is_in_store() || (searches && is_of_stores);
    let mut alternatives = Vec::new();
    for scope in &operation.scopes {
        alternatives.push(json!({OAUTH: [project_scope(scope)]}));
        if takes_stores {
            alternatives.extend(store_scope(scope).map(|scope| json!({OAUTH: [scope]})));
        }
    }
    Value::Array(alternatives)
}

/// Returns whose tokens an operation below `/me` accepts; `None`: every token with the scope.
fn tokens(model: &Model, operation: &ServedOperation) -> Option<Value> {
    let mine = model.kind(operation.kind?).mine.as_ref().filter(|_| operation.side.is_mine())?;
    Some(match (operation.is_open, mine.session.is_empty()) {
        (true, _) => json!(["customer", "anonymous", "client"]),
        (false, false) => json!(["customer", "anonymous"]),
        (false, true) => json!(["customer"]),
    })
}

/// Returns a JSON body.
pub(crate) fn content(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

/// Returns the responses of an operation: of success, and errors.
pub(crate) fn operation_responses(done: &[(u16, &str)], schema: &Value, refusals: &[u16]) -> Value {
    let mut all = Map::new();
    for (status, description) in done {
        let response = json!({"description": description, "content": content(schema)});
        all.insert(status.to_string(), response);
    }
    for status in refusals {
        all.insert(status.to_string(), error_response(*status));
    }
    Value::Object(all)
}

/// The error statuses of reads.
pub(crate) const READING: &[u16] = &[400, 401, 403, 404, 500, 503];
/// The error statuses of reads with a body.
pub(crate) const READING_BY_BODY: &[u16] = &[400, 401, 403, 404, 413, 500, 503];
