//! Authenticates a request: turns the header `Authorization` into a [`Grant`], the first step of every API
//! request.

use std::sync::Arc;

use kontor_errors::{ApiError, Code};

use crate::{
    AuthService, Error, ExternalFailure, Grant, ScopeSet, TokenSubject, operators::OPERATOR_TOKEN_PREFIX,
    secret::SecretHash, store::TokenRow,
};

/// The reason why a request is not authenticated. Every invalid token gets the same 401 `invalid_token`; the
/// reason is for the log. Without a token it is 401 `access_denied`.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// There is no header `Authorization`.
    #[error("no access token was sent")]
    Missing,
    /// The header is not of the form `Bearer {token}`.
    #[error("the Authorization header is not of the form 'Bearer <ACCESS_TOKEN>'")]
    Malformed,
    /// There is no such access token: never issued, revoked, or of a client that is gone.
    #[error("the access token is unknown or was revoked")]
    Unknown,
    /// The token was valid once.
    #[error("the access token has expired")]
    Expired,
    /// The token may be an external server's, and that server could not be reached.
    #[error(transparent)]
    External(ExternalFailure),
    /// The system file cannot be read.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Failed(error) => error.into(),
            AuthError::External(failure) => ApiError::new(Code::ExternalOAuthFailed, failure.to_string()),
            AuthError::Missing => ApiError::new(Code::AccessDenied, "access_denied"),
            // The whole message, as in the reference's example; clients compare it.
            _ => ApiError::new(Code::InvalidToken, "invalid_token"),
        }
    }
}

/// Returns the token of a header `Authorization: Bearer {token}`. Fails with [`AuthError::Missing`] without the header,
/// and with [`AuthError::Malformed`] for another scheme or an empty token.
pub fn bearer_token(authorization: Option<&str>) -> Result<&str, AuthError> {
    let header = authorization.ok_or(AuthError::Missing)?;
    // The scheme is short: to look at each byte is faster than a search made for long texts.
    let end = header.bytes().position(|byte| byte == b' ').ok_or(AuthError::Malformed)?;
    let (scheme, token) = (&header[..end], header[end..].trim());
    if scheme.eq_ignore_ascii_case("Bearer") && !token.is_empty() {
        Ok(token)
    } else {
        Err(AuthError::Malformed)
    }
}

impl AuthService {
    /// Returns the grant of an access token at a time, in milliseconds since 1970.
    ///
    /// The caller passes the time, because each project may have a clock of its own. A recently used token is
    /// found in memory in less than a microsecond.
    ///
    /// # Errors
    /// [`AuthError::Expired`] for a token whose time is over, [`AuthError::Unknown`] for one that was never issued or
    /// is revoked, and [`AuthError::Failed`] if the store cannot be read.
    pub fn authenticate(&self, token: &str, now_ms: i64) -> Result<Arc<Grant>, AuthError> {
        let hash = SecretHash::from_secret(token);
        let grant = match self.shared.grants.get(&hash) {
            Some(grant) => grant,
            None => match self.shared.unwritten.get(&hash) {
                Some(grant) => grant,
                None => self.read_grant(token, &hash)?,
            },
        };
        if grant.expires_at_ms <= now_ms {
            return Err(AuthError::Expired);
        }
        if grant.is_alive(now_ms) { Ok(grant) } else { Err(AuthError::Unknown) }
    }

    fn read_grant(&self, token: &str, hash: &SecretHash) -> Result<Arc<Grant>, AuthError> {
        // A revocation waits for readers that are between reading and caching a token, so that none of them can
        // cache a revoked one.
        let _reading = self.shared.revoking.read();
        let grant = match token.starts_with(OPERATOR_TOKEN_PREFIX) {
            true => self.operator_grant(hash)?,
            false => None,
        };
        // Tokens of clients are random, so a few of them begin with this prefix too.
        let grant = match grant {
            Some(grant) => grant,
            None => {
                let row = self.store.token(hash)?;
                row.and_then(|row| self.grant_of(row)).ok_or(AuthError::Unknown)?
            }
        };
        let grant = Arc::new(grant);
        self.shared.grants.insert(*hash, grant.clone());
        Ok(grant)
    }

    /// Returns the grant of a stored token; `None` if its client was deleted.
    fn grant_of(&self, row: TokenRow) -> Option<Grant> {
        let client = self.shared.registry.read().client_by_serial(row.client_serial)?.clone();
        let scopes = match &row.scope {
            None => client.scopes.clone(),
            // A token issued by a release with more scopes is invalid here.
            Some(text) => Arc::new(ScopeSet::parse(text, client.project_key()).ok()?),
        };
        Some(Grant {
            client: Some(client),
            operator: None,
            scopes,
            subject: TokenSubject::from_columns(row.customer_id, row.anonymous_id),
            external_user_id: None,
            store_key: row.store_key,
            issued_at_ms: row.issued_at_ms,
            expires_at_ms: row.expires_at_ms,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_is_found_in_its_header() {
        assert_eq!(bearer_token(Some("Bearer abc")).unwrap(), "abc");
        assert_eq!(bearer_token(Some("bearer  abc ")).unwrap(), "abc");
        assert!(matches!(bearer_token(None), Err(AuthError::Missing)));
        for header in ["", "abc", "Bearer", "Bearer ", "Basic abc"] {
            assert!(matches!(bearer_token(Some(header)), Err(AuthError::Malformed)), "{header}");
        }
    }

    #[test]
    fn responds_the_same_to_every_invalid_token() {
        let without = ApiError::from(AuthError::Missing).body();
        assert_eq!((&without["statusCode"], &without["error"]), (&401.into(), &"access_denied".into()));
        for error in [AuthError::Malformed, AuthError::Unknown, AuthError::Expired] {
            let body = ApiError::from(error).body();
            assert_eq!((&body["statusCode"], &body["error"]), (&401.into(), &"invalid_token".into()));
        }
    }
}
