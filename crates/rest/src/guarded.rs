//! Endpoints at which somebody proves who they are: who guesses is slowed down (`@guarded` in the model).

use crate::face::Face;
use axum::http::request::Parts;
use kontor_auth::{Attempt, OAuthError, System, account_in};
use kontor_engine::Caller;
use kontor_errors::{ApiError, Code};
use kontor_model::{Account, Endpoint};
use serde_json::Value;
use std::net::IpAddr;

/// One call of a guarded endpoint.
pub(crate) struct Guarded<'a> {
    system: &'a System,
    account: String,
    address: Option<IpAddr>,
}

impl Face {
    /// The guard of a call, where the endpoint has one and body or token name an account.
    pub(crate) fn guarded(
        &self,
        project: &str,
        endpoint: &Endpoint,
        body: &Value,
        by: &Caller,
        parts: &Parts,
    ) -> Option<Guarded<'_>> {
        self.guarded_from(project, endpoint, body, by.customer_id.as_deref(), self.sender(parts))
    }

    /// As [`Face::guarded`], of a call from an address, by the customer who asks if one does.
    pub(crate) fn guarded_from(
        &self,
        project: &str,
        endpoint: &Endpoint,
        body: &Value,
        asker: Option<&str>,
        address: Option<IpAddr>,
    ) -> Option<Guarded<'_>> {
        let account = match endpoint.account.as_ref()? {
            Account::Field(field) => body.get(field)?.as_str()?,
            Account::Asker => asker?,
        };
        Some(Guarded { system: &self.system, account: account_in(project, account), address })
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
