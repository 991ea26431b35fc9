//! The response of the token endpoints.

use kontor_json::{Map, Value, json};
use secrecy::ExposeSecret;

use crate::Secret;

/// The response to a token request. It must be sent with `Cache-Control: no-store`.
#[derive(Debug)]
pub struct TokenResponse {
    /// The access token.
    pub access_token: Secret,
    /// The lifetime of the access token, in seconds.
    pub expires_in_s: i64,
    /// The scopes of the access token.
    pub scope: String,
    /// The refresh token, if the flow issues one.
    pub refresh_token: Option<Secret>,
}

impl TokenResponse {
    /// Removes the refresh token from the response to a client that sent `refresh_token=false`, as official clients do.
    /// The session has one all the same, which reserves its `anonymous_id`.
    pub(crate) fn without_unwanted_refresh_token(self, requested: Option<&str>) -> TokenResponse {
        match requested {
            Some("false") => TokenResponse { refresh_token: None, ..self },
            _ => self,
        }
    }

    /// Returns the body of the response.
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
