//! Associates of a Business Unit: each Customer once, with the roles assigned by the unit. Start at [`add`].
//!
//! Source: reference types `AssociateDraft`, `BusinessUnit…Associate…Action`, `AssociateRole`
//! (`buyerAssignable`).

use super::modes::{EXPLICIT, EXPLICIT_AND_FROM_PARENT};
use super::{is_division, permissions};
use kontor_engine::document::{field_or_log, fields, list, must_get};
use kontor_engine::{ActionContext, Document, Rules, conversion};
use kontor_enums::AssociateRoleInheritanceMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Most Associates of a unit.
const ASSOCIATES_MAX: usize = 2000;

/// No Customer is twice an Associate of one unit, and a unit has not too many.
pub(super) fn admit_each_once(unit: &Document) -> ApiResult<()> {
    let associates = list(unit, &["associates"]);
    if associates.len() > ASSOCIATES_MAX {
        return Err(ApiError::invalid_operation(format!(
            "associates: a Business Unit has at most {ASSOCIATES_MAX}, found {}.",
            associates.len()
        )));
    }
    let mut seen = HashSet::new();
    match associates.iter().find(|associate| !seen.insert(&associate["customer"]["id"])) {
        Some(twice) => Err(ApiError::duplicate_field("associates.customer", twice["customer"].clone())),
        None => Ok(()),
    }
}

/// Checks that an Associate assigns only roles that are `buyerAssignable`; other roles need a client that
/// manages all units. Existing assignments stay.
pub(super) fn admit_roles(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    // Below `/me` the Project chose the role of the creator.
    if before.is_none() && rules.bounds.mine.is_some() {
        return Ok(());
    }
    let known = before.map_or(&[][..], |before| list(before, &["associates"]));
    let known: HashMap<&str, &Value> = known.iter().map(|held| (customer_of(held), held)).collect();
    let held_by = |associate: &Value| known.get(customer_of(associate)).copied();
    let changed =
        list(after, &["associates"]).iter().filter(|associate| held_by(associate) != Some(*associate));
    let assignments = changed.flat_map(|associate| {
        let held = held_by(associate).and_then(|held| held["associateRoleAssignments"].as_array());
        let roles = associate["associateRoleAssignments"].as_array().into_iter().flatten();
        roles.map(|assignment| &assignment["associateRole"]).filter(move |role| {
            held.is_none_or(|held| held.iter().all(|assignment| assignment["associateRole"] != **role))
        })
    });
    let roles: Vec<&str> = assignments.filter_map(|role| role["key"].as_str()).collect();
    permissions::admit_assignable(&roles, rules)
}

/// The id of the Customer that an Associate is.
fn customer_of(associate: &Value) -> &str {
    field_or_log(&associate["customer"], "id")
}

/// `setAssociates`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let associates = list(arguments, &["associates"]).iter();
    let associates = associates.map(|sent| stored(context, sent)).collect::<ApiResult<Vec<_>>>()?;
    let message_fields = fields([("associates", Some(json!(associates)))]);
    if change_to(context, associates)? {
        context.emit("BusinessUnitAssociatesSet", message_fields)
    } else {
        Ok(())
    }
}

/// `addAssociate`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let associate = sent(context, arguments)?;
    let mut associates = list(context.document, &["associates"]).to_vec();
    if associates.iter().any(|other| other["customer"] == associate["customer"]) {
        return Err(ApiError::invalid_operation(format!(
            "{}.associate: the Customer {} is an Associate of the Business Unit already.",
            context.place, associate["customer"]["id"]
        )));
    }
    associates.push(associate.clone());
    change_to(context, associates)?;
    context.emit("BusinessUnitAssociateAdded", fields([("associate", Some(associate))]))
}

/// `changeAssociate`: replaces the Associate with the same Customer.
pub(super) fn change(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let associate = sent(context, arguments)?;
    let index = position(context, &associate["customer"])?;
    let mut associates = list(context.document, &["associates"]).to_vec();
    associates[index] = associate.clone();
    if !change_to(context, associates)? {
        return Ok(());
    }
    context.emit("BusinessUnitAssociateChanged", fields([("associate", Some(associate))]))
}

/// `removeAssociate`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let customer = must_get(arguments, &["customer"])?.clone();
    let index = position(context, &customer)?;
    let mut associates = list(context.document, &["associates"]).to_vec();
    let associate = associates.remove(index);
    change_to(context, associates)?;
    context.emit("BusinessUnitAssociateRemoved", fields([("associate", Some(associate))]))
}

/// `changeAssociateMode`. With `makeInheritedAssociatesExplicit`, inherited Associates become own ones when
/// inheritance ends.
pub(super) fn change_mode(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mode = must_get(arguments, &["associateMode"])?.clone();
    if mode == EXPLICIT_AND_FROM_PARENT && !is_division(context.document) {
        return Err(ApiError::invalid_operation(format!(
            "{}: only a Division has Associates from its parent.",
            context.place
        )));
    }
    let old = context.document.get("associateMode").cloned();
    if old.as_ref() == Some(&mode) {
        return Ok(());
    }
    if mode == EXPLICIT && arguments.get("makeInheritedAssociatesExplicit") == Some(&Value::Bool(true)) {
        let associates = with_inherited(context.document);
        context.document.insert("associates", Value::Array(associates));
    }
    context.document.insert("associateMode", mode.clone());
    let message_fields = fields([("associateMode", Some(mode)), ("oldAssociateMode", old)]);
    context.emit("BusinessUnitAssociateModeChanged", message_fields)
}

/// Returns the own and inherited Associates of a unit. All their roles become own roles of the unit.
fn with_inherited(unit: &Document) -> Vec<Value> {
    let mut associates = list(unit, &["associates"]).to_vec();
    let own = list(unit, &["associates"]).iter().enumerate();
    let mut places: HashMap<&str, usize> = own.map(|(index, own)| (customer_of(own), index)).collect();
    for inherited in list(unit, &["inheritedAssociates"]) {
        let index = *places.entry(customer_of(inherited)).or_insert_with(|| {
            let customer = &inherited["customer"];
            associates.push(json!({"associateRoleAssignments": [], "customer": customer}));
            associates.len() - 1
        });
        let Some(own) = associates[index]["associateRoleAssignments"].as_array_mut() else { continue };
        for assignment in inherited["associateRoleAssignments"].as_array().into_iter().flatten() {
            let role = &assignment["associateRole"];
            if own.iter().all(|held| held["associateRole"] != *role) {
                own.push(
                    json!({"associateRole": role, "inheritance": AssociateRoleInheritanceMode::Disabled}),
                );
            }
        }
    }
    associates
}

/// Returns true if the Associates changed.
fn change_to(context: &mut ActionContext<'_, '_>, associates: Vec<Value>) -> ApiResult<bool> {
    let mut after = Document::new();
    after.insert("associates", Value::Array(associates));
    admit_roles(Some(context.document), &after, context.rules)?;
    if after.get("associates") == context.document.get("associates") {
        return Ok(false);
    }
    context.document.append(&mut after);
    Ok(true)
}

fn position(context: &ActionContext<'_, '_>, customer: &Value) -> ApiResult<usize> {
    let mut associates = list(context.document, &["associates"]).iter();
    associates.position(|associate| associate["customer"]["id"] == customer["id"]).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}: the Customer {} is no Associate of the Business Unit.",
            context.place, customer["id"]
        ))
    })
}

fn sent(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    stored(context, arguments.get("associate").unwrap_or(&Value::Null))
}

/// Returns the stored form of an Associate.
fn stored(context: &ActionContext<'_, '_>, sent: &Value) -> ApiResult<Value> {
    let place = format!("{}.associate", context.place);
    associate_from_draft(sent, &place, context.rules)
}

/// Converts an `AssociateDraft` into its stored form.
pub(super) fn associate_from_draft(sent: &Value, place: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let shapes = rules.model.object_by_name("AssociateDraft").zip(rules.model.object_by_name("Associate"));
    let (Some((input, output)), Value::Object(sent)) = (shapes, sent) else {
        return Err(ApiError::bug("an Associate that is no object, or a model without its shapes"));
    };
    conversion::convert_object(input, output, sent.clone(), place, rules).map(Value::Object)
}

/// Returns the first Associate of a unit that a Customer creates.
pub(super) fn creator_associate(customer: &str, role: &str) -> Value {
    json!([{
        "associateRoleAssignments": [{
            "associateRole": super::key_reference("associate-role", role), "inheritance": AssociateRoleInheritanceMode::Disabled,
        }],
        "customer": kontor_engine::document::reference("customer", customer),
    }])
}
