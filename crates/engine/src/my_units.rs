//! Documents of Business Units below `/me`: a customer needs the same permissions there as below `/as-associate`.
//!
//! A customer who leaves a unit, or whose role loses a permission, loses access to its documents: for a Cart of the
//! unit, `GET /me/carts/{id}` then responds with 403 AssociateMissingPermission, and `GET /me/carts` omits it. A
//! visitor has no documents in units at all.
//!
//! Source: reference types `Permission` (for B2B Carts, Orders, Quotes, Shopping Lists), `MyCartDraft`
//! (`businessUnit`).

use crate::access_scope::{AccessScope, Principal, check_at};
use crate::document::{Document, text};
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use kontor_model::{AssociateAccess, Kind, KindId, Operation};
use kontor_query::{Condition, ConditionValue, ValueCheck};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the caller below `/me`, and the permissions that the kind requires of Associates; `None` for requests
/// elsewhere, and for kinds whose documents belong to no units.
pub(crate) fn caller_and_permissions<'a>(
    entry: &'a Kind,
    access_scope: &'a AccessScope,
) -> Option<(&'a Principal, &'a AssociateAccess)> {
    let caller = access_scope.mine.as_ref().filter(|caller| **caller != Principal::Nobody)?;
    let access = entry.associates.as_ref().filter(|access| !access.unit.is_empty())?;
    access_scope.associate.is_none().then_some((caller, access))
}

/// Returns the unit with a key, which must be the same at the commit. A missing unit becomes one without Associates.
pub(crate) fn unit_with_key(key: &str, rules: &Rules<'_>) -> ApiResult<Document> {
    let kind = rules.model.unit_kind().ok_or_else(|| ApiError::bug("the model has no kind of units"))?;
    Ok(match rules.find_key(kind, key)? {
        Some(unit) => Arc::unwrap_or_clone(unit),
        None => [("key".to_owned(), json!(key))].into_iter().collect(),
    })
}

/// 400 ReferencedResourceNotFound, as for a unit that does not exist.
pub(crate) fn missing_unit_error(key: &str, rules: &Rules<'_>) -> ApiError {
    let type_id = rules.model.unit_kind().map_or("", |kind| rules.model.kind(kind).type_id.as_str());
    ApiError::referenced_resource_not_found(type_id, None, Some(key))
}

/// Refuses a new document in a unit, unless the customer is an Associate of it.
pub(crate) fn check_new_document(kind: KindId, unit: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some((caller, _)) = caller_and_permissions(rules.model.kind(kind), rules.bounds) else {
        return Ok(());
    };
    let permissions = caller.customer().map(|customer| rules.permissions_in(unit, customer)).transpose()?;
    match permissions.flatten() {
        Some(_) => Ok(()),
        None => Err(missing_unit_error(text(unit, &["key"]).unwrap_or_default(), rules)),
    }
}

/// Returns the condition for documents that the caller may see in a query: they belong to no unit, or to one in which
/// the customer has the permission to view them.
pub(crate) fn visibility_condition(
    caller: &Principal,
    access: &AssociateAccess,
    rules: &Rules<'_>,
) -> ApiResult<Condition> {
    let outside = Condition::not(check_at(&access.unit, ValueCheck::Defined));
    let Some(customer) = caller.customer() else { return Ok(outside) };
    let needed = access.permissions(Operation::Query).own_permission().map(str::to_owned);
    let mut all = vec![outside];
    for unit in units_of(customer, rules)? {
        let permissions = rules.permissions_in(&unit, customer)?;
        let may = permissions.is_some_and(|all| needed.as_ref().is_none_or(|needed| all.contains(needed)));
        if let (true, Some(key)) = (may, text(&unit, &["key"])) {
            all.push(check_at(&access.unit, ValueCheck::Equals(ConditionValue::text(key))));
        }
    }
    Ok(Condition::any(all))
}

/// Returns the units of which a customer is an Associate, without duplicates.
fn units_of(customer: &str, rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let Some(kind) = rules.model.unit_kind() else { return Ok(Vec::new()) };
    let entry = rules.model.kind(kind);
    let (mut units, mut seen) = (Vec::new(), BTreeSet::new());
    for path in entry.associates.iter().flat_map(|access| &access.owner) {
        for found in rules.peek_by_value(&entry.type_id, &path.join("."), customer)? {
            if seen.insert(found.id.clone()) {
                units.push(found.document);
            }
        }
    }
    Ok(units)
}
