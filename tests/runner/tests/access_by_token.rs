//! Calls every operation of `/openapi.json` with every class of token, and checks for each whether access is granted.
//!
//! Source: document A, "Authentication"; the scopes of the operations; `x-tokens` of the operations below `/me`.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_json::{Value, json};
use kontor_tests::{BoundNames, Identity, TestProject, TestedServer, filled, in_parallel};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use ureq::{Agent, http};

const PROJECT: &str = "walk-all";
/// The scopes of a Customer's token, as a storefront requests them.
const OWN_SCOPES: &str = "manage_my_profile:walk-all manage_my_payments:walk-all";

/// One operation of the server's OpenAPI document.
struct ScopedOperation {
    method: String,
    path: String,
    /// Names of the scopes for the project, any of which grants access.
    scopes: BTreeSet<String>,
    /// Names of the scopes for a Store, any of which grants access.
    store_scopes: BTreeSet<String>,
    /// The classes of tokens that it accepts, e.g. `customer`; `None` outside of `/me`.
    tokens: Option<Vec<String>>,
}

impl ScopedOperation {
    fn is_in_store(&self) -> bool {
        self.path.contains("{storeKey}")
    }

    fn is_mine(&self) -> bool {
        self.tokens.is_some()
    }

    fn takes(&self, whose: &str) -> bool {
        self.tokens.as_ref().is_none_or(|tokens| tokens.iter().any(|token| token == whose))
    }

    fn has_any(&self, of: &str) -> bool {
        of.split(' ').filter_map(|scope| scope.split(':').next()).any(|name| self.scopes.contains(name))
    }

    /// Returns the path with this Store in place of its parameter, and a dummy value for all other parameters.
    fn path_in(&self, store: &str) -> String {
        filled(&self.path.replace("{projectKey}", PROJECT).replace("{storeKey}", store))
    }
}

fn operations(document: &Value) -> Vec<ScopedOperation> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in ["get", "head", "post", "delete"] {
            let operation = &item[method];
            let texts: Vec<&str> = operation["security"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_object)
                .flat_map(|one| one.values())
                .filter_map(Value::as_array)
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            // Operations without scopes are open to every caller, or check scopes by the content of the request.
            if !path.starts_with("/{projectKey}") || texts.is_empty() {
                continue;
            }
            let name = |scope: &str| scope.split(':').next().unwrap().to_owned();
            let (in_store, in_project): (Vec<&str>, Vec<&str>) =
                texts.iter().partition(|scope| scope.contains("{storeKey}"));
            let tokens = operation["x-tokens"].as_array();
            found.push(ScopedOperation {
                method: method.to_uppercase(),
                path: path.to_string(),
                scopes: in_project.into_iter().map(name).collect(),
                store_scopes: in_store.into_iter().map(name).collect(),
                tokens: tokens.map(|all| all.iter().map(|one| one.as_str().unwrap().to_owned()).collect()),
            });
        }
    }
    found
}

/// A server, an HTTP client, and the operations whose access check was wrong.
struct AccessWalk {
    agent: Agent,
    base_url: String,
    operations: Vec<ScopedOperation>,
    wrong: Vec<String>,
}

impl AccessWalk {
    fn call(&self, method: &str, path: &str, authorization: &str, body: &str) -> (u16, Value) {
        let form = path.starts_with("/oauth/");
        let content_type = if form { "application/x-www-form-urlencoded" } else { "application/json" };
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base_url))
            .header("authorization", authorization)
            .header("content-type", content_type);
        let body = if method == "POST" { body } else { "" };
        let mut response = self.agent.run(request.body(body.to_owned()).unwrap()).unwrap();
        let status = response.status().as_u16();
        let text = response.body_mut().read_to_string().unwrap();
        (status, kontor_json::from_str(&text).unwrap_or_default())
    }

    /// Fetches a token from one of the OAuth endpoints.
    fn token(&self, path: &str, form: &str) -> String {
        let credentials = format!("{PROJECT}-client:{PROJECT}-secret");
        let basic = {
            use base64::{Engine, engine::general_purpose::STANDARD};
            format!("Basic {}", STANDARD.encode(credentials))
        };
        let (status, body) = self.call("POST", path, &basic, form);
        assert_eq!(status, 200, "{path}: {body}");
        format!("Bearer {}", body["access_token"].as_str().unwrap())
    }

    /// Calls every operation with one token. `expected` returns `Ok` if access is granted, else the status of the
    /// refusal.
    fn with(
        &mut self,
        who: &str,
        token: &str,
        store: &str,
        expected: impl Fn(&ScopedOperation) -> Result<(), u16> + Sync,
    ) {
        let walk = &*self;
        let part = |operations: &[ScopedOperation]| {
            let found = operations.iter().filter_map(|operation| {
                let path = operation.path_in(store);
                let (status, _) = walk.call(&operation.method, &path, token, "{}");
                let is_right = match expected(operation) {
                    // The empty request may fail for other reasons; only refused access counts.
                    Ok(()) => !matches!(status, 401 | 403) && status < 500,
                    Err(refusal) => status == refusal,
                };
                let expected = expected(operation);
                (!is_right)
                    .then(|| format!("{} {path} as {who}: {status}, expected {expected:?}", operation.method))
            });
            found.collect::<Vec<_>>()
        };
        let mut wrong = in_parallel(&self.operations, part);
        self.wrong.append(&mut wrong);
    }
}

/// `Ok` if access is granted, else 403.
fn open(is_open: bool) -> Result<(), u16> {
    if is_open { Ok(()) } else { Err(403) }
}

#[test]
fn grants_each_class_of_token_its_operations_only() {
    let server = TestedServer::start().unwrap();
    let mut shop = TestProject::open(&server.base_url, PROJECT).unwrap();
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let mut walk =
        AccessWalk { agent, base_url: server.base_url.clone(), operations: Vec::new(), wrong: Vec::new() };
    let (_, document) = walk.call("GET", "/openapi.json", "", "");
    walk.operations = operations(&document);
    assert!(walk.operations.iter().filter(|operation| operation.is_in_store()).count() > 20);
    assert!(walk.operations.iter().filter(|operation| operation.is_mine()).count() > 20);

    let admin = shop.authorization().unwrap().to_owned();
    let post = |path: &str, body: Value| {
        let (status, reply) = walk.call("POST", &format!("/{PROJECT}{path}"), &admin, &body.to_string());
        assert!(matches!(status, 200 | 201), "{path}: {status} {reply}");
        reply
    };
    post("/stores", json!({"key": "north"}));
    post("/stores", json!({"key": "south"}));
    let maria = post("/customers", json!({"email": "maria@example.com", "password": "x"}));
    post("/in-store/key=north/customers", json!({"email": "nora@example.com", "password": "x"}));
    let maria = maria["customer"]["id"].as_str().unwrap().to_owned();

    // Tokens of clients.
    walk.with("a client with every scope", &admin, "north", |operation| open(operation.takes("client")));
    let in_store: BTreeSet<String> =
        walk.operations.iter().flat_map(|operation| &operation.store_scopes).cloned().collect();
    // No scope of a Store covers published products alone: the scope for all products of a Store includes them.
    let in_store = in_store.iter().filter(|scope| *scope != "view_published_products");
    let scopes: Vec<String> = in_store.map(|scope| format!("{scope}:shop:north")).collect();
    shop.speak_as(&Identity::NewClient(scopes.join(" ")), &BoundNames::default()).unwrap();
    let of_store = shop.authorization().unwrap().to_owned();
    walk.with("a client of a Store", &of_store, "north", |operation| {
        open(!operation.store_scopes.is_empty() && operation.takes("client"))
    });
    // A search returns the documents of the token's Stores.
    walk.with("a client of another Store", &of_store, "south", |operation| {
        open(!operation.is_in_store() && !operation.store_scopes.is_empty())
    });

    // Tokens of customers and of anonymous sessions.
    let password = |email: &str| format!("grant_type=password&username={email}&password=x");
    let customers = format!("/oauth/{PROJECT}/customers/token");
    let token = walk.token(&customers, &format!("{}&scope={OWN_SCOPES}", password("maria@example.com")));
    let own = |operation: &ScopedOperation| open(operation.is_mine() && operation.has_any(OWN_SCOPES));
    walk.with("a customer", &token, "north", own);
    let token = walk.token(&customers, &password("maria@example.com"));
    walk.with("a customer with every scope", &token, "north", |_| Ok(()));
    let of_store = format!("/oauth/{PROJECT}/in-store/key=north/customers/token");
    let token = walk.token(&of_store, &password("nora@example.com"));
    walk.with("a customer of a Store", &token, "north", |operation| open(operation.is_in_store()));
    walk.with("a customer of another Store", &token, "south", |_| Err(403));
    let sessions = format!("/oauth/{PROJECT}/anonymous/token");
    let anonymous = format!("grant_type=client_credentials&scope={OWN_SCOPES}");
    let token = walk.token(&sessions, &anonymous);
    walk.with("a visitor", &token, "north", |operation| {
        open(operation.is_mine() && operation.has_any(OWN_SCOPES) && operation.takes("anonymous"))
    });
    walk.token(&sessions, &format!("{anonymous}&anonymous_id=known"));

    // An external OAuth server introspects tokens: the scope is the token itself, with `+` for blanks.
    let url = external_server();
    let (_, project) = walk.call("GET", &format!("/{PROJECT}"), &admin, "");
    let set = json!({
        "version": project["version"],
        "actions": [{"action": "setExternalOAuth", "externalOAuth": {"url": url, "authorizationHeader": "Basic eA=="}}],
    });
    let (status, reply) = walk.call("POST", &format!("/{PROJECT}"), &admin, &set.to_string());
    assert_eq!(status, 200, "{reply}");
    let external = |scopes: &str| format!("Bearer {}", scopes.replace(' ', "+"));
    walk.with("an external customer", &external(&format!("{OWN_SCOPES} customer_id:{maria}")), "north", own);
    walk.with("an external client", &external("view_customers:walk-all openid"), "north", |operation| {
        open(!operation.is_mine() && operation.scopes.contains("view_customers"))
    });
    walk.with(
        "an external visitor",
        &external(&format!("{OWN_SCOPES} anonymous_id:known")),
        "north",
        |operation| {
            open(operation.is_mine() && operation.has_any(OWN_SCOPES) && operation.takes("anonymous"))
        },
    );
    for nobody in ["customer_id:nobody", "anonymous_id:nobody"] {
        let token = external(&format!("{OWN_SCOPES} {nobody}"));
        walk.with(nobody, &token, "north", |operation| {
            let is_own = operation.is_mine() && operation.has_any(OWN_SCOPES);
            let whose = if nobody.starts_with("customer") { "customer" } else { "anonymous" };
            Err(if is_own && operation.takes(whose) { 401 } else { 403 })
        });
    }
    walk.with("an external token that has ended", "Bearer inactive", "north", |_| Err(401));

    // Tokens that are missing, revoked or expired.
    walk.with("nobody", "", "north", |_| Err(401));
    let ended = walk.token("/oauth/token", "grant_type=client_credentials");
    let basic = {
        use base64::{Engine, engine::general_purpose::STANDARD};
        format!("Basic {}", STANDARD.encode(format!("{PROJECT}-client:{PROJECT}-secret")))
    };
    let sent = ended.trim_start_matches("Bearer ");
    walk.call("POST", "/oauth/token/revoke", &basic, &format!("token={sent}"));
    walk.with("who was revoked", &ended, "north", |_| Err(401));
    shop.set_clock(&json!({"advanceSeconds": 3 * 24 * 60 * 60}), &BoundNames::default()).unwrap();
    walk.with("whose token has expired", &admin, "north", |_| Err(401));

    assert!(walk.wrong.is_empty(), "{} doors:\n{}", walk.wrong.len(), walk.wrong.join("\n"));
}

/// Starts an OAuth server that returns the text of each token as its scope. Returns its URL.
fn external_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/introspect", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    url
}

fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut part = [0; 4096];
    let token = loop {
        let read = stream.read(&mut part).unwrap_or(0);
        if read == 0 {
            return;
        }
        request.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        if body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0) {
            break body.trim_start_matches("token=").to_owned();
        }
    };
    let token = token.replace("%3A", ":").replace("%2B", " ").replace('+', " ");
    // Kontor also introspects expired tokens of the project itself; these have no colon.
    let active = token.contains(':');
    let body = json!({"active": active, "scope": token}).to_string();
    let length = body.len();
    _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}
