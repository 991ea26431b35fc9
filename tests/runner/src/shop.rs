//! The HTTP client of a conversation: one fresh project in the server, and the identity that sends requests to it.

use crate::calls::{SECOND_DOCUMENT, document_path, second_document_path};
use crate::conversation::{ConversationBody, Exchange, Identity};
use crate::graphql_translation::{ChangeKind, GraphQlTranslation, INTROSPECTION, TranslatedChange, refusal};
use crate::names::BoundNames;
use base64::{Engine, engine::general_purpose::STANDARD};
use kontor_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use ureq::{Agent, http};

/// A project for one conversation alone.
#[derive(Debug)]
pub struct TestProject {
    agent: Agent,
    base_url: String,
    key: String,
    client_id: String,
    client_secret: String,
    identity: Identity,
    /// The value of the Authorization header.
    authorization: Option<String>,
    /// The translation of changes to GraphQL; `None`: all requests go through REST.
    over_graphql: Option<Arc<GraphQlTranslation>>,
    /// The number of changes that went through GraphQL.
    translated: AtomicUsize,
}

/// A response of the server.
#[derive(Debug)]
pub struct TestResponse {
    /// The HTTP status.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body: JSON, or a JSON string of a text that is not JSON; `None` if it is empty.
    pub body: Option<Value>,
}

/// The timeout of a request; the conversation fails after it.
const ANSWER_SECONDS_MAX: u64 = 30;

impl TestProject {
    /// Creates the project `key` through the test controls and fetches a token with all scopes of its client.
    pub fn open(base_url: &str, key: &str) -> Result<Self, String> {
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(ANSWER_SECONDS_MAX)))
            .build()
            .into();
        let mut shop = Self {
            agent,
            base_url: base_url.to_owned(),
            key: key.to_owned(),
            client_id: format!("{key}-client"),
            client_secret: format!("{key}-secret"),
            identity: Identity::Admin,
            authorization: None,
            over_graphql: None,
            translated: AtomicUsize::new(0),
        };
        let project = json!({"key": key, "clientId": shop.client_id, "clientSecret": shop.client_secret});
        let reply = shop.post_json("/_test/projects", &project)?;
        if !matches!(reply.status, 200 | 201) {
            return Err(format!("no project: {} {}", reply.status, reply.body.unwrap_or_default()));
        }
        shop.speak_as(&Identity::Admin, &BoundNames::default())?;
        Ok(shop)
    }

    /// Sends later changes through GraphQL. Fetches the schema of the server.
    pub fn change_over_graphql(&mut self) -> Result<(), String> {
        let reply = self.post_json(&format!("/{}/graphql", self.key), &json!({"query": INTROSPECTION}))?;
        self.over_graphql =
            Some(Arc::new(GraphQlTranslation::from_introspection(&reply.body.unwrap_or_default())?));
        Ok(())
    }

    /// Returns the number of changes that went through GraphQL.
    pub fn translated(&self) -> usize {
        self.translated.load(Ordering::Relaxed)
    }

    /// Returns the names that every conversation starts with.
    pub fn names(&self) -> BoundNames {
        let mut names = BoundNames::default();
        names.bind("shop", json!(self.key));
        names.bind("client-id", json!(self.client_id));
        names.bind("client-secret", json!(self.client_secret));
        names
    }

    /// Returns the value of the Authorization header of requests, if they have one.
    pub fn authorization(&self) -> Option<&str> {
        self.authorization.as_deref()
    }

    /// Sends later requests as `identity`.
    pub fn speak_as(&mut self, identity: &Identity, names: &BoundNames) -> Result<(), String> {
        let fill = |text: &str| names.fill_text(text).map_err(|name| format!("<{name}> has no value yet"));
        self.authorization = match identity {
            Identity::Nobody => None,
            Identity::Token(token) => Some(format!("Bearer {}", fill(token)?)),
            Identity::Admin => Some(self.token(&self.client_id, &self.client_secret)?),
            Identity::Client(id, secret) => {
                let (id, secret) = (fill(id)?, fill(secret)?);
                self.authorization = Some(self.token(&id, &secret)?);
                // The values and not the names, since requests to the authorization service need them too.
                self.identity = Identity::Client(id, secret);
                return Ok(());
            }
            Identity::NewClient(scopes) => {
                let scopes: Vec<String> = scopes.split(' ').map(|scope| self.scope(scope)).collect();
                let draft = json!({"name": "A client of this conversation", "scope": scopes.join(" ")});
                self.authorization = Some(self.token(&self.client_id, &self.client_secret)?);
                let reply = self.post_json(&format!("/{}/api-clients", self.key), &draft)?;
                let client = reply.body.unwrap_or_default();
                match (client["id"].as_str(), client["secret"].as_str()) {
                    (Some(id), Some(secret)) => {
                        // The client exists from here on: a later change of the clock only fetches a new token.
                        self.identity = Identity::Client(id.to_owned(), secret.to_owned());
                        self.authorization = Some(self.token(id, secret)?);
                        return Ok(());
                    }
                    _ => return Err(format!("no client: {} {client}", reply.status)),
                }
            }
        };
        self.identity = identity.clone();
        Ok(())
    }

    /// Moves the clock and fetches a new token, since the old one may have expired by it.
    pub fn set_clock(&mut self, body: &Value, names: &BoundNames) -> Result<(), String> {
        self.control("clock", body)?;
        let identity = self.identity.clone();
        match identity {
            Identity::Admin | Identity::Client(..) => self.speak_as(&identity, names),
            Identity::Nobody | Identity::Token(_) | Identity::NewClient(_) => Ok(()),
        }
    }

    /// Waits until all background work of the server, e.g. derived fields, is done.
    pub fn settle(&self) -> Result<(), String> {
        self.control("settle", &json!({}))
    }

    /// Sends a request of the conversation and returns the response.
    pub fn send(&self, exchange: &Exchange, names: &BoundNames) -> Result<TestResponse, String> {
        let fill = |text: &str| names.fill_text(text).map_err(|name| format!("<{name}> has no value yet"));
        let mut content_type = Some("application/json");
        let body = match &exchange.body {
            ConversationBody::None => {
                content_type = None;
                None
            }
            ConversationBody::Json(value) => {
                let value = names.fill(value).map_err(|name| format!("<{name}> has no value yet"))?;
                Some(value.to_string())
            }
            ConversationBody::Raw(text) => Some(fill(text)?),
            ConversationBody::File(_) => None,
            ConversationBody::Form(text) => {
                content_type = Some("application/x-www-form-urlencoded");
                Some(encoded(&fill(text)?, FORM_SAFE))
            }
        };
        let filled = fill(&exchange.path)?;
        // Responses contain whole URLs, for example of images.
        let path = match filled.strip_prefix(&self.base_url) {
            Some(path) => encoded(path, URI_SAFE),
            None => encoded(&self.address(&filled), URI_SAFE),
        };
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in &exchange.headers {
            headers.push((name.clone(), basic(&fill(value)?)));
        }
        let named = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        let mut defaults: Vec<(String, String)> = Vec::new();
        if let (Some(value), false) = (content_type, named("content-type")) {
            defaults.push(("Content-Type".into(), value.into()));
        }
        if path.starts_with("/_test/") {
            // On a loopback address the test controls need no token.
        } else if path.starts_with("/oauth") && self.identity != Identity::Nobody {
            if !named("authorization") {
                defaults.push(("Authorization".into(), self.client_authorization()));
            }
        } else if let (Some(value), false) = (&self.authorization, named("authorization")) {
            defaults.push(("Authorization".into(), value.clone()));
        }
        headers.extend(defaults);
        if let Some(change) = self.translation(exchange, &path, body.as_deref())
            && let Some(reply) = self.send_over_graphql(exchange, &change, &path, &headers)?
        {
            self.translated.fetch_add(1, Ordering::Relaxed);
            return Ok(reply);
        }
        let body = match &exchange.body {
            ConversationBody::File(file) => Some(file.as_slice()),
            _ => body.as_deref().map(str::as_bytes),
        };
        self.request(&exchange.method, &path, &headers, body)
    }

    /// Translates the request to GraphQL; `None` if this shop does not use GraphQL or GraphQL cannot express the
    /// request.
    fn translation(&self, exchange: &Exchange, path: &str, body: Option<&str>) -> Option<TranslatedChange> {
        let over = self.over_graphql.as_ref()?;
        // The response to accepted work shows the document before it; a read after it may show the result already.
        if exchange.response.status == 202 {
            return None;
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let path = path.strip_prefix('/')?.strip_prefix(&self.key)?;
        let is_plain = !path.contains('%')
            && !matches!(
                exchange.body,
                ConversationBody::Raw(_) | ConversationBody::File(_) | ConversationBody::Form(_)
            );
        // API Clients stay with REST: the response to a creation is the only one with the secret.
        // Query parameters other than these change the response in ways that GraphQL has field arguments for.
        let known = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "dataErasure" => ["true", "false"].contains(&value),
                name => ["", "version", "expand"].contains(&name),
            }
        };
        let is_plain = is_plain && query.split('&').all(known);
        if !is_plain || path.starts_with("/api-clients") || path.starts_with("/graphql") {
            return None;
        }
        let version = match query.split('&').find_map(|pair| pair.strip_prefix("version=")) {
            Some(version) => Some(version.parse().ok()?),
            None => None,
        };
        // DELETE requests have no body, so pass the parameter in its place.
        let erase = query.split('&').any(|pair| pair == "dataErasure=true");
        let body = match body {
            None if erase => json!({"personalDataErasure": true}),
            body => kontor_json::from_str(body.unwrap_or("null")).ok()?,
        };
        over.change(&exchange.method, path, version, &body)
    }

    /// Sends a change through GraphQL, and reads the document that it made through REST. Returns `None` if GraphQL
    /// refuses the request as a whole and a refusal is expected: REST has other error messages for invalid requests.
    fn send_over_graphql(
        &self,
        exchange: &Exchange,
        change: &TranslatedChange,
        path: &str,
        headers: &[(String, String)],
    ) -> Result<Option<TestResponse>, String> {
        let (resource, query) = path.split_once('?').unwrap_or((path, ""));
        let expand = expansions(query, change);
        let read = |path: &str| self.request("GET", &format!("{path}?{expand}"), headers, None);
        let before = if change.verb == ChangeKind::Delete { Some(read(resource)?) } else { None };
        let mut json_headers = headers.to_vec();
        json_headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        json_headers.push(("Content-Type".into(), "application/json".into()));
        let path = format!("/{}/graphql", self.key);
        let reply = self.request("POST", &path, &json_headers, Some(change.body.to_string().as_bytes()))?;
        let body = reply.body.clone().unwrap_or_default();
        if reply.status == 400 && exchange.response.status >= 400 {
            return Ok(None);
        }
        if reply.status != 200 {
            return Ok(Some(reply));
        }
        if let Some(errors) = body["errors"].as_array() {
            let (status, body) = refusal(errors);
            return Ok(Some(TestResponse { status, headers: reply.headers, body: Some(body) }));
        }
        let done = &body["data"][&change.name];
        Ok(Some(match (change.verb, before) {
            (ChangeKind::Delete, Some(before)) => with_warnings(done, before),
            (ChangeKind::Call, _) => {
                let Some(call) = change.call else { return Ok(None) };
                let found = read(&document_path(call, done, resource))?;
                let status = if found.status == 200 { call.status } else { found.status };
                let mut body = match call.holder {
                    Some(holder) => found.body.map(|body| json!({ holder: body })),
                    None => found.body,
                };
                if let (Some(Value::Object(body)), Some(path)) =
                    (&mut body, second_document_path(done, resource))
                {
                    let shown = read(&path)?.body.unwrap_or_default();
                    body.insert(SECOND_DOCUMENT.0, shown);
                }
                TestResponse { status, body, ..found }
            }
            (ChangeKind::Create, _) => {
                let id = done["id"].as_str().unwrap_or_default();
                let addressed = match resource.strip_suffix("/custom-objects") {
                    Some(_) => self.custom_object(resource, exchange, id, headers)?,
                    None => read(&format!("{resource}/{id}"))?,
                };
                let is_new = addressed.body.as_ref().is_none_or(|body| body["version"] == 1);
                let status = if addressed.status == 200 && is_new { 201 } else { addressed.status };
                with_warnings(done, TestResponse { status, ..addressed })
            }
            _ => with_warnings(done, read(resource)?),
        }))
    }

    /// Finds a Custom Object by its id with a query, since its REST path consists of its container and key.
    fn custom_object(
        &self,
        path: &str,
        exchange: &Exchange,
        id: &str,
        headers: &[(String, String)],
    ) -> Result<TestResponse, String> {
        let found = self.request("GET", &format!("{path}?where=id%3D%22{id}%22"), headers, None)?;
        let body = found.body.unwrap_or_default();
        match body["results"].get(0) {
            Some(object) => {
                Ok(TestResponse { status: found.status, headers: found.headers, body: Some(object.clone()) })
            }
            None => Err(format!("line {}: no Custom Object has the id {id}: {body}", exchange.line)),
        }
    }

    /// Returns HTTP Basic credentials of the current client: OAuth requests authenticate the client, not a token.
    fn client_authorization(&self) -> String {
        match &self.identity {
            Identity::Client(id, secret) => basic(&format!("Basic {id}:{secret}")),
            _ => basic(&format!("Basic {}:{}", self.client_id, self.client_secret)),
        }
    }

    /// Returns `path` with the project's key in place of each segment `shop`.
    fn address(&self, path: &str) -> String {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let segments: Vec<&str> =
            path.split('/').map(|segment| if segment == "shop" { &self.key } else { segment }).collect();
        let path = segments.join("/");
        query.map_or(path.clone(), |query| format!("{path}?{query}"))
    }

    /// Returns a scope such as `view_states:shop` with the project's key in place of `shop`.
    fn scope(&self, scope: &str) -> String {
        let parts: Vec<&str> =
            scope.split(':').map(|part| if part == "shop" { &self.key } else { part }).collect();
        parts.join(":")
    }

    fn token(&self, id: &str, secret: &str) -> Result<String, String> {
        let headers = [
            ("Authorization".to_owned(), basic(&format!("Basic {id}:{secret}"))),
            ("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned()),
        ];
        let reply = self.request("POST", "/oauth/token", &headers, Some(b"grant_type=client_credentials"))?;
        let body = reply.body.unwrap_or_default();
        match body["access_token"].as_str() {
            Some(token) => Ok(format!("Bearer {token}")),
            None => Err(format!("no token: {} {body}", reply.status)),
        }
    }

    fn control(&self, name: &str, body: &Value) -> Result<(), String> {
        let reply = self.post_json(&format!("/_test/projects/{}/{name}", self.key), body)?;
        if reply.status < 300 {
            Ok(())
        } else {
            Err(format!("{name}: {} {}", reply.status, reply.body.unwrap_or_default()))
        }
    }

    fn post_json(&self, path: &str, body: &Value) -> Result<TestResponse, String> {
        let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        headers.extend(self.authorization.iter().map(|value| ("Authorization".to_owned(), value.clone())));
        self.request("POST", path, &headers, Some(body.to_string().as_bytes()))
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&[u8]>,
    ) -> Result<TestResponse, String> {
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.base_url));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let failed = |error: &dyn std::fmt::Display| format!("{method} {path}: {error}");
        let outcome = match body {
            Some(body) => self.agent.run(request.body(body).map_err(|error| failed(&error))?),
            None if method == "POST" => self.agent.run(request.body("").map_err(|error| failed(&error))?),
            None => self.agent.run(request.body(()).map_err(|error| failed(&error))?),
        };
        let mut answer = outcome.map_err(|error| failed(&error))?;
        let text = answer.body_mut().read_to_vec().map_err(|error| failed(&error))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let headers = answer.headers().iter().map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        Ok(TestResponse {
            status: answer.status().as_u16(),
            headers: headers.collect(),
            body: match text.as_str() {
                "" => None,
                _ => Some(kontor_json::from_str(&text).unwrap_or(Value::String(text))),
            },
        })
    }
}

/// Returns the `expand` parameters of a request for the GET that reads its document. If the response contains the
/// document in a field, the paths begin with that field, which is removed.
fn expansions(query: &str, change: &TranslatedChange) -> String {
    let holder = change.call.and_then(|call| call.holder).map(|holder| format!("expand={holder}."));
    let expand = query.split('&').filter(|pair| pair.starts_with("expand="));
    let below = expand.map(|pair| match holder.as_deref().and_then(|holder| pair.strip_prefix(holder)) {
        Some(path) => format!("expand={path}"),
        None => pair.to_owned(),
    });
    below.collect::<Vec<_>>().join("&")
}

/// Copies the warnings of a mutation into the document, where REST has them.
fn with_warnings(done: &Value, mut reply: TestResponse) -> TestResponse {
    if let (Some(Value::Object(body)), Some(told @ [_, ..])) =
        (&mut reply.body, done["warnings"].as_array().map(Vec::as_slice))
    {
        body.insert("warnings", json!(told));
    }
    reply
}

/// Encodes the credentials of `Basic id:secret` in Base64; returns any other value unchanged. Encoded credentials have
/// no colon.
fn basic(value: &str) -> String {
    match value.strip_prefix("Basic ") {
        Some(pair) if pair.contains(':') => format!("Basic {}", STANDARD.encode(pair)),
        _ => value.to_owned(),
    }
}

/// Characters that are not percent-encoded in a path and query, in addition to letters and digits.
const URI_SAFE: &str = "-._~:/?@!$&'()*+,;=%";
/// Characters that are not percent-encoded in a form.
const FORM_SAFE: &str = "-._~*&=+%";

/// Returns `text` with every other character percent-encoded.
fn encoded(text: &str, safe: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let letter = char::from(byte);
        if letter.is_ascii_alphanumeric() || safe.contains(letter) {
            encoded.push(letter);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_written_plainly_and_sent_encoded() {
        assert_eq!(
            encoded("/shop/states?where=key=\"ä b\" and version<3", URI_SAFE),
            "/shop/states?where=key=%22%C3%A4%20b%22%20and%20version%3C3"
        );
        assert_eq!(encoded("a=1%2B1", URI_SAFE), "a=1%2B1", "what is encoded already stays so");
    }

    #[test]
    fn client_credentials_are_written_plainly_and_sent_as_basic() {
        assert_eq!(basic("Basic id:secret"), "Basic aWQ6c2VjcmV0");
        assert_eq!(basic("Basic aWQ6c2VjcmV0"), "Basic aWQ6c2VjcmV0");
        assert_eq!(basic("Bearer a:b"), "Bearer a:b");
    }
}
