//! Lists of documents below others that they belong to.

use crate::envelopes::page_of;
use crate::errors::refusal;
use crate::operation::pascal;
use crate::parameters::by_name;
use crate::schemas::{Schemas, Way};
use crate::side::Side;
use kontor_model::{Addressing, KindId, Listing, Operation};
use serde_json::{Map, Value, json};

/// Adds the paths of the lists of a kind.
pub(crate) fn add(schemas: &mut Schemas<'_>, id: KindId, paths: &mut Map<String, Value>) {
    let model = schemas.model;
    for list in &model.kind(id).lists {
        let parent = model.kind(list.parent);
        if !parent.is_served {
            continue;
        }
        let mut addresses = Vec::new();
        if list.inside {
            addresses.push(("in-store/key={storeKey}".to_owned(), "storeKey"));
        } else {
            addresses.push((format!("{}/{{ID}}", parent.path), "ID"));
            if parent.addressing == (Addressing::Id { by_key: true }) {
                addresses.push((format!("{}/key={{key}}", parent.path), "key"));
            }
        }
        for (address, parameter) in addresses {
            let described = describe(schemas, id, list, &address);
            let of_path = json!([
                by_name("projectKey"),
                {
                    "name": parameter, "in": "path", "required": true, "schema": {"type": "string"},
                    "description": format!("Of the {} that the results belong to.", parent.name),
                },
                by_name("correlationId"),
            ]);
            let path = format!("/{{projectKey}}/{address}/{}", list.path);
            paths.insert(path, json!({"parameters": of_path, "get": described}));
        }
    }
}

fn describe(schemas: &mut Schemas<'_>, id: KindId, list: &Listing, address: &str) -> Value {
    let kind = schemas.model.kind(id);
    let shows = schemas.model.object(list.shows).name.clone();
    let result = schemas.object(list.shows, Way::Answered);
    let schema = page_of(schemas, &shows, result);
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({"description": "A page of results.", "content": {"application/json": {"schema": schema}}}),
    );
    for status in [400, 401, 403, 404, 500, 503] {
        responses.insert(status.to_string(), refusal(status));
    }
    let names = ["where", "variables", "sort", "expand", "limit", "offset", "optionalTotal"];
    let words: String = address.split(['/', '=']).map(|part| pascal(part.trim_matches(['{', '}']))).collect();
    json!({
        "operationId": format!("ByProjectKey{words}{}Get", pascal(&list.path)),
        "summary": if list.doc.is_empty() { format!("Query {}", list.path) } else { list.doc.clone() },
        "tags": [kind.name],
        "security": Side::Project.security(Side::Project.scopes_of(kind, Operation::Query)),
        "parameters": names.map(by_name),
        "responses": responses,
    })
}
