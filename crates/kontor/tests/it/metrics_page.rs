//! The contents of `/metrics`.

use crate::harness::{ServerUnderTest, folder};
use kontor_json::json;

#[test]
fn metrics_are_described_and_limited_to_known_routes_and_projects() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let caller = server.client();
    assert_eq!(caller.post("/shop/channels", &json!({"key": "berlin"})).0, 201);
    caller.get("/shop/channels/key=berlin");
    caller.get("/nowhere/channels");
    server.nobody().get("/shop/channels");

    let figures = server.nobody().get_text("/metrics");
    for expected in [
        "# HELP kontor_http_requests_total Requests with a response",
        r#"kontor_route_requests_total{method="POST",route="/{projectKey}/channels",status="2xx"} 1"#,
        r#"kontor_route_requests_total{method="GET",route="/{projectKey}/channels/key={key}",status="2xx"} 1"#,
        r#"kontor_project_requests_total{project="shop",status="4xx"} 1"#,
        r#"kontor_commit_duration_seconds_count{project="shop"}"#,
        "kontor_tokens_refused_total 1",
        "kontor_build_info{",
        "process_resident_memory_bytes",
    ] {
        assert!(figures.contains(expected), "{expected} in {figures}");
    }
    assert!(!figures.contains("nowhere"), "{figures}");
}
