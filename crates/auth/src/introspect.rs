//! `POST /oauth/introspect`: a client validates a token.
//!
//! Source: document A, "Authentication", rule 4.

use kontor_json::{Map, Value, json};

use crate::{
    AuthService, Grant, OAuthError, OAuthRequest, ProjectClock, ScopeName, TokenSubject,
    secret::SecretHash,
    store::{SystemStore, TokenRow},
};

/// The response about a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Introspection {
    /// The token is not valid, or the caller may not see it. The response does not tell which.
    Inactive,
    /// The token is valid.
    Active {
        /// Its scopes.
        scope: String,
        /// When it ends, in milliseconds since 1970.
        expires_at_ms: i64,
        /// The client that it was issued to.
        client_id: String,
    },
}

impl Introspection {
    /// Returns the body. `exp` is in milliseconds, as on the platform.
    pub fn to_json(&self) -> Value {
        let mut body = Map::new();
        match self {
            Introspection::Inactive => {
                body.insert("active", json!(false));
            }
            Introspection::Active { scope, expires_at_ms, client_id } => {
                body.insert("active", json!(true));
                body.insert("scope", json!(scope));
                body.insert("exp", json!(expires_at_ms));
                body.insert("client_id", json!(client_id));
            }
        }
        Value::Object(body)
    }
}

impl AuthService {
    /// Handles `POST /oauth/introspect`.
    ///
    /// A client may introspect its own tokens, and with `introspect_oauth_tokens` all tokens of its project. Fails
    /// with 401 `invalid_client`, 400 `invalid_request`, or 500 if the file cannot be read.
    pub fn introspect(
        &self,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<Introspection, OAuthError> {
        let (asker, now_ms) = self.client_of(request, clock)?;
        let parameters = request.parameters()?;
        let hash = SecretHash::from_secret(parameters.require("token")?);
        let token = match self.shared.unwritten.get(&hash) {
            Some(grant) => StoredTokenData::from_grant(&grant),
            None => StoredTokenData::find(&*self.store, &hash)?,
        };
        let Some(token) = token.filter(|token| token.expires_at_ms > now_ms) else {
            return Ok(Introspection::Inactive);
        };
        let owner = self.shared.registry.read().client_by_serial(token.client_serial).cloned();
        let Some(owner) = owner.filter(|owner| {
            // Both are of one project in all that is allowed, so its clock is the right one.
            let may_ask = owner.serial == asker.serial
                || owner.project_key() == asker.project_key()
                    && asker.scopes().allows(&[ScopeName::IntrospectOauthTokens]);
            may_ask && owner.is_alive(now_ms)
        }) else {
            return Ok(Introspection::Inactive);
        };
        Ok(Introspection::Active {
            scope: token.subject.with_words(token.scope.as_deref().unwrap_or(&owner.scope)),
            expires_at_ms: token.expires_at_ms,
            client_id: owner.id().to_owned(),
        })
    }
}

/// The stored data of an access or refresh token.
struct StoredTokenData {
    client_serial: i64,
    scope: Option<String>,
    subject: TokenSubject,
    expires_at_ms: i64,
}

impl StoredTokenData {
    fn from_grant(grant: &Grant) -> Option<Self> {
        Some(StoredTokenData {
            client_serial: grant.client.as_ref()?.serial,
            scope: Some(grant.scopes.to_string()),
            subject: grant.subject.clone(),
            expires_at_ms: grant.expires_at_ms,
        })
    }

    fn find(store: &dyn SystemStore, hash: &SecretHash) -> crate::Result<Option<Self>> {
        if let Some(row) = store.token(hash)? {
            let subject = TokenSubject::from_columns(row.customer_id, row.anonymous_id);
            let TokenRow { client_serial, scope, expires_at_ms, .. } = row;
            return Ok(Some(StoredTokenData { client_serial, scope, subject, expires_at_ms }));
        }
        let row = store.refresh_token(hash)?;
        Ok(row.map(|row| StoredTokenData {
            client_serial: row.client_serial,
            scope: row.scope,
            subject: TokenSubject::from_columns(row.customer_id, row.anonymous_id),
            expires_at_ms: row.expires_at_ms,
        }))
    }
}
