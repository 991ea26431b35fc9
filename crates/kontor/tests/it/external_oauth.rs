//! Tokens of an external OAuth server, emulated by a local socket: `setExternalOAuth` from end to end.

use crate::harness::{ApiCaller, ServerUnderTest, folder, kontor, run, serve};
use kontor_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The range of the introspection timeout, with a margin for slow machines.
const DEADLINE: std::ops::Range<Duration> = Duration::from_millis(450)..Duration::from_secs(10);

/// An introspection request.
#[derive(Debug, Clone, Default)]
struct IntrospectionRequest {
    head: String,
    form: String,
}

impl IntrospectionRequest {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (sent, value) = line.split_once(':')?;
            sent.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// An introspection server. The name of a token determines its response.
struct FakeServer {
    url: String,
    questions: Arc<Mutex<Vec<IntrospectionRequest>>>,
}

impl FakeServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/introspect?tenant=1", listener.local_addr().unwrap());
        let questions = Arc::new(Mutex::new(Vec::new()));
        let requested = Arc::clone(&questions);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let requested = Arc::clone(&requested);
                std::thread::spawn(move || respond(stream.unwrap(), &requested));
            }
        });
        Self { url, questions }
    }

    /// Returns the number of requests about a token.
    fn asked(&self, token: &str) -> usize {
        let form = format!("token={token}");
        self.questions.lock().unwrap().iter().filter(|question| question.form == form).count()
    }

    fn last(&self) -> IntrospectionRequest {
        self.questions.lock().unwrap().last().cloned().unwrap()
    }
}

fn respond(mut stream: TcpStream, requested: &Mutex<Vec<IntrospectionRequest>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut question = IntrospectionRequest::default();
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|length| length > 0) && line != "\r\n" {
        question.head.push_str(&line);
        line.clear();
    }
    let Some(length) = question.header("content-length").and_then(|length| length.parse().ok()) else {
        return;
    };
    let mut form = vec![0; length];
    reader.read_exact(&mut form).unwrap();
    question.form = String::from_utf8(form).unwrap();
    let token = question.form.trim_start_matches("token=").to_owned();
    let times = {
        let mut requested = requested.lock().unwrap();
        requested.push(question);
        requested.iter().filter(|question| question.form.ends_with(&format!("={token}"))).count()
    };
    let active = |scope: &str| reply("200 OK", &json!({"active": true, "scope": scope}).to_string());
    let response = match &*token {
        "hangs" => {
            // Blocks until the client closes the connection.
            let _ = stream.read(&mut [0; 1]);
            return;
        }
        "hangs-up" => return,
        "drips" => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
            return;
        }
        "slow" => {
            std::thread::sleep(Duration::from_millis(200));
            active("view_states:shop")
        }
        "late" => {
            std::thread::sleep(Duration::from_secs(2));
            active("view_states:shop")
        }
        "garbage" => "\u{1}\u{2} this is no HTTP\r\n\r\n".to_owned(),
        "html" => reply("200 OK", "<html>"),
        "no-json" => reply("200 OK", "{\"active\": tru"),
        "other-json" => reply("200 OK", "[true]"),
        "broken" => reply("500 Internal Server Error", "{\"active\": true, \"scope\": \"view_states:shop\"}"),
        "created" => reply("201 Created", "{\"active\": true, \"scope\": \"view_states:shop\"}"),
        "redirect" => "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "megabyte" => reply("200 OK", &format!("{{\"active\": true, \"pad\": \"{}\"}}", "x".repeat(1 << 20))),
        "flaky" if times == 1 => reply("503 Service Unavailable", ""),
        "inactive" => reply("200 OK", "{\"active\": false, \"scope\": \"view_states:shop\"}"),
        "no-scope" => active("openid profile"),
        "other-project" => active("manage_project:other"),
        "writer" => active("openid manage_states:shop no_such_scope:shop"),
        "named" => active("manage_states:shop external_user_id:ada-1"),
        "ended" => reply("200 OK", "{\"active\": true, \"scope\": \"view_states:shop\", \"exp\": 1}"),
        subject if subject.contains("_id%3A") => {
            active(&format!("manage_my_profile:shop manage_my_payments:shop {}", subject.replace("%3A", ":")))
        }
        _ => active("view_states:shop"),
    };
    let _ = stream.write_all(response.as_bytes());
}

fn reply(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Starts a server whose project `shop` uses the peer for introspection, with a secret authorization header.
fn server_with_introspection(peer: &FakeServer) -> (tempfile::TempDir, ServerUnderTest) {
    let data = folder();
    let server = server_with_private_destinations(data.path());
    let (status, project) =
        set(&server, &json!({"url": peer.url, "authorizationHeader": "Bearer open-sesame"}));
    assert_eq!(status, 200, "{project}");
    assert_eq!(project["externalOAuth"], json!({"url": peer.url, "authorizationHeader": "Bearer ****"}));
    (data, server)
}

/// Starts a server that may send requests to private addresses.
fn server_with_private_destinations(data: &Path) -> ServerUnderTest {
    let mut command = serve(data);
    command.arg("--allow-private-destinations");
    ServerUnderTest::start_with(command, Stdio::null())
}

#[test]
fn calls_no_private_introspection_server_unless_allowed() {
    let peer = FakeServer::start();
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let responses = [peer.url.clone(), format!("http://{closed}/"), "http://169.254.169.254/".to_owned()]
        .map(|url| {
            let (status, said) =
                set(&server, &json!({"url": url, "authorizationHeader": "Bearer open-sesame"}));
            assert_eq!(status, 200, "{said}");
            let (status, said) = states(&server, "reader");
            (status, said["message"].clone())
        });
    assert_eq!(responses[0].0, 502);
    assert!(
        responses.iter().all(|response| *response == responses[0]),
        "which is which is not told: {responses:?}"
    );
    assert_eq!(peer.asked("reader"), 0);
}

/// Sends `setExternalOAuth`.
fn set(server: &ServerUnderTest, external: &Value) -> (u16, Value) {
    let admin = server.client();
    let version = admin.get("/shop").1["version"].clone();
    admin.post(
        "/shop",
        &json!({"version": version, "actions": [{"action": "setExternalOAuth", "externalOAuth": external}]}),
    )
}

fn code(body: &Value) -> &str {
    body["errors"][0]["code"].as_str().unwrap_or_default()
}

fn states(server: &ServerUnderTest, token: &str) -> (u16, Value) {
    server.with_token(token).get("/shop/states")
}

#[test]
fn sends_the_documented_introspection_request() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    let (status, _) = states(&server, "a.b-c_d~1+/=");
    assert_eq!(status, 200);
    let question = peer.last();
    assert!(question.head.starts_with("POST /introspect?tenant=1 HTTP/1.1\r\n"), "{question:?}");
    assert_eq!(question.form, "token=a.b-c_d%7E1%2B%2F%3D");
    assert_eq!(question.header("authorization"), Some("Bearer open-sesame"));
    assert_eq!(question.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert!(question.header("x-correlation-id").is_some_and(|id| !id.is_empty()), "{question:?}");

    let caller = server.with_token("another").with_header(("X-Correlation-ID", "mine-42"));
    caller.post("/shop/states", &json!({}));
    assert_eq!(peer.last().header("x-correlation-id"), Some("mine-42"));
}

#[test]
fn changes_name_the_user_of_the_server() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    let draft = json!({"key": "named", "type": "OrderState"});
    let (status, state) = server.with_token("named").post("/shop/states", &draft);
    assert_eq!(status, 201, "{state}");
    let user = json!({"externalUserId": "ada-1"});
    assert_eq!((&state["createdBy"], &state["lastModifiedBy"]), (&user, &user));
    let action = json!({"action": "setName", "name": {"en": "Named"}});
    let update = json!({"version": 1, "actions": [action]});
    let (_, state) = server.client().post("/shop/states/key=named", &update);
    assert_eq!(state["createdBy"], user);
    assert!(state["lastModifiedBy"]["clientId"].is_string(), "{state}");
}

#[test]
fn only_scopes_of_the_project_count_and_only_while_the_token_is_active() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    let create = |token: &str| {
        let draft = json!({"key": "open", "type": "OrderState"});
        let (status, body) = server.with_token(token).post("/shop/states", &draft);
        (status, code(&body).to_owned())
    };
    assert_eq!(create("writer"), (201, String::new()));
    assert_eq!(create("reader"), (403, "insufficient_scope".into()));
    assert_eq!(create("no-scope"), (403, "insufficient_scope".into()));
    assert_eq!(create("other-project"), (403, "insufficient_scope".into()));
    assert_eq!(create("inactive"), (401, "invalid_token".into()));
    assert_eq!(create("ended"), (401, "invalid_token".into()));
    // Kontor's own tokens still work, without introspection.
    let own = server.client();
    assert_eq!(own.get("/shop/states").0, 200);
    assert_eq!(peer.asked(own.token()), 0);
}

#[test]
fn caches_responses_and_not_failures() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    for _ in 0..5 {
        assert_eq!(states(&server, "reader").0, 200);
    }
    assert_eq!(peer.asked("reader"), 1);
    let (status, body) = states(&server, "flaky");
    assert_eq!((status, code(&body)), (502, "ExternalOAuthFailed"), "{body}");
    assert_eq!(peer.asked("flaky"), 1, "not retried within the call");
    assert_eq!(states(&server, "flaky").0, 200, "the next call asks again");
    assert_eq!(states(&server, "flaky").0, 200);
    assert_eq!(peer.asked("flaky"), 2);
}

#[test]
fn introspects_again_after_half_an_hour() {
    let peer = FakeServer::start();
    let data = folder();
    let mut command = kontor(data.path());
    command.args([
        "serve",
        "--test-controls",
        "--project",
        "shop",
        "--client-id",
        "id",
        "--client-secret",
        "secret",
    ]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    set(&server, &json!({"url": peer.url, "authorizationHeader": "Bearer open-sesame"}));
    let advance = |seconds: u64| {
        let (status, said) =
            server.nobody().post("/_test/projects/shop/clock", &json!({"advanceSeconds": seconds}));
        assert_eq!(status, 200, "{said}");
    };
    assert_eq!(states(&server, "reader").0, 200);
    advance(29 * 60);
    assert_eq!((states(&server, "reader").0, peer.asked("reader")), (200, 1));
    advance(60);
    assert_eq!((states(&server, "reader").0, peer.asked("reader")), (200, 2));
}

#[test]
fn a_bad_response_fails_only_its_own_call_in_time() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    for token in [
        "garbage",
        "html",
        "no-json",
        "other-json",
        "broken",
        "created",
        "redirect",
        "megabyte",
        "hangs-up",
        "hangs",
        "drips",
        "late",
    ] {
        let started = Instant::now();
        let (status, body) = states(&server, token);
        let taken = started.elapsed();
        assert_eq!((status, code(&body)), (502, "ExternalOAuthFailed"), "{token}: {body}");
        assert_eq!(body["statusCode"], 502, "{token}: {body}");
        assert!(!body.to_string().contains("open-sesame"), "{token}: {body}");
        assert!(taken < DEADLINE.end, "{token}: {taken:?}");
        if matches!(token, "hangs" | "drips" | "late") {
            assert!(taken > DEADLINE.start, "{token}: {taken:?}");
        }
        assert_eq!(peer.asked(token), 1, "{token}");
        assert_eq!(server.client().get("/shop/states").0, 200, "own tokens work on");
    }
    assert_eq!(states(&server, "slow").0, 200, "slow, and in time");
    assert!(!peer.questions.lock().unwrap().iter().any(|question| question.head.contains("/elsewhere")));
}

#[test]
fn concurrent_calls_share_one_introspection() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    let caller = server.with_token("slow");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20)
            .map(|_| {
                let caller: ApiCaller = caller.clone();
                scope.spawn(move || caller.get("/shop/states").0)
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200; 20]);
    assert_eq!(peer.asked("slow"), 1);
}

#[test]
fn a_subject_must_exist_before_it_has_anything() {
    let peer = FakeServer::start();
    let (_data, server) = server_with_introspection(&peer);
    let draft = json!({"email": "ann@example.com", "password": "x"});
    let (_, created) = server.client().post("/shop/customers", &draft);
    let ann = created["customer"]["id"].as_str().unwrap();
    let me = |subject: &str, path: &str| {
        let (status, body) = server.with_token(subject).get(path);
        (status, code(&body).to_owned())
    };
    let (status, body) = server.with_token(&format!("customer_id:{ann}")).get("/shop/me");
    assert_eq!((status, body["id"].as_str()), (200, Some(ann)), "{body}");
    assert_eq!(me("customer_id:nobody", "/shop/me"), (401, "invalid_token".into()));
    assert_eq!(me("reader", "/shop/me").0, 403);

    let session = "/oauth/shop/anonymous/token?grant_type=client_credentials&anonymous_id=visitor";
    assert_eq!(me("anonymous_id:visitor", "/shop/me/payments"), (401, "invalid_token".into()));
    let client = server.with_authorization(&crate::harness::basic("id", "secret"));
    assert_eq!(client.post(session, &Value::Null).0, 200);
    assert_eq!(me("anonymous_id:visitor", "/shop/me/payments").0, 200);
    assert_eq!(me("anonymous_id:other", "/shop/me/payments"), (401, "invalid_token".into()));
}

#[test]
fn settings_take_effect_at_once() {
    let (peer, other) = (FakeServer::start(), FakeServer::start());
    let (_data, server) = server_with_introspection(&peer);
    assert_eq!(states(&server, "reader").0, 200);
    set(&server, &json!({"url": other.url, "authorizationHeader": "Basic dTpw"}));
    assert_eq!(states(&server, "reader").0, 200);
    assert_eq!((peer.asked("reader"), other.asked("reader")), (1, 1));
    assert_eq!(other.last().header("authorization"), Some("Basic dTpw"));
    set(&server, &Value::Null);
    let (status, body) = states(&server, "reader");
    assert_eq!((status, code(&body)), (401, "invalid_token"));
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let peer = FakeServer::start();
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    for (url, header) in [
        (&*peer.url, "Bearer a\r\nX-Injected: yes"),
        (&*peer.url, "Bearer a\nb"),
        (&*peer.url, "Bearer \u{7f}"),
        (&*peer.url, "Bearer ü"),
        (&*peer.url, ""),
        ("ftp://example.com/", "Bearer a"),
        ("http://exa mple.com/", "Bearer a"),
        ("http://[::1/", "Bearer a"),
        ("https://example.com/\r\nX-Injected: yes", "Bearer a"),
        ("/introspect", "Bearer a"),
    ] {
        let (status, body) = set(&server, &json!({"url": url, "authorizationHeader": header}));
        assert_eq!((status, code(&body)), (400, "InvalidField"), "{url} {header:?}: {body}");
        assert!(!body.to_string().contains("Bearer a"), "the header is not repeated: {body}");
    }
    assert_eq!(states(&server, "reader").0, 401, "nothing was set");
}

#[test]
fn the_header_is_in_no_export_and_survives_a_restart() {
    let peer = FakeServer::start();
    let (data, mut server) = server_with_introspection(&peer);
    let exported = run(data.path(), &["export", "--project", "shop", "--documents"]).ok();
    assert!(!exported.contains("open-sesame"), "{exported}");
    server.kill();
    let server = server_with_private_destinations(data.path());
    assert_eq!(states(&server, "reader").0, 200);
    assert_eq!(peer.last().header("authorization"), Some("Bearer open-sesame"));
}
