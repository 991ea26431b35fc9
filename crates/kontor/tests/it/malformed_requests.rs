//! Malformed HTTP requests and silent connections: the client gets an error, and other clients are not affected.

use crate::harness::{ServerUnderTest, folder, serve};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Sends bytes and returns the first line of the response. Sends in parallel, because the server may respond early.
fn first_line(server: &ServerUnderTest, request: &[u8]) -> String {
    let address = server.url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut writing = stream.try_clone().unwrap();
    let request = request.to_vec();
    let writer = std::thread::spawn(move || writing.write_all(&request));
    let mut response = Vec::new();
    let mut byte = [0];
    while stream.read_exact(&mut byte).is_ok() && byte != *b"\r" {
        response.push(byte[0]);
    }
    // It does not matter whether the server read the last bytes.
    let _ = writer.join().unwrap();
    String::from_utf8(response).unwrap()
}

fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: kontor\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

#[test]
fn responds_to_malformed_and_oversized_requests() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let get = |rest: &str| format!("GET /shop/states{rest}\r\n\r\n").into_bytes();
    let many: String = (0..300).map(|index| format!("X-{index}: a\r\n")).collect();
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("garbage", b"\x00\x01 garbage\r\n\r\n".to_vec(), "400"),
        ("an address of 100 KB", get(&format!("/{} HTTP/1.1\r\nHost: k", "a".repeat(100_000))), "414"),
        ("three hundred headers", get(&format!(" HTTP/1.1\r\nHost: k\r\n{}", many.trim_end())), "431"),
        ("a header of 300 KB", get(&format!(" HTTP/1.1\r\nHost: k\r\nX: {}", "a".repeat(300_000))), "4"),
        ("17 MB without a token", post("/shop/states", &vec![b' '; 17 << 20]), "401"),
        ("17 MB to nowhere", post("/shop/nowhere", &vec![b' '; 17 << 20]), "404"),
    ];
    for (what, request, expected) in cases {
        let line = first_line(&server, &request);
        assert!(line.starts_with(&format!("HTTP/1.1 {expected}")), "{what}: {line:?}");
    }
    assert_eq!(server.nobody().get("/health").0, 200);
}

#[test]
fn a_slow_client_delays_no_others() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let address = server.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream
                .write_all(b"POST /shop/states HTTP/1.1\r\nHost: k\r\nContent-Length: 10\r\n\r\n{")
                .unwrap();
            stream
        })
        .collect();
    assert_eq!(server.client().get("/shop/states").0, 200);
    drop(slow);
}

#[test]
fn silent_connections_make_room_for_others() {
    let data = folder();
    let served = serve(data.path());
    // Fewer file descriptors than silent clients.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 320 && exec \"$0\" \"$@\""]).arg(served.get_program());
    limited.args(served.get_args()).env("KONTOR_DATA", data.path());
    let server = ServerUnderTest::start_with(limited, Stdio::null());
    let address = server.url.trim_start_matches("http://");
    let mut silent: Vec<TcpStream> = (0..500).map(|_| TcpStream::connect(address).unwrap()).collect();
    let response = first_line(&server, b"GET /health HTTP/1.1\r\nHost: k\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 200"), "{response:?}");
    // The server has closed the oldest connections, long before their read timeout.
    let first = &mut silent[0];
    first.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(first.read(&mut [0]).unwrap(), 0);
}

/// Sends a request and returns the status of its response.
fn response_status(server: &ServerUnderTest, request: &str) -> u16 {
    first_line(server, request.as_bytes()).split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn rejects_two_authorization_headers() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let token = client.token();
    let get = |headers: &str| {
        response_status(
            &server,
            &format!("GET /shop/states HTTP/1.1\r\nHost: k\r\nConnection: close\r\n{headers}\r\n"),
        )
    };
    let right = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(get(&right), 200);
    assert_eq!(get(&format!("{right}Authorization: Bearer other\r\n")), 401);
    assert_eq!(get(&format!("Authorization: Bearer other\r\n{right}")), 401);
    assert_eq!(get(&format!("Authorization: Bearer {token}, Bearer {token}\r\n")), 401);
    // A header line that continues on the next line is not allowed any more (RFC 9112, section 5.2).
    assert_eq!(get(&format!("Authorization: Bearer\r\n {token}\r\n")), 400);
    let ask = |headers: &str| {
        response_status(
            &server,
            &format!(
                "POST /oauth/token HTTP/1.1\r\nHost: k\r\nConnection: close\r\nContent-Length: 29\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\n{headers}\r\ngrant_type=client_credentials"
            ),
        )
    };
    let basic = format!("Authorization: {}\r\n", crate::harness::basic("id", "secret"));
    assert_eq!(ask(&basic), 200);
    assert_eq!(ask(&format!("{basic}{basic}")), 401);
    assert_eq!(ask(&format!("Authorization: Basic {}\r\n", "!".repeat(1_000))), 401);
}

#[test]
fn responds_to_tokens_and_forms_of_any_length() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let long = "a".repeat(100_000);
    let (refused, body) = server.with_token(&long).get("/shop/states");
    assert_eq!((refused, body["errors"][0]["code"].as_str()), (401, Some("invalid_token")));
    assert!(body.to_string().len() < 1_000, "{body}");
    let form = |path: &str, form: &str| {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: k\r\nConnection: close\r\nAuthorization: {}\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{form}",
            crate::harness::basic("id", "secret"),
            form.len()
        );
        response_status(&server, &request)
    };
    assert_eq!(form("/oauth/introspect", &format!("token={}", &long[..60_000])), 200);
    assert_eq!(form("/oauth/introspect", &format!("token={long}")), 400);
    assert_eq!(form("/oauth/token", &format!("grant_type=refresh_token&refresh_token={long}")), 400);
    assert_eq!(form("/oauth/token", &format!("grant_type={}", &long[..60_000])), 400);
    assert_eq!(form("/oauth/token/revoke", &format!("token={long}")), 200, "there is nothing to revoke");
    assert_eq!(form("/oauth/token", "grant_type=client_credentials&scope=%00%ff%0d%0aX: y"), 400);
    assert_eq!(server.nobody().get("/health").0, 200);
}
