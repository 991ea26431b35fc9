//! The callback of an in-store application, emulated over HTTPS: its requests, its responses, and that the API key
//! persists.

use crate::harness::{ServerUnderTest, fixture, folder, serve};
use kontor_json::{Value, json};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

/// A test certificate for `localhost`.
const CERTIFICATE: &str = "localhost.pem";
const PRIVATE_KEY: &str = "localhost.key.pem";

/// The heads of received requests.
pub(crate) type RequestHeads = Arc<Mutex<Vec<String>>>;

/// Starts a callback server, which returns 404 for the user `nobody`, otherwise a token. Returns its port and the
/// heads.
pub(crate) fn callback() -> (u16, RequestHeads) {
    let certificate = CertificateDer::from_pem_file(fixture(CERTIFICATE)).unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture(PRIVATE_KEY)).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = RequestHeads::default();
    let kept = Arc::clone(&heads);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut reader = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
            let (mut head, mut line) = (String::new(), String::new());
            // A client that does not trust the certificate sends nothing.
            while reader.read_line(&mut line).is_ok_and(|length| length > 0) && line != "\r\n" {
                head.push_str(&line);
                line.clear();
            }
            let (status, body) = match head.contains("/nobody ") {
                true => ("404 Not Found", "no such user"),
                false => ("200 OK", "{\"token\":\"t\"}"),
            };
            kept.lock().unwrap().push(head);
            let response = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            _ = reader.get_mut().write_all(response.as_bytes());
            _ = reader.get_mut().flush();
        }
    });
    (port, heads)
}

/// Starts a server that trusts the certificates in a file.
fn trusting(data: &Path, file: &str, may_call_private: bool) -> ServerUnderTest {
    let mut command = serve(data);
    command.env("SSL_CERT_FILE", fixture(file)).env_remove("SSL_CERT_DIR");
    if may_call_private {
        command.arg("--allow-private-destinations");
    }
    ServerUnderTest::start_with(command, Stdio::null())
}

fn set(server: &ServerUnderTest, port: u16) {
    let draft = json!({"tokenRetrievalUrl": format!("https://localhost:{port}/callback"), "callbackApiKey": "s3cret"});
    let (status, settings) = server.client().post("/in-store-application/shop/settings", &draft);
    assert_eq!(status, 200, "{settings}");
}

fn retrieve(server: &ServerUnderTest, kind: &str, id: &str) -> (u16, Value) {
    server.client().post("/in-store-application/shop/retrieve", &json!({"kind": kind, "id": id}))
}

#[test]
fn calls_the_callback_with_the_key_and_returns_its_response() {
    let (port, heads) = callback();
    let data = folder();
    let mut server = trusting(data.path(), CERTIFICATE, true);
    set(&server, port);
    let (status, response) = retrieve(&server, "UserToken", "jo");
    assert_eq!((status, &response), (200, &json!({"status": 200, "body": {"token": "t"}})));
    let (_, response) = retrieve(&server, "PaymentCart", "nobody");
    assert_eq!(response, json!({"status": 404, "body": "no such user"}));
    let head = heads.lock().unwrap()[0].to_ascii_lowercase();
    assert!(head.starts_with("get /callback/jo http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nx-api-key: s3cret\r\n"), "{head}");

    // The settings survive a kill, and so does the key.
    server.kill();
    let server = trusting(data.path(), CERTIFICATE, true);
    assert_eq!(retrieve(&server, "ReturnCart", "1").1["status"], 200);
    assert!(heads.lock().unwrap().last().unwrap().contains("s3cret"));
}

#[test]
fn calls_no_private_callbacks() {
    let (port, heads) = callback();
    let data = folder();
    let mut server = trusting(data.path(), CERTIFICATE, false);
    set(&server, port);
    let (status, response) = retrieve(&server, "UserToken", "jo");
    assert!(status == 502 || status == 400, "{response}");
    assert!(heads.lock().unwrap().is_empty());

    // A callback with an untrusted certificate is not called either.
    server.kill();
    let server = ServerUnderTest::start_with(
        {
            let mut command = serve(data.path());
            command.arg("--allow-private-destinations");
            command
        },
        Stdio::null(),
    );
    assert_eq!(retrieve(&server, "UserToken", "jo").0, 502);
    let heads = heads.lock().unwrap();
    assert!(heads.iter().all(|head| !head.contains("s3cret")), "{heads:?}");
}
