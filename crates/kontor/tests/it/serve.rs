//! Start and stop of a server, and access to its operator API.

use crate::harness::{ServerUnderTest, folder, kontor, run, serve};
use kontor_json::json;
use std::fs::{self, File};

#[test]
fn a_second_process_is_refused_on_the_same_folder() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let said = run(data.path(), &["serve", "--listen", "127.0.0.1:0"]).failed();
    assert!(said.contains("in use"), "{said}");
    // The other commands go through the server.
    assert!(run(data.path(), &["project", "list"]).ok().contains("\nshop\t"));
    drop(server);
}

#[test]
fn sigterm_stops_cleanly_and_removes_the_socket() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    assert!(data.path().join("control.sock").exists());
    assert!(server.terminate().success());
    assert!(!data.path().join("control.sock").exists());
}

#[test]
fn health_reports_whether_a_server_serves() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let address = server.address().to_string();
    assert_eq!(run(data.path(), &["health", "--listen", &address]).ok(), "");
    assert!(server.terminate().success());
    let said = run(data.path(), &["health", "--listen", &address]).failed();
    assert!(said.contains(&format!("no server responds at {address}")), "{said}");
}

#[test]
fn a_clean_stop_leaves_no_write_ahead_logs() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    // The background preparation is still running.
    assert_eq!(server.client().post("/shop/channels", &json!({"key": "berlin"})).0, 201);
    assert!(server.terminate().success());
    for folder in [data.path().to_owned(), data.path().join("projects")] {
        let names =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let beside: Vec<String> = names.filter(|name| name.contains(".db-")).collect();
        assert!(beside.is_empty(), "{}: {beside:?}", folder.display());
    }
}

#[test]
fn starts_after_a_killed_server() {
    let data = folder();
    let mut server = ServerUnderTest::start(data.path());
    server.kill();
    assert!(data.path().join("control.sock").exists());
    // Without a server, and with the next one.
    assert!(run(data.path(), &["project", "list"]).ok().contains("\nshop\t"));
    let _server = ServerUnderTest::start(data.path());
    assert!(run(data.path(), &["project", "list"]).ok().contains("\nshop\t"));
}

#[test]
fn the_operator_api_is_not_public() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    for caller in [server.client(), server.nobody()] {
        for path in ["/_operator/projects", "/_operator/backup", "/_operator/projects/shop/clients"] {
            let (status, body) = caller.post(path, &json!({}));
            assert_eq!(
                (status, body["errors"][0]["code"].as_str()),
                (404, Some("ResourceNotFound")),
                "{path}: {body}"
            );
        }
    }
    // The header by which an import chooses ids is ignored for clients.
    let chosen = ("X-Kontor-Id", "chosen");
    let (status, zone) = server.client().with_header(chosen).post("/shop/zones", &json!({"name": "Here"}));
    assert_eq!(status, 201, "{zone}");
    assert_ne!(zone["id"], "chosen");
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let data = folder();
    let file = data.path().join("file");
    std::fs::write(&file, "").unwrap();
    let said = kontor(&file).args(["project", "create", "shop"]).output().unwrap();
    assert!(!said.status.success());
    assert!(String::from_utf8_lossy(&said.stderr).contains("file"), "{said:?}");
}

#[test]
fn logs_no_secrets_at_any_level() {
    let data = folder();
    let log = data.path().join("log");
    let mut command = serve(data.path());
    command.env("KONTOR_LOG", "trace");
    let server = ServerUnderTest::start_with(command, File::create(&log).unwrap().into());
    let created = ["client", "create", "--project", "shop", "--id", "other", "--secret", "hush-hush-hush"];
    run(data.path(), &created).ok();
    let caller = server.caller("other", "hush-hush-hush");
    assert_eq!(caller.get("/shop/zones").0, 200);
    let token = caller.token().to_owned();
    assert!(server.terminate().success());
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains("/shop/zones"), "{log}");
    for secret in ["hush-hush-hush", token.as_str()] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn a_new_project_has_no_data_of_a_removed_one() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    run(data.path(), &["project", "create", "kept"]).ok();
    let file = data.path().join("projects/shop.db");
    let copy = data.path().join("copy");
    fs::copy(&file, &copy).unwrap();
    run(data.path(), &["project", "remove", "shop", "--yes"]).ok();
    // The state after a kill between the two steps of a removal.
    fs::copy(&copy, &file).unwrap();
    run(data.path(), &["project", "list"]).ok();
    assert!(!file.exists());
    assert!(data.path().join("projects/shop.removed").exists());
    assert!(data.path().join("projects/kept.db").exists());
}
