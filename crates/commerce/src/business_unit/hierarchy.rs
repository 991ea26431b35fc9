//! The position of a unit in the hierarchy: its parent unit, and its top-level Company.
//!
//! Source: reference types `BusinessUnitChangeParentUnitAction`, `MyBusinessUnitChangeParentUnitAction`,
//! `BusinessUnitSetUnitTypeAction`, `BusinessUnitTopLevelUnitSetMessage`; change notes, "Set Unit Type" (the
//! allowed moves). Conversations: `tests/api/business-units/hierarchy.txt`.

use super::parent::parent;
use super::{COMPANY, DIVISION, TYPE_ID, acting_associate, inheritance, is_division, key_reference};
use crate::kinds;
use kontor_engine::document::{fields, must_text, text};
use kontor_engine::{ActionContext, Document, RequiredPermission, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::sync::Arc;

/// Levels of a hierarchy, the Company included.
pub(super) const LEVELS_MAX: usize = 10;
/// The permission that an Associate needs in a unit to add a unit below it.
const ADD_CHILD_UNITS: &str = "AddChildUnits";

/// Checks that an Associate who creates a Division has the permission in its parent unit.
pub(super) fn admit_below(unit: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(associate) = acting_associate(rules)? else { return Ok(()) };
    let Some(parent) = parent(unit, rules)? else { return Ok(()) };
    let wanted =
        RequiredPermission { what: "create child business-unit", on_behalf: None, any: &[ADD_CHILD_UNITS] };
    rules.require_permission(&parent, &associate, &wanted)
}

/// Calculates `topLevelUnit` of a unit with a new parent, by following the parents unit by unit.
///
/// All visited units must be unchanged when the change is written. So of two moves that would make a cycle together,
/// the later one is retried and detects it. A cycle is `InvalidOperation`.
pub(super) fn settle(before: Option<&Document>, after: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let place = |unit: &Document| (unit.get("parentUnit").cloned(), unit.get("unitType").cloned());
    if before.is_some_and(|before| place(before) == place(after)) {
        return Ok(());
    }
    let own = must_text(after, &["key"])?.to_owned();
    let mut top = own.clone();
    let mut level = 1;
    let mut next = parent(after, rules)?;
    while let Some(above) = next {
        top = must_text(&above, &["key"])?.to_owned();
        level += 1;
        if top == own {
            return Err(ApiError::invalid_operation(format!(
                "The Business Unit with key '{own}' cannot be below itself."
            )));
        }
        if level > LEVELS_MAX {
            return Err(too_deep());
        }
        next = parent(&above, rules)?;
    }
    if before.is_some() {
        admit_depth(&own, LEVELS_MAX - level, rules)?;
    }
    after.insert("topLevelUnit", key_reference(TYPE_ID, &top));
    Ok(())
}

/// Refuses more than `levels` levels below a unit that moves.
fn admit_depth(key: &str, levels: usize, rules: &Rules<'_>) -> ApiResult<()> {
    for child in rules.peek_by_value(TYPE_ID, "parentUnit.key", key)? {
        let Some(levels) = levels.checked_sub(1) else { return Err(too_deep()) };
        admit_depth(must_text(&child.document, &["key"])?, levels, rules)?;
    }
    Ok(())
}

fn too_deep() -> ApiError {
    ApiError::invalid_operation(format!(
        "A hierarchy of Business Units has at most {LEVELS_MAX} levels, the Company included."
    ))
}

/// `changeParentUnit`: the new parent must have the same Stores as the old one; if Customers do it themselves, it must
/// be of the same Company.
pub(super) fn change_parent(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if !is_division(context.document) {
        return Err(ApiError::invalid_operation(format!(
            "{}: a {COMPANY} has no parent; setUnitType makes it a {DIVISION}.",
            context.place
        )));
    }
    let old = parent(context.document, context.rules)?;
    let new = find_parent_unit(context, arguments)?;
    if old.as_ref().is_some_and(|old| old.get("key") == new.get("key")) {
        return Ok(());
    }
    if let Some(old) = &old
        && !inheritance::has_same_stores(old, &new)
    {
        return Err(ApiError::invalid_operation(format!(
            "{}.parentUnit: it must be associated with the same Stores as the parent before.",
            context.place
        )));
    }
    if context.rules.bounds.mine.is_some() && new.get("topLevelUnit") != context.document.get("topLevelUnit")
    {
        return Err(ApiError::invalid_operation(format!(
            "{}.parentUnit: it must have the same topLevelUnit as the parent before.",
            context.place
        )));
    }
    let before = context.document.clone();
    set_parent_unit(context, &new)?;
    let message_fields = fields([
        ("oldParentUnit", before.get("parentUnit").cloned()),
        ("newParentUnit", context.document.get("parentUnit").cloned()),
    ]);
    context.emit("BusinessUnitParentChanged", message_fields)?;
    tell_top_level(context, &before)
}

/// `setUnitType`: a Company becomes a Division of another Company; a Division moves to another Company or becomes a
/// Company.
pub(super) fn set_type(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let becomes_division = text(arguments, &["unitType"]) == Some(DIVISION);
    let is_division = is_division(context.document);
    let refused = |reason: &str| Err(ApiError::invalid_operation(format!("{}: {reason}", context.place)));
    if !becomes_division && !is_division {
        return refused("it is a Company already.");
    }
    if !becomes_division && arguments.contains_key("parentUnit") {
        return refused("a Company has no parentUnit.");
    }
    if becomes_division && !arguments.contains_key("parentUnit") {
        return refused("a Division needs a parentUnit.");
    }
    let before = context.document.clone();
    if becomes_division {
        let new = find_parent_unit(context, arguments)?;
        if is_division && new.get("topLevelUnit") == before.get("topLevelUnit") {
            return Err(ApiError::invalid_operation(format!(
                "{}: within a Company changeParentUnit moves a Division; this moves it to another Company.",
                context.place
            )));
        }
        set_parent_unit(context, &new)?;
    } else {
        context.document.shift_remove("parentUnit");
    }
    context.document.insert("unitType", json!(if becomes_division { DIVISION } else { COMPANY }));
    if !becomes_division {
        super::modes::check_modes(context.document).map_err(|error| error.with_location(context.place))?;
    }
    let message_fields = fields([
        ("parentUnit", context.document.get("parentUnit").cloned()),
        ("oldParentUnit", before.get("parentUnit").cloned()),
        ("unitType", context.document.get("unitType").cloned()),
        ("oldUnitType", before.get("unitType").cloned()),
    ]);
    context.emit("BusinessUnitTypeSet", message_fields)?;
    tell_top_level(context, &before)
}

/// The unit that an action names.
fn find_parent_unit(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Arc<Document>> {
    let id = must_text(arguments, &["parentUnit", "id"])?;
    let kind = kinds::BUSINESS_UNIT;
    let found = context.rules.find(kind, id)?;
    found.ok_or_else(|| ApiError::referenced_resource_not_found(TYPE_ID, Some(id), None))
}

fn set_parent_unit(context: &mut ActionContext<'_, '_>, new: &Document) -> ApiResult<()> {
    if let Some(associate) = acting_associate(context.rules)? {
        let wanted =
            RequiredPermission { what: "add child business-unit", on_behalf: None, any: &[ADD_CHILD_UNITS] };
        context.rules.require_permission(new, &associate, &wanted)?;
    }
    let key = must_text(new, &["key"])?;
    context.document.insert("parentUnit", key_reference(TYPE_ID, key));
    Ok(())
}

/// Calculates the new top-level unit at once, for the Message about it.
fn tell_top_level(context: &mut ActionContext<'_, '_>, before: &Document) -> ApiResult<()> {
    settle(Some(before), context.document, context.rules)?;
    match top_level_change(before, context.document) {
        Some(fields) => context.emit("BusinessUnitTopLevelUnitSet", fields),
        None => Ok(()),
    }
}

/// Returns the fields of the Message `BusinessUnitTopLevelUnitSet`; `None` if the unit is still below the same Company.
pub(super) fn top_level_change(before: &Document, after: &Document) -> Option<Document> {
    let top = |unit: &Document| -> Option<Value> { unit.get("topLevelUnit").cloned() };
    let (old, new) = (top(before), top(after));
    (old != new).then(|| fields([("topLevelUnit", new), ("oldTopLevelUnit", old)]))
}
