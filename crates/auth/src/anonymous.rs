//! `POST /oauth/{projectKey}/anonymous/token`: a visitor without an account gets a session.
//!
//! Source: document A, "Authentication", rule 1.

use kontor_errors::ApiError;
use uuid::Uuid;

use crate::{
    AuthService, OAuthError, OAuthRequest, ProjectClock, ScopeName, TokenResponse, TokenSubject,
    issue::{RefreshTokenUse, TokenHolder},
    token_endpoint::grant_scope,
};

/// The longest id of a session that a client may choose.
pub const ANONYMOUS_ID_CHARS_MAX: usize = 256;

impl AuthService {
    /// Handles `POST /oauth/{projectKey}/anonymous/token`: returns an access token and a refresh token for a new
    /// session. The client may choose the id of the session; otherwise it is random. An id is free until a session
    /// has it, and again once that session has expired.
    ///
    /// Fails as [`token`](Self::token) does; with 403 `insufficient_scope` if the client is of another project or
    /// lacks `create_anonymous_token`; with 400 `invalid_request` if the id is in use or malformed.
    pub async fn anonymous_token(
        &self,
        project_key: &str,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
    ) -> Result<TokenResponse, OAuthError> {
        self.anonymous_token_unless(project_key, request, clock, |_| Ok(false)).await
    }

    /// Like `anonymous_token`, if the host knows ids that are in use without a session: `is_in_use` checks an
    /// id chosen by the client. Fails as `anonymous_token` does, and with the error of `is_in_use`.
    pub async fn anonymous_token_unless(
        &self,
        project_key: &str,
        request: &OAuthRequest<'_>,
        clock: &impl ProjectClock,
        is_in_use: impl FnOnce(&str) -> Result<bool, ApiError>,
    ) -> Result<TokenResponse, OAuthError> {
        let (client, now_ms) = self.client_for_token_in(project_key, request, clock)?;
        let parameters = request.parameters()?;
        match parameters.require("grant_type")? {
            "client_credentials" => {}
            other => return Err(OAuthError::unsupported_grant_type(other, "client_credentials")),
        }
        if !client.scopes().allows(&[ScopeName::CreateAnonymousToken]) {
            return Err(OAuthError::insufficient_scope(
                "Insufficient scope. One of the following scopes is missing: create_anonymous_token.",
            ));
        }
        let granted = grant_scope(&client, parameters.get("scope"))?;
        let id = match parameters.get("anonymous_id") {
            None => Uuid::new_v4().to_string(),
            Some(id) => {
                let id = checked_id(id)?;
                if is_in_use(id)? {
                    return Err(OAuthError::anonymous_id_in_use());
                }
                id.to_owned()
            }
        };
        let holder = TokenHolder { subject: TokenSubject::Anonymous { id }, store_key: None };
        let response = self.issue(&client, granted, holder, RefreshTokenUse::New, now_ms).await?;
        Ok(response.without_unwanted_refresh_token(parameters.get("refresh_token")))
    }
}

impl AuthService {
    /// Returns whether a session of that id is alive in a project. For tokens of external servers, which may name any.
    /// Fails if the store cannot be read.
    pub fn has_anonymous_session(&self, project_key: &str, id: &str, now_ms: i64) -> crate::Result<bool> {
        self.store.is_session(project_key, id, now_ms)
    }
}

/// Validates a chosen id. It becomes a word in the list of scopes, so it must be one word.
fn checked_id(id: &str) -> Result<&str, OAuthError> {
    let is_word = id.chars().all(|character| !character.is_whitespace() && !character.is_control());
    if is_word && id.chars().count() <= ANONYMOUS_ID_CHARS_MAX {
        return Ok(id);
    }
    Err(OAuthError::invalid_request(format!(
        "The parameter anonymous_id must have at most {ANONYMOUS_ID_CHARS_MAX} characters, and no blank among them."
    )))
}
