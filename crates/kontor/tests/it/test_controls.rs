//! Access to the test controls.

use crate::harness::{CommandResult, ServerUnderTest, folder, serve};
use kontor_json::json;
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
        let answer = call("OPTIONS", "/_test/projects", &asks, "");
        assert_eq!(answer.headers().get("access-control-allow-origin"), None, "{origin}");
    }
    // Browsers send forms and texts without a preflight, so they are rejected.
    for content_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let answer = call("POST", "/_test/projects", &[("content-type", content_type)], made);
        assert_eq!(answer.status(), 400, "{content_type}");
    }
    assert_eq!(server.client().get("/shop").0, 200);
    assert_eq!(call("POST", "/_test/projects", &[json], made).status(), 201);
    assert_eq!(server.nobody().post("/_test/projects/made/reset", &json!({})).0, 200);
}
