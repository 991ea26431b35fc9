//! Which Extensions are asked before others.
//!
//! Source: reference types `ExtensionChainTooDeepError` (3 layers), `ExtensionChainTooWideError` (5 of one),
//! `ExtensionDependencyExistsError`.

use super::EXTENSION;
use kontor_engine::document::{list, text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use std::collections::HashMap;
use std::sync::Arc;

/// Most Extensions that one waits for itself.
const DEPENDENCIES_MAX: usize = 5;
/// Most Extensions of which each waits for the one before.
pub(crate) const LAYERS_MAX: usize = 3;

/// Refuses dependencies that are too many, too deep, or lead back to the Extension.
pub(super) fn admit(extension: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if list(extension, &["dependencies"]).len() > DEPENDENCIES_MAX {
        let said =
            format!("Extension chain breadth exceeds the maximum allowed breadth of {DEPENDENCIES_MAX}");
        return Err(ApiError::new(Code::ExtensionChainTooWide, said));
    }
    let all = rules.peek_all(EXTENSION)?;
    let others = all.iter().map(|other| &**other).filter(|other| id_of(other) != id_of(extension));
    let graph = Graph(others.chain([extension]).map(|one| (id_of(one), needed_by(one))).collect());
    let deepest = graph.0.keys().map(|id| graph.layers(id, LAYERS_MAX + 1)).max().unwrap_or_default();
    if graph.leads_to(id_of(extension), id_of(extension), LAYERS_MAX + 1) {
        return Err(ApiError::invalid_input(
            "An Extension cannot depend on itself, nor on one that depends on it.",
        ));
    }
    if deepest > LAYERS_MAX {
        let said =
            format!("The dependency chain depth {deepest} exceeds the maximum allowed depth of {LAYERS_MAX}");
        return Err(ApiError::new(Code::ExtensionChainTooDeep, said));
    }
    Ok(())
}

/// Refuses the end of an Extension that others wait for.
pub(super) fn admit_delete(extension: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(kind) = rules.model.kind_by_type_id(EXTENSION) else { return Ok(()) };
    let waiting = rules.others_with(kind, "dependencies.id", id_of(extension), None)?;
    if waiting.is_empty() {
        return Ok(());
    }
    let named = |other: &Document| text(other, &["key"]).unwrap_or_else(|| id_of(other)).to_owned();
    let names: Vec<String> = waiting.iter().map(|other| named(other)).collect();
    let said =
        format!("The extension cannot be deleted because it is a prerequisite for: [{}].", names.join(", "));
    Err(ApiError::new(Code::ExtensionDependencyExists, said))
}

/// In which round an Extension is asked: behind all that it waits for.
pub(crate) fn layer(extension: &Document, all: &[Arc<Document>]) -> usize {
    let graph = Graph(all.iter().map(|one| (id_of(one), needed_by(one))).collect());
    graph.layers(id_of(extension), LAYERS_MAX).saturating_sub(1)
}

/// The ids of what an Extension waits for.
fn needed_by(extension: &Document) -> Vec<&str> {
    list(extension, &["dependencies"]).iter().filter_map(|dependency| dependency["id"].as_str()).collect()
}

fn id_of(extension: &Document) -> &str {
    text(extension, &["id"]).unwrap_or_default()
}

/// What each Extension waits for.
struct Graph<'a>(HashMap<&'a str, Vec<&'a str>>);

impl Graph<'_> {
    /// How many layers there are up to an Extension, itself included; no further than `most`.
    fn layers(&self, id: &str, most: usize) -> usize {
        if most == 0 {
            return 0;
        }
        let needed = self.0.get(id).into_iter().flatten();
        1 + needed.map(|needed| self.layers(needed, most - 1)).max().unwrap_or_default()
    }

    /// Whether an Extension waits for another one, within as many steps.
    fn leads_to(&self, from: &str, to: &str, steps: usize) -> bool {
        let mut needed = self.0.get(from).into_iter().flatten();
        steps > 0 && needed.any(|needed| *needed == to || self.leads_to(needed, to, steps - 1))
    }
}
