//! Describes the endpoints of a kind: operations with their own path and body.

use crate::envelopes;
use crate::errors::{bodyless_error, error_response};
use crate::operation::{OperationDescription, READING, content, operation_responses};
use crate::parameters::by_name;
use crate::schemas::{Schemas, ValueDirection};
use kontor_json::{Map, Value, json};
use kontor_model::{Endpoint, Method, ResponseContent, ServedOperation};

/// Describes an endpoint.
pub(crate) fn describe(
    schemas: &mut Schemas<'_>,
    operation: &ServedOperation,
    endpoint: &Endpoint,
) -> OperationDescription {
    if endpoint.many {
        return many(schemas, operation, endpoint);
    }
    let schema = match operation.response {
        ResponseContent::Object(output) => schemas.object(output, ValueDirection::Response),
        ResponseContent::Document(kind) => {
            let document = schemas.document(kind);
            envelopes::wrapped_document(schemas, document, endpoint.answered_as.as_deref(), kind)
        }
        _ => json!({}),
    };
    let body = endpoint.writes.then(|| schemas.object(endpoint.input, ValueDirection::Request));
    let mut responses = Map::new();
    responses.insert(
        if endpoint.creates.is_some() { "201" } else { "200" },
        json!({"description": "The operation succeeded.", "content": content(&schema)}),
    );
    for (status, is_possible) in [
        (400, true),
        (401, true),
        (403, true),
        (404, true),
        (409, !endpoint.reads),
        (413, endpoint.writes),
        (500, true),
        (503, true),
    ] {
        if is_possible {
            responses.insert(status.to_string(), error_response(status));
        }
    }
    OperationDescription {
        summary: endpoint.doc.clone(),
        parameters: endpoint.output.is_none().then(|| by_name("expand")).into_iter().collect(),
        content: body.as_ref().map(content),
        responses: Value::Object(responses),
    }
}

/// Describes an endpoint that returns many documents, or checks whether there are any.
fn many(schemas: &mut Schemas<'_>, operation: &ServedOperation, endpoint: &Endpoint) -> OperationDescription {
    let fields = &schemas.model.object(endpoint.input).fields;
    let mut parameters: Vec<Value> = Vec::new();
    for field in fields.iter().filter(|field| !endpoint.is_in_path(&field.name)) {
        let schema = schemas.request_shape(&field.shape, &field.limits);
        parameters.push(json!({
            "name": field.name, "in": "query", "required": field.required, "description": field.doc,
            "schema": schema,
        }));
    }
    let (ResponseContent::Page(kind), Method::Get) = (operation.response, operation.method) else {
        let mut responses = Map::new();
        responses.insert("200", json!({"description": "Matching resources exist."}));
        for status in READING {
            responses.insert(status.to_string(), bodyless_error(*status));
        }
        let summary = format!("Check that there are some: {}", endpoint.doc);
        return OperationDescription {
            summary,
            parameters,
            content: None,
            responses: Value::Object(responses),
        };
    };
    parameters.extend(["sort", "expand"].map(by_name));
    let page = envelopes::page_of_kind(schemas, kind, operation.side);
    let responses = operation_responses(&[(200, "All matching resources.")], &page, READING);
    OperationDescription { summary: endpoint.doc.clone(), parameters, content: None, responses }
}
