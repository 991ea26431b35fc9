//! Permissions of a buyer for a Business Unit, where the needed permission depends on the owner of the source
//! document, or on the requested change.
//!
//! Source: reference types `Permission`, `AssociateMissingPermissionError`, `MyQuoteChangeMyQuoteStateAction`
//! (a Customer needs the same permission below `/me` for a document of a Business Unit),
//! `BusinessUnitStatus`.

use crate::kinds;
use kontor_engine::document::{has_enum, must_text, text};
use kontor_engine::{Document, RequiredPermission, Rules};
use kontor_enums::BusinessUnitStatus;
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// A pair of permissions: one for the Associate's own documents, one for those of others.
pub(crate) struct OwnOrOthersPermission {
    /// The operation in error messages: `create quote-request`.
    pub(crate) operation: &'static str,
    pub(crate) own_permission: &'static str,
    pub(crate) others_permission: &'static str,
}

/// Refuses an Associate who acts for the Business Unit with the key `unit` on a document of the Customer
/// `owner` without permission. A client that manages the whole Project needs none, and neither does a
/// document without a Business Unit.
///
/// 403 `AssociateMissingPermission`.
pub(crate) fn require_permission(
    needed: &OwnOrOthersPermission,
    owner: Option<&str>,
    unit: Option<&str>,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let (Some(associate), Some(key)) = (acting_associate(rules), unit) else { return Ok(()) };
    let Some(unit) = unit_of(key, rules)? else { return Ok(()) };
    let others = owner.filter(|owner| *owner != associate);
    let name = if others.is_some() { needed.others_permission } else { needed.own_permission };
    rules.require_permission(
        &unit,
        associate,
        &RequiredPermission { what: needed.operation, on_behalf: others, any: &[name] },
    )
}

/// Returns the id of the acting Customer: an Associate, or the caller below `/me`.
pub(crate) fn acting_associate<'r>(rules: &'r Rules<'_>) -> Option<&'r str> {
    match (&rules.bounds.associate, &rules.bounds.mine) {
        (Some(associate), _) => associate.id.as_deref(),
        (None, Some(asker)) => asker.customer(),
        (None, None) => None,
    }
}

/// Refuses a document of a Business Unit that is `Inactive`.
///
/// 400 `InvalidOperation`.
pub(crate) fn admit_unit(document: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(key) = text(document, &["businessUnit", "key"]) else { return Ok(()) };
    match unit_of(key, rules)? {
        Some(unit) if has_enum(&unit, &["status"], BusinessUnitStatus::Inactive) => {
            Err(ApiError::invalid_operation(format!(
                "The Business Unit with key '{key}' is Inactive, so that nothing can be bought for it."
            )))
        }
        _ => Ok(()),
    }
}

/// Refuses a source document outside of the Store or the Business Unit of the request. `what` names the document in the
/// error: `The Cart`.
///
/// 400 `InvalidOperation`.
pub(crate) fn admit_place(what: &str, document: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let unit = rules.bounds.associate.as_ref().and_then(|associate| associate.unit.as_deref());
    let places = [("store", "Store", rules.bounds.store.as_deref()), ("businessUnit", "Business Unit", unit)];
    for (field, place, expected) in places {
        if let Some(expected) = expected
            && text(document, &[field, "key"]) != Some(expected)
        {
            return Err(ApiError::invalid_operation(format!(
                "{what} with ID '{}' does not belong to the {place} with key '{expected}'.",
                must_text(document, &["id"])?
            )));
        }
    }
    Ok(())
}

/// Returns the Business Unit with a key. It must be unchanged when the change is written.
pub(crate) fn unit_of(key: &str, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    rules.find_key(kinds::BUSINESS_UNIT, key)
}
