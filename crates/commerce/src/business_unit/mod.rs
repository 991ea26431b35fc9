//! Business Unit: Companies, and Divisions, which may inherit from the units above them. Start at [`BusinessUnit`].
//!
//! `hierarchy` has the position of a unit, `inheritance` the values from above, `associates` its Associates,
//! `permissions` their rights; `mine` is for Customers who create and change units themselves.
//!
//! Source: reference types `BusinessUnitDraft`, `CompanyDraft`, `DivisionDraft`, `BusinessUnit…Action`.

mod associate_response;
mod associates;
mod hierarchy;
mod inheritance;
mod mine;
mod modes;
mod parent;
mod permissions;
mod sign_up;
mod stores;

use crate::address_book::{self as address, AddressPurpose, BUSINESS_UNIT};
use crate::group_assignments as groups;
use crate::kinds;
use kontor_engine::document::{fields, must_get, text};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, Dependents, Derivation, Document, Effects, EndpointHandler,
    Limit, Rules,
};
use kontor_enums::BusinessUnitType;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The `typeId` of references.
const TYPE_ID: &str = "business-unit";
const COMPANY: &str = BusinessUnitType::Company.as_str();
const DIVISION: &str = BusinessUnitType::Division.as_str();

pub(crate) struct BusinessUnit;

impl Behaviour for BusinessUnit {
    fn resource(&self) -> &'static str {
        "BusinessUnit"
    }

    fn limits(&self) -> &'static [Limit] {
        const ALL: &[Limit] = &[Limit { name: "depth", most: hierarchy::LEVELS_MAX as u64, counted: None }];
        ALL
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addAddress", |context, sent| address::add(context, sent, &BUSINESS_UNIT)),
            ("changeAddress", |context, sent| address::change(context, sent, &BUSINESS_UNIT)),
            ("removeAddress", |context, sent| address::remove(context, sent, &BUSINESS_UNIT)),
            ("addShippingAddressId", |context, sent| {
                address::use_for(context, sent, &BUSINESS_UNIT, AddressPurpose::Shipping)
            }),
            ("removeShippingAddressId", |context, sent| {
                address::stop_using(context, sent, &BUSINESS_UNIT, AddressPurpose::Shipping)
            }),
            ("setDefaultShippingAddress", |context, sent| {
                address::set_default(context, sent, &BUSINESS_UNIT, AddressPurpose::Shipping)
            }),
            ("addBillingAddressId", |context, sent| {
                address::use_for(context, sent, &BUSINESS_UNIT, AddressPurpose::Billing)
            }),
            ("removeBillingAddressId", |context, sent| {
                address::stop_using(context, sent, &BUSINESS_UNIT, AddressPurpose::Billing)
            }),
            ("setDefaultBillingAddress", |context, sent| {
                address::set_default(context, sent, &BUSINESS_UNIT, AddressPurpose::Billing)
            }),
            ("changeStatus", change_status),
            ("setStores", stores::set),
            ("addStore", stores::add),
            ("removeStore", stores::remove),
            ("setStoreMode", stores::set_mode),
            ("setAssociates", associates::set),
            ("addAssociate", associates::add),
            ("changeAssociate", associates::change),
            ("removeAssociate", associates::remove),
            ("changeAssociateMode", associates::change_mode),
            ("changeParentUnit", hierarchy::change_parent),
            ("setUnitType", hierarchy::set_type),
            ("addCustomerGroupAssignment", |context, sent| {
                groups::add(context, sent, "BusinessUnitCustomerGroupAssignmentAdded")
            }),
            ("removeCustomerGroupAssignment", |context, sent| {
                groups::remove(context, sent, "BusinessUnitCustomerGroupAssignmentRemoved")
            }),
        ]
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[
            ("associateByKey", associate_response::BY_KEY),
            ("associateById", associate_response::BY_ID),
            ("signUpAssociate", sign_up::SIGN_UP),
        ]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        address::complete(after, draft, rules)?;
        modes::complete(after, draft)?;
        mine::complete(after, rules)?;
        associates::admit_roles(None, after, rules)?;
        hierarchy::admit_below(after, rules)
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        mine::admit_status(before, rules)?;
        modes::check_modes(after)?;
        address::admit_keys(after)?;
        groups::remove_duplicates(after);
        stores::remove_duplicates(after);
        associates::admit_each_once(after)?;
        hierarchy::settle(before, after, rules)?;
        inheritance::settle(before, after, rules)
    }

    fn permissions(
        &self,
        unit: &Document,
        associate: &str,
        rules: &Rules<'_>,
    ) -> ApiResult<Option<BTreeSet<String>>> {
        permissions::permissions_of_associate(unit, associate, rules)
    }

    fn derivations(&self) -> &'static [Derivation] {
        const ALL: &[Derivation] = &[Derivation {
            name: "inheritance",
            source: "BusinessUnit",
            dependents: Dependents::Sharing {
                value: &["key"],
                paths: &["parentUnit.key"],
                when: inheritance::SOURCES,
            },
            derive: inheritance::follow_parent,
        }];
        ALL
    }

    fn messages_of_change(&self, before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        hierarchy::top_level_change(before, after)
            .map(|fields| ("BusinessUnitTopLevelUnitSet", fields))
            .into_iter()
            .collect()
    }
}

/// `changeStatus`: the message calls it `active`.
fn change_status(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let status = must_get(arguments, &["status"])?.clone();
    if context.document.get("status") == Some(&status) {
        return Ok(());
    }
    context.document.insert("status", status.clone());
    context.emit("BusinessUnitStatusChanged", fields([("active", Some(status))]))
}

/// Returns the keys of a Customer's roles in a unit, assigned ones before inherited ones; `None` if the Customer is no
/// Associate of it.
pub(crate) fn role_keys(
    unit: &Document,
    associate: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Vec<String>>> {
    let roles = permissions::roles_of_associate(unit, associate, rules)?;
    Ok(roles.map(|roles| {
        let all = roles.own.iter().chain(&roles.inherited);
        all.filter_map(|role| text(role, &["key"]).map(str::to_owned)).collect()
    }))
}

/// Returns the unit and the units above it whose Approval Rules it uses (reference type
/// `BusinessUnitApprovalRuleMode`).
pub(crate) fn units_with_rules(unit: &Arc<Document>, rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let mut units = vec![Arc::clone(unit)];
    while units.len() <= hierarchy::LEVELS_MAX
        && let Some(last) = units.last()
        && text(last, &["approvalRuleMode"]) == Some(modes::EXPLICIT_AND_FROM_PARENT)
        && let Some(above) = parent::parent(last, rules)?
    {
        units.push(above);
    }
    Ok(units)
}

/// `{typeId, key}`.
fn key_reference(type_id: &str, key: &str) -> Value {
    json!({"typeId": type_id, "key": key})
}

fn is_division(unit: &Document) -> bool {
    text(unit, &["unitType"]) == Some(DIVISION)
}

/// Returns the id of the Customer who acts as an Associate; `None` for a caller with rights to all units.
fn acting_associate(rules: &Rules<'_>) -> ApiResult<Option<String>> {
    let entry = rules.model.kind(kinds::BUSINESS_UNIT);
    Ok(rules.bounds.acting_associate(entry).map(str::to_owned))
}

#[cfg(test)]
mod permission_tests;
#[cfg(test)]
mod tests;
