//! The paths of all served kinds, with their operations.

use crate::beside;
use crate::endpoints;
use crate::envelopes;
use crate::errors::{bare_refusal, refusal};
use crate::lists;
use crate::operation::{Place, operation_id, summary};
use crate::parameter_searches;
use crate::parameters;
use crate::schemas::Schemas;
use crate::searches;
use crate::side::Side;
use kontor_model::{Kind, KindId, Model, Operation};
use serde_json::{Map, Value, json};

/// Adds the paths of every kind that is served.
pub(crate) fn add(model: &Model, schemas: &mut Schemas<'_>, paths: &mut Map<String, Value>) {
    for (id, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
        lists::add(schemas, id, paths);
        if !kind.has_path {
            continue;
        }
        for side in Side::of(kind) {
            for place in side.places(kind) {
                let mut item = Map::new();
                for (method, operation) in place.methods() {
                    if side.allows(kind, *operation) {
                        let described = describe(schemas, id, side, &place, method, *operation);
                        item.insert((*method).to_owned(), described);
                    }
                }
                if !item.is_empty() {
                    let parameters = parameters::of_path(model, kind, side, &place);
                    item.insert("parameters".into(), Value::Array(parameters));
                    paths.insert(format!("/{{projectKey}}{}", side.path(kind, &place)), Value::Object(item));
                }
            }
        }
        endpoints::add(schemas, id, paths);
        beside::add(schemas, id, paths);
        searches::add(schemas, id, paths);
        parameter_searches::add(schemas, id, paths);
    }
}

fn describe(
    schemas: &mut Schemas<'_>,
    id: KindId,
    side: Side,
    place: &Place,
    method: &str,
    operation: Operation,
) -> Value {
    let model = schemas.model;
    let kind = model.kind(id);
    let mut described = Map::new();
    described.insert("operationId".into(), json!(operation_id(kind, side, place, method)));
    described.insert("summary".into(), json!(summary(kind, side, place, operation)));
    described.insert("tags".into(), json!([kind.name]));
    described.insert("security".into(), side.security(side.scopes_of(kind, operation)));
    if let Some(tokens) = side.tokens(kind, matches!(place, Place::New(_))) {
        described.insert("x-tokens".into(), tokens);
    }
    let own = parameters::of_operation(model, kind, side, place, operation);
    if !own.is_empty() {
        described.insert("parameters".into(), Value::Array(own));
    }
    let body = match operation {
        Operation::Create => Some(envelopes::draft(schemas, kind, side)),
        Operation::Update => Some(envelopes::update(schemas, kind, side)),
        _ => None,
    };
    if let Some(schema) = body {
        let content = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        described.insert("requestBody".into(), content);
    }
    described.insert("responses".into(), responses(schemas, id, side, operation));
    Value::Object(described)
}

fn responses(schemas: &mut Schemas<'_>, id: KindId, side: Side, operation: Operation) -> Value {
    let kind = schemas.model.kind(id);
    let mut all = Map::new();
    if operation == Operation::Head {
        all.insert("200".into(), json!({"description": "It exists."}));
        for status in [400, 401, 403, 404, 500, 503] {
            all.insert(status.to_string(), bare_refusal(status));
        }
        return Value::Object(all);
    }
    let schema = match operation {
        Operation::Query => envelopes::paged(schemas, id, side),
        Operation::Create => {
            let document = envelopes::document(schemas, id, side);
            envelopes::held(document, kind.created_as.as_deref())
        }
        _ => envelopes::document(schemas, id, side),
    };
    let answer = |description: &str| json!({"description": description, "content": {"application/json": {"schema": schema.clone()}}});
    match operation {
        Operation::Create => {
            let mut created = answer("It was created.");
            if side == Side::Project
                && let Some(links) = links(schemas.model, kind)
            {
                created["links"] = links;
            }
            if kind.upsert {
                all.insert("200".into(), answer("It was there and has been replaced."));
            }
            all.insert("201".into(), created);
        }
        Operation::Query => {
            all.insert("200".into(), answer("A page of results."));
        }
        Operation::Update => {
            all.insert("200".into(), answer("The resource after the changes."));
        }
        Operation::Delete => {
            all.insert("200".into(), answer("The resource as it was."));
        }
        Operation::Get | Operation::Head => {
            all.insert("200".into(), answer("The resource."));
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
            all.insert(status.to_string(), refusal(status));
        }
    }
    Value::Object(all)
}

/// Where the document that was just created is found.
fn links(model: &Model, kind: &Kind) -> Option<Value> {
    let place = Place::of(kind).into_iter().find(|place| matches!(place, Place::Id | Place::Fields(_)))?;
    let below = kind.created_as.as_ref().map(|name| format!("{name}/")).unwrap_or_default();
    let has_version = model.object(kind.object).field("version").is_some();
    let mut all = Map::new();
    for (method, operation) in place.methods() {
        if !kind.allows(*operation) {
            continue;
        }
        let mut parameters = Map::new();
        parameters.insert("projectKey".into(), json!("$request.path.projectKey"));
        for name in place.parameters() {
            let field = if name == "ID" { "id" } else { name };
            parameters.insert(name.to_owned(), json!(format!("$response.body#/{below}{field}")));
        }
        if *operation == Operation::Delete && has_version {
            parameters.insert("version".into(), json!(format!("$response.body#/{below}version")));
        }
        let link = json!({"operationId": operation_id(kind, Side::Project, &place, method), "parameters": parameters});
        all.insert((*method).to_owned(), link);
    }
    (!all.is_empty()).then_some(Value::Object(all))
}
