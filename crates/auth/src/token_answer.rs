//! What a client gets that asked for a token.

use kontor_json::{Map, Value, json};
use secrecy::ExposeSecret;

use crate::Secret;

/// The answer to a request for a token. To be sent with `Cache-Control: no-store`.
#[derive(Debug)]
pub struct TokenAnswer {
    /// The access token.
    pub access_token: Secret,
    /// How long it lives, in seconds.
    pub expires_in_s: i64,
    /// What it may do.
    pub scope: String,
    /// The refresh token, where the flow gives one.
    pub refresh_token: Option<Secret>,
}

impl TokenAnswer {
    /// The same for a client that said `refresh_token=false`, as official clients do: it is told of none. The session has
    /// one all the same, which keeps its `anonymous_id` from others.
    pub(crate) fn told_as_asked(self, asked: Option<&str>) -> TokenAnswer {
        match asked {
            Some("false") => TokenAnswer { refresh_token: None, ..self },
            _ => self,
        }
    }

    /// The body.
    pub fn to_json(&self) -> Value {
        let mut body = Map::new();
        body.insert("access_token", json!(self.access_token.expose_secret()));
        body.insert("expires_in", json!(self.expires_in_s));
        body.insert("scope", json!(self.scope));
        if let Some(token) = &self.refresh_token {
            body.insert("refresh_token", json!(token.expose_secret()));
        }
        body.insert("token_type", json!("Bearer"));
        Value::Object(body)
    }
}
