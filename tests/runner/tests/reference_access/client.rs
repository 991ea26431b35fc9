//! Sends requests with the token of one caller.

use kontor_json::{Value, json};
use kontor_tests::{TestProject, TestedServer};
use ureq::{Agent, http};

pub(crate) const PROJECT: &str = "reference-access";

/// A status, and the body as text and as JSON.
pub(crate) struct ExpectedResponse {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl ExpectedResponse {
    pub(crate) fn json(&self) -> Value {
        kontor_json::from_str(&self.text).unwrap_or_default()
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Calls one server.
pub(crate) struct Client {
    agent: Agent,
    base_url: String,
    /// Authorization of the client of the project with all scopes.
    pub(crate) admin: String,
}

impl Client {
    pub(crate) fn new(server: &TestedServer) -> Self {
        let shop = TestProject::open(&server.base_url, PROJECT).unwrap();
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        let admin = shop.authorization().unwrap().to_owned();
        Self { agent, base_url: server.base_url.clone(), admin }
    }

    /// `path` begins behind the project's key, or with `/oauth` or `/openapi`.
    pub(crate) fn send(&self, method: &str, path: &str, token: &str, body: &str) -> ExpectedResponse {
        let is_form = path.starts_with("/oauth");
        let whole = if is_form || path.starts_with("/openapi") {
            format!("{}{path}", self.base_url)
        } else {
            format!("{}/{PROJECT}{path}", self.base_url)
        };
        let content_type = if is_form { "application/x-www-form-urlencoded" } else { "application/json" };
        let request = http::Request::builder()
            .method(method)
            .uri(whole)
            .header("authorization", token)
            .header("content-type", content_type)
            .body(body.to_owned())
            .unwrap();
        let mut response = self.agent.run(request).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let status = response.status().as_u16();
        assert!(status < 500, "{method} {path} {body}: {status}");
        ExpectedResponse { status, text: response.body_mut().read_to_string().unwrap() }
    }

    /// Sends as the client with all scopes. Panics unless it succeeds: the world is built of such requests.
    pub(crate) fn make(&self, path: &str, body: Value) -> Value {
        let reply = self.send("POST", path, &self.admin, &body.to_string());
        assert!(reply.is_success(), "POST {path} {body}: {} {}", reply.status, reply.text);
        reply.json()
    }

    /// Reads as the client with all scopes.
    pub(crate) fn read(&self, path: &str) -> Value {
        self.send("GET", path, &self.admin, "").json()
    }

    /// Does one update action as the client with all scopes.
    pub(crate) fn act(&self, path: &str, id: &str, action: Value) -> Value {
        let version = self.read(&format!("{path}/{id}"))["version"].clone();
        self.make(&format!("{path}/{id}"), json!({"version": version, "actions": [action]}))
    }

    /// A token of one of the OAuth flows, for the client with all scopes.
    pub(crate) fn token(&self, path: &str, form: &str) -> String {
        self.token_for(path, form, &format!("{PROJECT}-client:{PROJECT}-secret"))
    }

    /// A token of a client.
    pub(crate) fn client_token(&self, id: &str, secret: &str) -> String {
        self.token_for("/oauth/token", "grant_type=client_credentials", &format!("{id}:{secret}"))
    }

    fn token_for(&self, path: &str, form: &str, credentials: &str) -> String {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let basic = format!("Basic {}", STANDARD.encode(credentials));
        let reply = self.send("POST", path, &basic, form);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        format!("Bearer {}", reply.json()["access_token"].as_str().unwrap())
    }
}

/// Text as a value of a query parameter.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
