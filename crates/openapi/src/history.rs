//! Describes the Change History API in the OpenAPI document: its operations, parameters and responses.

use crate::envelopes::page_of;
use crate::operation::{OperationDescription, READING, READING_BY_BODY, content, operation_responses};
use crate::schemas::{Schemas, ValueDirection};
use kontor_json::{Value, json};
use kontor_model::{HistoryOperation, limits::HISTORY_IDS_MAX};

/// Describes an operation of the Change History API.
pub(crate) fn describe(schemas: &mut Schemas<'_>, does: HistoryOperation) -> Option<OperationDescription> {
    let summary = match does {
        HistoryOperation::Records => "Query Records",
        HistoryOperation::OfType => "Query Records of a resource type",
        HistoryOperation::OfResource => "Query Records of a resource",
        HistoryOperation::GraphQl => return Some(graphql()),
    };
    let record = schemas.model.object_by_name("Record")?;
    let record = schemas.object(record, ValueDirection::Response);
    let page = page_of(schemas, "Record", record);
    Some(OperationDescription {
        summary: summary.to_owned(),
        parameters: parameters(schemas, does),
        content: None,
        responses: operation_responses(&[(200, "The requested records, the newest first.")], &page, READING),
    })
}

/// Describes the GraphQL queries of the Change History API.
fn graphql() -> OperationDescription {
    let request = json!({
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {"type": "string"},
            "variables": {"type": "object", "additionalProperties": true},
            "operationName": {"type": "string"},
        },
    });
    let response = json!({
        "type": "object",
        "properties": {
            "data": {"type": "object", "additionalProperties": true},
            "errors": {"type": "array", "items": {"type": "object", "additionalProperties": true}},
        },
    });
    OperationDescription {
        summary: "Query Records by GraphQL".to_owned(),
        parameters: Vec::new(),
        content: Some(content(&request)),
        responses: operation_responses(&[(200, "The data, and the errors.")], &response, READING_BY_BODY),
    }
}

fn parameters(schemas: &mut Schemas<'_>, does: HistoryOperation) -> Vec<Value> {
    let mut of = |name: &str| schemas.declared(name).unwrap_or_else(|| json!({"type": "string"}));
    let several = |items: Value| json!({"type": "array", "items": items});
    let text = json!({"type": "string"});
    let ids = json!({"type": "array", "items": {"type": "string"}, "maxItems": HISTORY_IDS_MAX});
    let flag = json!({"type": "boolean", "default": false});
    let now = of("DateStringFilter");
    let date_time = json!({"type": "string", "format": "date-time"});
    let hours = json!({"type": "number", "minimum": 0, "description": "Hours before now."});
    let time = |default: Value| json!({"default": default, "oneOf": [date_time, now, hours]});
    let all = [
        ("resourceTypes", several(of("ChangeHistoryResourceType"))),
        ("date.from", time(json!(24))),
        ("date.to", time(json!("now"))),
        ("limit", json!({"type": "integer", "minimum": 0, "maximum": 500, "default": 20})),
        ("offset", json!({"type": "integer", "minimum": 0, "maximum": 10000, "default": 0})),
        ("userId", text.clone()),
        ("userIds", ids.clone()),
        ("clientId", text.clone()),
        ("customerId", text.clone()),
        ("associateId", text.clone()),
        ("businessUnit", text.clone()),
        ("type", of("RecordType")),
        ("resourceId", text.clone()),
        ("resourceIds", ids),
        ("resourceKey", text.clone()),
        ("source", of("Source")),
        ("changes", several(of("UpdateType"))),
        ("stores", several(text)),
        ("excludePlatformInitiatedChanges", several(of("PlatformInitiatedChange"))),
        ("expand", flag.clone()),
        ("withTotal", flag),
    ];
    let is_asked = |name: &str| match does {
        HistoryOperation::Records => true,
        HistoryOperation::OfType => !["resourceTypes", "resourceId"].contains(&name),
        HistoryOperation::OfResource => {
            !["resourceTypes", "resourceId", "resourceIds", "resourceKey"].contains(&name)
        }
        HistoryOperation::GraphQl => false,
    };
    let requested = all.into_iter().filter(|(name, _)| is_asked(name));
    requested.map(|(name, schema)| json!({"name": name, "in": "query", "schema": schema})).collect()
}
