//! Names of tools: each consists of a verb and a kind, e.g. `read_products`.

use kontor_model::{Kind, KindId, Model};

/// The enum of the model that lists all tools.
const TOOLS: &str = "McpServerTool";
/// Values of the enum that are groups of tools.
const GROUPS: [&str; 2] = ["all", "read_all"];

/// The verb of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolVerb {
    Read,
    Create,
    Update,
    Replicate,
}

/// Returns the names of all tools.
pub(super) fn names(model: &Model) -> impl Iterator<Item = &str> {
    let all = model.enums().find(|(_, values)| values.name == TOOLS);
    let values = all.into_iter().flat_map(|(_, values)| &values.values);
    values.map(|constant| constant.value.as_str()).filter(|name| !GROUPS.contains(name))
}

/// Returns the verb in a tool's name.
pub(super) fn verb_of_tool(name: &str) -> ToolVerb {
    match name.split_once('_').map(|(verb, _)| verb) {
        Some("create") => ToolVerb::Create,
        Some("update") => ToolVerb::Update,
        Some("replicate") => ToolVerb::Replicate,
        _ => ToolVerb::Read,
    }
}

/// Returns the kind in a tool's name, e.g. `business-units`.
pub(super) fn subject(name: &str) -> String {
    name.split_once('_').map_or(name, |(_, subject)| subject).replace('_', "-")
}

/// Returns the description of a tool.
pub(super) fn describe_tool(name: &str) -> String {
    let subject = subject(name).replace('-', " ");
    match verb_of_tool(name) {
        ToolVerb::Read => format!("Reads {subject}: one by id or key, or those that a query finds."),
        ToolVerb::Create => format!("Creates {subject}."),
        ToolVerb::Update => format!("Changes {subject} by update actions."),
        ToolVerb::Replicate => format!("Makes new {subject} of a Cart or an Order."),
    }
}

/// Returns the kind that a tool reads or changes; `None` for special tools.
pub(super) fn kind<'m>(model: &'m Model, name: &str) -> Option<(KindId, &'m Kind)> {
    let id = model.kind_by_path(&subject(name))?;
    Some((id, model.kind(id)))
}
