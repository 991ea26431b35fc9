//! Describes operations that only some kinds have: uploads, other presentations of a document, bulk updates.

use crate::envelopes;
use crate::operation::{OperationDescription, READING, READING_BY_BODY, content, operation_responses};
use crate::parameters::{by_name, calculated_field};
use crate::schemas::{Schemas, ValueDirection, link};
use kontor_errors::with_article;
use kontor_json::{Map, Value, json};
use kontor_model::limits::{BULK_ACTIONS_MAX, BULK_ITEMS_MAX, IMAGE_TYPES};
use kontor_model::{Action, Kind, KindId, KindView, ServedOperation, Shape, Upload};

/// Describes another presentation of a document.
pub(crate) fn describe_view(schemas: &mut Schemas<'_>, id: KindId, view: &KindView) -> OperationDescription {
    let kind = schemas.model.kind(id);
    let schema = schemas.object(view.shows, ValueDirection::Response);
    let staged = kind.projection.iter().map(|_| by_name("staged"));
    OperationDescription {
        summary: view.doc.clone(),
        parameters: staged.chain(view.parameters.iter().map(|name| calculated_field(name))).collect(),
        content: None,
        responses: operation_responses(&[(200, "The presentation of the resource.")], &schema, READING),
    }
}

/// Describes a bulk update.
pub(crate) fn describe_bulk(kind: &Kind) -> OperationDescription {
    let item = json!({"type": "object", "properties": {
        "id": {"type": "string"}, "key": {"type": "string"}, "version": {"type": "integer", "format": "int64"}}});
    let action = json!({"type": "object", "required": ["action"], "properties": {"action": {"type": "string", "enum": kind.bulk}}});
    let body = json!({"type": "object", "required": ["items", "actions"], "properties": {
        "items": {"type": "array", "maxItems": BULK_ITEMS_MAX, "items": item},
        "actions": {"type": "array", "maxItems": BULK_ACTIONS_MAX, "items": action}}});
    let resource =
        json!({"type": "object", "properties": {"id": {"type": "string"}, "version": {"type": "integer"}}});
    let result = json!({"type": "object", "required": ["status"], "properties": {
        "id": {"type": "string"}, "key": {"type": "string"}, "status": {"type": "string", "enum": ["Success", "Fail"]},
        "resource": resource, "errors": {"type": "array", "items": link("ErrorObject")}}});
    let schema = json!({"type": "object", "required": ["successCount", "failureCount", "results"], "properties": {
        "successCount": {"type": "integer"}, "failureCount": {"type": "integer"},
        "results": {"type": "array", "items": result}}});
    let control = json!({"name": "versionControl", "in": "query", "schema": {"type": "string", "enum": ["On", "Off"], "default": "On"}});
    OperationDescription {
        summary: "Updates many documents, each of which succeeds or fails on its own.".to_owned(),
        parameters: vec![control],
        content: Some(content(&body)),
        responses: operation_responses(&[(207, "The result for each document.")], &schema, READING_BY_BODY),
    }
}

/// Describes an upload.
pub(crate) fn describe_upload(
    schemas: &mut Schemas<'_>,
    operation: &ServedOperation,
    id: KindId,
    (action, upload): (&Action, &Upload),
) -> OperationDescription {
    let kind = schemas.model.kind(id);
    let schema = envelopes::document(schemas, id, operation.side);
    let query = |name: &str, schema: Value| json!({"name": name, "in": "query", "schema": schema});
    let mut parameters = vec![
        query("filename", json!({"type": "string"})),
        query("staged", json!({"type": "boolean", "default": true})),
    ];
    let arguments = schemas.model.object(action.arguments);
    for (parameter, argument) in &upload.by {
        let is_whole =
            arguments.field(argument).is_some_and(|field| matches!(field.shape, Shape::Int | Shape::Long));
        parameters.push(query(parameter, json!({"type": if is_whole { "integer" } else { "string" }})));
    }
    let file = json!({"schema": {"type": "string", "format": "binary"}});
    let content: Map =
        IMAGE_TYPES.iter().map(|media_type| ((*media_type).to_owned(), file.clone())).collect();
    let statuses = [
        (200, "The image is available in all sizes."),
        (202, "The small size is available, the others will follow."),
    ];
    OperationDescription {
        summary: format!("Uploads an image of {}.", with_article(&kind.name)),
        parameters,
        content: Some(Value::Object(content)),
        responses: operation_responses(&statuses, &schema, &[400, 401, 403, 404, 413, 415, 500, 503]),
    }
}
