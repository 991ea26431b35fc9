//! Rate limit for wrong secrets at endpoints that authenticate people (`@guarded` in the model).

use crate::oauth::refusal;
use crate::peer::sender;
use crate::server::Server;
use axum::http::request::Parts;
use kontor_auth::{Attempt, OAuthError, System, account_in};
use kontor_errors::{ApiError, Code};
use kontor_json::Value;
use kontor_model::{Account, Endpoint};
use kontor_rest::answer::Answer;
use kontor_rest::{Ended, Guard};
use std::net::IpAddr;

/// One call of a guarded endpoint.
pub(crate) struct Guarded<'a> {
    system: &'a System,
    account: String,
    address: Option<IpAddr>,
}

/// The guard of one request.
pub(crate) struct OfRequest<'a> {
    pub(crate) server: &'a Server,
    pub(crate) project: &'a str,
    pub(crate) parts: &'a Parts,
    /// The customer who asks, if one does.
    pub(crate) customer: Option<&'a str>,
}

impl Guard for OfRequest<'_> {
    fn admit<'g>(&'g self, endpoint: &Endpoint, body: &Value) -> Result<Option<Ended<'g>>, Box<Answer>> {
        let address = sender(self.server, self.parts);
        let guarded = Guarded::of(&self.server.system, self.project, endpoint, body, self.customer, address);
        let Some(guarded) = guarded else { return Ok(None) };
        guarded.admit().map_err(|error| Box::new(refusal(&error)))?;
        Ok(Some(Box::new(move |refusal| guarded.ended(refusal))))
    }
}

impl<'a> Guarded<'a> {
    /// The guard of a call from an address, by the customer who asks if one does: where the endpoint has one and body or
    /// token name an account.
    pub(crate) fn of(
        system: &'a System,
        project: &str,
        endpoint: &Endpoint,
        body: &Value,
        asker: Option<&str>,
        address: Option<IpAddr>,
    ) -> Option<Self> {
        let account = match endpoint.account.as_ref()? {
            Account::Field(field) => body.get(field)?.as_str()?,
            Account::Asker => asker?,
        };
        Some(Self { system, account: account_in(project, account), address })
    }
}

impl Guarded<'_> {
    /// 429 where too many wrong secrets came of late.
    pub(crate) fn admit(&self) -> Result<(), OAuthError> {
        self.system.admit_attempt(&self.attempt())
    }

    /// Notes how the call ended. A refusal for other reasons than the secret says nothing about it.
    pub(crate) fn ended(&self, refusal: Option<&ApiError>) {
        let was_right = match refusal.map(ApiError::code) {
            None => true,
            Some(Code::InvalidCredentials | Code::InvalidCurrentPassword) => false,
            Some(_) => return,
        };
        self.system.attempt_ended(&self.attempt(), was_right);
    }

    fn attempt(&self) -> Attempt<'_> {
        Attempt { account: &self.account, address: self.address }
    }
}
