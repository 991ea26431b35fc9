//! The endpoint by which an Associate signs up a new Customer, who becomes an Associate of the unit in the same
//! commit.
//!
//! Source: reference type `MyBusinessUnitAssociateDraft`, operation "Create an Associate in a Business Unit".

use super::{acting_associate, associates, mine};
use crate::kinds;
use kontor_engine::document::{fields, list, must_text, reference};
use kontor_engine::{
    Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, RequiredPermission, Rules,
    conversion,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(super) const SIGN_UP: EndpointHandler = EndpointHandler { find, act: sign_up_associate };

/// Finds the unit of the path. A caller who is no Associate of it has no permission there.
fn find(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let key = must_text(input, &["businessUnitKey"])?;
    let unit = rules.find_key(kinds::BUSINESS_UNIT, key)?;
    let unit = unit.ok_or_else(|| ApiError::resource_not_found(&format!("with key '{key}'")))?;
    permit(&unit, rules)?;
    let version = input.get("version").and_then(Value::as_i64);
    Ok(EndpointTarget { id: must_text(&unit, &["id"])?.to_owned(), version, ..EndpointTarget::default() })
}

fn permit(unit: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let associate =
        acting_associate(rules)?.ok_or_else(|| ApiError::bug("an endpoint for Associates without one"))?;
    let wanted = RequiredPermission { what: "add associates", on_behalf: None, any: &["UpdateAssociates"] };
    rules.require_permission(unit, &associate, &wanted)
}

fn sign_up_associate(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let rules = context.rules;
    mine::admit_status(Some(context.document), rules)?;
    permit(context.document, rules)?;
    let Some(Value::Object(draft)) = input.get("customer") else {
        return Err(ApiError::bug("a sign-up without its Customer"));
    };
    let customer = context.create_document(kinds::CUSTOMER, draft)?;
    let associate = json!({
        "associateRoleAssignments": assignments(input, rules)?,
        "customer": reference("customer", must_text(&customer, &["id"])?),
    });
    let mut all = list(context.document, &["associates"]).to_vec();
    all.push(associate.clone());
    let mut after = Document::new();
    after.insert("associates", Value::Array(all));
    associates::admit_roles(Some(context.document), &after, rules)?;
    context.document.append(&mut after);
    context.emit("BusinessUnitAssociateAdded", fields([("associate", Some(associate))]))?;
    Ok(EndpointReply::Created)
}

fn assignments(input: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Value>> {
    let shape = |name| {
        rules
            .model
            .object_by_name(name)
            .ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))
    };
    let (sent, stored) = (shape("AssociateRoleAssignmentDraft")?, shape("AssociateRoleAssignment")?);
    let all = list(input, &["associateRoleAssignments"]).iter().enumerate();
    all.map(|(index, assignment)| {
        let Value::Object(assignment) = assignment.clone() else {
            return Err(ApiError::bug("an assignment of a role that is no object"));
        };
        let place = format!("associateRoleAssignments[{index}]");
        conversion::convert_object(sent, stored, assignment, &place, rules).map(Value::Object)
    })
    .collect()
}
