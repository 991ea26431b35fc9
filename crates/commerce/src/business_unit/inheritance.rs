//! Stores and Associates that a unit inherits from the units above it. A changed unit is updated at once, the
//! units below it in the background.
//!
//! Source: reference types `BusinessUnit`, `BusinessUnitStoreMode`, `InheritedAssociate`,
//! `AssociateRoleInheritanceMode`.

use super::modes::{EXPLICIT_AND_FROM_PARENT, FROM_PARENT};
use super::{TYPE_ID, key_reference, parent};
use kontor_engine::document::{field_or_log, list, text, text_or_log};
use kontor_engine::{DerivationSources, DeriveOutcome, Document, Rules};
use kontor_enums::AssociateRoleInheritanceMode;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::collections::HashMap;

/// The fields of a unit on which the units below it depend.
pub(super) const SOURCES: &[&str] = &[
    "stores",
    "inheritedStores",
    "storeMode",
    "associates",
    "inheritedAssociates",
    "associateMode",
    "topLevelUnit",
];

/// Updates the inherited Stores and Associates of a unit if they may have changed.
pub(super) fn settle(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let is_same = |field: &str| before.is_some_and(|before| before.get(field) == after.get(field));
    if ["parentUnit", "storeMode", "associateMode"].into_iter().all(is_same) {
        return Ok(());
    }
    let parent = parent::parent(after, rules)?;
    inherit(after, parent.as_deref());
    Ok(())
}

/// Follows the unit above.
pub(super) fn follow_parent(
    child: &mut Document,
    sources: &dyn DerivationSources,
) -> ApiResult<DeriveOutcome> {
    let Some(key) = parent::parent_key(child) else { return Ok(DeriveOutcome::Keep) };
    if let Some(parent) = sources.unique(TYPE_ID, "key", key)? {
        inherit(child, Some(&parent));
        if let Some(top) = parent.get("topLevelUnit") {
            child.insert("topLevelUnit", top.clone());
        }
    }
    Ok(DeriveOutcome::Keep)
}

fn inherit(unit: &mut Document, parent: Option<&Document>) {
    let empty = Document::new();
    let parent = parent.unwrap_or(&empty);
    set_or_remove(unit, "inheritedStores", text(unit, &["storeMode"]) == Some(FROM_PARENT), || {
        stores_of(parent).to_vec()
    });
    let inherits = text(unit, &["associateMode"]) == Some(EXPLICIT_AND_FROM_PARENT);
    set_or_remove(unit, "inheritedAssociates", inherits, || associates_below(parent));
}

fn set_or_remove(unit: &mut Document, field: &str, is_there: bool, make: impl FnOnce() -> Vec<Value>) {
    if is_there {
        unit.insert(field, Value::Array(make()));
    } else {
        unit.shift_remove(field);
    }
}

/// Returns the Stores of a unit, assigned or inherited.
fn stores_of(unit: &Document) -> &[Value] {
    let inherits = text(unit, &["storeMode"]) == Some(FROM_PARENT);
    list(unit, &[if inherits { "inheritedStores" } else { "stores" }])
}

/// Whether two units have the same Stores, in any order.
pub(super) fn has_same_stores(one: &Document, other: &Document) -> bool {
    let (one, other) = (stores_of(one), stores_of(other));
    one.iter().all(|store| other.contains(store)) && other.iter().all(|store| one.contains(store))
}

/// Returns the Associates that the units below a unit inherit: its own inheritable assignments, and the
/// inherited ones.
fn associates_below(unit: &Document) -> Vec<Value> {
    let mut below: Vec<Value> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut give = |customer: &Value, assignment: Value| {
        let id = field_or_log(customer, "id");
        let known = places.get(id).and_then(|place| below.get_mut(*place));
        match known.and_then(|associate| associate["associateRoleAssignments"].as_array_mut()) {
            Some(assignments) => assignments.push(assignment),
            None => {
                places.insert(id.to_owned(), below.len());
                below.push(json!({"associateRoleAssignments": [assignment], "customer": customer}));
            }
        }
    };
    let source = key_reference(TYPE_ID, text_or_log(unit, &["key"]));
    for associate in list(unit, &["associates"]) {
        for role in heritable_roles(associate) {
            give(&associate["customer"], json!({"associateRole": role, "source": source}));
        }
    }
    for associate in list(unit, &["inheritedAssociates"]) {
        for assignment in associate["associateRoleAssignments"].as_array().into_iter().flatten() {
            give(&associate["customer"], assignment.clone());
        }
    }
    below
}

/// The roles of an Associate that units below inherit.
pub(super) fn heritable_roles(associate: &Value) -> impl Iterator<Item = &Value> {
    let assignments = associate["associateRoleAssignments"].as_array().into_iter().flatten();
    assignments
        .filter(|assignment| assignment["inheritance"] == AssociateRoleInheritanceMode::Enabled.as_str())
        .map(|assignment| &assignment["associateRole"])
}
