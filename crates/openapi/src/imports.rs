//! Describes the Import API in the OpenAPI document: its operations, parameters and responses.

use crate::envelopes::page_of;
use crate::operation::{OperationDescription, READING, content, operation_responses};
use crate::parameters::by_name;
use crate::schemas::{Schemas, ValueDirection};
use kontor_json::{Value, json};
use kontor_model::{ImportOperation, ImportType, ValueLimits};

/// The error statuses of changes.
const CHANGING: &[u16] = &[400, 401, 403, 404, 409, 413, 500, 503];

/// Describes an operation of the Import API.
pub(crate) fn describe(schemas: &mut Schemas<'_>, does: ImportOperation) -> Option<OperationDescription> {
    Some(match does {
        ImportOperation::CreateContainer => {
            let (draft, shown) = (
                request_schema(schemas, "ImportContainerDraft")?,
                response_schema(schemas, "ImportContainer")?,
            );
            changed(
                "Create an Import Container",
                Some(&draft),
                (201, "The Import Container was created."),
                &shown,
            )
        }
        ImportOperation::UpdateContainer => {
            let (draft, shown) = (
                request_schema(schemas, "ImportContainerUpdateDraft")?,
                response_schema(schemas, "ImportContainer")?,
            );
            changed("Update an Import Container", Some(&draft), (200, "The current state."), &shown)
        }
        ImportOperation::DeleteContainer => {
            let shown = response_schema(schemas, "ImportContainer")?;
            changed("Delete an Import Container", None, (200, "The last state."), &shown)
        }
        ImportOperation::Container => {
            read("Get an Import Container", Vec::new(), &response_schema(schemas, "ImportContainer")?)
        }
        ImportOperation::Operation => {
            read("Get an Import Operation", Vec::new(), &response_schema(schemas, "ImportOperation")?)
        }
        ImportOperation::Summary => read(
            "Count Import Operations by their states",
            Vec::new(),
            &response_schema(schemas, "ImportSummary")?,
        ),
        ImportOperation::Containers => {
            let one = response_schema(schemas, "ImportContainer")?;
            read("Query Import Containers", paged(), &page_of(schemas, "ImportContainer", one))
        }
        ImportOperation::Operations => {
            let one = response_schema(schemas, "ImportOperation")?;
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
        ImportOperation::Request(position) => {
            let import = schemas.model.imports().get(position)?;
            let (request, shown) = (request(schemas, import), response_schema(schemas, "ImportResponse")?);
            let summary = format!("Import resources of type {}", import.type_name);
            changed(&summary, Some(&request), (201, "The request is being processed."), &shown)
        }
    })
}

fn request_schema(schemas: &mut Schemas<'_>, name: &str) -> Option<Value> {
    let id = schemas.model.object_by_name(name)?;
    Some(schemas.object(id, ValueDirection::Request))
}

fn response_schema(schemas: &mut Schemas<'_>, name: &str) -> Option<Value> {
    let id = schemas.model.object_by_name(name)?;
    Some(schemas.object(id, ValueDirection::Response))
}

fn paged() -> Vec<Value> {
    ["sort", "limit", "offset"].map(by_name).into()
}

fn read(summary: &str, parameters: Vec<Value>, schema: &Value) -> OperationDescription {
    let responses = operation_responses(&[(200, "The requested data.")], schema, READING);
    OperationDescription { summary: summary.to_owned(), parameters, content: None, responses }
}

fn changed(summary: &str, body: Option<&Value>, done: (u16, &str), schema: &Value) -> OperationDescription {
    OperationDescription {
        summary: summary.to_owned(),
        parameters: Vec::new(),
        content: body.map(content),
        responses: operation_responses(&[done], schema, CHANGING),
    }
}

/// Returns the schema of an Import Request.
fn request(schemas: &mut Schemas<'_>, import: &ImportType) -> Value {
    let resource = schemas.request_shape(&import.shape, &ValueLimits::default());
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
