//! Start and stop of a server, and access to its operator API.

use crate::harness::{Server, folder, kontor, run, serve};
use kontor_json::json;
use std::fs::{self, File};

#[test]
fn a_second_process_is_refused_on_the_same_folder() {
    let data = folder();
    let server = Server::start(data.path());
    let said = run(data.path(), &["serve", "--listen", "127.0.0.1:0"]).failed();
    assert!(said.contains("in use"), "{said}");
    // The other commands go through the server.
    assert!(run(data.path(), &["project", "list"]).ok().contains("\nshop\t"));
    drop(server);
}

#[test]
fn sigterm_ends_the_server_well_and_takes_its_socket_away() {
    let data = folder();
    let server = Server::start(data.path());
    assert!(data.path().join("control.sock").exists());
    assert!(server.terminate().success());
    assert!(!data.path().join("control.sock").exists());
}

#[test]
fn after_a_clean_stop_each_file_has_everything_however_soon_it_came() {
    let data = folder();
    let server = Server::start(data.path());
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
fn what_a_killed_server_left_stands_in_nobodys_way() {
    let data = folder();
    let mut server = Server::start(data.path());
    server.kill();
    assert!(data.path().join("control.sock").exists());
    // Without a server, and with the next one.
    assert!(run(data.path(), &["project", "list"]).ok().contains("\nshop\t"));
    let _server = Server::start(data.path());
    assert!(run(data.path(), &["project", "list"]).ok().contains("\nshop\t"));
}

#[test]
fn what_the_operator_may_do_is_not_there_for_others() {
    let data = folder();
    let server = Server::start(data.path());
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
fn no_secret_is_logged_however_much_is() {
    let data = folder();
    let log = data.path().join("log");
    let mut command = serve(data.path());
    command.env("KONTOR_LOG", "trace");
    let server = Server::start_with(command, File::create(&log).unwrap().into());
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
fn what_is_left_of_a_removed_project_is_not_in_a_new_one() {
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
