//! Describes the Import API.

use crate::envelopes::page_of;
use crate::operation::{Described, READING, answers, content};
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use kontor_json::{Value, json};
use kontor_model::{Import, Importing, Limits};

/// The error statuses of changes.
const CHANGING: &[u16] = &[400, 401, 403, 404, 409, 413, 500, 503];

/// Describes an operation of the Import API.
pub(crate) fn described(schemas: &mut Schemas<'_>, does: Importing) -> Option<Described> {
    Some(match does {
        Importing::CreateContainer => {
            let (draft, shown) = (sent(schemas, "ImportContainerDraft")?, shown(schemas, "ImportContainer")?);
            changed("Create an Import Container", Some(&draft), (201, "It was created."), &shown)
        }
        Importing::UpdateContainer => {
            let (draft, shown) =
                (sent(schemas, "ImportContainerUpdateDraft")?, shown(schemas, "ImportContainer")?);
            changed("Update an Import Container", Some(&draft), (200, "The current state."), &shown)
        }
        Importing::DeleteContainer => {
            let shown = shown(schemas, "ImportContainer")?;
            changed("Delete an Import Container", None, (200, "The last state."), &shown)
        }
        Importing::Container => {
            read("Get an Import Container", Vec::new(), &shown(schemas, "ImportContainer")?)
        }
        Importing::Operation => {
            read("Get an Import Operation", Vec::new(), &shown(schemas, "ImportOperation")?)
        }
        Importing::Summary => {
            read("Count Import Operations by their states", Vec::new(), &shown(schemas, "ImportSummary")?)
        }
        Importing::Containers => {
            let one = shown(schemas, "ImportContainer")?;
            read("Query Import Containers", paged(), &page_of(schemas, "ImportContainer", one))
        }
        Importing::Operations => {
            let one = shown(schemas, "ImportOperation")?;
            let mut parameters = paged();
            for (name, schema) in [
                ("resourceKey", json!({"type": "string"})),
                ("state", json!({"type": "string"})),
                ("debug", json!({"type": "boolean", "default": false})),
            ] {
                parameters.push(json!({"name": name, "in": "query", "schema": schema}));
            }
            read("Query Import Operations", parameters, &page_of(schemas, "ImportOperation", one))
        }
        Importing::Request(position) => {
            let import = schemas.model.imports().get(position)?;
            let (request, shown) = (request(schemas, import), shown(schemas, "ImportResponse")?);
            let summary = format!("Import resources of type {}", import.type_name);
            changed(&summary, Some(&request), (201, "The request is being processed."), &shown)
        }
    })
}

fn sent(schemas: &mut Schemas<'_>, name: &str) -> Option<Value> {
    let id = schemas.model.object_by_name(name)?;
    Some(schemas.object(id, Way::Sent))
}

fn shown(schemas: &mut Schemas<'_>, name: &str) -> Option<Value> {
    let id = schemas.model.object_by_name(name)?;
    Some(schemas.object(id, Way::Answered))
}

fn paged() -> Vec<Value> {
    ["sort", "limit", "offset"].map(by_name).into()
}

fn read(summary: &str, parameters: Vec<Value>, schema: &Value) -> Described {
    let responses = answers(&[(200, "The requested data.")], schema, READING);
    Described { summary: summary.to_owned(), parameters, content: None, responses }
}

fn changed(summary: &str, body: Option<&Value>, done: (u16, &str), schema: &Value) -> Described {
    Described {
        summary: summary.to_owned(),
        parameters: Vec::new(),
        content: body.map(content),
        responses: answers(&[done], schema, CHANGING),
    }
}

/// Returns the schema of an Import Request.
fn request(schemas: &mut Schemas<'_>, import: &Import) -> Value {
    let resource = schemas.sent(&import.shape, &Limits::default());
    schemas.share(&format!("{}Request", import.name), |_| {
        json!({
            "type": "object",
            "required": ["type", import.list],
            "properties": {
                "type": {"type": "string", "const": import.type_name},
                import.list.as_str(): {"type": "array", "minItems": 1, "maxItems": 20, "items": resource},
            },
            "additionalProperties": false,
        })
    })
}
