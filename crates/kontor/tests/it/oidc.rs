//! Sign-in to the console with an OpenID Connect provider.

use crate::console_browser::{Answer, Browser, operator, start_new_server};
use crate::fake_server::FakeServer;
use crate::harness::folder;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kontor_json::{Value, json};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

const CALLBACK: &str = "/console/api/oidc/callback";

static ISSUER: OnceLock<String> = OnceLock::new();
static USED_CODES: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
static KEY: LazyLock<EcdsaKeyPair> = LazyLock::new(|| {
    let random = SystemRandom::new();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap()
});

/// Responds as a provider. A code is hex of the claims that its token gets, and of the PKCE challenge.
fn provide(path: &str, body: &Value) -> (u16, String) {
    let issuer = ISSUER.get().unwrap();
    let response = match path {
        "/.well-known/openid-configuration" => json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/jwks"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }),
        "/jwks" => {
            let point = KEY.public_key().as_ref();
            let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
            json!({"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "kid": "1", "x": x, "y": y}]})
        }
        "/token" => return exchange(body.as_str().unwrap()),
        _ => return (404, String::new()),
    };
    (200, response.to_string())
}

fn exchange(form: &str) -> (u16, String) {
    let form = pairs(form);
    let code = &form["code"];
    let (claims, challenge) = code.split_once('.').unwrap();
    let is_proven = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"])) == challenge;
    if !is_proven || !USED_CODES.lock().unwrap().insert(code.clone()) {
        return (400, json!({"error": "invalid_grant"}).to_string());
    }
    let head = URL_SAFE_NO_PAD.encode(json!({"alg": "ES256", "kid": "1"}).to_string());
    let signed = format!("{head}.{claims}");
    let signature = KEY.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
    let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature));
    (200, json!({"access_token": "a", "token_type": "Bearer", "id_token": token}).to_string())
}

fn pairs(query: &str) -> HashMap<String, String> {
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// A sign-in that has begun.
struct Begun {
    browser: Browser,
    query: HashMap<String, String>,
}

impl Begun {
    #[track_caller]
    fn start(url: &str) -> Self {
        let mut browser = Browser::new(url);
        let response = browser.get("/console/api/oidc");
        let location = response.header("location");
        assert_eq!(response.status, 303, "{}", response.text);
        let (page, query) = location.split_once('?').unwrap();
        assert_eq!(page, format!("{}/authorize", ISSUER.get().unwrap()));
        let cookie = response.header("set-cookie");
        assert!(
            cookie.starts_with("kontor_console_oidc=") && cookie.contains("HttpOnly; SameSite=Lax"),
            "{cookie}"
        );
        browser.cookie = cookie.split(';').next().unwrap().to_owned();
        Self { query: pairs(query), browser }
    }

    /// Returns a code of the provider for claims, which replace those of a valid token.
    fn code(&self, changes: &Value) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut claims = json!({
            "iss": ISSUER.get().unwrap(), "aud": "console", "sub": "1", "iat": now, "exp": now + 60,
            "nonce": self.query["nonce"], "email": "Ann@example.com", "email_verified": true,
        });
        for (name, value) in changes.as_object().unwrap() {
            claims[name.as_str()] = value.clone();
        }
        format!("{}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()), self.query["code_challenge"])
    }

    fn finish(&self, state: &str, code: &str) -> Answer {
        self.browser.get(&format!("{CALLBACK}?state={state}&code={code}"))
    }
}

#[track_caller]
fn fails(response: &Answer, reason: &str) {
    let location = response.header("location");
    assert_eq!((response.status, location), (303, format!("/console/#sign-in-error={reason}").as_str()));
    assert!(!response.header("set-cookie").starts_with("kontor_console="));
}

#[test]
fn operators_sign_in_with_a_provider() {
    let provider = FakeServer::start(provide);
    ISSUER.set(provider.url.clone()).unwrap();
    let data = folder();
    let flags = ["--console-oidc-client-id=console", "--console-oidc-client-secret=hush"];
    let issuer = format!("--console-oidc-issuer={}", provider.url);
    let (mut process, url, _lines) = start_new_server(data.path(), &[flags[0], flags[1], &issuer]);
    operator(data.path(), "ann@example.com", "administrator");
    assert_eq!(Browser::new(&url).get("/console/config.json").body["oidc"], json!({"name": "127.0.0.1"}));

    let mut begun = Begun::start(&url);
    assert_eq!(begun.query["redirect_uri"], format!("{url}{CALLBACK}"));
    let (state, code) = (begun.query["state"].clone(), begun.code(&json!({})));
    fails(&begun.finish("other", &code), "expired");
    fails(&Browser::new(&url).get(&format!("{CALLBACK}?state={state}&code={code}")), "expired");
    let response = begun.finish(&state, &code);
    assert_eq!((response.status, response.header("location")), (303, "/console/"), "{}", response.text);
    fails(&begun.finish(&state, &code), "expired");
    begun.browser.keep(&response);
    assert_eq!(begun.browser.get("/console/api/session").body["operator"]["email"], "ann@example.com");
    assert_eq!(begun.browser.call("POST", "sign-out", json!({})).status, 204);
    assert_eq!(begun.browser.get("/console/api/session").status, 401);

    let again = Begun::start(&url);
    fails(&again.finish(&again.query["state"], &code), "refused");
    for (changes, reason) in [
        (json!({"nonce": "other"}), "refused"),
        (json!({"aud": "other"}), "refused"),
        (json!({"iss": "http://other.example"}), "refused"),
        (json!({"exp": 1}), "refused"),
        (json!({"email": "max@example.com"}), "unknown-operator"),
        (json!({"email_verified": false}), "unverified-email"),
        (json!({"email_verified": null}), "unverified-email"),
        (json!({"email": null}), "unverified-email"),
    ] {
        let begun = Begun::start(&url);
        fails(&begun.finish(&begun.query["state"], &begun.code(&changes)), reason);
    }
    let begun = Begun::start(&url);
    let refused =
        begun.browser.get(&format!("{CALLBACK}?state={}&error=access_denied", begun.query["state"]));
    fails(&refused, "refused");
    let mut last = begun.finish("other", "code");
    for _ in 0..30 {
        last = begun.finish("other", "code");
    }
    fails(&last, "rate-limit");
    process.kill();
}

#[test]
fn a_provider_that_is_down_does_not_break_the_console() {
    let data = folder();
    let flags = ["--console-oidc-client-id=console", "--console-oidc-issuer=http://127.0.0.1:1"];
    let more = ["--console-oidc-client-secret=hush", "--console-oidc-name=Example"];
    let (mut process, url, _lines) = start_new_server(data.path(), &[flags[0], flags[1], more[0], more[1]]);
    let browser = Browser::new(&url);
    assert_eq!(browser.get("/console/config.json").body["oidc"], json!({"name": "Example"}));
    fails(&browser.get("/console/api/oidc"), "unavailable");
    process.kill();
}
