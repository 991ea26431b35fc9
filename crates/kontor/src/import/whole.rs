//! Imports stored resources unchanged, e.g. orders: no draft can express all that resources of these types have.

use super::{Importer, Item, Outcome, answered};
use crate::reply::Refusal;
use crate::resource::encoded;
use axum::http::Method;
use kontor_model::Kind;

/// Stores a resource, unless it exists.
pub(super) async fn attempt(importer: &Importer<'_>, kind: &Kind, item: &Item) -> anyhow::Result<Outcome> {
    if importer.find(kind, item).await?.is_some() {
        return Ok(Outcome::Present);
    }
    if importer.operator.is_client() {
        let message =
            "Only an import into a data folder can store resources unchanged, API clients cannot.".to_owned();
        return Ok(Outcome::Refused(Refusal { code: "InvalidOperation".into(), message }));
    }
    let project = encoded(importer.project);
    let path = format!("/_operator/projects/{project}/documents/{}", encoded(&kind.type_id));
    let reply = answered(importer.operator.send(Method::POST, &path, Some(&item.draft)).await?)?;
    Ok(match reply.accepted() {
        Ok(_) => Outcome::Created,
        Err(refusal) => Outcome::Refused(refusal),
    })
}
