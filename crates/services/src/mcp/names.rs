//! Names of tools: the verb and the kind of each.

use kontor_model::{Kind, KindId, Model};

/// The enum of the model that names all tools.
const TOOLS: &str = "McpServerTool";
/// Names of groups of tools.
const GROUPS: [&str; 2] = ["all", "read_all"];

/// The verb of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    Create,
    Update,
    Replicate,
}

/// The names of all tools.
pub(super) fn names(model: &Model) -> impl Iterator<Item = &str> {
    let all = model.enums().find(|(_, values)| values.name == TOOLS);
    let values = all.into_iter().flat_map(|(_, values)| &values.values);
    values.map(|constant| constant.value.as_str()).filter(|name| !GROUPS.contains(name))
}

/// Returns the verb in a tool's name.
pub(super) fn verb(name: &str) -> Verb {
    match name.split_once('_').map(|(verb, _)| verb) {
        Some("create") => Verb::Create,
        Some("update") => Verb::Update,
        Some("replicate") => Verb::Replicate,
        _ => Verb::Read,
    }
}

/// Returns the kind in a tool's name: `business-units`.
pub(super) fn subject(name: &str) -> String {
    name.split_once('_').map_or(name, |(_, subject)| subject).replace('_', "-")
}

/// Returns the description of a tool.
pub(super) fn says(name: &str) -> String {
    let subject = subject(name).replace('-', " ");
    match verb(name) {
        Verb::Read => format!("Reads {subject}: one by id or key, or those that a query finds."),
        Verb::Create => format!("Creates {subject}."),
        Verb::Update => format!("Changes {subject} by update actions."),
        Verb::Replicate => format!("Makes new {subject} of a Cart or an Order."),
    }
}

/// The kind that a tool is about.
pub(super) fn kind<'m>(model: &'m Model, name: &str) -> Option<(KindId, &'m Kind)> {
    let id = model.kind_by_path(&subject(name))?;
    Some((id, model.kind(id)))
}
