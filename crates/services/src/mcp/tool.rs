//! The tools of an MCP Server: which of all tools are enabled, and how they are customized.

use super::schema;
use super::tool_names::{ToolVerb, describe_tool, names, subject, verb_of_tool};
use kontor_engine::{Document, document::list};
use kontor_json::{Map, Value, json};
use kontor_model::Model;

/// An enabled tool of a server.
pub(super) struct EnabledTool<'s> {
    name: &'s str,
    customization: Option<&'s Value>,
}

/// Returns the enabled tools of a server.
pub(super) fn enabled_tools<'s>(
    model: &'s Model,
    server: &'s Document,
) -> impl Iterator<Item = EnabledTool<'s>> {
    let listed = list(server, &["mcpServer", "tools"]);
    let has = move |name: &str| listed.iter().any(|tool| tool == name);
    let customizations = list(server, &["mcpServer", "toolCustomizations"]);
    names(model)
        .filter(move |name| {
            has(name) || has("all") || (has("read_all") && verb_of_tool(name) == ToolVerb::Read)
        })
        .map(move |name| EnabledTool {
            name,
            customization: customizations.iter().find(|one| one["tool"] == name),
        })
}

impl<'s> EnabledTool<'s> {
    /// Returns its name.
    pub(super) fn name(&self) -> &'s str {
        self.name
    }

    /// Returns whether the tool makes several calls of other tools.
    pub(super) fn is_bulk(&self) -> bool {
        subject(self.name) == "bulk"
    }

    /// Returns whether the tool changes nothing.
    pub(super) fn is_reading(&self) -> bool {
        verb_of_tool(self.name) == ToolVerb::Read
    }

    /// Returns whether the bulk tool `bulk` may call this tool.
    pub(super) fn can_run_in(&self, bulk: &EnabledTool<'_>) -> bool {
        !self.is_bulk() && verb_of_tool(self.name) == verb_of_tool(bulk.name)
    }

    /// Returns the fixed value of a parameter, if it is pinned.
    pub(super) fn pinned(&self, name: &str) -> Option<&'s Value> {
        self.overrides().iter().find(|parameter| parameter["name"] == name)?.get("const")
    }

    fn overrides(&self) -> &'s [Value] {
        let parameters = self.customization.and_then(|one| one["parameters"].as_array());
        parameters.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the tool in the form of `tools/list`.
    pub(super) fn listed(&self, model: &Model) -> Value {
        let said = self.customization.and_then(|one| one["description"].as_str());
        let mut schema = schema::input_schema(model, self.name);
        for parameter in self.overrides() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let described = &mut schema["properties"][name];
            if described.is_null() {
                *described = json!({});
            }
            for (from, to) in [
                ("description", "description"),
                ("const", "const"),
                ("default", "default"),
                ("allowedTypes", "enum"),
            ] {
                if let Some(value) = parameter.get(from) {
                    described[to] = value.clone();
                }
            }
        }
        json!({
            "name": self.name,
            "description": said.map_or_else(|| describe_tool(self.name), str::to_owned),
            "inputSchema": schema,
            "annotations": {"readOnlyHint": verb_of_tool(self.name) == ToolVerb::Read},
        })
    }

    /// Returns the arguments with pinned and default values, or an error message for the agent. If a parameter is
    /// pinned, a read accepts only arguments of the tool's schema: e.g. `customerId` of Carts would be a different
    /// request, without `where`.
    pub(super) fn arguments(&self, mut sent: Map, model: &Model) -> Result<Map, String> {
        if self.is_reading() && self.overrides().iter().any(|parameter| parameter.get("const").is_some()) {
            let schema = schema::input_schema(model, self.name);
            let is_known = |name: &str| {
                schema["properties"].get(name).is_some()
                    || self.overrides().iter().any(|parameter| parameter["name"] == name)
            };
            if let Some(unknown) = sent.keys().find(|name| !is_known(name.as_str())) {
                return Err(format!("{unknown}: unknown argument of '{}'", self.name));
            }
        }
        for parameter in self.overrides() {
            let name = parameter["name"].as_str().unwrap_or_default();
            if let Some(fixed) = parameter.get("const") {
                sent.insert(name, fixed.clone());
                continue;
            }
            if let (Some(default), false) = (parameter.get("default"), sent.contains_key(name)) {
                sent.insert(name, default.clone());
            }
            let allowed = parameter.get("allowedTypes").and_then(Value::as_array);
            if let (Some(allowed), Some(value)) = (allowed, sent.get(name))
                && !allowed.contains(value)
            {
                return Err(format!("{name}: expected one of {}", Value::Array(allowed.clone())));
            }
        }
        Ok(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(config: Value) -> Document {
        match json!({"mcpServer": config}) {
            Value::Object(server) => server,
            _ => unreachable!(),
        }
    }

    #[test]
    fn groups_enable_their_tools() {
        let model = Model::embedded().unwrap();
        let count = |tools: Value| enabled_tools(&model, &server(json!({"tools": tools}))).count();
        assert_eq!(count(json!(["read_products", "create_orders"])), 2);
        assert_eq!(count(json!(["all"])), names(&model).count());
        let reading = count(json!(["read_all"]));
        assert!(reading > 30 && reading < names(&model).count() / 2);
        assert_eq!(count(json!(["read_all", "create_orders", "read_orders"])), reading + 1);
    }

    #[test]
    fn parameters_are_pinned_completed_and_limited() {
        let model = Model::embedded().unwrap();
        let server = server(
            json!({"tools": ["read_products"], "toolCustomizations": [{"tool": "read_products", "parameters": [
            {"name": "staged", "const": false}, {"name": "limit", "default": 5}, {"name": "sort", "allowedTypes": ["id asc"]}]}]}),
        );
        let tool = enabled_tools(&model, &server).next().unwrap();
        let arguments = |sent: Value| tool.arguments(sent.as_object().unwrap().clone(), &model);
        let done = arguments(json!({"staged": true})).unwrap();
        assert_eq!(Value::Object(done), json!({"staged": false, "limit": 5}));
        assert_eq!(arguments(json!({"limit": 7})).unwrap()["limit"], 7);
        assert!(arguments(json!({"sort": "key asc"})).is_err());
        assert!(arguments(json!({"sort": "id asc"})).is_ok());
        assert!(arguments(json!({"customerId": "1"})).is_err(), "another request than the pinned one");
        let schema = &tool.listed(&model)["inputSchema"]["properties"];
        assert_eq!(schema["staged"]["const"], false);
        assert_eq!(schema["limit"]["default"], 5);
    }
}
