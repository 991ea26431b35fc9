//! Traces are sent to the collector that the environment names.

use crate::harness::{ServerUnderTest, folder, serve, wait_until};
use kontor_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;

/// Starts a collector that accepts everything. Returns its port and the received bytes.
fn collector() -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&taken);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, kept) = (stream.unwrap(), Arc::clone(&kept));
            thread::spawn(move || {
                let mut chunk = [0; 65_536];
                while let Ok(read @ 1..) = stream.read(&mut chunk) {
                    kept.lock().unwrap().extend_from_slice(&chunk[..read]);
                    let response = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
                    // The client may have closed the connection.
                    _ = stream.write_all(response);
                }
            });
        }
    });
    (port, taken)
}

/// Starts a server that sends its traces to the collector at this port.
fn traced_server(data: &Path, port: u16) -> ServerUnderTest {
    let mut command = serve(data);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://127.0.0.1:{port}"));
    command.env("OTEL_BSP_SCHEDULE_DELAY", "50");
    ServerUnderTest::start_with(command, Stdio::null())
}

#[test]
fn a_request_span_is_a_child_of_the_callers_span() {
    let data = folder();
    let (port, taken) = collector();
    let server = traced_server(data.path(), port);
    let traceparent = ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    server.client().with_header(traceparent).post("/shop/channels", &json!({"key": "berlin"}));

    let has = |bytes: &[u8]| taken.lock().unwrap().windows(bytes.len()).any(|window| window == bytes);
    let trace =
        [0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36];
    wait_until(|| has(b"POST /v1/traces") && has(b"POST /{projectKey}/channels") && has(&trace));
    // The default service name.
    assert!(has(b"service.name") && has(b"kontor"));
    assert!(server.terminate().success());
}

#[test]
fn a_span_has_no_token_of_the_path() {
    let data = folder();
    let (port, taken) = collector();
    let server = traced_server(data.path(), port);
    server.client().get("/shop/customers/password-token=unguessable");

    let has = |bytes: &[u8]| taken.lock().unwrap().windows(bytes.len()).any(|window| window == bytes);
    wait_until(|| has(b"/shop/customers/password-token="));
    assert!(server.terminate().success());
    assert!(!has(b"unguessable"));
}
