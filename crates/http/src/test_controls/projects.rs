//! Test projects: create, reset, snapshot, restore, settle, remove.

use crate::server::Server;
use axum::http::StatusCode;
use kontor_auth::{ClientDraft, check_project_key};
use kontor_engine::{Choices, Shop, format_time};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;
use kontor_rest::blocking;
use kontor_rest::response::{self, HttpResponse};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// The body of a project creation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TestProjectDraft {
    key: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    /// Switches of `serve` that are on for this project only. Default: those of older projects.
    choices: Option<Vec<String>>,
}

/// The snapshot to restore.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SnapshotReference {
    id: Option<String>,
}

/// Handles `POST /_test/projects {"key", "clientId"?, "clientSecret"?, "choices"?}`: creates a project and a client
/// with all scopes.
pub(super) async fn create(server: &Server, given: TestProjectDraft) -> ApiResult<HttpResponse> {
    let key = &*given.key.ok_or_else(|| ApiError::required_field("key"))?;
    let behaviours = server.shops.behaviours();
    let known: Vec<&str> = behaviours.choices().map(|choice| choice.name).collect();
    if let Some(unknown) = given.choices.iter().flatten().find(|choice| !known.contains(&choice.as_str())) {
        let expected = "Expected the names of switches of `serve`.";
        return Err(ApiError::invalid_field("choices", &json!(unknown), expected, Some(json!(known))));
    }
    let choices = match given.choices {
        Some(names) => Choices::from_names(names),
        None => Choices::of_older_projects(behaviours.choices()),
    };
    let now_ms = jiff::Timestamp::now().as_millisecond();
    check_project_key(key)?;
    server.shops.create_with_choices(key, key, &choices).await?;
    server.auth.create_project(key, key, now_ms).await?;
    let draft = ClientDraft {
        name: "test".to_owned(),
        scope: kontor_auth::every_scope(key),
        id: given.client_id,
        secret: given.client_secret.map(Into::into),
        ..ClientDraft::default()
    };
    let created = match server.auth.create_client(key, draft, now_ms).await {
        Ok(created) => created,
        Err(error) => {
            server.auth.remove_project(key).await?;
            return Err(error);
        }
    };
    Ok(response::json(StatusCode::CREATED, &created.to_json()))
}

/// Handles `GET /_test/projects`.
pub(super) fn list(server: &Server) -> HttpResponse {
    let describe = |key: &str, name: &str| {
        let now = jiff::Timestamp::from_millisecond(server.now_ms(key)).unwrap_or_default();
        json!({"key": key, "name": name, "now": format_time(now), "faults": server.faults.waiting(key)})
    };
    let projects = server.auth.projects();
    let all: Vec<_> = projects.iter().map(|project| describe(project.key(), project.name())).collect();
    response::json(StatusCode::OK, &json!({"results": all}))
}

/// Handles `DELETE /_test/projects/{key}`.
pub(super) async fn remove(server: &Server, key: &str) -> ApiResult<HttpResponse> {
    server.remove_project(key).await?;
    Ok(response::json(StatusCode::OK, &json!({"key": key})))
}

/// Handles `POST …/reset`: empties the project, as if it was new; its settings and clients stay.
pub(super) async fn reset(server: &Server, shop: Arc<Shop>) -> ApiResult<HttpResponse> {
    server.forget_faults(&shop.key);
    server.clear_logs(&shop.key);
    shop.clock.reset();
    blocking(move || {
        shop.reset()?;
        Ok(response::json(StatusCode::OK, &json!({"key": shop.key})))
    })
    .await
}

/// Handles `POST …/snapshot`: stores the present content under an id.
pub(super) async fn snapshot(server: &Server, shop: Arc<Shop>) -> ApiResult<HttpResponse> {
    let id = Uuid::new_v4().to_string();
    let path = path_of(server, &id);
    blocking(move || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| io_failure(&error))?;
        }
        shop.storage().backup(&path).map_err(kontor_engine::storage_failure)?;
        Ok(response::json(StatusCode::CREATED, &json!({"id": id})))
    })
    .await
}

/// Handles `POST …/restore {"id"}`: restores a snapshot. Starts a new epoch of the change log.
pub(super) async fn restore(
    server: &Server,
    shop: Arc<Shop>,
    given: SnapshotReference,
) -> ApiResult<HttpResponse> {
    let id = &*given.id.ok_or_else(|| ApiError::required_field("id"))?;
    // An id becomes a file name, so only ids in the form that `snapshot` generates are accepted.
    let id = Uuid::parse_str(id)
        .map_err(|_| ApiError::invalid_field("id", &json!(id), "Expected the id of a snapshot.", None))?
        .to_string();
    let path = path_of(server, &id);
    server.clear_logs(&shop.key);
    blocking(move || {
        if !path.exists() {
            return Err(ApiError::not_found(&format!("snapshot with ID '{id}'")));
        }
        shop.storage().restore(&path).map_err(kontor_engine::storage_failure)?;
        shop.reload()?;
        Ok(response::json(StatusCode::OK, &json!({"id": id})))
    })
    .await
}

/// Handles `POST …/settle`: responds when all background work that follows from earlier changes is done.
pub(super) async fn settle(server: &Server, shop: Arc<Shop>) -> ApiResult<HttpResponse> {
    server.shops.settle(&shop).await?;
    Ok(response::json(StatusCode::OK, &json!({"key": shop.key})))
}

fn path_of(server: &Server, id: &str) -> PathBuf {
    server.options.snapshot_folder.join(format!("{id}.db"))
}

fn io_failure(error: &std::io::Error) -> ApiError {
    tracing::error!(%error, "the snapshot folder cannot be used");
    ApiError::internal()
}
