//! `POST /oauth/{projectKey}/customers/token`, and the same below a Store: the password flow for a Customer.
//!
//! Source: document A, "Authentication".

use futures_util::future::BoxFuture;

use kontor_errors::ApiError;
use secrecy::{ExposeSecret, SecretString};

use crate::{
    AuthService, LoginAttempt, OAuthError, OAuthRequest, ProjectClock, TokenResponse, TokenSubject,
    account_in,
    issue::{RefreshTokenUse, TokenHolder},
    secret::SecretHash,
    token_endpoint::grant_scope,
};

/// Access to the Customers of all projects, provided by the host.
pub trait Customers: Send + Sync {
    /// Returns the Customer with an email and password, or `None`. Takes the same time whether or not the email exists.
    fn check<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
    ) -> BoxFuture<'a, Result<Option<VerifiedCustomer>, ApiError>>;

    /// Returns whether the Customer of a login still has the password that was verified. Sees every change that was
    /// acknowledged before the call, by any process.
    fn is_unchanged<'a>(
        &'a self,
        login: &'a CustomerLogin<'a>,
        verified: &'a VerifiedCustomer,
    ) -> BoxFuture<'a, Result<bool, ApiError>>;
}

/// The login of a Customer of a project, or of a Store.
pub struct CustomerLogin<'a> {
    /// The project.
    pub project_key: &'a str,
    /// The Store; `None`: a Customer of the project.
    pub store_key: Option<&'a str>,
    /// The email address.
    pub email: &'a str,
    /// The password as sent.
    pub password: SecretString,
}

/// A Customer whose password was verified.
pub struct VerifiedCustomer {
    /// The id.
    pub id: String,
    /// The stored hash of the password. Each new password has another hash, even if it is the same text.
    pub password_hash: String,
}

impl AuthService {
    /// Handles `POST /oauth/{projectKey}/customers/token`, and with a Store
    /// `POST /oauth/{projectKey}/in-store/key={storeKey}/customers/token`: returns an access token and a refresh token,
    /// both limited to that Store.
    ///
    /// Fails as [`token`](Self::token) does; with 403 `insufficient_scope` if the client is of another project;
    /// with 400 `invalid_customer_account_credentials` if no Customer has this email and password; with 429 after too
    /// many wrong secrets.
    pub async fn customer_token(
        &self,
        project_key: &str,
        store_key: Option<&str>,
        request: &OAuthRequest<'_>,
        customers: &dyn Customers,
        clock: &impl ProjectClock,
    ) -> Result<TokenResponse, OAuthError> {
        let (client, now_ms) = self.client_for_token_in(project_key, request, clock)?;
        let parameters = request.parameters()?;
        match parameters.require("grant_type")? {
            "password" => {}
            other => return Err(OAuthError::unsupported_grant_type(other, "password")),
        }
        let email = parameters.require("username")?;
        let password = SecretString::from(parameters.require("password")?);
        let login = CustomerLogin { project_key, store_key, email, password };
        let granted = grant_scope(&client, parameters.get("scope"))?;
        let account = account_in(project_key, email);
        let attempt = LoginAttempt { account: &account, address: request.address };
        self.admit_attempt(&attempt)?;
        let verified = customers.check(&login).await?;
        self.record_attempt(&attempt, verified.is_some());
        let verified = verified.ok_or_else(OAuthError::invalid_customer_credentials)?;
        let subject = TokenSubject::Customer { id: verified.id.clone() };
        let holder = TokenHolder { subject, store_key: store_key.map(str::to_owned) };
        let response = self.issue(&client, granted, holder, RefreshTokenUse::New, now_ms).await?;
        // Tokens are revoked after a new password is on disk. If that happened before this token was written, the token
        // outlived it, and the new password is there now. No client knows the token before it is returned.
        if !customers.is_unchanged(&login, &verified).await? {
            if let Some(token) = &response.refresh_token {
                self.revoke_token(SecretHash::from_secret(token.expose_secret()), &client).await?;
            }
            return Err(OAuthError::invalid_customer_credentials());
        }
        Ok(response.without_unwanted_refresh_token(parameters.get("refresh_token")))
    }
}
