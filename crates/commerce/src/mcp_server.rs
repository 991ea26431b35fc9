//! MCP Server: the tools of AI agents and their customization.
//!
//! Source: reference types `McpServerDraft`, `ToolCustomization`, `ParameterOverride`, `McpServer…Action`.
//! The tools themselves are in `crates/services`. Conversations: `tests/api/mcp-servers/`.

use kontor_engine::document::{list, list_in, must_field, must_get, must_text, set};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, Rules, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The field with the configuration.
const CONFIG: &str = "mcpServer";
const CUSTOMIZATIONS: [&str; 2] = [CONFIG, "toolCustomizations"];
const TOOLS: [&str; 2] = [CONFIG, "tools"];
/// The fields of a parameter override apart from its name.
const OVERRIDE_FIELDS: [&str; 4] = ["description", "const", "default", "allowedTypes"];

pub(crate) struct McpServer;

impl Behaviour for McpServer {
    fn resource(&self) -> &'static str {
        "McpServer"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("addToolCustomization", add), ("removeToolCustomization", remove)]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let is_same =
            |path: [&str; 2]| before.is_some_and(|before| list(before, &path) == list(after, &path));
        if is_same(CUSTOMIZATIONS) && is_same(TOOLS) {
            return Ok(());
        }
        admit(after)
    }

    fn always_splices(&self) -> bool {
        true
    }

    fn splice(&self, document: &mut Document, _asked: &ViewOptions, rules: &Rules<'_>) -> ApiResult<()> {
        let project = must_text(rules.project, &["key"])?;
        let key = must_text(document, &["key"])?;
        let base = rules.choices().public_url().unwrap_or("").trim_end_matches('/');
        let url = format!("{base}/mcp/projects/{project}/{key}");
        set(document, &[CONFIG, "url"], Some(json!(url)));
        Ok(())
    }
}

/// Checks the customizations: of enabled tools only, one for each, and none is empty.
fn admit(server: &Document) -> ApiResult<()> {
    let tools: HashSet<&str> = list(server, &TOOLS).iter().filter_map(Value::as_str).collect();
    let is_enabled = |tool: &str| {
        tools.contains(tool)
            || tools.contains("all")
            || (tools.contains("read_all") && tool.starts_with("read_"))
    };
    let mut seen = HashSet::new();
    for customization in list(server, &CUSTOMIZATIONS) {
        let tool = must_field(customization, "tool")?;
        let refused =
            |why: &str| Err(ApiError::invalid_operation(format!("toolCustomizations of '{tool}': {why}")));
        if !is_enabled(tool) {
            return refused("the tool is not enabled.");
        }
        if !seen.insert(tool) {
            return refused("there is one already.");
        }
        let parameters = list_in(customization, "parameters");
        if customization.get("description").is_none() && parameters.is_empty() {
            return refused("it has neither a description nor parameters.");
        }
        let mut names = HashSet::new();
        for parameter in parameters {
            let has = |field: &str| parameter.get(field).is_some();
            let name = must_field(parameter, "name")?;
            if !names.insert(name) {
                return refused(&format!("the parameter '{name}' occurs twice."));
            }
            if !OVERRIDE_FIELDS.iter().any(|field| has(field)) {
                return refused(&format!("nothing is said of the parameter '{name}'."));
            }
            if has("const") && (has("default") || has("allowedTypes")) {
                return refused(&format!(
                    "const of the parameter '{name}' allows neither default nor allowedTypes."
                ));
            }
        }
    }
    Ok(())
}

fn customizations<'d>(context: &'d mut ActionContext<'_, '_>) -> ApiResult<&'d mut Vec<Value>> {
    let config = context.document.get_mut(CONFIG).and_then(Value::as_object_mut);
    let config = config.ok_or_else(|| ApiError::bug("an MCP Server without its configuration"))?;
    let list = config.entry(CUSTOMIZATIONS[1]).or_insert_with(|| json!([]));
    list.as_array_mut().ok_or_else(|| ApiError::bug("toolCustomizations that are no list"))
}

/// Adds a customization. If the tool has one already, the validation of the document fails with 400 `InvalidOperation`.
fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let sent = must_get(arguments, &["toolCustomization"])?.clone();
    customizations(context)?.push(sent);
    Ok(())
}

/// Removes the customization of a tool; without one nothing changes.
fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let tool = must_text(arguments, &["toolCustomization", "tool"])?.to_owned();
    customizations(context)?.retain(|one| one["tool"] != tool.as_str());
    Ok(())
}
