//! `POST /oauth/token/revoke`: a client ends one of its tokens.
//!
//! A refresh token takes the access tokens that came with it along (RFC 7009, section 2.1).
//!
//! Source: document A, "Authentication", rule 5.

use crate::{
    Clock, OAuthError, OAuthRequest, System,
    file::{RefreshRow, TokenRow},
    secret::SecretHash,
    system::Shared,
};

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
        self.file
            .writer()
            .write(
                move |connection| {
                    if TokenRow::remove(connection, &hash, serial)? {
                        return Ok(vec![hash]);
                    }
                    if RefreshRow::remove(connection, &hash, serial)? {
                        return TokenRow::remove_with(connection, &hash);
                    }
                    Ok(Vec::new())
                },
                move |removed| shared.forget(removed),
            )
            .await?;
        Ok(())
    }

    /// Ends all tokens that a Customer of a project got with the password, and those that came of them.
    pub async fn end_customer(&self, project_key: &str, customer_id: &str) -> crate::Result<()> {
        let (shared, project, customer) =
            (self.shared.clone(), project_key.to_owned(), customer_id.to_owned());
        let endings = self.shared.endings.clone();
        self.file
            .writer()
            .write(
                move |connection| {
                    // Whoever has proved the password that is over by now writes after this, and is told.
                    endings.note(&project, &customer);
                    RefreshRow::remove_of_customer(connection, &project, &customer)?;
                    TokenRow::remove_of_customer(connection, &project, &customer)
                },
                move |removed| shared.forget(removed),
            )
            .await?;
        Ok(())
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
