//! Topics of Google Cloud Pub/Sub, and authentication at Google Cloud Functions.
//!
//! The sender is the service account of the file named by `GOOGLE_APPLICATION_CREDENTIALS`; it signs a token
//! for each request itself, so that no token endpoint is called. `PUBSUB_EMULATOR_HOST` names an emulator,
//! which needs no token.
//!
//! Source: reference type `GoogleCloudPubSubDestination`; documentation of Google, "Method:
//! projects.topics.publish", "Self-signed JWTs", "PubSub Protocol Binding for CloudEvents" (structured
//! content mode).

use crate::payload::Payload;
use crate::percent::encoded;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use jiff::Timestamp;
use kontor_json::{Value, json};
use kontor_outbound::{Outbound, OutboundRequest};
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

const SERVICE: &str = "https://pubsub.googleapis.com";
/// The default token endpoint, if the account's file has none.
const TOKENS: &str = "https://oauth2.googleapis.com/token";
/// How long a token is valid, in seconds.
const TOKEN_SECONDS: i64 = 600;
/// How long a token for a function is cached, in seconds: a bit less than the hour for which it is valid.
const IDENTITY_SECONDS: i64 = 3_000;
/// Maximum size of a token response, in bytes.
const IDENTITY_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of cached tokens; there are few functions.
const IDENTITIES_MAX: usize = 1_000;

/// A service account.
struct ServiceAccount {
    email: String,
    key_id: Option<String>,
    key: RsaKeyPair,
    /// The token endpoint.
    token_uri: String,
}

impl ServiceAccount {
    /// Parses the JSON file of a service account as Google issues it.
    fn read(text: &str) -> Option<Self> {
        let file: Value = kontor_json::from_str(text).ok()?;
        let pem = file["private_key"].as_str()?;
        let inner: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let key = RsaKeyPair::from_pkcs8(&BASE64_STANDARD.decode(inner.trim()).ok()?).ok()?;
        let key_id = file["private_key_id"].as_str().map(str::to_owned);
        let token_uri = file["token_uri"].as_str().unwrap_or(TOKENS).to_owned();
        Some(Self { email: file["client_email"].as_str()?.to_owned(), key_id, key, token_uri })
    }

    /// Returns a token for Pub/Sub, signed by this account.
    fn token(&self, now: i64) -> Option<String> {
        self.signed(&json!({
            "iss": self.email, "sub": self.email, "aud": format!("{SERVICE}/"), "iat": now, "exp": now + TOKEN_SECONDS,
        }))
    }

    /// Returns a signed assertion for an identity token for a function.
    fn assertion(&self, function: &str, now: i64) -> Option<String> {
        self.signed(&json!({
            "iss": self.email, "sub": self.email, "aud": self.token_uri, "target_audience": function, "iat": now,
            "exp": now + TOKEN_SECONDS,
        }))
    }

    fn signed(&self, claims: &Value) -> Option<String> {
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let head = json!({"alg": "RS256", "typ": "JWT", "kid": self.key_id});
        let signed = format!("{}.{}", part(&head), part(claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).ok()?;
        Some(format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// Returns the service account of the server, if it has one.
fn account() -> Option<&'static ServiceAccount> {
    static ACCOUNT: OnceLock<Option<ServiceAccount>> = OnceLock::new();
    let find = || {
        let path = std::env::var_os("GOOGLE_APPLICATION_CREDENTIALS")?;
        let account = std::fs::read_to_string(&path).ok().and_then(|text| ServiceAccount::read(&text));
        if account.is_none() {
            tracing::warn!(path = %path.display(), "this file is not a key of a Google service account");
        }
        account
    };
    ACCOUNT.get_or_init(find).as_ref()
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut token = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    token.set_sensitive(true);
    Some(token)
}

/// Returns the identity token for a function; `None` without an account, or if the endpoint issues none.
///
/// Source: documentation of Google, "Using OAuth 2.0 for Server to Server Applications" (`target_audience`).
pub(crate) async fn identity(outbound: &Outbound, function: &str, timeout: Duration) -> Option<HeaderValue> {
    static KNOWN: Mutex<BTreeMap<String, (HeaderValue, i64)>> = Mutex::new(BTreeMap::new());
    let account = account()?;
    let now = Timestamp::now().as_second();
    if let Some((token, until)) = KNOWN.lock().get(function)
        && now < *until
    {
        return Some(token.clone());
    }
    let assertion = account.assertion(function, now)?;
    let form = format!(
        "grant_type={}&assertion={assertion}",
        encoded("urn:ietf:params:oauth:grant-type:jwt-bearer")
    );
    let requested = outbound.post(OutboundRequest {
        url: account.token_uri.clone(),
        headers: vec![(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"))],
        body: form.into(),
        timeout,
        response_bytes_max: IDENTITY_BYTES_MAX,
    });
    let response = requested.await.ok().filter(|response| response.status == 200)?;
    let response: Value = kontor_json::from_slice(&response.body).ok()?;
    let token = bearer(response["id_token"].as_str()?)?;
    let mut known = KNOWN.lock();
    if known.len() >= IDENTITIES_MAX {
        known.clear();
    }
    known.insert(function.to_owned(), (token.clone(), now + IDENTITY_SECONDS));
    Some(token)
}

/// Builds the request to a topic; `None` without credentials to sign it. `own`: the server's own account may
/// be used.
pub(crate) fn request(
    destination: &Value,
    payload: &Payload,
    own: bool,
    timeout: Duration,
    response_bytes_max: usize,
) -> Option<OutboundRequest> {
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    let emulator = std::env::var("PUBSUB_EMULATOR_HOST").ok().filter(|host| !host.is_empty());
    let service = match emulator {
        Some(host) => format!("http://{host}"),
        None => {
            let account = account().filter(|_| own)?;
            headers.push((AUTHORIZATION, bearer(&account.token(Timestamp::now().as_second())?)?));
            SERVICE.to_owned()
        }
    };
    let name = |field: &str| destination[field].as_str().map(encoded);
    Some(OutboundRequest {
        url: format!("{service}/v1/projects/{}/topics/{}:publish", name("projectId")?, name("topic")?),
        headers,
        body: message(payload).to_string().into(),
        timeout,
        response_bytes_max,
    })
}

/// Returns the payload as a message of Pub/Sub.
fn message(payload: &Payload) -> Value {
    let attributes = match payload.is_cloud_event {
        true => json!({"content-type": payload.content_type()}),
        false => json!({}),
    };
    json!({"messages": [{"data": BASE64_STANDARD.encode(&payload.body), "attributes": attributes}]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_holds_its_payload_in_base64() {
        let mut payload = Payload {
            body: "{}".into(),
            is_cloud_event: false,
            subject: String::new(),
            about: String::new(),
        };
        assert_eq!(message(&payload), json!({"messages": [{"data": "e30=", "attributes": {}}]}));
        payload.is_cloud_event = true;
        let attributes = json!({"content-type": "application/cloudevents+json; charset=utf-8"});
        assert_eq!(message(&payload)["messages"][0]["attributes"], attributes);
    }

    #[test]
    fn signatures_verify_with_the_public_key() {
        let file = json!({
            "client_email": "shop@project.example", "private_key_id": "k-1", "token_uri": "https://tokens.example",
            "private_key": include_str!("../tests/data/account.pem"),
        });
        let account = ServiceAccount::read(&file.to_string()).unwrap();
        let assertion = account.assertion("https://function.example/f", 1_000).unwrap();
        let (signed, signature) = assertion.rsplit_once('.').unwrap();
        let key = ring::signature::UnparsedPublicKey::new(
            &ring::signature::RSA_PKCS1_2048_8192_SHA256,
            account.key.public(),
        );
        key.verify(signed.as_bytes(), &BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        let part = |place: usize| -> Value {
            let part = BASE64_URL_SAFE_NO_PAD.decode(signed.split('.').nth(place).unwrap()).unwrap();
            kontor_json::from_slice(&part).unwrap()
        };
        assert_eq!(part(0), json!({"alg": "RS256", "typ": "JWT", "kid": "k-1"}));
        let claims = json!({
            "iss": "shop@project.example", "sub": "shop@project.example", "aud": "https://tokens.example",
            "target_audience": "https://function.example/f", "iat": 1_000, "exp": 1_600,
        });
        assert_eq!(part(1), claims);
    }

    #[test]
    fn rejects_other_json_as_service_account() {
        assert!(ServiceAccount::read("{}").is_none());
        assert!(ServiceAccount::read("{\"client_email\": \"a@b\", \"private_key\": \"x\"}").is_none());
    }
}
