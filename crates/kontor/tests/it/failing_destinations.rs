//! Webhook destinations that hang, fail, send endless responses or close the connection: other destinations do not wait
//! for them, and after recovery they get all notifications in order.

use crate::harness::{ApiCaller, ServerUnderTest, folder, serve, wait_until};
use crate::in_store_application::callback;
use kontor_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The paths of a destination, named by how they misbehave.
const WAYS: [&str; 5] = ["/hangs", "/fails", "/endless", "/breaks-off", "/says-nothing"];
const RENAMES: u64 = 3;
/// The `Content-Length` of an endless response.
const ENDLESS_BYTES: u64 = 5_000_000_000;

/// A destination that can be switched to misbehave.
pub(crate) struct FakeDestination {
    pub(crate) url: String,
    misbehaves: Arc<AtomicBool>,
    /// Received requests: paths and bodies.
    pub(crate) received: Arc<Mutex<Vec<(String, Value)>>>,
}

impl FakeDestination {
    pub(crate) fn start() -> Self {
        Self::at(([127, 0, 0, 1], 0).into())
    }

    /// Starts at an unused address.
    pub(crate) fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (misbehaves, received) = (Arc::<AtomicBool>::default(), Arc::<Mutex<_>>::default());
        let (flag, all) = (Arc::clone(&misbehaves), Arc::clone(&received));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (flag, all) = (Arc::clone(&flag), Arc::clone(&all));
                std::thread::spawn(move || respond(stream.unwrap(), &flag, &all));
            }
        });
        Self { url, misbehaves, received }
    }

    /// Returns the versions of a document in the notifications to a path, without duplicates.
    pub(crate) fn versions(&self, path: &str, id: &Value) -> Vec<u64> {
        let received = self.received.lock().unwrap();
        let mine = received.iter().filter(|(at, body)| at == path && body["resource"]["id"] == *id);
        let mut versions: Vec<u64> = mine.map(|(_, body)| body["version"].as_u64().unwrap()).collect();
        // Delivery is at least once: a notification may repeat if its receipt was not recorded.
        versions.dedup();
        versions
    }
}

fn respond(mut stream: TcpStream, misbehaves: &AtomicBool, received: &Mutex<Vec<(String, Value)>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|length| length > 0) && line != "\r\n" {
        head.push_str(&line.to_ascii_lowercase());
        line.clear();
    }
    let Some(path) = head.split(' ').nth(1).map(str::to_owned) else { return };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    if !misbehaves.load(Ordering::SeqCst) {
        received.lock().unwrap().push((path, kontor_json::from_slice(&body).unwrap()));
        _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    match path.as_str() {
        "/hangs" => {
            while misbehaves.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        "/fails" => {
            _ = stream.write_all(b"HTTP/1.1 500 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
        "/endless" => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {ENDLESS_BYTES}\r\n\r\n");
            let mut written = stream.write_all(head.as_bytes());
            while written.is_ok() {
                written = stream.write_all(&[b'x'; 64 * 1024]);
            }
        }
        "/breaks-off" => _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
        _ => {}
    }
}

/// Starts a server that accepts destinations at any address, reachable or not.
pub(crate) fn serving_any_destination(data: &Path) -> ServerUnderTest {
    let mut command = serve(data);
    command.args(["--allow-private-destinations", "--accept-unreachable-destinations"]);
    ServerUnderTest::start_with(command, Stdio::null())
}

/// Creates a customer group and renames it. Returns it with all of its versions.
pub(crate) fn renamed_group(admin: &ApiCaller) -> (Value, Vec<u64>) {
    let (status, group) = admin.post("/shop/customer-groups", &json!({"groupName": "Friends"}));
    assert_eq!(status, 201, "{group}");
    for version in 1..=RENAMES {
        let path = format!("/shop/customer-groups/{}", group["id"].as_str().unwrap());
        let actions = json!([{"action": "changeName", "name": format!("Friends {version}")}]);
        assert_eq!(admin.post(&path, &json!({"version": version, "actions": actions})).0, 200);
    }
    (group, (1..=RENAMES + 1).collect())
}

fn subscribe(admin: &ApiCaller, key: &str, url: &str) {
    let draft = json!({
        "key": key, "destination": {"type": "HTTP", "url": url}, "changes": [{"resourceTypeId": "customer-group"}],
    });
    let (status, made) = admin.post("/shop/subscriptions", &draft);
    assert_eq!(status, 201, "{made}");
}

#[test]
fn failing_destinations_delay_no_others_and_get_all_after_recovery() {
    let (destination, well, data) = (FakeDestination::start(), FakeDestination::start(), folder());
    let server = serving_any_destination(data.path());
    let admin = server.client();
    for way in WAYS {
        subscribe(&admin, &way[1..], &format!("{}{way}", destination.url));
    }
    subscribe(&admin, "well", &format!("{}/well", well.url));
    // The server does not trust this certificate.
    let (port, heads) = callback();
    subscribe(&admin, "untrusted", &format!("https://localhost:{port}/secret"));

    destination.misbehaves.store(true, Ordering::SeqCst);
    let (group, all) = renamed_group(&admin);
    wait_until(|| well.versions("/well", &group["id"]) == all);
    let status = |key: &str| admin.get(&format!("/shop/subscriptions/key={key}")).1["status"].clone();
    for way in WAYS {
        wait_until(|| status(&way[1..]) == "TemporaryError");
        assert!(destination.versions(way, &group["id"]).is_empty(), "{way}");
    }
    wait_until(|| status("untrusted") == "TemporaryError");
    assert!(heads.lock().unwrap().iter().all(|head| !head.contains("secret")), "nothing is said to it");

    destination.misbehaves.store(false, Ordering::SeqCst);
    for way in WAYS {
        wait_until(|| destination.versions(way, &group["id"]) == all);
        wait_until(|| status(&way[1..]) == "Healthy");
    }
}
