//! Tests the lines that `kontor serve` prints at its first start, `kontor completions` and `kontor man`.

use crate::harness::{folder, kontor, run};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

/// Starts a server, and returns the first lines that it prints, until one begins with `last`.
fn printed_until(data: &Path, arguments: &[&str], last: &str) -> Vec<String> {
    let mut command = kontor(data);
    command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = Vec::new();
    for line in BufReader::new(server.stdout.take().unwrap()).lines() {
        lines.push(line.unwrap());
        if lines.last().is_some_and(|line| line.starts_with(last)) {
            break;
        }
    }
    server.kill().unwrap();
    server.wait().unwrap();
    lines
}

#[test]
fn an_empty_server_says_how_to_get_a_project() {
    let data = folder();
    let lines = printed_until(data.path(), &[], "console, to create the first operator").join("\n");
    assert!(lines.starts_with("kontor listening on http://127.0.0.1:"), "{lines}");
    assert!(lines.contains("kontor project create shop"), "{lines}");
    run(data.path(), &["project", "create", "shop"]).ok();
    let lines = printed_until(data.path(), &[], "console, to create the first operator");
    assert_eq!(lines.len(), 2, "{lines:?}");
}

#[test]
fn a_new_project_gets_a_client_whose_secret_is_shown_once() {
    let data = folder();
    let first = printed_until(data.path(), &["--project", "shop"], "console, to create the first operator");
    let value = |name: &str| {
        let line = first.iter().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(value("project key:"), "shop");
    assert!(value("client secret:").len() >= 20);
    let listed = run(data.path(), &["client", "list", "--project", "shop"]).ok();
    assert!(listed.contains(&value("client id:")), "{listed}");
    let again = printed_until(data.path(), &["--project", "shop"], "console, to create the first operator");
    assert_eq!(again.len(), 2, "{again:?}");
    let alone = run(data.path(), &["serve", "--project", "shop", "--client-id", "a"]);
    assert!(alone.status.code() == Some(2) && alone.err.contains("--client-secret"), "{alone:?}");
}

#[test]
fn prints_completions_and_a_manual_page() {
    let data = folder();
    for shell in ["bash", "zsh", "fish"] {
        let script = run(data.path(), &["completions", shell]).ok();
        assert!(script.contains("public-url"), "{shell}");
    }
    let page = run(data.path(), &["man"]).ok();
    assert!(page.contains(".TH kontor 1") && page.contains("public\\-url"));
}
