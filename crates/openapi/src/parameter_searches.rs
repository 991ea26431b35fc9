//! Searches with parameters: `GET` and `POST /{kind}/search`, `GET /{kind}/suggest`, by the model.

use crate::errors::refusal;
use crate::operation::pascal;
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use crate::side::Side;
use kontor_model::{Field, Kind, KindId, ObjectId, Shape};
use serde_json::{Map, Value, json};

/// Adds the paths of a kind's search with parameters.
pub(crate) fn add(schemas: &mut Schemas<'_>, id: KindId, paths: &mut Map<String, Value>) {
    let model = schemas.model;
    let kind = model.kind(id);
    let Some(search) = &kind.parameter_search else { return };
    let of_path = json!([by_name("projectKey"), by_name("correlationId")]);
    let mut asked = own(schemas, search.parameters);
    asked.extend(["expand", "staged"].map(by_name));
    asked.extend(kind.parameters.iter().map(|name| crate::parameters::spliced(name)));
    let page = page(schemas, id);
    let mut get = operation(kind, "SearchGet", &format!("Search {}", kind.path), &page, false);
    get["parameters"] = json!(asked);
    let mut post = operation(kind, "SearchPost", &format!("Search {}", kind.path), &page, true);
    let form =
        json!({"type": "object", "additionalProperties": true, "description": "The parameters of GET."});
    post["requestBody"] = json!({"content": {"application/x-www-form-urlencoded": {"schema": form}}});
    paths.insert(
        format!("/{{projectKey}}/{}/search", kind.path),
        json!({"parameters": of_path, "get": get, "post": post}),
    );
    let mut asked = own(schemas, search.suggest_parameters);
    asked.push(by_name("staged"));
    let suggestion = search.suggestion.map(|object| schemas.object(object, Way::Answered));
    let suggested = json!({
        "type": "object",
        "description": "By the names of the parameters.",
        "additionalProperties": {"type": "array", "items": suggestion.unwrap_or_else(|| json!({}))},
    });
    let mut get = operation(kind, "SuggestGet", "Complete search keywords", &suggested, false);
    get["parameters"] = json!(asked);
    paths
        .insert(format!("/{{projectKey}}/{}/suggest", kind.path), json!({"parameters": of_path, "get": get}));
}

/// The page of a search, with what its facets counted.
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
        let facet = schemas.answered(&Shape::Union(facets));
        properties["facets"] = json!({"type": "object", "additionalProperties": facet, "description": "Where some were asked for."});
    }
    schemas.share(&format!("{}PagedSearchResponse", kind.name), |_| {
        json!({
            "type": "object",
            "required": ["limit", "offset", "count", "results"],
            "properties": properties,
        })
    })
}

/// The parameters that an input of the model names.
fn own(schemas: &mut Schemas<'_>, input: Option<ObjectId>) -> Vec<Value> {
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
    let mut schema = schemas.sent(&field.shape, &field.limits);
    if let Some(default) = &field.default {
        schema["default"] = default.clone();
    }
    json!({"name": name, "in": "query", "description": field.doc, "schema": schema})
}

fn operation(kind: &Kind, more: &str, summary: &str, answer: &Value, has_body: bool) -> Value {
    let mut responses = Map::new();
    let found =
        json!({"description": "What was found.", "content": {"application/json": {"schema": answer}}});
    responses.insert("200".into(), found);
    for (status, is_possible) in
        [(400, true), (401, true), (403, true), (404, true), (413, has_body), (500, true), (503, true)]
    {
        if is_possible {
            responses.insert(status.to_string(), refusal(status));
        }
    }
    json!({
        "operationId": format!("ByProjectKey{}{more}", pascal(&kind.path)),
        "summary": summary,
        "tags": [kind.name],
        "security": Side::Project.security(&kind.view_scopes),
        "responses": responses,
    })
}
