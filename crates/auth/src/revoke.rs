//! `POST /oauth/token/revoke`: a client revokes one of its tokens.
//!
//! Revoking a refresh token also revokes its access tokens (RFC 7009, section 2.1).
//!
//! Source: document A, "Authentication", rule 5.

use crate::{
    Clock, OAuthError, OAuthRequest, System, secret::SecretHash, store::SystemChange, system::Shared,
};
use futures_util::future::BoxFuture;

impl System {
    /// Answers `POST /oauth/token/revoke` with an empty body.
    ///
    /// `Ok` is a 200: the token was the client's and is refused from now on, or there was nothing to do: no such
    /// token, a token of another client, no token sent. Fails with 401 `invalid_client` only where the client is not
    /// known, and with 500 or 503 where the token must be assumed to live on.
    pub async fn revoke(&self, request: &OAuthRequest<'_>, clock: &impl Clock) -> Result<(), OAuthError> {
        let (client, _) = self.client_of(request, clock)?;
        // The hint is not needed: one look finds a token of either kind.
        let Some(hash) =
            request.parameters().ok().and_then(|parameters| parameters.get("token").map(SecretHash::of))
        else {
            return Ok(());
        };
        let (shared, serial) = (self.shared.clone(), client.serial);
        if shared.unwritten.remove(&hash, serial) {
            return Ok(());
        }
        let change = SystemChange::Revoke { hash, client: serial };
        self.store.change(change, Box::new(move |changed| shared.forget(changed.ended()))).await?;
        Ok(())
    }

    /// Ends all tokens that a Customer of a project got with the password, and those that came of them.
    pub fn end_customer<'a>(
        &'a self,
        project_key: &'a str,
        customer_id: &'a str,
    ) -> BoxFuture<'a, crate::Result<()>> {
        Box::pin(async move {
            let (shared, endings) = (self.shared.clone(), self.shared.endings.clone());
            let (project, customer) = (project_key.to_owned(), customer_id.to_owned());
            let change = SystemChange::EndCustomer {
                project_key: project_key.to_owned(),
                customer_id: customer_id.to_owned(),
                // An authentication with the old password writes its token after this, and is refused.
                note: Box::new(move || endings.note(&project, &customer)),
            };
            self.store.change(change, Box::new(move |changed| shared.forget(changed.ended()))).await?;
            Ok(())
        })
    }
}

impl Shared {
    /// Forgets tokens that are in the file no more.
    fn forget(&self, removed: &[SecretHash]) {
        if removed.is_empty() {
            return;
        }
        let _revoking = self.revoking.write();
        for hash in removed {
            self.grants.remove(hash);
        }
    }
}
