//! `kontor project` and `kontor client`.

use crate::harness::{Server, folder, run};
use serde_json::json;

#[test]
fn projects_are_created_listed_and_removed() {
    let data = folder();
    assert!(run(data.path(), &["project", "list"]).failed().contains("is no data folder"));
    run(data.path(), &["project", "create", "shop", "--name", "The shop"]).ok();
    run(data.path(), &["project", "create", "other"]).ok();
    assert!(run(data.path(), &["project", "create", "shop"]).failed().contains("DuplicateField"));
    assert!(run(data.path(), &["project", "create", "No Key"]).failed().contains("InvalidField"));
    let listed = run(data.path(), &["project", "list"]).ok();
    let keys: Vec<&str> = listed.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(keys, ["other", "shop"]);
    assert!(listed.contains("\tThe shop"));
    run(data.path(), &["project", "remove", "shop"]).ok();
    assert!(!data.path().join("projects/shop.db").exists());
    assert!(run(data.path(), &["project", "remove", "shop"]).failed().contains("shop"));
}

#[test]
fn the_first_client_of_a_project_works() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let created = run(data.path(), &["client", "create", "--project", "shop"]).ok();
    let line =
        |name: &str| created.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
    assert!(line("scope:").contains("manage_project:shop"));
    let server = Server::start(data.path());
    let caller = server.caller(&line("id:"), &line("secret:"));
    assert_eq!(caller.post("/shop/zones", &json!({"name": "Here"})).0, 201);
}

#[test]
fn clients_are_made_and_removed_while_the_server_runs() {
    let data = folder();
    let server = Server::start(data.path());
    let created = [
        "client",
        "create",
        "--project",
        "shop",
        "--id",
        "reader",
        "--secret",
        "s",
        "--scope",
        "view_states",
    ];
    let out = run(data.path(), &created).ok();
    assert!(out.contains("view_states:shop") && !out.contains("manage_project"), "{out}");
    let reader = server.caller("reader", "s");
    assert_eq!(reader.get("/shop/states").0, 200);
    assert_eq!(reader.get("/shop/zones").0, 403);
    let listed = run(data.path(), &["client", "list", "--project", "shop"]).ok();
    assert!(listed.contains("reader\t") && !listed.contains("secret"), "{listed}");
    run(data.path(), &["client", "remove", "--project", "shop", "reader"]).ok();
    assert_eq!(reader.get("/shop/states").0, 401);
    assert!(run(data.path(), &["client", "create", "--project", "nowhere"]).failed().contains("nowhere"));
}
