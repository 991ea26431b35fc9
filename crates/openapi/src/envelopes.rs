//! Schemas that wrap the model's objects: pages of results, update bodies, responses with several documents.

use crate::schemas::{Schemas, ValueDirection, add_discriminator, finish_object, link};
use kontor_json::{Map, Value, json};
use kontor_model::limits::ACTIONS_MAX;
use kontor_model::{Action, Kind, KindId, PathPrefix};

/// Returns the schema of a page of documents.
pub(crate) fn page_of_kind(schemas: &mut Schemas<'_>, id: KindId, side: PathPrefix) -> Value {
    let kind = schemas.model.kind(id);
    let shown = kind.mine.as_ref().filter(|mine| side.is_mine() && mine.object.is_some());
    let name = shown.map_or(&kind.name, |mine| &mine.name).clone();
    let results = document(schemas, id, side);
    page_of(schemas, &name, results)
}

/// Returns the schema of a page of results with this schema.
pub(crate) fn page_of(schemas: &mut Schemas<'_>, name: &str, results: Value) -> Value {
    schemas.share(&format!("{name}PagedQueryResponse"), |_| {
        let count = |description: &str| {
            json!({"type": "integer", "format": "int64", "minimum": 0, "description": description})
        };
        json!({
            "type": "object",
            "description": "One page of results.",
            "required": ["limit", "offset", "count", "results"],
            "properties": {
                "limit": count("The requested maximum number of results of the page."),
                "offset": count("Number of results before the page."),
                "count": count("Number of results on the page."),
                "total": count("The total number of results; absent with `withTotal=false`."),
                "results": {"type": "array", "items": results},
            },
        })
    })
}

/// Returns the schema of a kind's documents in responses on a side (project, Store, `/me`).
pub(crate) fn document(schemas: &mut Schemas<'_>, id: KindId, side: PathPrefix) -> Value {
    let mine = schemas.model.kind(id).mine.as_ref().filter(|_| side.is_mine());
    match mine.and_then(|mine| mine.object) {
        Some(object) => schemas.object(object, ValueDirection::Response),
        None => schemas.document(id),
    }
}

/// Returns the schema of an object with a document under a name, and with the additional document of its
/// kind.
pub(crate) fn wrapped_document(
    schemas: &mut Schemas<'_>,
    document: Value,
    name: Option<&str>,
    kind: KindId,
) -> Value {
    let Some(name) = name else { return document };
    let mut held = json!({"type": "object", "required": [name], "properties": {name: document}});
    if let Some(beside) = schemas.model.kind(kind).created_beside {
        held["properties"][schemas.model.kind(beside).camel_name()] = schemas.document(beside);
    }
    held
}

/// Returns the schema of an update body: `{version, actions}`.
pub(crate) fn update(schemas: &mut Schemas<'_>, id: KindId, side: PathPrefix) -> Value {
    let model = schemas.model;
    let kind = model.kind(id);
    let (name, actions) = match &kind.mine {
        Some(mine) if side.is_mine() => (&mine.name, &mine.actions),
        _ => (&kind.name, &kind.actions),
    };
    schemas.share(&format!("{name}Update"), |schemas| {
        let action = update_action(schemas, name, actions);
        let mut schema = json!({
            "type": "object",
            "description": "Update actions, which are applied together or not at all.",
            "required": ["version", "actions"],
            "properties": {
                "version": {
                    "type": "integer", "format": "int64",
                    "description": "The version that the caller has read. If it is not current, the response is a 409.",
                },
                "actions": {"type": "array", "maxItems": ACTIONS_MAX, "items": action},
            },
            "additionalProperties": false,
        });
        if model.takes_dry_run(id) {
            let description = "Returns the result without storing it.";
            schema["properties"]["dryRun"] = json!({"type": "boolean", "description": description});
        }
        schema
    })
}

fn update_action(schemas: &mut Schemas<'_>, name: &str, actions: &[Action]) -> Value {
    schemas.share(&format!("{name}UpdateAction"), |schemas| {
        if actions.is_empty() {
            return json!({"type": "object", "required": ["action"], "properties": {"action": {"type": "string"}}});
        }
        let mut links = Vec::new();
        let mut mapping = Map::new();
        for action in actions {
            let arguments = schemas.model.object(action.arguments);
            let link = schemas.share(&arguments.name, |schemas| {
                let mut schema = schemas.fields(&arguments.fields, ValueDirection::Request);
                add_discriminator(&mut schema, "action", &action.name);
                finish_object(&mut schema, &action.doc, true);
                if action.deprecated {
                    schema.insert("deprecated", json!(true));
                }
                if action.beta {
                    schema.insert("x-beta", json!(true));
                }
                Value::Object(schema)
            });
            mapping.insert(action.name.clone(), link["$ref"].clone());
            links.push(link);
        }
        json!({"oneOf": links, "discriminator": {"propertyName": "action", "mapping": mapping}})
    })
}

/// Returns the schema of a kind's draft, or of its update body.
pub(crate) fn draft(schemas: &mut Schemas<'_>, kind: &Kind, side: PathPrefix) -> Value {
    let mine = kind.mine.as_ref().filter(|_| side.is_mine());
    match mine.map_or(kind.draft, |mine| mine.draft) {
        Some(draft) => schemas.object(draft, ValueDirection::Request),
        None => link(&kind.name),
    }
}
