//! Names of tools: each consists of a verb and a kind, e.g. `read_products`.

use kontor_model::{Kind, KindId, Model};

/// The enum of the model that lists all tools.
const TOOLS: &str = "McpServerTool";
/// Values of the enum that are groups of tools.
const GROUPS: [&str; 2] = ["all", "read_all"];

/// The verb of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
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
pub(super) fn verb(name: &str) -> Verb {
    match name.split_once('_').map(|(verb, _)| verb) {
        Some("create") => Verb::Create,
        Some("update") => Verb::Update,
        Some("replicate") => Verb::Replicate,
        _ => Verb::Read,
    }
}

/// Returns the kind in a tool's name, e.g. `business-units`.
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

/// Returns the kind that a tool reads or changes; `None` for special tools.
pub(super) fn kind<'m>(model: &'m Model, name: &str) -> Option<(KindId, &'m Kind)> {
    let id = model.kind_by_path(&subject(name))?;
    Some((id, model.kind(id)))
}
