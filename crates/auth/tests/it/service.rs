//! A service in a temporary folder, with a project `demo` and a fixed clock, and helpers that send requests to it.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use kontor_auth::{
    AuthService, ClientDraft, CreatedClient, Grant, OAuthError, OAuthRequest, Secret, SystemDurability,
};
use kontor_json::Value;
use pollster::block_on;
use secrecy::ExposeSecret;
use tempfile::TempDir;

/// 2026-03-01T12:00:00Z.
pub(crate) const NOON_MS: i64 = 1_772_366_400_000;
pub(crate) const HOUR_MS: i64 = 3_600_000;
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

pub(crate) struct Service {
    pub(crate) auth: AuthService,
    pub(crate) now_ms: i64,
    folder: TempDir,
}

impl Service {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let auth = AuthService::open(&folder.path().join("system.db"), SystemDurability::InMemory).unwrap();
        block_on(auth.create_project("demo", "Demo", NOON_MS)).unwrap();
        Service { auth, now_ms: NOON_MS, folder }
    }

    /// The same folder after the process has ended.
    pub(crate) fn restart(self) -> Self {
        let Service { auth, now_ms, folder } = self;
        drop(auth);
        let auth = AuthService::open(&folder.path().join("system.db"), SystemDurability::InMemory).unwrap();
        Service { auth, now_ms, folder }
    }

    /// All bytes that the service has on disk.
    pub(crate) fn bytes_on_disk(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
    }

    pub(crate) fn client(&self, scope: &str) -> CreatedClient {
        self.client_of("demo", scope)
    }

    pub(crate) fn client_of(&self, project_key: &str, scope: &str) -> CreatedClient {
        let draft = ClientDraft { name: "Shop".into(), scope: scope.into(), ..ClientDraft::default() };
        block_on(self.auth.create_client(project_key, draft, self.now_ms)).unwrap()
    }

    /// `POST /oauth/token` with the client's credentials.
    pub(crate) fn token(&self, client: &CreatedClient, form: &str) -> Result<Value, OAuthError> {
        self.token_as(client.client.id(), &client.secret, form)
    }

    pub(crate) fn token_as(&self, id: &str, secret: &Secret, form: &str) -> Result<Value, OAuthError> {
        let authorization = basic(id, secret);
        let response = block_on(self.auth.token(&request(&authorization, form), &|_: &str| self.now_ms));
        response.map(|response| response.to_json())
    }

    /// `POST /oauth/demo/anonymous/token`.
    pub(crate) fn anonymous_token(&self, client: &CreatedClient, form: &str) -> Result<Value, OAuthError> {
        let authorization = basic(client.client.id(), &client.secret);
        let request = request(&authorization, form);
        let response = block_on(self.auth.anonymous_token("demo", &request, &|_: &str| self.now_ms));
        response.map(|response| response.to_json())
    }

    /// `POST /oauth/token` with a refresh token.
    pub(crate) fn refresh(&self, client: &CreatedClient, refresh_token: &str) -> Result<Value, OAuthError> {
        self.token(client, &format!("grant_type=refresh_token&refresh_token={refresh_token}"))
    }

    /// An access token with all scopes of the client.
    pub(crate) fn access_token(&self, client: &CreatedClient) -> String {
        let response = self.token(client, "grant_type=client_credentials").unwrap();
        response["access_token"].as_str().unwrap().to_owned()
    }

    /// `POST /oauth/introspect`.
    pub(crate) fn introspect(&self, client: &CreatedClient, token: &str) -> Value {
        let authorization = basic(client.client.id(), &client.secret);
        let form = format!("token={token}");
        self.auth.introspect(&request(&authorization, &form), &|_: &str| self.now_ms).unwrap().to_json()
    }

    /// `POST /oauth/token/revoke`.
    pub(crate) fn revoke(&self, client: &CreatedClient, form: &str) -> Result<(), OAuthError> {
        let authorization = basic(client.client.id(), &client.secret);
        block_on(self.auth.revoke(&request(&authorization, form), &|_: &str| self.now_ms))
    }

    /// Authenticates a token like an API request.
    pub(crate) fn grant(&self, token: &str) -> Result<Arc<Grant>, kontor_auth::AuthError> {
        self.auth.authenticate(token, self.now_ms)
    }
}

/// Returns a text field of a response.
pub(crate) fn text<'a>(reply: &'a Value, field: &str) -> &'a str {
    reply[field].as_str().unwrap_or_else(|| panic!("{field} is missing: {reply}"))
}

pub(crate) fn basic(id: &str, secret: &Secret) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{id}:{}", secret.expose_secret())))
}

pub(crate) fn request<'a>(authorization: &'a str, form: &'a str) -> OAuthRequest<'a> {
    OAuthRequest {
        authorization: Some(authorization),
        content_type: Some("application/x-www-form-urlencoded"),
        query: "",
        body: form.as_bytes(),
        address: None,
    }
}
