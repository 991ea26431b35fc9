//! All roles and permissions of an Associate, at one look.
//!
//! Source: reference type `BusinessUnitAssociateResponse`, operations "Get Associate in BusinessUnit".

use super::{kind_of_units, permissions};
use kontor_engine::document::{must_text, reference};
use kontor_engine::{Document, EndpointHandler, Meant, Reply, Rules, Serving};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

pub(super) const BY_ID: EndpointHandler = EndpointHandler { find: by_id, act };
pub(super) const BY_KEY: EndpointHandler = EndpointHandler { find: by_key, act };

fn by_id(input: &Document, _rules: &Rules<'_>) -> ApiResult<Meant> {
    let id = must_text(input, &["businessUnitId"])?.to_owned();
    Ok(Meant { id, ..Meant::default() })
}

fn by_key(input: &Document, rules: &Rules<'_>) -> ApiResult<Meant> {
    let key = must_text(input, &["key"])?;
    let found = rules.find_key(kind_of_units(rules)?, key)?;
    let found = found.ok_or_else(|| ApiError::resource_not_found(&format!("with key '{key}'")))?;
    Ok(Meant { id: must_text(&found, &["id"])?.to_owned(), ..Meant::default() })
}

fn act(serving: &mut Serving<'_, '_>, input: &Document) -> ApiResult<Reply> {
    let associate = must_text(input, &["associateId"])?;
    let roles = permissions::roles(serving.document, associate, serving.rules)?;
    let roles = roles
        .ok_or_else(|| ApiError::resource_not_found(&format!("with ID '{associate}' as an Associate")))?;
    let whole =
        |roles: &[std::sync::Arc<Document>]| json!(roles.iter().map(|role| &**role).collect::<Vec<_>>());
    Ok(Reply::Value(json!({
        "customer": reference("customer", associate),
        "associateRoles": whole(&roles.own),
        "inheritedAssociateRoles": whole(&roles.inherited),
        "permissions": roles.permissions(),
    })))
}
