//! Derives the OpenAPI document from the model, and builds the page that shows it.
//!
//! [`document`] describes everything that is served: a path for each way to address a kind, an operation for each one
//! that the kind allows, a schema for each shape that can be reached from there. [`page`] is one HTML file that loads
//! the document and shows it, without external files.
//!
//! **Invariant:** pure functions. A model goes in, JSON comes out; no HTTP, no resource's name.

mod documents;
mod endpoints;
mod envelopes;
mod errors;
mod graphql;
mod history;
mod imports;
mod lists;
mod names;
mod oauth;
mod operation;
mod page;
mod parameter_searches;
mod parameters;
mod paths;
mod platform;
mod scalars;
mod schemas;
mod search_language;
mod search_schemas;
mod searches;
mod services;
mod side;
mod special_operations;
mod webhooks;

pub use page::page;

use kontor_json::{Map, Value, json};
use kontor_model::Model;
use schemas::Schemas;

/// The description that applies to every operation.
const DESCRIPTION: &str = "A commerce platform for one or many projects. Each project has its own documents \
    and its own API clients.\n\n\
    - **Versions.** An update or deletion contains the version that the client has read; if it is not the current \
    version, the response is a 409.\n\
    - **Null.** An optional field that is sent as `null` counts as absent.\n\
    - **Fields that are read only** are accepted and ignored, so that a response can be sent back.\n\
    - **Unknown fields** in a request are ignored, and listed in the response header `X-Kontor-Ignored`; a server \
    started with `--strict` rejects them.";

/// Returns the OpenAPI 3.1 document of everything that `model` serves.
///
/// `base_url` is the URL of the server, without a slash at the end; empty: the URL that the document was loaded from.
/// `version` is the version of the server.
pub fn document(model: &Model, base_url: &str, version: &str) -> Value {
    let mut schemas = Schemas::new(model);
    errors::add_schemas(&mut schemas);
    let mut paths = Map::new();
    paths::add(&mut schemas, &mut paths);
    graphql::add_schemas(&mut schemas);
    let webhooks = webhooks::all(&mut schemas);
    let tags: Vec<_> = model
        .kinds()
        .filter(|(_, kind)| kind.is_served)
        .map(|(_, kind)| json!({"name": kind.name, "description": kind.doc}))
        .chain([graphql::tag()])
        .chain(platform::tags(model))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kontor",
            "summary": "A self-hosted commerce platform server.",
            "description": DESCRIPTION,
            "version": version,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": if base_url.is_empty() { "/" } else { base_url }}],
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "parameters": parameters::components(model),
            "responses": errors::responses(),
            "securitySchemes": platform::security_schemes(model, base_url),
            "schemas": schemas.finish(),
        },
    })
}
