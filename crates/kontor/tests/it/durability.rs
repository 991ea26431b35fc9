//! What was acknowledged over HTTP is there after a kill.

use crate::harness::{Server, folder, wait_until};
use kontor_json::json;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const ROUNDS: usize = 4;
const WRITERS: usize = 6;
/// Acknowledged writes of a round before the server is killed.
const WRITES: usize = 80;

#[test]
fn acknowledged_writes_survive_a_kill_under_load() {
    let data = folder();
    // Key to the newest acknowledged name.
    let acknowledged: Mutex<HashMap<String, (i64, String)>> = Mutex::default();
    for round in 0..ROUNDS {
        let mut server = Server::start(data.path());
        let client = server.client();
        for (key, (version, name)) in acknowledged.lock().unwrap().iter() {
            let (status, found) = client.get(&format!("/shop/customer-groups/key={key}"));
            assert_eq!(status, 200, "{key} is lost: {found}");
            // A write that was not acknowledged may have happened, so the document may be newer, never older.
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
