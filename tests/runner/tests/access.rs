//! Calls every operation of `/openapi.json` with every kind of token that must be refused, and with each of its scopes
//! alone.
//!
//! Source: document A, "Authentication"; reference types `invalid_token` and `insufficient_scope`.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_json::{Value, json};
use kontor_tests::{BoundNames, TestProject, TestedServer, filled, in_parallel};
use std::collections::BTreeSet;
use ureq::{Agent, http};

/// One operation of the server's OpenAPI document.
struct ScopedOperation {
    method: String,
    path: String,
    scopes: Vec<String>,
    /// Whether it accepts the token of a client. Most operations below `/me` take tokens of customers only;
    /// `access_by_token` tests those.
    takes_clients: bool,
}

/// Returns the operations that need a token: all below `/{projectKey}`.
fn operations(document: &Value) -> Vec<ScopedOperation> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in ["get", "head", "post", "delete"] {
            let operation = &item[method];
            let is_open =
                operation["security"].as_array().is_none_or(|list| list.iter().all(|one| one == &json!({})));
            if operation.is_null() || is_open || !path.starts_with("/{projectKey}") {
                continue;
            }
            let scopes = operation["security"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_object)
                .flat_map(|one| one.values())
                .filter_map(Value::as_array)
                .flatten()
                .filter_map(|scope| Some(scope.as_str()?.split(':').next()?.to_owned()))
                .collect();
            let tokens = operation["x-tokens"].as_array();
            let takes_clients = tokens.is_none_or(|tokens| tokens.contains(&json!("client")));
            found.push(ScopedOperation {
                method: method.to_uppercase(),
                path: path.to_string(),
                scopes,
                takes_clients,
            });
        }
    }
    found
}

fn call(agent: &Agent, base_url: &str, method: &str, path: &str, token: Option<&str>) -> (u16, String) {
    let mut request = http::Request::builder().method(method).uri(format!("{base_url}{path}"));
    if let Some(token) = token {
        request = request.header("authorization", token);
    }
    let body = if method == "POST" { "{}" } else { "" };
    let request = request.body(body).unwrap();
    let mut response = agent.run(request).unwrap();
    (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
}

#[test]
fn refuses_every_operation_without_the_right_token() {
    let server = TestedServer::start().unwrap();
    let mut ours = TestProject::open(&server.base_url, "walk-ours").unwrap();
    let other = TestProject::open(&server.base_url, "walk-other").unwrap();
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let (_, document) = call(&agent, &server.base_url, "GET", "/openapi.json", None);
    let document: Value = kontor_json::from_str(&document).unwrap();
    let operations = operations(&document);
    assert!(operations.len() >= 129, "the document describes {} operations", operations.len());

    // A scope of the project that no operation accepts.
    let requested: BTreeSet<&str> =
        operations.iter().flat_map(|operation| &operation.scopes).map(String::as_str).collect();
    let narrow = "view_connectors";
    assert!(!requested.contains(narrow), "{narrow} opens something; choose another scope");
    ours.speak_as(&kontor_tests::Identity::NewClient(format!("{narrow}:shop")), &BoundNames::default())
        .unwrap();
    let narrow = ours.authorization().unwrap().to_owned();
    let foreign = other.authorization().unwrap().to_owned();

    let cases = [
        ("nobody", None, 401),
        ("a token that was never issued", Some("Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), 401),
        ("no bearer", Some("Basic d2Fsazp3YWxr"), 401),
        ("too narrow a scope", Some(narrow.as_str()), 403),
        ("a token of another project", Some(foreign.as_str()), 403),
    ];
    let walk = |operations: &[ScopedOperation]| {
        let mut wrong = Vec::new();
        for operation in operations {
            let path = filled(&operation.path.replace("{projectKey}", "walk-ours"));
            for (who, token, expected) in cases {
                // Operations without scopes accept any token of the project; they check scopes by the content of the
                // request.
                if operation.scopes.is_empty() && token == Some(narrow.as_str()) {
                    continue;
                }
                let (status, _) = call(&agent, &server.base_url, &operation.method, &path, token);
                if status != expected {
                    wrong.push(format!("{} {path} as {who}: {status}, not {expected}", operation.method));
                }
            }
        }
        wrong
    };
    let wrong = in_parallel(&operations, walk);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn grants_every_operation_with_each_of_its_scopes_alone() {
    let server = TestedServer::start().unwrap();
    let mut shop = TestProject::open(&server.base_url, "walk-scopes").unwrap();
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let (_, document) = call(&agent, &server.base_url, "GET", "/openapi.json", None);
    let operations = operations(&kontor_json::from_str(&document).unwrap());
    let scopes: BTreeSet<&String> = operations.iter().flat_map(|operation| &operation.scopes).collect();
    let mut wrong = Vec::new();
    for scope in scopes {
        shop.speak_as(&kontor_tests::Identity::NewClient(format!("{scope}:shop")), &BoundNames::default())
            .unwrap();
        let token = shop.authorization().unwrap().to_owned();
        let opened =
            |operation: &&ScopedOperation| operation.takes_clients && operation.scopes.contains(scope);
        for operation in operations.iter().filter(opened) {
            let path = filled(&operation.path.replace("{projectKey}", "walk-scopes"));
            let (status, _) = call(&agent, &server.base_url, &operation.method, &path, Some(&token));
            // The empty request may fail for other reasons; only refused access counts.
            if matches!(status, 401 | 403) || status >= 500 {
                wrong.push(format!("{} {path} with {scope}: {status}", operation.method));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
