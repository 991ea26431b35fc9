//! `POST /oauth/{projectKey}/customers/token`, and the same below a Store: the password flow for a Customer.
//!
//! Source: document A, "Authentication".

use futures_util::future::BoxFuture;

use kontor_errors::ApiError;
use secrecy::SecretString;

use crate::{
    AuthService, LoginAttempt, OAuthError, OAuthRequest, ProjectClock, TokenResponse, TokenSubject,
    account_in,
    issue::{RefreshTokenUse, TokenHolder},
    token_endpoint::grant_scope,
};

/// Access to the Customers of all projects, provided by the host.
pub trait Customers: Send + Sync {
    /// Returns the id of the Customer with that email and password, of the project or of a Store, or `None`. Takes
    /// the same time whether or not the email exists.
    fn check<'a>(
        &'a self,
        project_key: &'a str,
        store_key: Option<&'a str>,
        email: &'a str,
        password: &'a SecretString,
    ) -> BoxFuture<'a, Result<Option<String>, ApiError>>;
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
        let granted = grant_scope(&client, parameters.get("scope"))?;
        let account = account_in(project_key, email);
        let attempt = LoginAttempt { account: &account, address: request.address };
        self.admit_attempt(&attempt)?;
        let proof = self.shared.endings.begin_login();
        let id = customers.check(project_key, store_key, email, &password).await?;
        self.record_attempt(&attempt, id.is_some());
        let id = id.ok_or_else(OAuthError::invalid_customer_credentials)?;
        let holder =
            TokenHolder { subject: TokenSubject::Customer { id }, store_key: store_key.map(str::to_owned) };
        let answer =
            self.issue(&client, granted, holder, RefreshTokenUse::Begins(Some(proof)), now_ms).await?;
        Ok(answer.without_unwanted_refresh_token(parameters.get("refresh_token")))
    }
}
