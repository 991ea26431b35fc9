//! An API Client: its credentials and scopes. It never changes after its creation, apart from its secret.
//!
//! Source: reference type `ApiClient`.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use jiff::Timestamp;
use kontor_json::{Map, Value, json};
use parking_lot::RwLock;

use crate::{ScopeError, ScopeSet, secret::SecretHash, store::ClientRow};

/// How long an access token lives where the client does not say, in seconds: 48 hours.
pub const ACCESS_TOKEN_VALIDITY_S_DEFAULT: i64 = 172_800;
/// How long an unused refresh token lives where the client does not say, in seconds: 200 days.
pub const REFRESH_TOKEN_VALIDITY_S_DEFAULT: i64 = 17_280_000;

pub(crate) const DAY_MS: i64 = 86_400_000;

/// No day: the client was never used.
const NEVER: i64 = i64::MIN;

/// An API Client of a project.
pub struct ApiClient {
    /// The number of the client in the file, never used again.
    pub(crate) serial: i64,
    pub(crate) id: Arc<str>,
    project_key: Arc<str>,
    name: String,
    /// Of all of a client, this alone changes.
    secret_hash: RwLock<SecretHash>,
    /// As sent, which people recognize better than the sequence of our table.
    pub(crate) scope: Arc<str>,
    pub(crate) scopes: Arc<ScopeSet>,
    created_at_ms: i64,
    delete_at_ms: Option<i64>,
    access_token_validity_s: Option<i64>,
    refresh_token_validity_s: Option<i64>,
    /// Days since 1970.
    last_used_day: AtomicI64,
    is_ended: AtomicBool,
}

impl ApiClient {
    pub(crate) fn from_row(row: ClientRow) -> Result<Self, ScopeError> {
        let ClientRow { serial, client, last_used_day } = row;
        let scopes = ScopeSet::parse(&client.scope, &client.project_key)?;
        Ok(ApiClient {
            serial,
            id: client.id.into(),
            project_key: client.project_key.into(),
            name: client.name,
            secret_hash: RwLock::new(client.secret_hash),
            scope: client.scope.into(),
            scopes: Arc::new(scopes),
            created_at_ms: client.created_at_ms,
            delete_at_ms: client.delete_at_ms,
            access_token_validity_s: client.access_token_validity_s,
            refresh_token_validity_s: client.refresh_token_validity_s,
            last_used_day: AtomicI64::new(last_used_day.unwrap_or(NEVER)),
            is_ended: AtomicBool::new(false),
        })
    }

    /// The `client_id`, unique on the server.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the project that it belongs to.
    pub fn project_key(&self) -> &str {
        &self.project_key
    }

    /// Returns the name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the maximum scopes of its tokens.
    pub fn scopes(&self) -> &ScopeSet {
        &self.scopes
    }

    /// Returns how long its access tokens live, in seconds.
    pub fn access_token_validity_s(&self) -> i64 {
        self.access_token_validity_s.unwrap_or(ACCESS_TOKEN_VALIDITY_S_DEFAULT)
    }

    /// Returns how long its refresh tokens live without being used, in seconds.
    pub fn refresh_token_validity_s(&self) -> i64 {
        self.refresh_token_validity_s.unwrap_or(REFRESH_TOKEN_VALIDITY_S_DEFAULT)
    }

    /// Returns the document `ApiClient`, without the secret, of which only a hash is stored.
    pub fn to_json(&self) -> Value {
        let mut document = Map::new();
        let mut add = |field: &str, value: Option<Value>| {
            if let Some(value) = value {
                document.insert(field, value);
            }
        };
        add("id", Some(json!(&*self.id)));
        add("name", Some(json!(self.name)));
        add("scope", Some(json!(&*self.scope)));
        add("createdAt", Some(json!(date_time(self.created_at_ms))));
        add("lastUsedAt", self.last_used_day().map(|day| json!(date(day))));
        add("deleteAt", self.delete_at_ms.map(|at| json!(date_time(at))));
        add("accessTokenValiditySeconds", self.access_token_validity_s.map(|seconds| json!(seconds)));
        add("refreshTokenValiditySeconds", self.refresh_token_validity_s.map(|seconds| json!(seconds)));
        Value::Object(document)
    }

    /// Whether the client can be used: not deleted, and its time of deletion not reached.
    pub(crate) fn is_alive(&self, now_ms: i64) -> bool {
        !self.is_ended.load(Ordering::Acquire) && !self.is_due(now_ms)
    }

    /// Whether its time of deletion is reached.
    pub(crate) fn is_due(&self, now_ms: i64) -> bool {
        self.delete_at_ms.is_some_and(|at| at <= now_ms)
    }

    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
    }

    /// Returns whether `secret` is the secret of the client. The time does not depend on the number of equal characters.
    pub fn has_secret(&self, secret: &str) -> bool {
        self.secret_hash.read().equals(&SecretHash::from_secret(secret))
    }

    pub(crate) fn set_secret(&self, hash: SecretHash) {
        *self.secret_hash.write() = hash;
    }

    pub(crate) fn last_used_day(&self) -> Option<i64> {
        Some(self.last_used_day.load(Ordering::Relaxed)).filter(|day| *day != NEVER)
    }

    pub(crate) fn record_use(&self, day: i64) {
        self.last_used_day.fetch_max(day, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for ApiClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("id", &self.id)
            .field("project_key", &self.project_key)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// The API's form of a time, in UTC and to the millisecond.
pub(crate) fn date_time(at_ms: i64) -> String {
    let at = Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::MAX);
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// The API's form of a date, of a number of days since 1970.
fn date(day: i64) -> String {
    let at = Timestamp::from_millisecond(day.saturating_mul(DAY_MS)).unwrap_or(Timestamp::MAX);
    at.strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_api_does() {
        assert_eq!(date_time(1_760_970_600_007), "2025-10-20T14:30:00.007Z");
        assert_eq!(date_time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(date(20_381), "2025-10-20");
    }
}
