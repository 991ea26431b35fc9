//! Describes the standard operations on documents of every kind.

use crate::envelopes;
use crate::errors::{bodyless_error, error_response};
use crate::names::{operation_id, spaced};
use crate::operation::{OperationDescription, content};
use crate::parameters;
use crate::schemas::Schemas;
use crate::side;
use kontor_json::{Map, Value, json};
use kontor_model::{
    Addressing, Kind, KindId, Model, Operation, OperationKind, PathPrefix, PathTarget, ServedOperation,
};

/// Describes an operation on documents.
pub(crate) fn describe(
    schemas: &mut Schemas<'_>,
    operation: &ServedOperation,
    id: KindId,
    does: Operation,
) -> OperationDescription {
    let model = schemas.model;
    let kind = model.kind(id);
    let body = match does {
        Operation::Create => Some(envelopes::draft(schemas, kind, operation.side)),
        Operation::Update => Some(envelopes::update(schemas, id, operation.side)),
        _ => None,
    };
    OperationDescription {
        summary: summary(kind, operation, does),
        parameters: parameters::of_operation(model, kind, operation, does),
        content: body.as_ref().map(content),
        responses: responses(schemas, id, operation.side, does),
    }
}

/// Returns a summary for readers, e.g. `Update a State by key`.
fn summary(kind: &Kind, operation: &ServedOperation, does: Operation) -> String {
    let target = target_words(kind, operation.target);
    let (name, words) = (spaced(&kind.name), format!("{target}{}", side::summary_suffix(operation.side)));
    match (does, operation.target) {
        (Operation::Query, _) => format!("Query {name} resources{words}"),
        (Operation::Head, PathTarget::All) => format!("Check that some {name} exists{words}"),
        (Operation::Head, _) => format!("Check that {name} exists{words}"),
        (Operation::Create, _) if kind.upserts() => format!("Create or replace {name}{words}"),
        (Operation::Create, _) => format!("Create {name}{words}"),
        (Operation::Get, _) => format!("Get {name}{words}"),
        (Operation::Update, _) => format!("Update {name}{words}"),
        (Operation::Delete, _) => format!("Delete {name}{words}"),
    }
}

fn target_words(kind: &Kind, target: PathTarget) -> String {
    let fields = match &kind.addressing {
        Addressing::Fields(fields) => fields.as_slice(),
        _ => &[],
    };
    match target {
        PathTarget::All | PathTarget::Only | PathTarget::New => String::new(),
        PathTarget::Id => " by ID".to_owned(),
        PathTarget::Key => " by key".to_owned(),
        PathTarget::Part => format!(" of one {}", fields.first().map_or("", String::as_str)),
        PathTarget::Fields => format!(" by {}", fields.join(" and ")),
        PathTarget::StoreDocument { .. } => " by its parent".to_owned(),
    }
}

fn responses(schemas: &mut Schemas<'_>, id: KindId, side: PathPrefix, operation: Operation) -> Value {
    let kind = schemas.model.kind(id);
    let mut all = Map::new();
    if operation == Operation::Head {
        all.insert("200", json!({"description": "The resource exists."}));
        for status in [400, 401, 403, 404, 500, 503] {
            all.insert(status.to_string(), bodyless_error(status));
        }
        return Value::Object(all);
    }
    let schema = match operation {
        Operation::Query => envelopes::page_of_kind(schemas, id, side),
        Operation::Create => {
            let document = envelopes::document(schemas, id, side);
            envelopes::wrapped_document(schemas, document, kind.creation_field().as_deref(), id)
        }
        _ => envelopes::document(schemas, id, side),
    };
    let response = |description: &str| json!({"description": description, "content": {"application/json": {"schema": schema.clone()}}});
    match operation {
        Operation::Create => {
            let mut created = response("The resource was created.");
            if side == PathPrefix::Project
                && let Some(links) = links(schemas.model, id, kind)
            {
                created["links"] = links;
            }
            if kind.upserts() {
                all.insert("200", response("The existing resource was replaced."));
            }
            all.insert("201", created);
        }
        Operation::Query => {
            all.insert("200", response("A page of results."));
        }
        Operation::Update => {
            all.insert("200", response("The resource after the changes."));
            if side == PathPrefix::Project && kind.actions.iter().any(|action| action.in_background) {
                all.insert("202", response("A part of the changes follows in the background."));
            }
        }
        Operation::Delete => {
            all.insert("200", response("The last state of the deleted resource."));
        }
        Operation::Get | Operation::Head => {
            all.insert("200", response("The resource."));
        }
    }
    let writes = matches!(operation, Operation::Create | Operation::Update | Operation::Delete);
    let has_body = matches!(operation, Operation::Create | Operation::Update);
    for (status, is_possible) in [
        (400, true),
        (401, true),
        (403, true),
        (404, true),
        (409, writes),
        (413, has_body),
        (500, true),
        (503, true),
    ] {
        if is_possible {
            all.insert(status.to_string(), error_response(status));
        }
    }
    Value::Object(all)
}

/// Returns links from a creation to the operations on the created document.
fn links(model: &Model, id: KindId, kind: &Kind) -> Option<Value> {
    let below = kind.creation_field().map(|name| format!("{name}/")).unwrap_or_default();
    let has_version = model.object(kind.object).field("version").is_some();
    let mut all = Map::new();
    let of_one = model.operations().iter().filter(|operation| {
        let is_one = matches!(operation.target, PathTarget::Id | PathTarget::Fields);
        operation.kind == Some(id) && operation.side == PathPrefix::Project && is_one
    });
    for operation in of_one {
        let OperationKind::Documents(does) = operation.operation_kind else { continue };
        let mut parameters = Map::new();
        for name in operation.values() {
            let from = match name {
                "projectKey" => "$request.path.projectKey".to_owned(),
                "ID" => format!("$response.body#/{below}id"),
                field => format!("$response.body#/{below}{field}"),
            };
            parameters.insert(name, json!(from));
        }
        if does == Operation::Delete && has_version {
            parameters.insert("version", json!(format!("$response.body#/{below}version")));
        }
        let link = json!({"operationId": operation_id(operation), "parameters": parameters});
        all.insert(operation.method.as_str().to_ascii_lowercase(), link);
    }
    (!all.is_empty()).then_some(Value::Object(all))
}
