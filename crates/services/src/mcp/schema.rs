//! The JSON schema of a tool's arguments: one level of names, types and required fields. The API validates the rest.

use super::BULK_ITEMS_MAX;
use super::tool_names::{ToolVerb, kind, subject, verb_of_tool};
use kontor_json::{Map, Name, Value, json};
use kontor_model::limits::{LIMIT_MAX, OFFSET_MAX};
use kontor_model::{Addressing, Kind, Model, Operation, Shape};

/// Returns the schema of a tool's arguments.
pub(super) fn input_schema(model: &Model, name: &str) -> Value {
    let kind = kind(model, name).map(|(_, kind)| kind);
    let mut properties = Map::new();
    let mut required: Vec<String> = Vec::new();
    let mut needed: Option<String> = None;
    match (verb_of_tool(name), kind) {
        _ if subject(name) == "bulk" => {
            let item = json!({"type": "object", "required": ["tool", "arguments"], "properties": {
                "tool": {"type": "string", "description": "The tool that is meant, by its name."},
                "arguments": {"type": "object"},
            }});
            properties.insert("items", json!({"type": "array", "items": item, "maxItems": BULK_ITEMS_MAX}));
            required.push("items".to_owned());
        }
        (ToolVerb::Read, Some(kind)) => {
            address(kind, &mut properties);
            if !is_listed(kind) {
                let by: Vec<&str> = properties.keys().map(Name::as_str).collect();
                needed = Some(format!("{} is needed.", by.join(" or ")));
            }
            properties.insert("expand", texts());
            if is_listed(kind) {
                page(&mut properties);
            }
        }
        (ToolVerb::Read, None) if subject(name).ends_with("-search") => search(&mut properties),
        (ToolVerb::Replicate, _) => {
            let reference =
                json!({"type": "object", "description": "The Cart or the Order, by typeId and id."});
            properties.insert("reference", reference);
            properties.insert("key", json!({"type": "string"}));
            required.push("reference".to_owned());
        }
        (ToolVerb::Create, Some(kind)) => draft(model, kind, &mut properties, &mut required),
        (ToolVerb::Update, Some(kind)) if matches!(kind.addressing, Addressing::Fields(_)) => {
            draft(model, kind, &mut properties, &mut required);
        }
        (ToolVerb::Update, Some(kind)) => {
            address(kind, &mut properties);
            changes(kind.actions.iter().map(|action| action.name.as_str()), &mut properties, &mut required);
        }
        (ToolVerb::Update, None) => {
            if name == "update_payment_intents" {
                properties.insert("paymentId", json!({"type": "string"}));
                properties.insert("actions", json!({"type": "array", "items": {"type": "object"}}));
                required.extend(["paymentId", "actions"].map(str::to_owned));
            } else {
                changes(std::iter::empty(), &mut properties, &mut required);
            }
        }
        _ => {}
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    // As text, because agents expect schemas of tools without `anyOf` at the top level.
    if let Some(needed) = needed {
        schema["description"] = json!(needed);
    }
    schema
}

/// Returns whether the kind can be read without an address.
pub(super) fn is_listed(kind: &Kind) -> bool {
    kind.operations.contains(&Operation::Query) || kind.addressing == Addressing::Singleton
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

/// Adds the arguments of a query.
fn page(properties: &mut Map) {
    let mut predicates = texts();
    predicates["description"] = json!("Query predicates.");
    properties.insert("where", predicates);
    properties.insert("sort", texts());
    paged(properties);
    properties.insert("withTotal", json!({"type": "boolean"}));
}

fn paged(properties: &mut Map) {
    properties.insert("limit", json!({"type": "integer", "minimum": 0, "maximum": LIMIT_MAX}));
    properties.insert("offset", json!({"type": "integer", "minimum": 0, "maximum": OFFSET_MAX}));
}

/// Adds the arguments of a search.
fn search(properties: &mut Map) {
    properties
        .insert("query", json!({"type": "object", "description": "A search query; everything without one."}));
    properties.insert("sort", json!({"type": "array", "items": {"type": "object"}}));
    paged(properties);
}

/// Adds the arguments that address one document.
fn address(kind: &Kind, properties: &mut Map) {
    let names = match &kind.addressing {
        Addressing::Id { by_key: false } => vec!["id"],
        Addressing::Id { by_key: true } => vec!["id", kind.key_field.as_str()],
        Addressing::Fields(fields) => fields.iter().map(String::as_str).collect(),
        Addressing::Singleton => vec![],
    };
    let in_store = kind.in_store.is_some().then_some("storeKey");
    for name in names.into_iter().chain(in_store) {
        properties.insert(name, json!({"type": "string"}));
    }
}

/// Adds the version and the update actions.
fn changes<'a>(actions: impl Iterator<Item = &'a str>, properties: &mut Map, required: &mut Vec<String>) {
    let mut action = json!({"type": "string"});
    let names: Vec<&str> = actions.collect();
    if !names.is_empty() {
        action["enum"] = json!(names);
    }
    let item = json!({"type": "object", "required": ["action"], "properties": {"action": action}});
    properties.insert("version", json!({"type": "integer"}));
    properties.insert("actions", json!({"type": "array", "items": item}));
    required.extend(["version", "actions"].map(str::to_owned));
}

fn draft(model: &Model, kind: &Kind, properties: &mut Map, required: &mut Vec<String>) {
    let Some(draft) = kind.draft else { return };
    if kind.in_store.is_some() {
        properties.insert("storeKey", json!({"type": "string"}));
    }
    for field in &model.object(draft).fields {
        let mut schema = sort(&field.shape);
        if !field.doc.is_empty() {
            schema["description"] = json!(field.doc);
        }
        properties.insert(field.name.clone(), schema);
        if field.required {
            required.push(field.name.clone());
        }
    }
}

fn sort(shape: &Shape) -> Value {
    match shape {
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Int | Shape::Long => json!({"type": "integer"}),
        Shape::Float => json!({"type": "number"}),
        Shape::List(_) => json!({"type": "array"}),
        Shape::Object(_) | Shape::Union(_) | Shape::Map(_) | Shape::Localized => json!({"type": "object"}),
        Shape::Reference(_) | Shape::KeyReference(_) | Shape::Identifier(_) => json!({"type": "object"}),
        Shape::String | Shape::DateTime | Shape::Date | Shape::Time | Shape::Locale => {
            json!({"type": "string"})
        }
        Shape::Country | Shape::Currency => json!({"type": "string"}),
        _ => json!({}),
    }
}
