//! `grant_type=refresh_token`: a client continues a session.
//!
//! The refresh token stays the same and its lifetime restarts at each use: 200 days, or the client's setting.
//! Source: document A, "Authentication", rule 3.

use std::sync::Arc;

use crate::{
    ApiClient, AuthService, OAuthError, TokenResponse, TokenSubject,
    issue::{GrantedScopes, RefreshTokenUse, TokenHolder},
    secret::SecretHash,
};

impl AuthService {
    /// Returns a new access token for a refresh token, with the same scopes, subject and Store.
    ///
    /// Fails with 400 `invalid_grant` if the refresh token was issued to another client, revoked, or has expired.
    pub(crate) async fn refresh(
        &self,
        client: &Arc<ApiClient>,
        refresh_token: &str,
        now_ms: i64,
    ) -> Result<TokenResponse, OAuthError> {
        let hash = SecretHash::from_secret(refresh_token);
        let row = self.store.refresh_token(&hash)?;
        let row = row
            .filter(|row| row.client_serial == client.serial && row.expires_at_ms > now_ms)
            .ok_or_else(OAuthError::invalid_refresh_token)?;
        let response_text = row.scope.clone().unwrap_or_else(|| client.scope.to_string());
        let granted = GrantedScopes { narrowed: row.scope, response_text };
        let subject = TokenSubject::from_columns(row.customer_id, row.anonymous_id);
        let holder = TokenHolder { subject, store_key: row.store_key };
        self.issue(client, granted, holder, RefreshTokenUse::Used(hash), now_ms).await
    }
}
