//! The operator API below `/_operator/`: projects, their API clients, backup, restore and move.
//!
//! It is served only on the control socket of the data folder, or inside the process of a command.
//!
//! ```text
//! POST   /_operator/projects {"key", "name"?}                         GET /_operator/projects
//! DELETE /_operator/projects/{key}
//! POST   /_operator/projects/{key}/clients {"name"?, "scope"?, "id"?, "secret"?, and the lifetimes of an ApiClientDraft}
//! GET    /_operator/projects/{key}/clients
//! DELETE /_operator/projects/{key}/clients/{id}
//! POST   /_operator/projects/{key}/clients/{id}/secret {"secret"?}      rotates the secret
//! GET    /_operator/projects/{key}/secrets/{typeId}/{id}              returns hashes, by the fields of the draft
//! POST   /_operator/projects/{key}/documents/{typeId} {…}            stores a document exported from another project
//! POST   /_operator/backup                                            returns a tar file
//! POST   /_operator/restore {"file", "project", "to", "data"}         restores one project of a backup
//! POST   /_operator/move {"to", "imageStore"?, "data"}               returns JSON lines with the progress
//! ```
//! [`operator_accounts_api`](crate::operator_accounts_api) has further ones. All other paths are those of the HTTP API, without access tokens.

use crate::archive;
use crate::platform::Platform;
use crate::project_move;
use crate::restore_project;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{delete, get, post};
use kontor_auth::{ClientDraft, Project, check_project_key, every_scope};
use kontor_engine::{DOCUMENT_BYTES_MAX, Shop, format_time, unknown_project};
use kontor_errors::{ApiError, ApiResult};
use kontor_http::{Server, operator_router};
use kontor_json::{Map, Value, json};
use kontor_model::KindId;
use parking_lot::Mutex;
use std::sync::Arc;

/// Maximum size of a request body, in bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

pub(crate) type OperatorHttpResponse = Response<Body>;

#[derive(Clone)]
pub(crate) struct OperatorApiState {
    pub(crate) platform: Arc<Platform>,
    pub(crate) server: Arc<Server>,
    /// The URL of the bucket of uploaded images, unless they are in the data folder.
    bucket: Option<HeaderValue>,
    /// Why the last backup failed while its body was sent; `None` if it did not.
    backup_failure: Arc<Mutex<Option<String>>>,
}

/// Returns the routes of the operator, with `further` ones. `bucket`: the URL of uploaded images, unless they are in the
/// data folder.
pub(crate) fn router(
    platform: Arc<Platform>,
    server: Arc<Server>,
    bucket: Option<&str>,
    further: Router<OperatorApiState>,
) -> Router {
    let bucket = bucket.and_then(|url| HeaderValue::from_str(url).ok());
    let api = operator_router(Arc::clone(&server));
    Router::new()
        .route("/_operator/projects", post(create_project).get(list_projects))
        .route("/_operator/projects/{key}", delete(remove_project))
        .route("/_operator/projects/{key}/clients", post(create_client).get(list_clients))
        .route("/_operator/projects/{key}/clients/{id}", delete(remove_client))
        .route("/_operator/projects/{key}/clients/{id}/secret", post(rotate_secret))
        .route("/_operator/projects/{key}/secrets/{kind}/{id}", get(get_secret_hashes))
        .route("/_operator/projects/{key}/documents/{kind}", post(store_document))
        .route("/_operator/backup", post(write_backup).get(backup_failure))
        .route("/_operator/restore", post(restore_project))
        .route("/_operator/move", post(move_everything))
        .merge(further)
        .with_state(OperatorApiState { platform, server, bucket, backup_failure: Arc::default() })
        .fallback_service(api)
}

async fn create_project(State(served): State<OperatorApiState>, request: Request) -> OperatorHttpResponse {
    respond(async {
        let given = read_body(request).await?;
        let key = text(&given, "key").ok_or_else(|| ApiError::required_field("key"))?;
        let name = text(&given, "name").unwrap_or_else(|| key.clone());
        let auth = &served.platform.auth;
        check_project_key(&key)?;
        served.platform.shops.create(&key, &name).await?;
        let project = auth.create_project(&key, &name, now_ms()).await?;
        Ok((StatusCode::CREATED, project_json(&project)))
    })
    .await
}

async fn list_projects(State(served): State<OperatorApiState>) -> OperatorHttpResponse {
    let projects: Vec<Value> =
        served.platform.auth.projects().iter().map(|project| project_json(project)).collect();
    json_response(StatusCode::OK, &json!({"results": projects}))
}

async fn remove_project(
    State(served): State<OperatorApiState>,
    Path(key): Path<String>,
) -> OperatorHttpResponse {
    respond(async {
        served.server.remove_project(&key).await?;
        Ok((StatusCode::OK, json!({"key": key})))
    })
    .await
}

async fn create_client(
    State(served): State<OperatorApiState>,
    Path(project): Path<String>,
    request: Request,
) -> OperatorHttpResponse {
    respond(async {
        let given = read_body(request).await?;
        let draft = ClientDraft {
            name: text(&given, "name").unwrap_or_else(|| "admin".to_owned()),
            scope: text(&given, "scope").unwrap_or_else(|| every_scope(&project)),
            id: text(&given, "id"),
            secret: text(&given, "secret").map(Into::into),
            access_token_validity_s: integer(&given, "accessTokenValiditySeconds"),
            refresh_token_validity_s: integer(&given, "refreshTokenValiditySeconds"),
            delete_days_after_creation: integer(&given, "deleteDaysAfterCreation"),
        };
        let created = served.platform.auth.create_client(&project, draft, now_ms()).await?;
        Ok((StatusCode::CREATED, created.to_json()))
    })
    .await
}

async fn list_clients(
    State(served): State<OperatorApiState>,
    Path(project): Path<String>,
) -> OperatorHttpResponse {
    respond(async {
        let auth = &served.platform.auth;
        auth.project(&project).ok_or_else(|| unknown_project(&project))?;
        let clients: Vec<Value> =
            auth.clients(&project, now_ms()).iter().map(|client| client.to_json()).collect();
        Ok((StatusCode::OK, json!({"results": clients})))
    })
    .await
}

async fn remove_client(
    State(served): State<OperatorApiState>,
    Path((project, id)): Path<(String, String)>,
) -> OperatorHttpResponse {
    respond(async {
        let client = served.platform.auth.delete_client(&project, &id, now_ms()).await?;
        Ok((StatusCode::OK, client.to_json()))
    })
    .await
}

async fn rotate_secret(
    State(served): State<OperatorApiState>,
    Path((project, id)): Path<(String, String)>,
    request: Request,
) -> OperatorHttpResponse {
    respond(async {
        let secret = text(&read_body(request).await?, "secret").map(Into::into);
        let rotated = served.platform.auth.rotate_secret(&project, &id, secret, now_ms()).await?;
        Ok((StatusCode::OK, rotated.to_json()))
    })
    .await
}

async fn get_secret_hashes(
    State(served): State<OperatorApiState>,
    Path((project, type_id, id)): Path<(String, String, String)>,
) -> OperatorHttpResponse {
    respond(async {
        let shop = served.server.shop(&project).await?;
        let kind = kind_of(&shop, &type_id)?;
        Ok((StatusCode::OK, Value::Object(shop.stored_secret_hashes(kind, &id)?)))
    })
    .await
}

async fn store_document(
    State(served): State<OperatorApiState>,
    Path((project, type_id)): Path<(String, String)>,
    request: Request,
) -> OperatorHttpResponse {
    respond(async {
        let shop = served.server.shop(&project).await?;
        let kind = kind_of(&shop, &type_id)?;
        let kept = shop.import_document(kind, read_body_within(request, DOCUMENT_BYTES_MAX).await?).await?;
        let kept = kontor_json::from_slice(&kept);
        Ok((StatusCode::CREATED, kept.map_err(|error| ApiError::bug(error.to_string()))?))
    })
    .await
}

fn kind_of(shop: &Shop, type_id: &str) -> ApiResult<KindId> {
    let kind = shop.model().kind_by_type_id(type_id);
    kind.ok_or_else(|| ApiError::not_found(&format!("resource type '{type_id}'")))
}

async fn move_everything(State(served): State<OperatorApiState>, request: Request) -> OperatorHttpResponse {
    let moving = async {
        let requested = read_body(request).await?;
        project_move::stream_move(&served.platform, &served.server, requested)
    };
    moving.await.map_or_else(|error| error_response(&error), Response::new)
}

async fn restore_project(State(served): State<OperatorApiState>, request: Request) -> OperatorHttpResponse {
    respond(async {
        let requested = restore_project::parse_request(Value::Object(read_body(request).await?))?;
        let restored = restore_project::restore(&served.platform, &served.server, requested).await;
        let restored = restored.map_err(|error| ApiError::invalid_operation(format!("{error:#}")))?;
        let restored = kontor_json::to_value(restored);
        Ok((StatusCode::CREATED, restored.map_err(|error| ApiError::bug(error.to_string()))?))
    })
    .await
}

async fn write_backup(State(served): State<OperatorApiState>) -> OperatorHttpResponse {
    // After a move, the list of projects in memory is out of date.
    if let Err(error) = served.platform.auth.catch_up().await {
        return error_response(&error.into());
    }
    let failure = Arc::clone(&served.backup_failure);
    *failure.lock() = None;
    let failed = move |why| *failure.lock() = Some(why);
    match archive::stream_archive(&served.platform, &served.server, failed).await {
        Ok(body) => {
            let mut response = Response::new(body);
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-tar"));
            if let Some(bucket) = served.bucket {
                response.headers_mut().insert(archive::IMAGES_ELSEWHERE, bucket);
            }
            response
        }
        Err(error) => error_response(&error),
    }
}

async fn backup_failure(State(served): State<OperatorApiState>) -> OperatorHttpResponse {
    let why = served.backup_failure.lock().clone();
    json_response(StatusCode::OK, &json!({"failure": why}))
}

pub(crate) async fn respond(
    work: impl Future<Output = ApiResult<(StatusCode, Value)>>,
) -> OperatorHttpResponse {
    match work.await {
        Ok((status, body)) => json_response(status, &body),
        Err(error) => error_response(&error),
    }
}

pub(crate) fn error_response(error: &ApiError) -> OperatorHttpResponse {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json_response(status, &error.body())
}

pub(crate) fn json_response(status: StatusCode, body: &Value) -> OperatorHttpResponse {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}

pub(crate) async fn read_body(request: Request) -> ApiResult<Map> {
    read_body_within(request, BODY_BYTES_MAX).await
}

async fn read_body_within(request: Request, bytes_max: usize) -> ApiResult<Map> {
    let bytes = to_bytes(request.into_body(), bytes_max)
        .await
        .map_err(|_| ApiError::invalid_input("The request body could not be read."))?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    kontor_json::from_slice(&bytes).map_err(|error| ApiError::invalid_json(error.to_string()))
}

pub(crate) fn text(given: &Map, name: &str) -> Option<String> {
    given.get(name)?.as_str().map(str::to_owned)
}

fn integer(given: &Map, name: &str) -> Option<i64> {
    given.get(name)?.as_i64()
}

fn project_json(project: &Project) -> Value {
    let created = jiff::Timestamp::from_millisecond(project.created_at_ms()).unwrap_or_default();
    json!({"key": project.key(), "name": project.name(), "createdAt": format_time(created)})
}

pub(crate) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
