//! Projects of tests: made, emptied, put back, removed.

use crate::server::Server;
use axum::http::StatusCode;
use kontor_auth::ClientDraft;
use kontor_engine::Shop;
use kontor_errors::{ApiError, ApiResult};
use kontor_rest::answer::{self, Answer};
use kontor_rest::blocking;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// What a reset keeps: the settings.
const KEPT_KINDS: &[&str] = &["project"];

/// `POST /_test/projects {"key", "clientId"?, "clientSecret"?}`: a project with a client that may do everything.
pub(super) async fn create(server: &Server, given: Value) -> ApiResult<Answer> {
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let key = text("key").ok_or_else(|| ApiError::required_field("key"))?;
    let now_ms = jiff::Timestamp::now().as_millisecond();
    server.system.create_project(key, key, now_ms).await?;
    let draft = ClientDraft {
        name: "test".to_owned(),
        scope: kontor_auth::every_scope(key),
        id: text("clientId").map(str::to_owned),
        secret: text("clientSecret").map(Into::into),
        ..ClientDraft::default()
    };
    let created = match server.system.create_client(key, draft, now_ms).await {
        Ok(created) => created,
        Err(error) => {
            server.system.remove_project(key).await?;
            return Err(error);
        }
    };
    server.shops.open(key, key).await?;
    Ok(answer::json(StatusCode::CREATED, &created.to_json()))
}

/// `DELETE /_test/projects/{key}`.
pub(super) async fn remove(server: &Server, key: &str) -> ApiResult<Answer> {
    server.remove_project(key).await?;
    Ok(answer::json(StatusCode::OK, &json!({"key": key})))
}

/// `POST …/reset`: empties the project; settings and clients stay.
pub(super) async fn reset(server: &Server, shop: Arc<Shop>) -> ApiResult<Answer> {
    server.faults.forget(&shop.key);
    shop.clock.reset();
    blocking(move || {
        shop.storage().clear(KEPT_KINDS).map_err(kontor_engine::storage_failure)?;
        shop.reload()?;
        Ok(answer::json(StatusCode::OK, &json!({"key": shop.key})))
    })
    .await
}

/// `POST …/snapshot`: keeps the present content under an id.
pub(super) async fn snapshot(server: &Server, shop: Arc<Shop>) -> ApiResult<Answer> {
    let id = Uuid::new_v4().to_string();
    let path = path_of(server, &id);
    blocking(move || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| io_failure(&error))?;
        }
        shop.storage().backup(&path).map_err(kontor_engine::storage_failure)?;
        Ok(answer::json(StatusCode::CREATED, &json!({"id": id})))
    })
    .await
}

/// `POST …/restore {"id"}`: puts a kept content back. Starts a new epoch of the change log.
pub(super) async fn restore(server: &Server, shop: Arc<Shop>, given: &Value) -> ApiResult<Answer> {
    let id = given.get("id").and_then(Value::as_str).ok_or_else(|| ApiError::required_field("id"))?;
    // Only ids that `snapshot` gave are names of files.
    let id = Uuid::parse_str(id)
        .map_err(|_| ApiError::invalid_field("id", &json!(id), "Expected the id of a snapshot.", None))?
        .to_string();
    let path = path_of(server, &id);
    blocking(move || {
        if !path.exists() {
            return Err(ApiError::resource_not_found(&format!("snapshot with ID '{id}'")));
        }
        shop.storage().restore(&path).map_err(kontor_engine::storage_failure)?;
        shop.reload()?;
        Ok(answer::json(StatusCode::OK, &json!({"id": id})))
    })
    .await
}

/// `POST …/settle`: answers when everything that follows from earlier changes has caught up.
pub(super) async fn settle(server: &Server, shop: Arc<Shop>) -> ApiResult<Answer> {
    server.shops.settle(&shop).await?;
    Ok(answer::json(StatusCode::OK, &json!({"key": shop.key})))
}

fn path_of(server: &Server, id: &str) -> PathBuf {
    server.options.snapshot_folder.join(format!("{id}.db"))
}

fn io_failure(error: &std::io::Error) -> ApiError {
    tracing::error!(%error, "the snapshot folder cannot be used");
    ApiError::internal()
}
