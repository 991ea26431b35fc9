//! Describes the endpoints of a kind: operations with their own path and body.

use crate::envelopes;
use crate::errors::{bare_refusal, refusal};
use crate::operation::{Described, READING, answers, content};
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use kontor_json::{Map, Value, json};
use kontor_model::{Answered, Endpoint, Method, ServedOperation};

/// Describes an endpoint.
pub(crate) fn described(
    schemas: &mut Schemas<'_>,
    operation: &ServedOperation,
    endpoint: &Endpoint,
) -> Described {
    if endpoint.many {
        return many(schemas, operation, endpoint);
    }
    let schema = match operation.answer {
        Answered::Object(output) => schemas.object(output, Way::Answered),
        Answered::Document(kind) => {
            let document = schemas.document(kind);
            envelopes::held(schemas, document, endpoint.answered_as.as_deref(), kind)
        }
        _ => json!({}),
    };
    let body = endpoint.writes.then(|| schemas.object(endpoint.input, Way::Sent));
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
            responses.insert(status.to_string(), refusal(status));
        }
    }
    Described {
        summary: endpoint.doc.clone(),
        parameters: endpoint.output.is_none().then(|| by_name("expand")).into_iter().collect(),
        content: body.as_ref().map(content),
        responses: Value::Object(responses),
    }
}

/// Describes an endpoint that returns many documents, or checks whether there are any.
fn many(schemas: &mut Schemas<'_>, operation: &ServedOperation, endpoint: &Endpoint) -> Described {
    let fields = &schemas.model.object(endpoint.input).fields;
    let mut parameters: Vec<Value> = Vec::new();
    for field in fields.iter().filter(|field| !endpoint.is_in_path(&field.name)) {
        let schema = schemas.sent(&field.shape, &field.limits);
        parameters.push(json!({
            "name": field.name, "in": "query", "required": field.required, "description": field.doc,
            "schema": schema,
        }));
    }
    let (Answered::Page(kind), Method::Get) = (operation.answer, operation.method) else {
        let mut responses = Map::new();
        responses.insert("200", json!({"description": "Matching resources exist."}));
        for status in READING {
            responses.insert(status.to_string(), bare_refusal(*status));
        }
        let summary = format!("Check that there are some: {}", endpoint.doc);
        return Described { summary, parameters, content: None, responses: Value::Object(responses) };
    };
    parameters.extend(["sort", "expand"].map(by_name));
    let page = envelopes::paged(schemas, kind, operation.side);
    let responses = answers(&[(200, "All matching resources.")], &page, READING);
    Described { summary: endpoint.doc.clone(), parameters, content: None, responses }
}
