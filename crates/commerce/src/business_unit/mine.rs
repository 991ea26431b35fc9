//! Business Units that Customers create and change themselves: below `/me`, and as Associates.
//!
//! Source: reference types `MyBusinessUnitDraft`, `BusinessUnitConfiguration`, `BusinessUnitStatus`; operation
//! "Create My Business Units".

use super::{acting_associate, associates};
use kontor_engine::document::{has_enum, must_text, text};
use kontor_engine::{Document, Principal, Rules};
use kontor_enums::{BusinessUnitConfigurationStatus, BusinessUnitStatus};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// Sets status and first Associate of a unit that is created below `/me`, as the Project configures them.
pub(super) fn complete(unit: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(Principal::Customer(customer)) = &rules.bounds.mine else { return Ok(()) };
    let setting = |field: &str| -> [String; 2] { ["businessUnits".to_owned(), field.to_owned()] };
    let status = text(rules.project, &setting("myBusinessUnitStatusOnCreation"))
        .unwrap_or(BusinessUnitConfigurationStatus::Inactive.as_str());
    let role = rules
        .project
        .get("businessUnits")
        .and_then(|all| all.get("myBusinessUnitAssociateRoleOnCreation")?.get("key")?.as_str());
    let Some(role) = role else {
        return Err(ApiError::invalid_operation(
            "The Project has no Associate Role for Customers who create a Business Unit: \
             setMyBusinessUnitAssociateRoleOnCreation names it.",
        ));
    };
    unit.insert("status", json!(status));
    unit.insert("associates", associates::creator_associate(customer, role));
    Ok(())
}

/// Refuses changes of an inactive unit by callers without rights to all units.
pub(super) fn admit_status(before: Option<&Document>, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(before) = before else { return Ok(()) };
    if !has_enum(before, &["status"], BusinessUnitStatus::Inactive) || acting_associate(rules)?.is_none() {
        return Ok(());
    }
    let key = must_text(before, &["key"])?;
    Err(ApiError::invalid_operation(format!(
        "The Business Unit with key '{key}' is Inactive: Associates cannot change it."
    )))
}
