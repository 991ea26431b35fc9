//! The endpoint that returns all roles and permissions of an Associate in a unit, assigned and inherited.
//!
//! Source: reference type `BusinessUnitAssociateResponse`, operations "Get Associate in BusinessUnit".

use super::permissions;
use crate::kinds;
use kontor_engine::document::{must_text, reference};
use kontor_engine::{Document, EndpointContext, EndpointHandler, EndpointReply, EndpointTarget, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

pub(super) const BY_ID: EndpointHandler = EndpointHandler { find: by_id, act: respond };
pub(super) const BY_KEY: EndpointHandler = EndpointHandler { find: by_key, act: respond };

fn by_id(input: &Document, _rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let id = must_text(input, &["businessUnitId"])?.to_owned();
    Ok(EndpointTarget { id, ..EndpointTarget::default() })
}

fn by_key(input: &Document, rules: &Rules<'_>) -> ApiResult<EndpointTarget> {
    let key = must_text(input, &["key"])?;
    let kind = kinds::BUSINESS_UNIT;
    // The error of a unit of another Store must not name its id.
    let found = rules.find_key(kind, key)?.filter(|found| rules.is_in_scope(kind, found));
    let found = found.ok_or_else(|| ApiError::resource_not_found(&format!("with key '{key}'")))?;
    Ok(EndpointTarget { id: must_text(&found, &["id"])?.to_owned(), ..EndpointTarget::default() })
}

fn respond(context: &mut EndpointContext<'_, '_>, input: &Document) -> ApiResult<EndpointReply> {
    let associate = must_text(input, &["associateId"])?;
    let roles = permissions::roles_of_associate(context.document, associate, context.rules)?;
    let roles = roles
        .ok_or_else(|| ApiError::resource_not_found(&format!("with ID '{associate}' as an Associate")))?;
    let whole =
        |roles: &[std::sync::Arc<Document>]| json!(roles.iter().map(|role| &**role).collect::<Vec<_>>());
    Ok(EndpointReply::Value(json!({
        "customer": reference("customer", associate),
        "associateRoles": whole(&roles.own),
        "inheritedAssociateRoles": whole(&roles.inherited),
        "permissions": roles.permissions(),
    })))
}
