//! Paths beside those that every kind has: uploads, documents of a Store found through others, other objects that a
//! document is shown as, and changes of many documents at once.

use crate::envelopes;
use crate::errors::refusal;
use crate::operation::pascal;
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use crate::side::Side;
use kontor_model::{Addressing, KindId, Upload, View};
use serde_json::{Map, Value, json};

/// What may be uploaded.
const IMAGES: [&str; 3] = ["image/jpeg", "image/png", "image/gif"];

/// Adds the paths of a kind.
pub(crate) fn add(schemas: &mut Schemas<'_>, id: KindId, paths: &mut Map<String, Value>) {
    let model = schemas.model;
    let kind = model.kind(id);
    for view in &kind.views {
        for side in Side::of(kind) {
            for address in addresses(&kind.addressing) {
                let path = format!("{}/{}/{}", side.store_prefix(), kind.path, address.0);
                let described = shown_as(schemas, id, view, side);
                put(paths, &format!("{path}/{}", view.path), side, Some(address.1), "get", described);
            }
        }
    }
    if !kind.bulk.is_empty() {
        let described = bulk(schemas, id);
        put(paths, &format!("/{}/bulk", kind.path), Side::Project, None, "post", described);
    }
    let upload = kind.actions.iter().find_map(|action| action.upload.as_ref());
    let parent = model.kinds().find(|(_, parent)| {
        model.kind_through(&parent.path, &kind.path).is_some_and(|(found, _)| found == id)
    });
    if let Some((_, parent)) = parent {
        for address in addresses(&parent.addressing) {
            let path = format!("{}/{}/{}/{}", Side::Store.store_prefix(), parent.path, address.0, kind.path);
            for (method, described) in through(schemas, id) {
                put(paths, &path, Side::Store, Some(address.1), method, described);
            }
            if let Some(upload) = upload {
                let described = uploaded(schemas, id, upload, Side::Store);
                let path = format!("{path}/{}", upload.path);
                put(paths, &path, Side::Store, Some(address.1), "post", described);
            }
        }
    } else if let Some(upload) = upload {
        let described = uploaded(schemas, id, upload, Side::Project);
        let path = format!("/{}/{{ID}}/{}", kind.path, upload.path);
        put(paths, &path, Side::Project, Some("ID"), "post", described);
    }
}

/// How one document is addressed: the segment, and the name of the value in it.
fn addresses(addressing: &Addressing) -> Vec<(&'static str, &'static str)> {
    let by_key = *addressing == Addressing::Id { by_key: true };
    std::iter::once(("{ID}", "ID")).chain(by_key.then_some(("key={key}", "key"))).collect()
}

/// Adds an operation, which gets the name that the public reference's rule gives it.
fn put(
    paths: &mut Map<String, Value>,
    path: &str,
    side: Side,
    address: Option<&str>,
    method: &str,
    mut described: Value,
) {
    let words: String = path
        .split('/')
        .flat_map(|segment| segment.split('='))
        .map(|part| match part.strip_prefix('{') {
            Some(name) => format!("By{}", pascal(name.trim_end_matches('}'))),
            None => pascal(part),
        })
        .collect();
    described["operationId"] = json!(format!("ByProjectKey{words}{}", pascal(method)));
    let item = paths.entry(format!("/{{projectKey}}{path}")).or_insert_with(|| {
        let mut parameters = vec![by_name("projectKey")];
        parameters.extend(side.is_in_store().then(|| by_name("storeKey")));
        parameters.extend(address.map(|name| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}, "description": "Of the document that is meant."})
        }));
        parameters.push(by_name("correlationId"));
        json!({"parameters": parameters})
    });
    item[method] = described;
}

fn answers(statuses: &[(u16, &str)], schema: &Value, refusals: &[u16]) -> Value {
    let mut all = Map::new();
    for (status, description) in statuses {
        let content = json!({"application/json": {"schema": schema}});
        all.insert(status.to_string(), json!({"description": description, "content": content}));
    }
    for status in refusals {
        all.insert(status.to_string(), refusal(*status));
    }
    Value::Object(all)
}

fn shown_as(schemas: &mut Schemas<'_>, id: KindId, view: &View, side: Side) -> Value {
    let kind = schemas.model.kind(id);
    let schema = schemas.object(view.shows, Way::Answered);
    let mut parameters: Vec<Value> = kind.projection.iter().map(|_| by_name("staged")).collect();
    let texts = json!({"type": "array", "items": {"type": "string"}});
    parameters
        .extend(view.parameters.iter().map(|name| json!({"name": name, "in": "query", "schema": texts})));
    json!({
        "summary": view.doc, "tags": [kind.name], "security": side.security(side.scopes(kind, false)),
        "parameters": parameters,
        "responses": answers(&[(200, "What is shown.")], &schema, &[400, 401, 403, 404, 500, 503]),
    })
}

fn bulk(schemas: &mut Schemas<'_>, id: KindId) -> Value {
    let kind = schemas.model.kind(id);
    let item = json!({"type": "object", "properties": {
        "id": {"type": "string"}, "key": {"type": "string"}, "version": {"type": "integer", "format": "int64"}}});
    let action = json!({"type": "object", "required": ["action"], "properties": {"action": {"type": "string", "enum": kind.bulk}}});
    let body = json!({"type": "object", "required": ["items", "actions"], "properties": {
        "items": {"type": "array", "maxItems": 1000, "items": item},
        "actions": {"type": "array", "maxItems": 1, "items": action}}});
    let resource =
        json!({"type": "object", "properties": {"id": {"type": "string"}, "version": {"type": "integer"}}});
    let result = json!({"type": "object", "required": ["status"], "properties": {
        "id": {"type": "string"}, "key": {"type": "string"}, "status": {"type": "string", "enum": ["Success", "Fail"]},
        "resource": resource, "errors": {"type": "array", "items": {"type": "object"}}}});
    let schema = json!({"type": "object", "required": ["successCount", "failureCount", "results"], "properties": {
        "successCount": {"type": "integer"}, "failureCount": {"type": "integer"},
        "results": {"type": "array", "items": result}}});
    let control = json!({"name": "versionControl", "in": "query", "schema": {"type": "string", "enum": ["On", "Off"], "default": "On"}});
    json!({
        "summary": "Changes many documents, each for itself.", "tags": [kind.name],
        "security": Side::Project.security(&kind.manage_scopes), "parameters": [control],
        "requestBody": {"required": true, "content": {"application/json": {"schema": body}}},
        "responses": answers(&[(207, "What became of each.")], &schema, &[400, 401, 403, 404, 413, 500, 503]),
    })
}

fn uploaded(schemas: &mut Schemas<'_>, id: KindId, upload: &Upload, side: Side) -> Value {
    let kind = schemas.model.kind(id);
    let schema = envelopes::document(schemas, id, side);
    let query = |name: &str, schema: Value| json!({"name": name, "in": "query", "schema": schema});
    let mut parameters = vec![
        query("filename", json!({"type": "string"})),
        query("staged", json!({"type": "boolean", "default": true})),
    ];
    if !upload.default.is_empty() {
        parameters.push(query("variant", json!({"type": "integer"})));
        parameters.push(query("sku", json!({"type": "string"})));
    }
    let file = json!({"schema": {"type": "string", "format": "binary"}});
    let content: Map<String, Value> =
        IMAGES.iter().map(|media_type| ((*media_type).to_owned(), file.clone())).collect();
    let statuses =
        [(200, "The image is there in all sizes."), (202, "The small size is there, the others follow.")];
    json!({
        "summary": format!("Uploads an image of a {}.", kind.name), "tags": [kind.name],
        "security": side.security(side.scopes(kind, true)), "parameters": parameters,
        "requestBody": {"required": true, "content": content},
        "responses": answers(&statuses, &schema, &[400, 401, 403, 404, 413, 415, 500, 503]),
    })
}

/// The operations on the one document of a Store that belongs to another one.
fn through(schemas: &mut Schemas<'_>, id: KindId) -> [(&'static str, Value); 3] {
    let kind = schemas.model.kind(id);
    let schema = envelopes::document(schemas, id, Side::Store);
    let update = envelopes::update(schemas, kind, Side::Store);
    let describe = |summary: &str, writes: bool, parameters: Value| {
        let refusals: &[u16] =
            if writes { &[400, 401, 403, 404, 409, 413, 500, 503] } else { &[400, 401, 403, 404, 500, 503] };
        json!({
            "summary": summary, "tags": [kind.name], "security": Side::Store.security(Side::Store.scopes(kind, writes)),
            "parameters": parameters, "responses": answers(&[(200, "The resource.")], &schema, refusals),
        })
    };
    let mut changed = describe("Changes it.", true, json!([by_name("expand")]));
    changed["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": update}}});
    [
        ("get", describe("The one that belongs to another document.", false, json!([by_name("expand")]))),
        ("post", changed),
        ("delete", describe("Deletes it.", true, json!([by_name("version"), by_name("expand")]))),
    ]
}
