//! `kontor export`.

use crate::harness::{drafts, fixture, folder, run, text};
use serde_json::Value;
use std::fs;

/// Without the name of the project, which is its own.
fn comparable(lines: Vec<String>) -> Vec<Value> {
    let mut values: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    for value in &mut values {
        if value["kind"] == "project" {
            value["draft"]["name"] = Value::Null;
        }
    }
    values
}

#[test]
fn an_export_is_imported_elsewhere_and_exported_the_same() {
    let data = folder();
    let shop = fixture("shop");
    for project in ["one", "two", "three"] {
        run(data.path(), &["project", "create", project]).ok();
    }
    run(data.path(), &["import", "--project", "one", text(&shop)]).failed();
    let lines = data.path().join("one.jsonl");
    run(data.path(), &["export", "--project", "one", text(&lines)]).ok();
    run(data.path(), &["import", "--project", "two", text(&lines)]).ok();
    let expected = comparable(drafts(data.path(), "one"));
    assert!(expected.len() > 20, "{expected:#?}");
    assert_eq!(comparable(drafts(data.path(), "two")), expected);

    let files = data.path().join("files");
    fs::create_dir(&files).unwrap();
    run(data.path(), &["export", "--project", "one", text(&files)]).ok();
    assert!(files.join("tax-categories.json").exists());
    run(data.path(), &["import", "--project", "three", text(&files)]).ok();
    assert_eq!(comparable(drafts(data.path(), "three")), expected);
}

#[test]
fn references_are_by_key_and_nothing_secret_is_in_it() {
    let data = folder();
    let shop = fixture("shop");
    run(data.path(), &["project", "create", "one"]).ok();
    run(data.path(), &["client", "create", "--project", "one", "--id", "ci", "--secret", "hush"]).ok();
    run(data.path(), &["import", "--project", "one", text(&shop)]).failed();
    let out = run(data.path(), &["export", "--project", "one"]).ok();
    assert!(!out.contains("hush") && !out.contains("api-client"), "{out}");
    assert!(!out.contains("\"version\"") && !out.contains("createdAt"), "{out}");
    let only = run(data.path(), &["export", "--project", "one", "--kind", "channel"]).ok();
    let channels: Vec<Value> = only.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(channels.len(), 2);
    let graz = channels.iter().find(|line| line["draft"]["key"] == "graz").unwrap();
    assert_eq!(graz["draft"]["custom"]["type"]["key"], "counter");
    assert_eq!(graz["draft"]["custom"]["fields"]["near"][0]["key"], "lyon");
    let stored = run(data.path(), &["export", "--project", "one", "--kind", "channel", "--documents"]).ok();
    assert!(stored.contains("\"resource\":{\"id\":"), "{stored}");
    assert!(
        run(data.path(), &["export", "--project", "one", "--kind", "api-client"])
            .failed()
            .contains("api-client")
    );
}
