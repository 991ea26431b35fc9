//! Imports stored resources unchanged, e.g. orders: no draft can express all that resources of these types have.

use super::{ImportItem, ImportOutcome, Importer, must_not_be_server_error};
use crate::command_response::CommandRefusal;
use crate::resource_paths::percent_encoded;
use axum::http::Method;
use kontor_model::Kind;

/// Stores a resource, unless it exists.
pub(super) async fn store_unchanged(
    importer: &Importer<'_>,
    kind: &Kind,
    item: &ImportItem,
) -> anyhow::Result<ImportOutcome> {
    if importer.find(kind, item).await?.is_some() {
        return Ok(ImportOutcome::Present);
    }
    if importer.operator.is_client() {
        let message =
            "Only an import into a data folder can store resources unchanged, API clients cannot.".to_owned();
        return Ok(ImportOutcome::Refused(CommandRefusal { code: "InvalidOperation".into(), message }));
    }
    let project = percent_encoded(importer.project);
    let path = format!("/_operator/projects/{project}/documents/{}", percent_encoded(&kind.type_id));
    let reply =
        must_not_be_server_error(importer.operator.send(Method::POST, &path, Some(&item.draft)).await?)?;
    Ok(match reply.accepted() {
        Ok(_) => ImportOutcome::Created,
        Err(refusal) => ImportOutcome::Refused(refusal),
    })
}
