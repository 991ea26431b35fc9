//! The modes allowed for a Company and for a Division: a Company has no unit above it to inherit from.
//!
//! Source: reference types `Company`, `Division`, `BusinessUnitDraft` (defaults),
//! `BusinessUnitSet…ModeAction`.

use super::{COMPANY, is_division};
use kontor_engine::Document;
use kontor_engine::document::text;
use kontor_enums::{BusinessUnitAssociateMode, BusinessUnitStatus, BusinessUnitStoreMode};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(super) const EXPLICIT: &str = BusinessUnitAssociateMode::Explicit.as_str();
pub(super) const FROM_PARENT: &str = BusinessUnitStoreMode::FromParent.as_str();
pub(super) const EXPLICIT_AND_FROM_PARENT: &str = BusinessUnitAssociateMode::ExplicitAndFromParent.as_str();

/// The modes with their default value in a Division.
const MODES: [(&str, &str); 3] = [
    ("storeMode", FROM_PARENT),
    ("associateMode", EXPLICIT_AND_FROM_PARENT),
    ("approvalRuleMode", EXPLICIT_AND_FROM_PARENT),
];

/// Sets the default modes of a new unit, and checks that the fields of the draft fit them.
pub(super) fn complete(unit: &mut Document, draft: &Document) -> ApiResult<()> {
    let is_division = is_division(unit);
    if is_division && !unit.contains_key("parentUnit") {
        return Err(ApiError::invalid_json("parentUnit: a value is required where unitType is Division"));
    }
    for (mode, of_division) in MODES {
        let default = if is_division { of_division } else { EXPLICIT };
        unit.entry(mode).or_insert_with(|| json!(default));
    }
    if text(unit, &["storeMode"]) == Some(FROM_PARENT) {
        if draft.get("stores").is_some_and(|stores| *stores != json!([])) {
            return Err(ApiError::invalid_input(
                "stores: they can only be set where storeMode is Explicit; here it is FromParent.",
            ));
        }
        unit.shift_remove("stores");
    } else {
        unit.entry("stores").or_insert_with(|| json!([]));
    }
    unit.entry("status").or_insert_with(|| json!(BusinessUnitStatus::Active));
    unit.entry("associates").or_insert_with(|| json!([]));
    Ok(())
}

/// A Company has no parent, and every mode is `Explicit`.
pub(super) fn check_modes(unit: &Document) -> ApiResult<()> {
    if is_division(unit) {
        return match unit.get("parentUnit") {
            Some(_) => Ok(()),
            None => Err(ApiError::invalid_operation("A Division needs a parentUnit.")),
        };
    }
    if unit.contains_key("parentUnit") {
        return Err(ApiError::invalid_operation(format!("A {COMPANY} has no parentUnit.")));
    }
    for (mode, _) in MODES {
        let value = unit.get(mode).cloned().unwrap_or(Value::Null);
        if value != EXPLICIT {
            return Err(ApiError::invalid_operation(format!(
                "{mode}: of a {COMPANY} it is {EXPLICIT}, found {value}; only a Division inherits."
            )));
        }
    }
    Ok(())
}
