//! The API Clients of a project: create, look up, list, delete. Start at [`AuthService::create_client`].
//!
//! A caller that may create clients may give them any scope of the project: neither the reference nor the public
//! documentation limits it to the caller's own scopes, which is why `manage_project` alone is not enough.
//! Source: reference types `ApiClient`, `ApiClientDraft`.

use futures_util::future::BoxFuture;
use std::{
    ops::RangeInclusive,
    sync::{Arc, OnceLock},
};

use kontor_errors::ApiError;
use kontor_json::{Value, json};
use secrecy::ExposeSecret;

use crate::{
    ApiClient, AuthService, ScopeSet, Secret,
    client::DAY_MS,
    scope_text::normalize_scopes,
    secret::{SecretHash, random_client_id, random_client_secret},
    store::{ClientRow, NewClient, SystemChange, SystemChangeResult},
};

/// How long access tokens may live, in seconds: 1 hour to 7 days.
pub const ACCESS_TOKEN_VALIDITY_S: RangeInclusive<i64> = 3_600..=604_800;
/// How long refresh tokens may live without being used, in seconds: 30 seconds to 1 year.
pub const REFRESH_TOKEN_VALIDITY_S: RangeInclusive<i64> = 30..=31_536_000;
/// In how many days a client may be deleted by itself: up to a hundred years.
pub const DELETE_DAYS: RangeInclusive<i64> = 1..=36_500;
/// The longest name of a client, in characters.
pub const CLIENT_NAME_CHARS_MAX: usize = 256;
/// The longest list of scopes of a client, in bytes.
pub const CLIENT_SCOPE_BYTES_MAX: usize = 16 * 1024;
/// The longest client id or secret that may be given, in bytes.
pub const CLIENT_ID_BYTES_MAX: usize = 256;

/// The data that a new client is created from.
#[derive(Debug, Default)]
pub struct ClientDraft {
    /// The name for people.
    pub name: String,
    /// The scopes, separated by blanks.
    pub scope: String,
    /// In how many days it is to be deleted.
    pub delete_days_after_creation: Option<i64>,
    /// How long its access tokens live, in seconds.
    pub access_token_validity_s: Option<i64>,
    /// How long its refresh tokens live without being used, in seconds.
    pub refresh_token_validity_s: Option<i64>,
    /// The id, where the operator chooses it. Cannot be sent through the API.
    pub id: Option<String>,
    /// The secret, where the operator chooses it. Cannot be sent through the API.
    pub secret: Option<Secret>,
}

/// A new client with its secret. The secret is returned only here: the store holds its hash alone.
#[derive(Debug)]
pub struct CreatedClient {
    /// The client.
    pub client: Arc<ApiClient>,
    /// Its secret.
    pub secret: Secret,
}

impl CreatedClient {
    /// Returns the document `ApiClient` with the secret.
    pub fn to_json(&self) -> Value {
        let mut document = self.client.to_json();
        document["secret"] = json!(self.secret.expose_secret());
        document
    }
}

impl ClientDraft {
    /// Parses an `ApiClientDraft` and ignores unknown fields. Fails with 400 `InvalidJsonInput` for a value of another
    /// type, and `RequiredField` without `name` or `scope`.
    pub fn from_json(draft: &Value) -> Result<Self, ApiError> {
        let Some(fields) = draft.as_object() else {
            return Err(ApiError::invalid_json("Expected: an object (ApiClientDraft)."));
        };
        let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
        let text = |name: &str| match given(name) {
            None => Err(ApiError::required_field(name)),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(ApiError::invalid_json(format!("{name}: expected a string."))),
        };
        let integer = |name: &str| match given(name) {
            None => Ok(None),
            Some(value) => value
                .as_i64()
                .map(Some)
                .ok_or_else(|| ApiError::invalid_json(format!("{name}: expected an integer."))),
        };
        Ok(ClientDraft {
            name: text("name")?,
            scope: text("scope")?,
            delete_days_after_creation: integer("deleteDaysAfterCreation")?,
            access_token_validity_s: integer("accessTokenValiditySeconds")?,
            refresh_token_validity_s: integer("refreshTokenValiditySeconds")?,
            id: None,
            secret: None,
        })
    }

    fn check(&self, project_key: &str) -> Result<(), ApiError> {
        if self.name.trim().is_empty() || self.name.chars().count() > CLIENT_NAME_CHARS_MAX {
            let expected = format!("Expected: 1 to {CLIENT_NAME_CHARS_MAX} characters.");
            return Err(ApiError::invalid_field("name", &json!(self.name), &expected, None));
        }
        check_scope(&self.scope, project_key)?;
        check_range("deleteDaysAfterCreation", self.delete_days_after_creation, DELETE_DAYS)?;
        check_range("accessTokenValiditySeconds", self.access_token_validity_s, ACCESS_TOKEN_VALIDITY_S)?;
        check_range("refreshTokenValiditySeconds", self.refresh_token_validity_s, REFRESH_TOKEN_VALIDITY_S)?;
        if let Some(id) = &self.id {
            // The colon ends the id in HTTP Basic credentials.
            let is_fit = id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
            if id.is_empty() || id.len() > CLIENT_ID_BYTES_MAX || !is_fit {
                let expected =
                    format!("Expected: 1 to {CLIENT_ID_BYTES_MAX} ASCII characters without blank or colon.");
                return Err(ApiError::invalid_field("id", &json!(id), &expected, None));
            }
        }
        self.secret.as_ref().map_or(Ok(()), check_secret)
    }
}

fn check_secret(secret: &Secret) -> Result<(), ApiError> {
    if (1..=CLIENT_ID_BYTES_MAX).contains(&secret.expose_secret().len()) {
        return Ok(());
    }
    Err(ApiError::invalid_input(format!("The client secret must have 1 to {CLIENT_ID_BYTES_MAX} bytes.")))
}

fn check_scope(scope: &str, project_key: &str) -> Result<(), ApiError> {
    let refuse = |expected: String| Err(ApiError::invalid_field("scope", &json!(scope), &expected, None));
    if scope.len() > CLIENT_SCOPE_BYTES_MAX {
        return refuse(format!("Expected: at most {CLIENT_SCOPE_BYTES_MAX} bytes."));
    }
    match ScopeSet::parse(scope, project_key) {
        Ok(scopes) if scopes.is_empty() => refuse("Expected: at least one scope.".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => refuse(format!(
            "Expected: scopes of the form 'view_products:{project_key}', separated by blanks. {error}."
        )),
    }
}

fn check_range(field: &str, value: Option<i64>, range: RangeInclusive<i64>) -> Result<(), ApiError> {
    match value {
        Some(value) if !range.contains(&value) => {
            let expected = format!("Expected: an integer from {} to {}.", range.start(), range.end());
            Err(ApiError::invalid_field(field, &json!(value), &expected, None))
        }
        _ => Ok(()),
    }
}

impl AuthService {
    /// Creates an API Client.
    ///
    /// Fails with 400 `InvalidField` for a draft out of bounds, 400 `DuplicateField` for a chosen id that is taken,
    /// 404 where there is no such project.
    pub fn create_client<'a>(
        &'a self,
        project_key: &'a str,
        draft: ClientDraft,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<CreatedClient, ApiError>> {
        Box::pin(async move {
            draft.check(project_key)?;
            let secret = draft.secret.unwrap_or_else(random_client_secret);
            let row = NewClient {
                id: draft.id.unwrap_or_else(random_client_id),
                project_key: project_key.to_owned(),
                name: draft.name,
                secret_hash: SecretHash::from_secret(secret.expose_secret()),
                scope: normalize_scopes(&draft.scope),
                created_at_ms: now_ms,
                delete_at_ms: draft.delete_days_after_creation.map(|days| now_ms + days * DAY_MS),
                access_token_validity_s: draft.access_token_validity_s,
                refresh_token_validity_s: draft.refresh_token_validity_s,
            };
            let (shared, id) = (self.shared.clone(), row.id.clone());
            let (made, stored) = (Arc::new(OnceLock::new()), row.clone());
            let told = made.clone();
            let publish = move |changed: &SystemChangeResult| {
                let SystemChangeResult::Added(Some(serial)) = changed else { return };
                // The scope was read above, so it can be read again.
                let row = ClientRow { serial: *serial, client: stored, last_used_day: None };
                if let Ok(client) = ApiClient::from_row(row).map(Arc::new) {
                    shared.registry.write().add_client(client.clone());
                    let _ = told.set(client);
                }
            };
            self.store.change(SystemChange::AddClient(row), Box::new(publish)).await?;
            let client = made.get().cloned();
            match client {
                Some(client) => Ok(CreatedClient { client, secret }),
                None if self.project(project_key).is_none() => {
                    Err(ApiError::resource_not_found(&format!("with key '{project_key}'")))
                }
                None => Err(ApiError::duplicate_field("id", json!(id))),
            }
        })
    }

    /// Adds a client from a backup, with its secret hash. Returns false if another client has its id, or if the
    /// project no longer exists. Fails if the store cannot write, e.g. with 503 on a full disk.
    pub fn restore_client(&self, row: NewClient) -> BoxFuture<'_, Result<bool, ApiError>> {
        Box::pin(async move {
            let (shared, stored) = (self.shared.clone(), row.clone());
            let publish = move |changed: &SystemChangeResult| {
                let SystemChangeResult::Added(Some(serial)) = changed else { return };
                let row = ClientRow { serial: *serial, client: stored, last_used_day: None };
                if let Ok(client) = ApiClient::from_row(row).map(Arc::new) {
                    shared.registry.write().add_client(client);
                }
            };
            let changed = self.store.change(SystemChange::AddClient(row), Box::new(publish)).await?;
            Ok(matches!(changed, SystemChangeResult::Added(Some(_))))
        })
    }

    /// Reads when the clients of a project were last used, on any server. The registry is not read again for each use.
    /// Fails if the store cannot be read.
    pub fn read_last_uses(&self, project_key: &str) -> Result<(), ApiError> {
        let days = self.store.last_used_days(project_key)?;
        let registry = self.shared.registry.read();
        for (serial, day) in days {
            if let Some(client) = registry.client_by_serial(serial) {
                client.record_use(day);
            }
        }
        Ok(())
    }

    /// Returns the clients of a project, oldest first.
    pub fn clients(&self, project_key: &str, now_ms: i64) -> Vec<Arc<ApiClient>> {
        let registry = self.shared.registry.read();
        registry.clients(project_key).filter(|client| client.is_alive(now_ms)).cloned().collect()
    }

    /// Returns a client of a project by id.
    pub fn client(&self, project_key: &str, id: &str, now_ms: i64) -> Option<Arc<ApiClient>> {
        let registry = self.shared.registry.read();
        let client = registry.client(id)?;
        (client.project_key() == project_key && client.is_alive(now_ms)).then(|| client.clone())
    }

    /// Deletes a client of a project and returns it; its tokens are refused from then on.
    ///
    /// Fails with 404 `ResourceNotFound` if there is no such client.
    pub fn delete_client<'a>(
        &'a self,
        project_key: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<Arc<ApiClient>, ApiError>> {
        Box::pin(async move {
            let not_found = || ApiError::resource_not_found(&format!("with ID '{id}'"));
            let client = self.client(project_key, id, now_ms).ok_or_else(not_found)?;
            if self.remove_client(&client).await? { Ok(client) } else { Err(not_found()) }
        })
    }

    /// Replaces the secret of a client by the given one or by a random one. The old secret is refused from the
    /// response on; tokens stay valid. The API has no operation for this.
    ///
    /// Fails with 404 `ResourceNotFound` if there is no such client, 400 `InvalidInput` for a secret out of bounds.
    pub fn rotate_secret<'a>(
        &'a self,
        project_key: &'a str,
        id: &'a str,
        secret: Option<Secret>,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<CreatedClient, ApiError>> {
        Box::pin(async move {
            let not_found = || ApiError::resource_not_found(&format!("with ID '{id}'"));
            let client = self.client(project_key, id, now_ms).ok_or_else(not_found)?;
            let secret = secret.unwrap_or_else(random_client_secret);
            check_secret(&secret)?;
            let (hash, serial, changed) =
                (SecretHash::from_secret(secret.expose_secret()), client.serial, client.clone());
            let publish = move |written: &SystemChangeResult| {
                if written.is_done() {
                    changed.set_secret(hash);
                }
            };
            let change = SystemChange::SetSecret { client: serial, hash };
            if self.store.change(change, Box::new(publish)).await?.is_done() {
                Ok(CreatedClient { client, secret })
            } else {
                Err(not_found())
            }
        })
    }

    /// Removes a client from file and memory; `false` if another request has removed it already.
    pub(crate) async fn remove_client(&self, client: &Arc<ApiClient>) -> crate::Result<bool> {
        let (shared, ended) = (self.shared.clone(), client.clone());
        let publish = move |_: &SystemChangeResult| shared.registry.write().remove_client(&ended);
        let change = SystemChange::RemoveClient(client.serial);
        Ok(self.store.change(change, Box::new(publish)).await?.is_done())
    }
}
