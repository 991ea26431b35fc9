//! A panic ends one request or one background job with an error, and nothing else.

use crate::fake_server::FakeServer;
use crate::harness::{ServerUnderTest, folder, serve, wait_until};
use kontor_json::{Value, json};
use std::fs::{File, read_to_string};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Starts a server with test controls that logs into a file.
fn under_test(data: &Path, log: &Path) -> ServerUnderTest {
    let mut command = serve(data);
    command.arg("--test-controls");
    ServerUnderTest::start_with(command, Stdio::from(File::create(log).unwrap()))
}

fn fault(server: &ServerUnderTest, fault: Value) {
    let (status, said) = server.nobody().post("/_test/projects/shop/faults", &fault);
    assert_eq!(status, 201, "{said}");
}

fn panics(server: &ServerUnderTest) -> u64 {
    let figures = server.nobody().get_text("/metrics");
    let line = figures.lines().find_map(|line| line.strip_prefix("kontor_panics_total "));
    line.unwrap_or_else(|| panic!("{figures}")).parse().unwrap()
}

/// Sends all requests before reading any response (pipelining). Returns everything until the server closes.
fn pipelined(server: &ServerUnderTest, requests: &[String]) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(requests.concat().as_bytes()).unwrap();
    let mut outcome = String::new();
    stream.read_to_string(&mut outcome).unwrap();
    outcome
}

#[test]
fn a_panic_fails_only_its_own_request() {
    let (data, log) = (folder(), folder());
    let log = log.path().join("log");
    let server = under_test(data.path(), &log);
    let client = server.client();
    assert_eq!(panics(&server), 0);
    fault(&server, json!({"method": "GET", "path": "/zones", "panic": true}));
    fault(&server, json!({"method": "POST", "path": "/zones", "panic": true}));
    fault(&server, json!({"method": "POST", "path": "/graphql", "panic": true}));
    let request = |method: &str, path: &str, id: &str, rest: &str, body: &str| {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: k\r\nAuthorization: Bearer {}\r\nX-Correlation-ID: {id}\r\n{rest}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            client.token(),
            body.len()
        )
    };
    let outcome = pipelined(
        &server,
        &[
            request("GET", "/shop/zones", "first", "", ""),
            request("POST", "/shop/zones", "second", "", r#"{"name": "Here"}"#),
            request("POST", "/shop/graphql", "third", "", r#"{"query": "{ zones { total } }"}"#),
            request("GET", "/shop/zones", "last", "Connection: close\r\n", ""),
        ],
    );
    let statuses: Vec<&str> = outcome.split("HTTP/1.1 ").skip(1).map(|response| &response[..3]).collect();
    assert_eq!(statuses, ["500", "500", "500", "200"], "{outcome}");
    for id in ["first", "second", "third", "last"] {
        assert!(outcome.contains(&format!("x-correlation-id: {id}\r\n")), "{id}: {outcome}");
    }
    assert_eq!(outcome.matches(r#""code":"General""#).count(), 3, "{outcome}");
    assert!(outcome.contains(r#""total":0"#), "nothing was done: {outcome}");
    assert_eq!(panics(&server), 3);
    let said = read_to_string(&log).unwrap();
    for id in ["first", "second", "third"] {
        let line = said.lines().find(|line| line.contains("request failed") && line.contains(id));
        let line = line.unwrap_or_else(|| panic!("{id}: {said}"));
        assert!(
            line.contains("panicked: A fault that a test requested.") && line.contains("fault_injection.rs:"),
            "{line}"
        );
    }
    assert_eq!(client.post("/shop/zones", &json!({"name": "Here"})).0, 201);
}

#[test]
fn retries_a_delivery_that_panics() {
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let (data, log) = (folder(), folder());
    let log = log.path().join("log");
    let server = under_test(data.path(), &log);
    let client = server.client();
    let url = format!("{}/hook", peer.url);
    let draft = json!({"destination": {"type": "HTTP", "url": url}, "changes": [{"resourceTypeId": "zone"}]});
    let (status, made) = client.post("/shop/subscriptions", &draft);
    assert_eq!(status, 201, "{made}");
    fault(&server, json!({"url": url, "panic": true}));
    let (status, zone) = client.post("/shop/zones", &json!({"name": "Here"}));
    assert_eq!(status, 201, "{zone}");
    wait_until(|| peer.received("/hook").iter().any(|(_, body)| body["resource"]["id"] == zone["id"]));
    assert_eq!(panics(&server), 1);
    assert!(read_to_string(&log).unwrap().contains("A fault that a test requested."));
}
