//! Access to the test controls.

use crate::harness::{CommandResult, ServerUnderTest, folder, serve};
use kontor_json::json;
use std::fs::{File, read_to_string};
use std::process::Stdio;

#[test]
fn rejects_an_empty_test_token() {
    let data = folder();
    for listen in ["0.0.0.0:0", "127.0.0.1:0"] {
        let mut command = serve(data.path());
        command.args(["--listen", listen, "--test-controls", "--test-token", ""]);
        let said = CommandResult::of(command.output().unwrap()).failed();
        assert!(said.contains("--test-token is empty"), "{said}");
    }
}

#[test]
fn rejects_pages_of_other_origins() {
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--test-controls");
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let call = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", server.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        agent.run(request.body(body.to_owned()).unwrap()).unwrap()
    };
    let json = ("content-type", "application/json");
    let made = r#"{"key": "made"}"#;
    for origin in ["https://example.com", "http://localhost:3000", "null"] {
        let headers = [("origin", origin), json];
        assert_eq!(call("POST", "/_test/projects", &headers, made).status(), 403, "{origin}");
        assert_eq!(call("DELETE", "/_test/projects/shop", &headers[..1], "").status(), 403, "{origin}");
        // The CORS preflight of browsers, which precedes JSON requests, fails too.
        let asks = [("origin", origin), ("access-control-request-method", "POST")];
        let response = call("OPTIONS", "/_test/projects", &asks, "");
        assert_eq!(response.headers().get("access-control-allow-origin"), None, "{origin}");
    }
    // Browsers send forms and texts without a preflight, so they are rejected.
    for content_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let response = call("POST", "/_test/projects", &[("content-type", content_type)], made);
        assert_eq!(response.status(), 400, "{content_type}");
    }
    assert_eq!(server.client().get("/shop").0, 200);
    assert_eq!(call("POST", "/_test/projects", &[json], made).status(), 201);
    assert_eq!(server.nobody().post("/_test/projects/made/reset", &json!({})).0, 200);
}

#[test]
fn refusals_name_the_flag_and_the_header() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    for path in ["/_test", "/_test/projects", "/_test/nothing"] {
        let (status, said) = server.nobody().get(path);
        let message = said["message"].as_str().unwrap();
        assert_eq!(status, 404, "{path}");
        assert!(message.starts_with(&format!("URI not found: {path}")), "{message}");
        assert!(message.contains("--test-controls"), "{message}");
    }
    drop(server);
    let mut command = serve(data.path());
    command.args(["--test-controls", "--test-token", "right"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    for (token, status, problem) in
        [(None, 401, "is missing"), (Some("wrong"), 401, "has another value"), (Some("right"), 200, "")]
    {
        let mut request = ureq::http::Request::builder().uri(format!("{}/_test", server.url));
        if let Some(token) = token {
            request = request.header("X-Test-Token", token);
        }
        let mut response = agent.run(request.body(()).unwrap()).unwrap();
        let said = response.body_mut().read_to_string().unwrap();
        assert_eq!(response.status(), status, "{said}");
        assert!(said.contains("X-Test-Token") && said.contains(problem), "{said}");
    }
}

#[test]
fn a_fault_of_a_test_is_no_error_in_the_log() {
    let (data, log) = (folder(), folder());
    let log = log.path().join("log");
    let mut command = serve(data.path());
    command.arg("--test-controls");
    let server = ServerUnderTest::start_with(command, Stdio::from(File::create(&log).unwrap()));
    let fault = json!({"method": "GET", "path": "/zones", "status": 503});
    assert_eq!(server.nobody().post("/_test/projects/shop/faults", &fault).0, 201);
    assert_eq!(server.client().get("/shop/zones").0, 503);
    let said = read_to_string(&log).unwrap();
    assert!(said.contains("by a fault that a test requested") && !said.contains("ERROR"), "{said}");
}
