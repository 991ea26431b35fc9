//! The types of MCP Servers, with the tools that they may have (reference type `McpServerType`).

use super::tool_names::{ToolVerb, describe_tool, names, verb_of_tool};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Model;

/// The only type.
const TYPE: &str = "CommerceMCP";
/// Its major versions, the latest first. All have the same tools here.
const MAJOR_VERSIONS: [&str; 2] = ["v4", "v1"];

/// Returns all types with their versions.
pub(crate) fn server_types(model: &Model) -> Value {
    MAJOR_VERSIONS.iter().map(|version| type_with_version(model, version)).collect()
}

/// Returns one type, by default in its latest version. A 404 if there is no such type or version.
pub(crate) fn server_type(model: &Model, name: &str, version: Option<&str>) -> ApiResult<Value> {
    let version = version.unwrap_or(MAJOR_VERSIONS[0]);
    if name != TYPE || !MAJOR_VERSIONS.contains(&version) {
        return Err(ApiError::resource_not_found(&format!("with type '{name}' in version '{version}'")));
    }
    Ok(type_with_version(model, version))
}

fn type_with_version(model: &Model, version: &str) -> Value {
    let description = |name: &str| {
        let reads = verb_of_tool(name) == ToolVerb::Read;
        let groups: &[&str] = if reads { &["all", "read_all"] } else { &["all"] };
        json!({
            "name": name, "description": describe_tool(name),
            "operationType": if reads { "read" } else { "write" }, "groups": groups,
        })
    };
    json!({"type": TYPE, "majorVersion": version, "tools": names(model).map(description).collect::<Vec<_>>()})
}
