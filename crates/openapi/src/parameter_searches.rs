//! Describes searches with parameters: `GET` and `POST /{kind}/search`, `GET /{kind}/suggest`.

use crate::operation::{OperationDescription, READING, READING_BY_BODY, operation_responses};
use crate::parameters::by_name;
use crate::schemas::{Schemas, ValueDirection};
use kontor_json::{Value, json};
use kontor_model::{Field, KindId, ObjectId, RequestBody, ServedOperation, Shape};

/// Describes a search by GET or by a form.
pub(crate) fn describe_search(
    schemas: &mut Schemas<'_>,
    operation: &ServedOperation,
    id: KindId,
) -> OperationDescription {
    let kind = schemas.model.kind(id);
    let page = page(schemas, id);
    let by_form = operation.body == RequestBody::Form;
    let mut parameters = Vec::new();
    if !by_form {
        parameters =
            input_parameters(schemas, kind.parameter_search.as_ref().and_then(|search| search.parameters));
        parameters.extend(["expand", "staged"].map(by_name));
        parameters.extend(kind.parameters.iter().map(|name| crate::parameters::calculated_field(name)));
    }
    let form =
        json!({"type": "object", "additionalProperties": true, "description": "The parameters of GET."});
    let refusals = if by_form { READING_BY_BODY } else { READING };
    OperationDescription {
        summary: format!("Search {}", kind.path),
        parameters,
        content: by_form.then(|| json!({"application/x-www-form-urlencoded": {"schema": form}})),
        responses: operation_responses(&[(200, "The search results.")], &page, refusals),
    }
}

/// Describes suggestions.
pub(crate) fn describe_suggestions(schemas: &mut Schemas<'_>, id: KindId) -> OperationDescription {
    let search = schemas.model.kind(id).parameter_search.as_ref();
    let mut parameters = input_parameters(schemas, search.and_then(|search| search.suggest_parameters));
    parameters.push(by_name("staged"));
    let suggestion = search.and_then(|search| search.suggestion);
    let suggestion = suggestion.map(|object| schemas.object(object, ValueDirection::Response));
    let suggested = json!({
        "type": "object",
        "description": "The suggestions for each parameter, by its name.",
        "additionalProperties": {"type": "array", "items": suggestion.unwrap_or_else(|| json!({}))},
    });
    OperationDescription {
        summary: "Complete search keywords".to_owned(),
        parameters,
        content: None,
        responses: operation_responses(&[(200, "The search results.")], &suggested, READING),
    }
}

/// Returns the schema of a search page, with its facet results.
fn page(schemas: &mut Schemas<'_>, id: KindId) -> Value {
    let model = schemas.model;
    let kind = model.kind(id);
    let document = schemas.document(id);
    let whole = json!({"type": "integer", "format": "int64", "minimum": 0});
    let mut properties = json!({
        "limit": whole, "offset": whole, "count": whole, "total": whole,
        "results": {"type": "array", "items": document},
    });
    if let Some(facets) = kind.parameter_search.as_ref().and_then(|search| search.facets) {
        let facet = schemas.response_shape(&Shape::Union(facets));
        properties["facets"] = json!({
            "type": "object", "additionalProperties": facet, "description": "Present if facets were requested.",
        });
    }
    schemas.share(&format!("{}PagedSearchResponse", kind.name), |_| {
        json!({
            "type": "object",
            "required": ["limit", "offset", "count", "results"],
            "properties": properties,
        })
    })
}

/// Returns the parameters that an input of the model lists.
fn input_parameters(schemas: &mut Schemas<'_>, input: Option<ObjectId>) -> Vec<Value> {
    let Some(input) = input else { return Vec::new() };
    let fields = &schemas.model.object(input).fields;
    fields.iter().map(|field| parameter(schemas, field)).collect()
}

fn parameter(schemas: &mut Schemas<'_>, field: &Field) -> Value {
    let name = match &field.to {
        None => field.name.clone(),
        Some(path) => path.join("."),
    };
    if field.shape == Shape::Localized {
        let texts = json!({"type": "array", "items": {"type": "string"}});
        let schema = json!({
            "type": "object",
            "propertyNames": {"pattern": format!("^{name}[.][a-z]{{2,3}}(-[a-zA-Z0-9]+)*$")},
            "additionalProperties": {"oneOf": [{"type": "string"}, texts]},
        });
        return json!({
            "name": name, "in": "query", "style": "form", "explode": true, "required": field.required,
            "description": field.doc, "schema": schema,
        });
    }
    let mut schema = schemas.request_shape(&field.shape, &field.limits);
    if let Some(default) = &field.default {
        schema["default"] = default.clone();
    }
    json!({"name": name, "in": "query", "description": field.doc, "schema": schema})
}
