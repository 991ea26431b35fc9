//! Sorts API Extensions by their dependencies into layers, and validates the dependencies.
//!
//! Source: reference types `ExtensionChainTooDeepError` (3 layers), `ExtensionChainTooWideError` (5 of one),
//! `ExtensionCircularDependencyError`, `ExtensionDependencyExistsError`.

use super::EXTENSION;
use crate::kinds;
use kontor_engine::document::{list, text, text_or_log};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use std::collections::HashMap;
use std::sync::Arc;

/// Most Extensions that one waits for itself.
const DEPENDENCIES_MAX: usize = 5;
/// The maximum length of a chain of dependent Extensions.
pub(crate) const LAYERS_MAX: usize = 3;

/// Refuses dependencies that are too many, too deep, circular, or have no trigger in common with the Extension.
pub(super) fn check_dependencies(extension: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    if list(extension, &["dependencies"]).len() > DEPENDENCIES_MAX {
        let said =
            format!("Extension chain breadth exceeds the maximum allowed breadth of {DEPENDENCIES_MAX}");
        return Err(ApiError::new(Code::ExtensionChainTooWide, said));
    }
    let all = rules.peek_all(EXTENSION)?;
    let others = all.iter().map(|other| &**other).filter(|other| id_of(other) != id_of(extension));
    let graph =
        DependencyGraph(others.chain([extension]).map(|one| (id_of(one), dependency_ids(one))).collect());
    let deepest = graph.0.keys().map(|id| graph.layers(id, LAYERS_MAX + 1)).max().unwrap_or(0);
    if let Some(circle) = graph.find_cycle(id_of(extension)) {
        let said = format!("Circular dependency detected: [{}]", circle.join(", "));
        return Err(ApiError::new(Code::ExtensionCircularDependency, said));
    }
    if deepest > LAYERS_MAX {
        let said =
            format!("The dependency chain depth {deepest} exceeds the maximum allowed depth of {LAYERS_MAX}");
        return Err(ApiError::new(Code::ExtensionChainTooDeep, said));
    }
    let needed = dependency_ids(extension);
    let strangers: Vec<&str> = all
        .iter()
        .filter(|other| needed.contains(&id_of(other)) && !is_asked_along(other, extension))
        .map(|other| name_of(other))
        .collect();
    if strangers.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid_input(format!(
        "The extensions '[{}]' referenced in 'dependencies' are not applicable to the same trigger.",
        strangers.join(", ")
    )))
}

/// Returns whether both Extensions have a trigger for the same kind and action.
fn is_asked_along(other: &Document, extension: &Document) -> bool {
    list(other, &["triggers"]).iter().any(|theirs| {
        list(extension, &["triggers"]).iter().any(|ours| {
            let has_action = |action| theirs["actions"].as_array().is_some_and(|all| all.contains(action));
            ours["resourceTypeId"] == theirs["resourceTypeId"]
                && ours["actions"].as_array().is_some_and(|actions| actions.iter().any(has_action))
        })
    })
}

/// Refuses the end of an Extension that others wait for.
pub(super) fn admit_delete(extension: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let waiting = rules.find_others(kinds::EXTENSION, "dependencies.id", id_of(extension), None)?;
    if waiting.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = waiting.iter().map(|other| name_of(other)).collect();
    let said =
        format!("The extension cannot be deleted because it is a prerequisite for: [{}].", names.join(", "));
    Err(ApiError::new(Code::ExtensionDependencyExists, said))
}

/// Returns the layer in which an Extension is called: after all its dependencies.
pub(crate) fn call_layer(extension: &Document, all: &[Arc<Document>]) -> usize {
    if dependency_ids(extension).is_empty() {
        return 0;
    }
    let graph = DependencyGraph(all.iter().map(|one| (id_of(one), dependency_ids(one))).collect());
    graph.layers(id_of(extension), LAYERS_MAX).saturating_sub(1)
}

/// Returns the ids of the Extension's dependencies.
fn dependency_ids(extension: &Document) -> Vec<&str> {
    list(extension, &["dependencies"]).iter().filter_map(|dependency| dependency["id"].as_str()).collect()
}

fn id_of(extension: &Document) -> &str {
    text_or_log(extension, &["id"])
}

/// Returns the name of an Extension for error messages: its key, or its id.
fn name_of(extension: &Document) -> &str {
    text(extension, &["key"]).unwrap_or_else(|| id_of(extension))
}

/// The dependencies of each Extension.
struct DependencyGraph<'a>(HashMap<&'a str, Vec<&'a str>>);

impl DependencyGraph<'_> {
    /// Returns the number of layers up to and including an Extension, at most `most`.
    fn layers(&self, id: &str, most: usize) -> usize {
        if most == 0 {
            return 0;
        }
        let needed = self.0.get(id).into_iter().flatten();
        1 + needed.map(|needed| self.layers(needed, most - 1)).max().unwrap_or(0)
    }

    /// The way from an Extension back to itself, both ends included.
    fn find_cycle<'a>(&'a self, id: &'a str) -> Option<Vec<&'a str>> {
        self.find_path(id, id, LAYERS_MAX + 1).map(|way| [vec![id], way].concat())
    }

    /// Returns the path of dependencies from one Extension to another, with at most `steps` steps.
    fn find_path<'a>(&'a self, from: &str, to: &str, steps: usize) -> Option<Vec<&'a str>> {
        let mut needed = self.0.get(from).filter(|_| steps > 0)?.iter().copied();
        needed.find_map(|next| match next == to {
            true => Some(vec![next]),
            false => self.find_path(next, to, steps - 1).map(|way| [vec![next], way].concat()),
        })
    }
}
