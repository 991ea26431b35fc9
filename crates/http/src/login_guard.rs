//! Rate limit for wrong passwords and tokens at endpoints that authenticate people (`@guarded` in the model).

use crate::oauth::error_response;
use crate::peer::client_address;
use crate::server::Server;
use axum::http::request::Parts;
use kontor_auth::{AuthService, LoginAttempt, OAuthError, account_in};
use kontor_engine::document::{read_stored, text};
use kontor_engine::{Address, Shop};
use kontor_errors::{ApiError, Code};
use kontor_json::Value;
use kontor_model::{Endpoint, EndpointAccount};
use kontor_rest::response::HttpResponse;
use kontor_rest::{Guard, GuardCompletion};
use std::net::IpAddr;

/// One call of a guarded endpoint, by account and address.
pub(crate) struct GuardedCall<'a> {
    auth: &'a AuthService,
    account: String,
    address: Option<IpAddr>,
}

/// The guard of one REST request.
pub(crate) struct RequestGuard<'a> {
    pub(crate) server: &'a Server,
    pub(crate) project: &'a str,
    pub(crate) parts: &'a Parts,
    /// The id of the customer, if the caller is one.
    pub(crate) customer: Option<&'a str>,
}

impl Guard for RequestGuard<'_> {
    fn admit<'g>(
        &'g self,
        endpoint: &Endpoint,
        body: &Value,
    ) -> Result<Option<GuardCompletion<'g>>, Box<HttpResponse>> {
        let address = client_address(self.server, self.parts);
        let shop = self.server.shops.running_shop(self.project);
        let asking = (self.customer, address);
        let guarded = GuardedCall::for_endpoint(
            &self.server.auth,
            self.project,
            shop.as_deref(),
            endpoint,
            body,
            asking,
        );
        let Some(guarded) = guarded else { return Ok(None) };
        guarded.check().map_err(|error| Box::new(error_response(&error)))?;
        Ok(Some(Box::new(move |refusal| guarded.count_result(refusal))))
    }
}

impl<'a> GuardedCall<'a> {
    /// Returns the guard of a call; `None` if the endpoint has none, or if neither body nor token names an account.
    /// `asker` is the calling customer.
    pub(crate) fn for_endpoint(
        auth: &'a AuthService,
        project: &str,
        shop: Option<&Shop>,
        endpoint: &Endpoint,
        body: &Value,
        (asker, address): (Option<&str>, Option<IpAddr>),
    ) -> Option<Self> {
        let account = match endpoint.account.as_ref()? {
            EndpointAccount::Field(field) if endpoint.signs_in => body.get(field)?.as_str()?.to_owned(),
            EndpointAccount::Field(field) => signing_name(body.get(field)?.as_str()?, shop),
            EndpointAccount::Asker => signing_name(asker?, shop),
        };
        Some(Self { auth, account: account_in(project, &account), address })
    }
}

/// Returns the name that the customer with an id signs in with, so that wrong passwords are counted together wherever
/// they are sent (`/login`, the password flow, `/customers/password`); the id itself if there is no such customer.
fn signing_name(id: &str, shop: Option<&Shop>) -> String {
    let found = || {
        let shop = shop?;
        let kind = shop.model().kind_by_my_path("")?;
        let sign_in = shop.model().kind(kind).endpoints.iter().find(|endpoint| endpoint.signs_in)?;
        let Some(EndpointAccount::Field(name)) = &sign_in.account else { return None };
        let stored = shop.get(kind, &Address::Id(id)).ok()??;
        text(&read_stored(&stored).ok()?, &[name]).map(str::to_owned)
    };
    found().unwrap_or_else(|| id.to_owned())
}

impl GuardedCall<'_> {
    /// Returns a 429 if too many recent attempts were wrong.
    pub(crate) fn check(&self) -> Result<(), OAuthError> {
        self.auth.admit_attempt(&self.login_attempt())
    }

    /// Counts the result of the call. Errors for other reasons than the secret do not count.
    pub(crate) fn count_result(&self, refusal: Option<&ApiError>) {
        let was_right = match refusal.map(ApiError::code) {
            None => true,
            Some(Code::InvalidCredentials | Code::InvalidCurrentPassword) => false,
            Some(_) => return,
        };
        self.auth.record_attempt(&self.login_attempt(), was_right);
    }

    fn login_attempt(&self) -> LoginAttempt<'_> {
        LoginAttempt { account: &self.account, address: self.address }
    }
}
