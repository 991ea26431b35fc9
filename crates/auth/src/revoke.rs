//! `POST /oauth/token/revoke`: a client revokes one of its tokens.
//!
//! Revoking a refresh token also revokes its access tokens (RFC 7009, section 2.1).
//!
//! Source: document A, "Authentication", rule 5.

use crate::{
    ApiClient, AuthService, OAuthError, OAuthRequest, ProjectClock, auth_service::SharedAuthState,
    secret::SecretHash, store::SystemChange,
};
use futures_util::future::BoxFuture;

impl AuthService {
    /// Handles `POST /oauth/token/revoke`; the response has no body.
    ///
    /// Returns `Ok` (200) if the client's token is refused from now on, and also if there was nothing to do: no such
    /// token, a token of another client, no token sent. Fails with 401 `invalid_client` only for wrong client
    /// credentials, and with 500 or 503 if the token may still be valid.
    pub async fn revoke(
        &self,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<(), OAuthError> {
        let (client, _) = self.client_of(request, clock)?;
        // `token_type_hint` is not needed: one lookup finds a token of either kind.
        let Some(hash) = request
            .parameters()
            .ok()
            .and_then(|parameters| parameters.get("token").map(SecretHash::from_secret))
        else {
            return Ok(());
        };
        if self.shared.unwritten.remove(&hash, client.serial) {
            return Ok(());
        }
        Ok(self.revoke_token(hash, &client).await?)
    }

    /// Revokes a token of a client, with a refresh token also its access tokens.
    pub(crate) async fn revoke_token(&self, hash: SecretHash, client: &ApiClient) -> crate::Result<()> {
        let shared = self.shared.clone();
        let change = SystemChange::Revoke { hash, client: client.serial };
        self.store.change(change, Box::new(move |changed| shared.evict(changed.removed_tokens()))).await?;
        Ok(())
    }

    /// Revokes all tokens that a Customer of a project got by password, and those issued from their refresh tokens.
    /// Fails if the store cannot write; then all tokens are still valid.
    pub fn revoke_customer_tokens<'a>(
        &'a self,
        project_key: &'a str,
        customer_id: &'a str,
    ) -> BoxFuture<'a, crate::Result<()>> {
        Box::pin(async move {
            let shared = self.shared.clone();
            let change = SystemChange::EndCustomer {
                project_key: project_key.to_owned(),
                customer_id: customer_id.to_owned(),
            };
            self.store
                .change(change, Box::new(move |changed| shared.evict(changed.removed_tokens())))
                .await?;
            Ok(())
        })
    }
}

impl SharedAuthState {
    /// Removes deleted tokens from the cache.
    pub(crate) fn evict(&self, removed: &[SecretHash]) {
        if removed.is_empty() {
            return;
        }
        let _revoking = self.revoking.write();
        for hash in removed {
            self.grants.remove(hash);
        }
    }
}
