//! Bits flipped on disk, and deleted files: they are reported to operators, and damaged data is never served.

use crate::harness::{CommandResult, ServerUnderTest, basic, folder, run, serve, text, wait_until};
use crate::missing_files::write_backup;
use kontor_json::{Value, json};
use std::fs;
use std::path::Path;

/// A text that only one document has, and no index.
const TEXT: &str = "A text that is nowhere else";

/// Creates two channels, one of them with the text. Returns its id.
fn shop(data: &Path) -> String {
    let server = ServerUnderTest::start(data);
    let client = server.client();
    let (status, channel) =
        client.post("/shop/channels", &json!({"key": "berlin", "description": {"en": TEXT}}));
    assert_eq!(status, 201, "{channel}");
    assert_eq!(client.post("/shop/channels", &json!({"key": "paris"})).0, 201);
    assert!(server.terminate().success());
    channel["id"].as_str().unwrap().to_owned()
}

/// Flips one bit in each occurrence of a text in a file. Returns the number of occurrences.
fn flip(file: &Path, text: &str) -> usize {
    let mut bytes = fs::read(file).unwrap();
    let places: Vec<_> =
        (0..bytes.len()).filter(|place| bytes[*place..].starts_with(text.as_bytes())).collect();
    for place in &places {
        bytes[place + 2] ^= 1;
    }
    fs::write(file, bytes).unwrap();
    places.len()
}

fn reasons(ready: &Value) -> String {
    ready["reasons"].to_string()
}

#[test]
fn reports_a_flipped_bit_everywhere() {
    let (data, elsewhere) = (folder(), folder());
    let id = shop(data.path());
    let good = elsewhere.path().join("good.tar");
    run(data.path(), &["backup", text(&good)]).ok();
    assert!(run(data.path(), &["verify"]).ok().contains("project 'shop': whole"));
    assert!(run(data.path(), &["verify", text(&good)]).ok().contains("project 'shop': whole"));
    // In the document, and in the message about its creation.
    assert!(flip(&data.path().join("projects/shop.db"), TEXT) >= 1);

    let log = elsewhere.path().join("log");
    let server = ServerUnderTest::start_with(serve(data.path()), fs::File::create(&log).unwrap().into());
    let client = server.client();
    assert_eq!(client.get("/shop/channels/key=paris").0, 200);
    assert_eq!(server.nobody().get("/health/ready").0, 200, "nobody has met it");
    let (status, response) = client.get(&format!("/shop/channels/{id}"));
    assert_eq!((status, &response["errors"][0]["code"]), (500, &json!("General")), "{response}");
    for path in ["/shop/channels/key=berlin", "/shop/channels"] {
        let (status, response) = client.get(path);
        assert_eq!(status, 500, "{path}: {response}");
    }
    assert_eq!(client.get("/shop/channels/key=paris").0, 200, "all else is served");
    let (status, ready) = server.nobody().get("/health/ready");
    assert_eq!(status, 503);
    assert!(reasons(&ready).contains("project 'shop'") && reasons(&ready).contains(&id), "{ready}");
    let figures = server.nobody().get_text("/metrics");
    assert!(figures.contains(r#"kontor_storage_damage_total{project="shop"} "#), "{figures}");
    let logged = fs::read_to_string(&log).unwrap();
    assert!(logged.contains(&format!("the document channel {id} cannot be read")), "{logged}");

    // With a running server, and without.
    let bad = elsewhere.path().join("bad.tar");
    for is_served in [true, false] {
        let said = run(data.path(), &["verify"]).failed();
        assert!(said.contains(&format!("project 'shop': channel {id}: ")), "{is_served}: {said}");
        let said = run(data.path(), &["backup", text(&bad)]).failed();
        assert!(said.contains("project 'shop'") && said.contains(&format!("channel {id}")), "{said}");
        assert!(!bad.exists() && !elsewhere.path().join("bad.tar.partial").exists());
        if is_served {
            server.signal("TERM");
            wait_until(|| server.nobody().try_get("/health").is_none());
        }
    }
    let restored = elsewhere.path().join("restored");
    run(&restored, &["restore", text(&good)]).ok();
    assert_eq!(ServerUnderTest::start(&restored).client().get("/shop/channels/key=berlin").0, 200);
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let (data, elsewhere) = (folder(), folder());
    let id = shop(data.path());
    let file = elsewhere.path().join("all.tar");
    run(data.path(), &["backup", text(&file)]).ok();
    let unpacked = elsewhere.path().join("unpacked");
    tar::Archive::new(fs::File::open(&file).unwrap()).unpack(&unpacked).unwrap();
    // Damaged before packing, so that the checksums of the files match.
    flip(&unpacked.join("projects/shop.db"), TEXT);
    let tampered = elsewhere.path().join("tampered.tar");
    write_backup(&unpacked, Some(&fs::read(unpacked.join("projects/shop.db")).unwrap()), &tampered);
    let restored = elsewhere.path().join("restored");
    let said = run(&restored, &["restore", text(&tampered)]).failed();
    assert!(said.contains("projects/shop.db") && said.contains(&format!("channel {id}")), "{said}");
    assert!(!restored.join("system.db").exists() && !restored.join("projects").exists());
    assert!(run(data.path(), &["verify", text(&tampered)]).failed().contains(&id));
}

#[test]
fn refuses_writes_to_a_removed_file() {
    for (name, is_moved) in [("shop.db", true), ("shop.db", false), ("shop.db-wal", false)] {
        let (data, elsewhere) = (folder(), folder());
        let server = ServerUnderTest::start(data.path());
        let client = server.client();
        assert_eq!(client.post("/shop/channels", &json!({"key": "berlin"})).0, 201);
        let (file, kept) = (data.path().join("projects").join(name), elsewhere.path().join("kept"));
        if is_moved {
            fs::rename(&file, &kept).unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
        let (status, response) = client.post("/shop/channels", &json!({"key": "paris"}));
        assert_eq!(
            (status, &response["errors"][0]["code"]),
            (503, &json!("OverCapacity")),
            "{name}: {response}"
        );
        let (status, ready) = server.nobody().get("/health/ready");
        assert_eq!(status, 503);
        assert!(reasons(&ready).contains(name) && reasons(&ready).contains("kontor backup"), "{ready}");
        assert_eq!(client.get("/shop/channels/key=berlin").0, 200, "what was there is read");
        if is_moved {
            fs::rename(&kept, &file).unwrap();
            assert_eq!(client.post("/shop/channels", &json!({"key": "rome"})).0, 201);
            assert_eq!(server.nobody().get("/health/ready").0, 200);
            continue;
        }
        // The server can still back up the data that it has open.
        let saved = elsewhere.path().join("saved.tar");
        run(data.path(), &["backup", text(&saved)]).ok();
        drop(server);
        let restored = elsewhere.path().join("restored");
        run(&restored, &["restore", text(&saved)]).ok();
        assert_eq!(ServerUnderTest::start(&restored).client().get("/shop/channels/key=berlin").0, 200);
    }
}

#[test]
fn notices_a_removed_file_without_a_write() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    assert_eq!(server.client().post("/shop/channels", &json!({"key": "berlin"})).0, 201);
    let file = data.path().join("projects/shop.db");
    let copy = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, copy).unwrap();
    wait_until(|| server.nobody().get("/health/ready").0 == 503);
}

/// The id of a visitor, and the name of a client.
const VISITOR: &str = "a-visitor-who-is-nowhere-else";

#[test]
fn reports_a_flipped_bit_in_the_system_file() {
    let (data, elsewhere) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let session = format!("/oauth/shop/anonymous/token?grant_type=client_credentials&anonymous_id={VISITOR}");
    let (status, session) = server.with_authorization(&basic("id", "secret")).post(&session, &json!({}));
    assert_eq!(status, 200, "{session}");
    let token = session["access_token"].as_str().unwrap().to_owned();
    assert_eq!(server.with_token(&token).get("/shop/me/carts").0, 200);
    assert!(server.terminate().success());
    let (system, good) = (data.path().join("system.db"), elsewhere.path().join("good.tar"));
    run(data.path(), &["backup", text(&good)]).ok();
    assert!(run(data.path(), &["verify"]).ok().contains("system.db: whole"));
    // In the rows of the access token and of the refresh token.
    assert!(flip(&system, VISITOR) >= 2);

    let log = elsewhere.path().join("log");
    let server = ServerUnderTest::start_with(serve(data.path()), fs::File::create(&log).unwrap().into());
    assert_eq!(server.nobody().get("/health/ready").0, 200, "nobody has met it");
    let (status, response) = server.with_token(&token).get("/shop/me/carts");
    assert_eq!((status, &response["errors"][0]["code"]), (500, &json!("General")), "{response}");
    assert_eq!(server.client().get("/shop/carts").0, 200, "all else is served");
    let (status, ready) = server.nobody().get("/health/ready");
    assert_eq!(status, 503);
    assert!(reasons(&ready).contains("system.db: ") && reasons(&ready).contains("the token '"), "{ready}");
    let figures = server.nobody().get_text("/metrics");
    assert!(figures.contains(r#"kontor_storage_damage_total{project="system.db"} "#), "{figures}");
    assert!(fs::read_to_string(&log).unwrap().contains("the token '"));
    let said = run(data.path(), &["verify"]).failed();
    assert!(said.contains("system.db: token ") && said.contains("system.db: refresh token "), "{said}");
    let bad = elsewhere.path().join("bad.tar");
    let said = run(data.path(), &["backup", text(&bad)]).failed();
    assert!(said.contains("system.db is damaged") && said.contains("token "), "{said}");
    assert!(!bad.exists());
    drop(server);

    // Damaged before packing, so that the checksums of the files match.
    let unpacked = elsewhere.path().join("unpacked");
    tar::Archive::new(fs::File::open(&good).unwrap()).unpack(&unpacked).unwrap();
    flip(&unpacked.join("system.db"), VISITOR);
    let tampered = elsewhere.path().join("tampered.tar");
    write_backup(&unpacked, Some(&fs::read(unpacked.join("projects/shop.db")).unwrap()), &tampered);
    let restored = elsewhere.path().join("restored");
    let said = run(&restored, &["restore", text(&tampered)]).failed();
    assert!(said.contains("its system.db cannot be used") && said.contains("token "), "{said}");
    assert!(!restored.join("system.db").exists());
}

#[test]
fn refuses_to_start_with_a_damaged_client() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let draft = json!({"name": VISITOR, "scope": "view_products:shop"});
    let (status, client) = server.client().post("/shop/api-clients", &draft);
    assert_eq!(status, 201, "{client}");
    assert!(server.terminate().success());
    assert!(flip(&data.path().join("system.db"), VISITOR) >= 1);
    let mut command = serve(data.path());
    let said = CommandResult::of(command.args(["--listen", "127.0.0.1:0"]).output().unwrap()).failed();
    assert!(said.contains(&format!("the client '{}'", client["id"].as_str().unwrap())), "{said}");
}
