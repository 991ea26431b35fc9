//! `POST /oauth/token`: a client authenticates and gets a token.
//!
//! Source: document A, "Authentication".

use std::sync::Arc;

use secrecy::ExposeSecret;

use crate::{
    ApiClient, AuthService, LoginAttempt, OAuthError, OAuthRequest, ScopeSet, TokenResponse, TokenSubject,
    issue::{GrantedScopes, RefreshTokenUse, TokenHolder},
    oauth_request::Credentials,
    scope_text::normalize_scopes,
};

/// Returns the time, in milliseconds since 1970. Each project may have a clock of its own, and a request to
/// the authorization service names its project only through the client.
pub trait ProjectClock: Sync {
    /// The time in a project.
    fn now_ms(&self, project_key: &str) -> i64;
}

impl<F: Fn(&str) -> i64 + Sync> ProjectClock for F {
    fn now_ms(&self, project_key: &str) -> i64 {
        self(project_key)
    }
}

impl AuthService {
    /// Handles `POST /oauth/token`. Returns once the token is on disk.
    ///
    /// Fails with 401 `invalid_client`; with 400 `invalid_request`, `unsupported_grant_type`, `invalid_scope` or
    /// `invalid_grant`; with 429 if the client requests tokens too often; with 500 or 503 if the token could not be
    /// written.
    pub async fn token(
        &self,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<TokenResponse, OAuthError> {
        let (client, now_ms) = self.client_for_token(request, clock)?;
        let parameters = request.parameters()?;
        match parameters.require("grant_type")? {
            "client_credentials" => {
                let granted = grant_scope(&client, parameters.get("scope"))?;
                let holder = TokenHolder { subject: TokenSubject::Client, store_key: None };
                self.issue(&client, granted, holder, RefreshTokenUse::None, now_ms).await
            }
            "refresh_token" => self.refresh(&client, parameters.require("refresh_token")?, now_ms).await,
            other => Err(OAuthError::unsupported_grant_type(other, "client_credentials, refresh_token")),
        }
    }

    /// Authenticates the client of a token request, and applies its rate limit.
    pub(crate) fn client_for_token(
        &self,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<(Arc<ApiClient>, i64), OAuthError> {
        let (client, now_ms) = self.client_of(request, clock)?;
        self.throttle.check(client.serial)?;
        Ok((client, now_ms))
    }

    /// Like [`client_for_token`](Self::client_for_token), for a flow that names its project in the address.
    pub(crate) fn client_for_token_in(
        &self,
        project_key: &str,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<(Arc<ApiClient>, i64), OAuthError> {
        let (client, now_ms) = self.client_for_token(request, clock)?;
        if client.project_key() == project_key {
            Ok((client, now_ms))
        } else {
            Err(OAuthError::insufficient_scope("Insufficient scope: the client is of another project."))
        }
    }

    /// Returns the id under which wrong secrets are counted, in one spelling: `shop` and `s%68op` are one client.
    fn counted_client<'c>(&self, sent: &'c Credentials, unescaped: Option<&'c Credentials>) -> &'c str {
        let ids =
            [Some(sent), unescaped].map(|credentials| credentials.map(|credentials| &*credentials.client_id));
        let registry = self.shared.registry.read();
        let known = ids.into_iter().flatten().find(|id| registry.client(id).is_some());
        known.or(ids[1]).unwrap_or(&sent.client_id)
    }

    /// Returns the client that a request names, whether or not its secret is right: for logs.
    pub fn named_client(&self, request: &OAuthRequest<'_>) -> Option<Arc<ApiClient>> {
        let sent = request.credentials()?;
        let registry = self.shared.registry.read();
        let known = registry.client(&sent.client_id).cloned();
        known.or_else(|| registry.client(&sent.unescape()?.client_id).cloned())
    }

    /// Authenticates the client of a request by its HTTP Basic credentials, and returns it with the time in its
    /// project. Fails with 429 for an address that has sent too many wrong secrets.
    pub(crate) fn client_of(
        &self,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<(Arc<ApiClient>, i64), OAuthError> {
        let sent = request.credentials().ok_or_else(OAuthError::invalid_client)?;
        let unescaped = sent.unescape();
        let attempt = LoginAttempt {
            account: self.counted_client(&sent, unescaped.as_ref()),
            address: request.address,
        };
        self.login_rate_limiter.check(&attempt)?;
        let client = std::iter::once(&sent)
            .chain(&unescaped)
            .find_map(|credentials| {
                let client = self.shared.registry.read().client(&credentials.client_id)?.clone();
                client.has_secret(credentials.secret.expose_secret()).then_some(client)
            })
            .ok_or_else(|| {
                self.login_rate_limiter.record_failure(&attempt);
                OAuthError::invalid_client()
            })?;
        self.login_rate_limiter.record_success(&attempt);
        let now_ms = clock.now_ms(client.project_key());
        if client.is_alive(now_ms) { Ok((client, now_ms)) } else { Err(OAuthError::invalid_client()) }
    }
}

/// Returns the scopes of a new token: the requested ones, or all of the client's.
pub(crate) fn grant_scope(client: &ApiClient, requested: Option<&str>) -> Result<GrantedScopes, OAuthError> {
    let requested = requested.map(normalize_scopes).filter(|text| !text.is_empty());
    let Some(text) = requested.filter(|text| **text != *client.scope) else {
        return Ok(GrantedScopes { narrowed: None, response_text: client.scope.to_string() });
    };
    let scopes = ScopeSet::parse(&text, client.project_key()).map_err(|error| match error {
        crate::ScopeError::Unknown(_) => OAuthError::invalid_scope(),
        crate::ScopeError::OtherProject(_) => OAuthError::permissions_exceeded(client.scopes()),
    })?;
    if !client.scopes().contains(&scopes) {
        return Err(OAuthError::permissions_exceeded(client.scopes()));
    }
    Ok(GrantedScopes { narrowed: Some(text.clone()), response_text: text })
}
