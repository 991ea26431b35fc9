//! The endpoints of a kind: operations with a path and a body of their own.

use crate::envelopes;
use crate::errors::refusal;
use crate::operation::pascal;
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use crate::side::Side;
use kontor_model::{Endpoint, KindId, Segment};
use serde_json::{Map, Value, json};

/// Adds the paths of a kind's endpoints.
pub(crate) fn add(schemas: &mut Schemas<'_>, id: KindId, paths: &mut Map<String, Value>) {
    let model = schemas.model;
    let with_sides = model
        .kind(id)
        .endpoints
        .iter()
        .flat_map(|endpoint| Side::of_endpoint(endpoint).into_iter().map(move |side| (endpoint, side)));
    for (endpoint, side) in with_sides {
        let path = path_of(endpoint, side);
        let described = describe(schemas, id, endpoint, side);
        let item = paths.entry(path).or_insert_with(|| {
            let mut parameters = vec![by_name("projectKey")];
            parameters.extend(side.is_in_store().then(|| by_name("storeKey")));
            for segment in &endpoint.path {
                if let Segment::Value { name, .. } = segment {
                    parameters.push(json!({
                        "name": name, "in": "path", "required": true, "schema": {"type": "string"},
                        "description": "What the platform gave out.",
                    }));
                }
            }
            parameters.push(by_name("correlationId"));
            json!({"parameters": parameters})
        });
        item[if endpoint.writes { "post" } else { "get" }] = described;
    }
}

fn describe(schemas: &mut Schemas<'_>, id: KindId, endpoint: &Endpoint, side: Side) -> Value {
    let kind = schemas.model.kind(id);
    let mut described = json!({
        "operationId": operation_id(endpoint, side),
        "summary": endpoint.doc,
        "tags": [kind.name],
        "security": side.security(side.scopes(kind, !endpoint.reads)),
    });
    if let Some(tokens) = side.tokens(kind, endpoint.open) {
        described["x-tokens"] = tokens;
    }
    if endpoint.output.is_none() {
        described["parameters"] = json!([by_name("expand")]);
    }
    if endpoint.writes {
        let schema = schemas.object(endpoint.input, Way::Sent);
        described["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    let document = match endpoint.output {
        Some(output) => schemas.object(output, Way::Answered),
        None => schemas.document(endpoint.creates.unwrap_or(id)),
    };
    let schema = envelopes::held(document, endpoint.answered_as.as_deref());
    let mut responses = Map::new();
    responses.insert(
        if endpoint.creates.is_some() { "201" } else { "200" }.into(),
        json!({"description": "It was done.", "content": {"application/json": {"schema": schema}}}),
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
    described["responses"] = Value::Object(responses);
    described
}

fn path_of(endpoint: &Endpoint, side: Side) -> String {
    let base = format!("/{{projectKey}}{}", side.store_prefix());
    endpoint.path.iter().fold(base, |path, segment| match segment {
        Segment::Fixed(text) => format!("{path}/{text}"),
        Segment::Value { prefix, name } => format!("{path}/{prefix}{{{name}}}"),
    })
}

/// `ByProjectKeyCustomersEmailTokenByEmailTokenGet`: the rule by which the public reference names its operations.
fn operation_id(endpoint: &Endpoint, side: Side) -> String {
    let segments = endpoint.path.iter().map(|segment| match segment {
        Segment::Fixed(text) => pascal(text),
        Segment::Value { prefix, name } => {
            format!("{}By{}", pascal(prefix.trim_end_matches('=')), pascal(name))
        }
    });
    let method = if endpoint.writes { "Post" } else { "Get" };
    let store = if side.is_in_store() { "InStoreKeyByStoreKey" } else { "" };
    format!("ByProjectKey{store}{}{method}", segments.collect::<String>())
}
