//! The page for people: an editor, and the documentation of the schema. One file, made of three and the schema.

use crate::derived::{Body, Type, Types};
use crate::schema::Schema;
use serde_json::{Map, Value, json};

const HTML: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPT: &str = include_str!("../page/page.js");

impl Schema {
    /// HTML with its style, its script and the documentation inside. It asks the address that it is served at and
    /// the token endpoint beside it, and nothing else.
    pub fn page(&self) -> String {
        // In a script element `<` could end it; JSON has another way to write that character.
        let schema = documentation(&self.types).to_string().replace('<', "\\u003c");
        HTML.replace("/* page.css */", STYLE)
            .replace("/* schema */", &schema)
            .replace("/* page.js */", SCRIPT)
    }
}

/// The schema as the page reads it. Absent members are those that would be empty.
fn documentation(types: &Types) -> Value {
    let types: Map<String, Value> =
        types.iter().map(|(name, entry)| (name.clone(), of_type(entry))).collect();
    Value::Object(types)
}

fn of_type(entry: &Type) -> Value {
    let mut told = Map::new();
    told.insert("doc".into(), json!(entry.doc));
    let kind = match &entry.body {
        Body::Scalar => "scalar",
        Body::Enum(values) => {
            let values: Vec<Value> =
                values.iter().map(|(name, doc)| json!({"name": name, "doc": doc})).collect();
            told.insert("values".into(), Value::Array(values));
            "enum"
        }
        Body::Input(input) => {
            let fields = input.fields.iter().map(|(name, field)| {
                described(json!({"name": name, "type": field.ty}), &field.doc, field.deprecated)
            });
            told.insert("fields".into(), fields.collect());
            "input"
        }
        Body::Output(output) => {
            let fields = output.fields.iter().map(|(name, field)| {
                let mut entry =
                    described(json!({"name": name, "type": field.ty}), &field.doc, field.deprecated);
                if !field.arguments.is_empty() {
                    let arguments = field.arguments.iter().map(|argument| {
                        described(json!({"name": argument.name, "type": argument.ty}), argument.doc, false)
                    });
                    entry["arguments"] = arguments.collect();
                }
                entry
            });
            told.insert("fields".into(), fields.collect());
            if !output.implements.is_empty() {
                told.insert("implements".into(), json!(output.implements));
            }
            if output.interface.is_some() { "interface" } else { "type" }
        }
    };
    told.insert("kind".into(), json!(kind));
    Value::Object(told)
}

fn described(mut entry: Value, doc: &str, deprecated: bool) -> Value {
    if !doc.is_empty() {
        entry["doc"] = json!(doc);
    }
    if deprecated {
        entry["deprecated"] = json!(true);
    }
    entry
}
