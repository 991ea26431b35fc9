//! The endpoints of a kind: operations with a path and a body of their own.

use crate::envelopes;
use crate::errors::refusal;
use crate::operation::{Described, content};
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use kontor_model::{Answered, Endpoint, ServedOperation};
use serde_json::{Map, Value, json};

/// What is said of an endpoint.
pub(crate) fn described(
    schemas: &mut Schemas<'_>,
    operation: &ServedOperation,
    endpoint: &Endpoint,
) -> Described {
    let document = match operation.answer {
        Answered::Object(output) => schemas.object(output, Way::Answered),
        Answered::Document(kind) => schemas.document(kind),
        _ => json!({}),
    };
    let schema = envelopes::held(document, endpoint.answered_as.as_deref());
    let body = endpoint.writes.then(|| schemas.object(endpoint.input, Way::Sent));
    let mut responses = Map::new();
    responses.insert(
        if endpoint.creates.is_some() { "201" } else { "200" }.into(),
        json!({"description": "It was done.", "content": content(&schema)}),
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
