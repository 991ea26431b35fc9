//! Acknowledged writes survive a kill, and acknowledged files survive a loss of power.

use crate::harness::{ServerUnderTest, fixture, folder, serve, text, wait_until};
use kontor_json::json;
use std::collections::HashMap;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const ROUNDS: usize = 4;
const WRITERS: usize = 6;
/// Number of acknowledged writes per round before the server is killed.
const WRITES: usize = 80;

#[test]
fn acknowledged_writes_survive_a_kill_under_load() {
    let data = folder();
    // The newest acknowledged version and name, by key.
    let acknowledged: Mutex<HashMap<String, (i64, String)>> = Mutex::default();
    for round in 0..ROUNDS {
        let mut server = ServerUnderTest::start(data.path());
        let client = server.client();
        for (key, (version, name)) in acknowledged.lock().unwrap().iter() {
            let (status, found) = client.get(&format!("/shop/customer-groups/key={key}"));
            assert_eq!(status, 200, "{key} is lost: {found}");
            // An unacknowledged write may have been made, so the document may be newer, never older.
            let version_found = found["version"].as_i64().unwrap();
            assert!(version_found >= *version, "{key} is older than what was acknowledged: {found}");
            assert!(version_found > *version || found["name"] == name.as_str(), "{key}: {found}");
        }
        let count = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (client, acknowledged, count) = (client.clone(), &acknowledged, &count);
                scope.spawn(move || {
                    for number in 0.. {
                        let key = format!("r{round}-w{writer}-n{number}");
                        let Some((status, made)) =
                            client.try_post("/shop/customer-groups", &json!({"key": key, "groupName": key}))
                        else {
                            return;
                        };
                        assert_eq!(status, 201, "{made}");
                        acknowledged.lock().unwrap().insert(key.clone(), (1, key.clone()));
                        count.fetch_add(1, Ordering::SeqCst);
                        let name = format!("{key}, changed");
                        let update =
                            json!({"version": 1, "actions": [{"action": "changeName", "name": name}]});
                        let path = format!("/shop/customer-groups/key={key}");
                        let Some((status, changed)) = client.try_post(&path, &update) else { return };
                        assert_eq!(status, 200, "{changed}");
                        let version = changed["version"].as_i64().unwrap();
                        acknowledged.lock().unwrap().insert(key, (version, name));
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            wait_until(|| count.load(Ordering::SeqCst) >= WRITES);
            server.kill();
        });
    }
    assert!(acknowledged.lock().unwrap().len() >= ROUNDS * WRITES / 2);
}

/// A recorded operation on a file or folder.
#[derive(Debug, PartialEq)]
enum FileOperation {
    /// A file of so many bytes, or a folder, was synced.
    Synced(PathBuf, u64),
    /// A folder was created.
    Made(PathBuf),
    /// A file was renamed from the first path to the second.
    Named(PathBuf, PathBuf),
}

impl FileOperation {
    /// Parses a line that `syncs.c` wrote.
    fn read(line: &str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["sync", bytes, path] => Self::Synced(path.into(), bytes.parse().unwrap()),
            ["folder", path] => Self::Made(path.into()),
            ["name", old, new] => Self::Named(old.into(), new.into()),
            _ => panic!("{line}"),
        }
    }
}

/// Returns the length that a file would have after a loss of power; `None` if its name would be lost.
fn after_a_loss_of_power(file: &Path, done: &[FileOperation]) -> Option<u64> {
    let named = done.iter().rposition(|one| matches!(one, FileOperation::Named(_, new) if new == file))?;
    let FileOperation::Named(staged, _) = &done[named] else { return None };
    let is_synced = |folder: &Path, since: usize| {
        done[since..].iter().any(|one| matches!(one, FileOperation::Synced(path, _) if path == folder))
    };
    for folder in file.ancestors().skip(1) {
        let made = done.iter().position(|one| matches!(one, FileOperation::Made(path) if path == folder));
        if made.is_some_and(|made| !is_synced(folder.parent().unwrap(), made)) {
            return None;
        }
    }
    let bytes = done[..named].iter().rev().find_map(|one| match one {
        FileOperation::Synced(path, bytes) if path == staged => Some(*bytes),
        _ => None,
    });
    is_synced(file.parent().unwrap(), named).then(|| bytes.unwrap_or(0))
}

#[test]
#[cfg(target_os = "linux")]
fn acknowledged_images_survive_a_loss_of_power() {
    let (root, elsewhere) = (folder(), folder());
    // The canonical path, because the recorded operations have the kernel's names of files.
    let data = root.path().canonicalize().unwrap().join("data");
    let (shim, log) = (elsewhere.path().join("syncs.so"), elsewhere.path().join("syncs.log"));
    let mut compiler = Command::new("cc");
    let compiled = compiler.args(["-shared", "-fPIC", "-o", text(&shim)]).arg(fixture("syncs.c"));
    assert!(compiled.status().expect("the compiler that links Rust").success());
    let mut command = serve(&data);
    command.env("LD_PRELOAD", &shim).env("SYNCS", &log);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    let product_type = json!({"key": "tool", "name": "Tool", "description": ""});
    assert_eq!(client.post("/shop/product-types", &product_type).0, 201);
    let product = json!({"key": "saw", "productType": {"key": "tool"}, "name": {"en": "Saw"}, "slug": {"en": "saw"},
        "masterVariant": {}});
    let (_, product) = client.post("/shop/products", &product);
    let mut png = Cursor::new(Vec::new());
    image::RgbImage::new(300, 200).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let url = format!("{}/shop/products/{}/images", server.url, product["id"].as_str().unwrap());
    let upload = ureq::post(&url).header("Authorization", format!("Bearer {}", client.token()));
    let response = upload.header("Content-Type", "image/png").send(png.get_ref().as_slice()).unwrap();

    // All operations up to now came before the response.
    let done: Vec<FileOperation> =
        fs::read_to_string(&log).unwrap().lines().map(FileOperation::read).collect();
    assert_eq!(response.status(), 200);
    let images: Vec<PathBuf> =
        fs::read_dir(data.join("images/shop")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(images.len(), 6, "the original and five sizes: {images:?}");
    for image in images {
        let bytes = image.metadata().unwrap().len();
        assert!(bytes > 0);
        assert_eq!(after_a_loss_of_power(&image, &done), Some(bytes), "{}: {done:#?}", image.display());
    }
}
