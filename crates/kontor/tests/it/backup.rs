//! `kontor backup` and `kontor restore`: complete backups, single projects, images, and damaged or interrupted ones.

use crate::harness::{ServerUnderTest, drafts, fixture, folder, kontor, run, text, wait_until};
use kontor_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[test]
fn a_backup_of_a_serving_server_has_everything_and_its_clients_work() {
    let (data, elsewhere) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let shop = fixture("shop");
    run(data.path(), &["import", "--project", "shop", text(&shop)]).failed();
    run(data.path(), &["project", "create", "second"]).ok();
    let file = elsewhere.path().join("all.tar");
    let (is_done, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    let before = std::thread::scope(|scope| {
        // A client writes meanwhile.
        scope.spawn(|| {
            let client = server.client();
            while !is_done.load(Ordering::SeqCst) {
                let number = acknowledged.load(Ordering::SeqCst);
                let draft = json!({"container": "written", "key": format!("n{number}"), "value": number});
                assert_eq!(client.post("/shop/custom-objects", &draft).0, 201);
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        });
        wait_until(|| acknowledged.load(Ordering::SeqCst) >= 20);
        let before = acknowledged.load(Ordering::SeqCst);
        run(data.path(), &["backup", text(&file)]).ok();
        is_done.store(true, Ordering::SeqCst);
        before
    });
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(run(data.path(), &["backup", text(&file)]).failed().contains("exists already"));
    assert!(run(data.path(), &["restore", text(&file)]).failed().contains("in use"));
    let originals: Vec<String> =
        drafts(data.path(), "shop").into_iter().filter(|line| !line.contains("written")).collect();
    drop(server);

    let restored = elsewhere.path().join("restored");
    run(&restored, &["restore", text(&file)]).ok();
    let found = drafts(&restored, "shop");
    let written = found.iter().filter(|line| line.contains("written")).count() as u64;
    assert!(written >= before, "{before} were acknowledged before, {written} are there");
    assert_eq!(found.into_iter().filter(|line| !line.contains("written")).collect::<Vec<_>>(), originals);
    assert!(run(&restored, &["project", "list"]).ok().contains("second"));
    let server = ServerUnderTest::start(&restored);
    assert_eq!(server.client().get("/shop/states/key=open").0, 200);
    drop(server);
    assert!(run(&restored, &["restore", text(&file)]).failed().contains("has data already"));
}

#[test]
fn backs_up_and_restores_images() {
    let (data, elsewhere) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let product_type = json!({"key": "tool", "name": "Tool", "description": ""});
    assert_eq!(server.client().post("/shop/product-types", &product_type).0, 201);
    let product = json!({"key": "saw", "productType": {"key": "tool"}, "name": {"en": "Saw"}, "slug": {"en": "saw"},
        "masterVariant": {}});
    let (_, product) = server.client().post("/shop/products", &product);
    let product = product["id"].as_str().unwrap();
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(3, 2).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let images = |url: &str, token: &str| {
        ureq::post(format!("{url}/shop/products/{product}/images?filename=saw"))
            .header("Authorization", format!("Bearer {token}"))
            .header("Content-Type", "image/png")
            .send(png.get_ref().as_slice())
            .unwrap()
            .status()
    };
    assert_eq!(images(&server.url, server.client().token()), 200);
    let (_, saw) = server.client().get("/shop/products/key=saw");
    let image = saw["masterData"]["staged"]["masterVariant"]["images"][0]["url"].as_str().unwrap();
    let image = image.strip_prefix(&server.url).unwrap().to_owned();

    let file = elsewhere.path().join("all.tar");
    assert!(!run(data.path(), &["backup", text(&file)]).ok().contains("bucket"));
    drop(server);
    let restored = elsewhere.path().join("restored");
    let said = run(&restored, &["restore", text(&file)]).ok();
    assert!(said.contains("1 project, ") && said.contains("image file"), "{said}");
    let server = ServerUnderTest::start(&restored);
    let mut response = ureq::get(format!("{}{image}", server.url)).call().unwrap();
    assert_eq!(response.body_mut().read_to_vec().unwrap(), *png.get_ref());
}

#[test]
fn a_backup_without_a_server_can_be_unpacked_by_tar() {
    let (data, elsewhere) = (folder(), folder());
    run(data.path(), &["project", "create", "shop"]).ok();
    run(data.path(), &["client", "create", "--project", "shop", "--id", "id", "--secret", "secret"]).ok();
    let file = elsewhere.path().join("all.tar");
    run(data.path(), &["backup", text(&file)]).ok();
    tar::Archive::new(fs::File::open(&file).unwrap()).unpack(elsewhere.path().join("unpacked")).unwrap();
    let server = ServerUnderTest::start(&elsewhere.path().join("unpacked"));
    assert_eq!(server.client().get("/shop").0, 200);
    let left: Vec<_> = fs::read_dir(data.path().join("backup-parts")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// An archive with a valid list of its files, but with a kind of entry that `kontor backup` never writes.
fn archive_of(kind: tar::EntryType) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |name: &str, kind, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        if kind != tar::EntryType::Regular {
            header.set_link_name("/etc/hostname").unwrap();
        }
        archive.append_data(&mut header, name, bytes).unwrap();
    };
    add("system.db", kind, b"");
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let list = json!({
        "format": 1, "version": "0.1.0", "created_at": "2030-01-01T00:00:00.000Z", "files": {"system.db": nothing},
    });
    add("backup.json", tar::EntryType::Regular, list.to_string().as_bytes());
    archive.into_inner().unwrap()
}

#[test]
fn rejects_backup_entries_that_are_no_files() {
    let elsewhere = folder();
    let (file, restored) = (elsewhere.path().join("all.tar"), elsewhere.path().join("restored"));
    for (kind, expected) in [
        (tar::EntryType::Regular, "its system.db is empty"),
        (tar::EntryType::Symlink, "no file"),
        (tar::EntryType::Link, "no file"),
        (tar::EntryType::Char, "no file"),
        (tar::EntryType::Directory, "no file"),
    ] {
        fs::write(&file, archive_of(kind)).unwrap();
        let said = run(&restored, &["restore", text(&file)]).failed();
        assert!(said.contains("cannot be restored") && said.contains(expected), "{said}");
        assert!(!restored.join("system.db").exists());
    }
}

#[test]
fn rejects_incomplete_backups_and_serves_nothing_of_them() {
    let (data, elsewhere) = (folder(), folder());
    run(data.path(), &["project", "create", "shop"]).ok();
    let file = elsewhere.path().join("all.tar");
    run(data.path(), &["backup", text(&file)]).ok();
    let whole = fs::read(&file).unwrap();
    let restored = elsewhere.path().join("restored");
    let mut changed = whole.clone();
    // In the middle of a database.
    changed[whole.len() / 2] ^= 0xff;
    for (bytes, expected) in [
        (&whole[..whole.len() / 2], ""),
        (&whole[..whole.len() / 1024 * 512], ""),
        (&changed[..], "damaged"),
        (b"", "never finished"),
    ] {
        fs::write(&file, bytes).unwrap();
        let said = run(&restored, &["restore", text(&file)]).failed();
        assert!(said.contains("cannot be restored") && said.contains(expected), "{said}");
        assert!(!restored.join("system.db").exists());
        assert!(!restored.join("projects").exists());
        // Commands do not take it for a new folder, which would serve an empty shop.
        for command in [&["serve"][..], &["project", "create", "other"]] {
            let said = run(&restored, command).failed();
            assert!(said.contains("refused its backup: run `kontor restore` again"), "{said}");
        }
    }
    let absent = elsewhere.path().join("absent");
    assert!(run(&absent, &["restore", "nowhere.tar"]).failed().contains("cannot be opened"));
    assert!(!absent.exists());
    fs::write(&file, &whole).unwrap();
    // The state after a kill in the middle of a restore.
    fs::create_dir_all(restored.join("restoring/projects")).unwrap();
    fs::create_dir_all(restored.join("projects")).unwrap();
    fs::write(restored.join("system.db"), "").unwrap();
    assert!(run(&restored, &["project", "create", "other"]).failed().contains("was not finished"));
    run(&restored, &["restore", text(&file)]).ok();
    assert!(run(&restored, &["project", "list"]).ok().contains("\nshop\t"));
}

#[test]
fn restores_one_project_next_to_others() {
    let (data, elsewhere) = (folder(), folder());
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let made = |key: &str| client.post("/shop/zones", &json!({"key": key, "name": "Zone"}));
    let (_, zone) = made("before");
    run(data.path(), &["project", "create", "other"]).ok();
    let file = elsewhere.path().join("all.tar");
    run(data.path(), &["backup", text(&file)]).ok();
    assert_eq!(made("after").0, 201);

    let restore = |data: &std::path::Path, more: &[&str]| {
        run(data, &[&["restore", text(&file), "--project", "shop"], more].concat())
    };
    assert!(restore(data.path(), &[]).failed().contains("there is a project 'shop' already"));
    let said = run(data.path(), &["restore", text(&file), "--project", "third"]).failed();
    assert!(said.contains("it has no project 'third': it has other, shop"), "{said}");
    // Next to the original, while a server runs: the client stays with the original.
    let said = restore(data.path(), &["--as", "copy"]).ok();
    assert!(said.contains("'shop' as 'copy' restored") && said.contains("client 'id' is left out"), "{said}");
    run(data.path(), &["client", "create", "--project", "copy", "--id", "two", "--secret", "two"]).ok();
    let copy = server.caller("two", "two");
    assert_eq!(copy.get("/copy").1["key"], "copy");
    assert_eq!(copy.get("/copy/zones/key=before"), (200, zone.clone()));
    assert_eq!(copy.get("/copy/zones/key=after").0, 404);
    assert_eq!(copy.post("/copy/zones", &json!({"key": "new", "name": "Zone"})).0, 201);

    // Replacing a removed project: its client works as before.
    run(data.path(), &["project", "remove", "shop", "--yes"]).ok();
    let said = restore(data.path(), &[]).ok();
    assert!(said.contains("project 'shop' restored") && said.contains("API clients: 1"), "{said}");
    let client = server.client();
    assert_eq!(client.get("/shop/zones/key=before"), (200, zone.clone()));
    assert_eq!(client.get("/shop/zones/key=after").0, 404);
    drop(server);
    let server = ServerUnderTest::start(data.path());
    assert_eq!(server.client().get("/shop/zones/key=before"), (200, zone.clone()));
    assert_eq!(server.caller("two", "two").get("/copy/zones/key=new").0, 200);

    // Into a new folder, without a server. The client belongs to the project with the new key.
    let fresh = elsewhere.path().join("fresh");
    restore(&fresh, &["--as", "moved"]).ok();
    assert_eq!(run(&fresh, &["project", "list"]).ok().lines().count(), 2);
    let mut command = kontor(&fresh);
    command.arg("serve");
    let server = ServerUnderTest::start_with(command, Stdio::null());
    assert_eq!(server.client().get("/moved/zones/key=before"), (200, zone));
}

#[test]
fn writes_backups_to_standard_output_and_fails_early() {
    let (data, elsewhere) = (folder(), folder());
    run(data.path(), &["project", "create", "shop"]).ok();
    let ran = kontor(data.path()).args(["backup", "-"]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let file = elsewhere.path().join("all.tar");
    fs::write(&file, &ran.stdout).unwrap();
    let restored = elsewhere.path().join("restored");
    assert!(run(&restored, &["restore", text(&file)]).ok().contains("1 project"));
    let nowhere = elsewhere.path().join("none/all.tar");
    let said = run(data.path(), &["backup", text(&nowhere)]).failed();
    assert!(said.contains("cannot be written: No such file or directory"), "{said}");
}
