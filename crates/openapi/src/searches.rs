//! Searches: `POST /{kind}/search` and what stands beside it.

use crate::errors::{bare_refusal, refusal};
use crate::operation::pascal;
use crate::parameters::by_name;
use crate::schemas::Schemas;
use crate::search_schemas::{indexing_status, request, response};
use crate::side::Side;
use kontor_model::{KindId, Search};
use serde_json::{Map, Value, json};

/// Adds the paths of a kind's search.
pub(crate) fn add(schemas: &mut Schemas<'_>, id: KindId, paths: &mut Map<String, Value>) {
    let model = schemas.model;
    let kind = model.kind(id);
    let Some(search) = &kind.search else { return };
    let in_store = kind.in_store.is_some().then_some(Side::Store);
    for side in std::iter::once(Side::Project).chain(in_store) {
        let mut parameters = vec![by_name("projectKey")];
        parameters.extend(side.is_in_store().then(|| by_name("storeKey")));
        parameters.push(by_name("correlationId"));
        let mut item = json!({"parameters": parameters, "post": find(schemas, id, search, side)});
        if !search.status_scopes.is_empty() {
            item["head"] = exists(schemas, id, search, side);
        }
        paths.insert(format!("/{{projectKey}}{}/{}/search", side.store_prefix(), kind.path), item);
    }
    if !search.status_scopes.is_empty() {
        let parameters = ["projectKey", "correlationId"].map(by_name);
        let item = json!({"parameters": parameters, "get": status(schemas, id, search)});
        paths.insert(format!("/{{projectKey}}/{}/search/indexing-status", kind.path), item);
    }
}

fn find(schemas: &mut Schemas<'_>, id: KindId, search: &Search, side: Side) -> Value {
    let model = schemas.model;
    let kind = model.kind(id);
    let request = request(schemas, kind, search);
    let response = response(schemas, kind, search);
    let mut described = operation(schemas, id, side, "", "Post", &format!("Search {}", kind.path));
    described["security"] = security(schemas, id, search, side);
    described["requestBody"] =
        json!({"required": true, "content": {"application/json": {"schema": request}}});
    let mut responses = Map::new();
    responses.insert("200".into(), answer("A page of what was found.", &response));
    for status in [400, 401, 403, 404, 413, 500, 503] {
        responses.insert(status.to_string(), refusal(status));
    }
    described["responses"] = Value::Object(responses);
    described
}

fn exists(schemas: &Schemas<'_>, id: KindId, search: &Search, side: Side) -> Value {
    let mut described = operation(schemas, id, side, "", "Head", "Check whether there is a search index");
    described["security"] = security(schemas, id, search, side);
    let mut responses = Map::new();
    responses.insert("200".into(), json!({"description": "There is one."}));
    for status in [401, 403, 404, 409, 500, 503] {
        responses.insert(status.to_string(), bare_refusal(status));
    }
    described["responses"] = Value::Object(responses);
    described
}

fn status(schemas: &mut Schemas<'_>, id: KindId, search: &Search) -> Value {
    let model = schemas.model;
    let schema = indexing_status(schemas, model.kind(id));
    let summary = "Get how far the indexing is";
    let mut described = operation(schemas, id, Side::Project, "IndexingStatus", "Get", summary);
    described["security"] = Side::Project.security(&search.status_scopes);
    let mut responses = Map::new();
    responses.insert("200".into(), answer("How far it is.", &schema));
    for status in [401, 403, 404, 500, 503] {
        responses.insert(status.to_string(), refusal(status));
    }
    described["responses"] = Value::Object(responses);
    described
}

/// Who may search in Stores alone finds what belongs to these on the path of the project too.
fn security(schemas: &Schemas<'_>, id: KindId, search: &Search, side: Side) -> Value {
    let side = if schemas.model.kind(id).in_store.is_some() { Side::Store } else { side };
    side.security(&search.scopes)
}

fn operation(
    schemas: &Schemas<'_>,
    id: KindId,
    side: Side,
    more: &str,
    method: &str,
    summary: &str,
) -> Value {
    let kind = schemas.model.kind(id);
    let store = if side.is_in_store() { "InStoreKeyByStoreKey" } else { "" };
    json!({
        "operationId": format!("ByProjectKey{store}{}Search{more}{method}", pascal(&kind.path)),
        "summary": summary,
        "tags": [kind.name],
    })
}

fn answer(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}
