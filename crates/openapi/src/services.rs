//! Describes the operations of services.

use crate::operation::{OperationDescription, READING, content, operation_responses};
use crate::schemas::{Schemas, ValueDirection};
use kontor_json::json;

/// The error statuses of changes.
const CHANGING: &[u16] = &[400, 401, 403, 404, 409, 413, 500, 502, 503];

/// Describes the operation at a position of the model's services.
pub(crate) fn describe(schemas: &mut Schemas<'_>, position: usize) -> Option<OperationDescription> {
    let call = schemas.model.services().get(position)?;
    let one = schemas.object(call.response, ValueDirection::Response);
    let response = if call.many { json!({"type": "array", "items": one}) } else { one };
    let body = call.body.map(|body| schemas.object(body, ValueDirection::Request));
    let parameters = call.parameters.iter().map(|field| {
        let schema = schemas.request_shape(&field.shape, &field.limits);
        json!({"name": field.name, "in": "query", "required": false, "description": field.doc, "schema": schema})
    });
    let parameters = parameters.collect();
    let refusals = if body.is_some() { CHANGING } else { READING };
    Some(OperationDescription {
        summary: call.doc.trim_end_matches('.').to_owned(),
        parameters,
        content: body.as_ref().map(content),
        responses: operation_responses(&[(200, "The requested data.")], &response, refusals),
    })
}
