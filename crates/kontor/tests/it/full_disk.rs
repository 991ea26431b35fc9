//! A full disk: reads, sign-ins and deletions still work, also after a crash.

use crate::harness::{ApiCaller, ServerUnderTest, basic, folder, run, wait_until};
use kontor_json::{Value, json};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const MEGABYTE: usize = 1024 * 1024;
/// Less than the reserve for deletions.
const LEFT_BYTES: usize = 12 * MEGABYTE;

/// A separate small file system.
struct SmallDisk(TempDir);

impl SmallDisk {
    const BYTES: usize = 64 * MEGABYTE;

    /// Returns `None` if mounting is not permitted.
    fn mount() -> Option<Self> {
        let folder = folder();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={}", Self::BYTES), "tmpfs"]).arg(folder.path());
        let is_mounted = mount.output().is_ok_and(|mounted| mounted.status.success());
        is_mounted.then(|| SmallDisk(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills the disk until only `left` bytes are free.
    fn fill_leaving(&self, left: usize) {
        let path = self.path().join("ballast");
        let mut ballast = File::options().create(true).append(true).open(&path).unwrap();
        while ballast.write_all(&[0; 4096]).is_ok() {}
        let taken = ballast.metadata().unwrap().len();
        ballast.set_len(taken.saturating_sub(left as u64)).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).output();
    }
}

/// Sends a write and returns the `Retry-After` of its response, in seconds.
fn retry_after(client: &ApiCaller, server: &ServerUnderTest) -> Option<u64> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let request = agent
        .post(format!("{}/shop/channels", server.url))
        .header("authorization", format!("Bearer {}", client.token()))
        .header("content-type", "application/json");
    let response = request.send(r#"{"key": "other"}"#).unwrap();
    response.headers().get("retry-after")?.to_str().ok()?.parse().ok()
}

fn token(server: &ServerUnderTest) -> Value {
    let client = server.with_authorization(&basic("id", "secret"));
    let (status, token) = client.post("/oauth/token?grant_type=client_credentials", &Value::Null);
    assert_eq!(status, 200, "{token}");
    token
}

#[test]
fn on_a_full_disk_reads_tokens_deletions_and_starts_work() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("SKIPPED: no small disk can be mounted here, which takes the rights of root");
        return;
    };
    let data = disk.path().join("data");
    let mut server = ServerUnderTest::start(&data);
    let client = server.client();
    let lasting = token(&server)["expires_in"].as_i64().unwrap();
    for key in ["berlin", "paris"] {
        assert_eq!(client.post("/shop/channels", &json!({"key": key})).0, 201);
    }

    disk.fill_leaving(LEFT_BYTES);
    // The server caches the free space for a moment.
    let number = Cell::new(0);
    wait_until(|| {
        number.set(number.get() + 1);
        client.post("/shop/channels", &json!({"key": format!("meanwhile-{}", number.get())})).0 == 503
    });
    let (status, said) = client.post("/shop/channels", &json!({"key": "other"}));
    assert_eq!(status, 503, "{said}");
    assert!(said["message"].as_str().unwrap().contains("disk is full"), "{said}");
    assert!(retry_after(&client, &server).is_some_and(|seconds| seconds > 0));
    let short = token(&server);
    assert!(short["expires_in"].as_i64().unwrap() < lasting, "{short}");
    let reader = server.with_token(short["access_token"].as_str().unwrap());
    assert_eq!(reader.get("/shop/channels/key=paris").0, 200);
    assert_eq!(reader.delete("/shop/channels/key=paris?version=1").0, 200);

    // The disk is completely full when the server crashes.
    disk.fill_leaving(0);
    server.kill();
    for _ in 0..3 {
        let mut server = ServerUnderTest::start(&data);
        let client = server.client();
        assert_eq!(client.get("/shop/channels/key=berlin").0, 200);
        assert_eq!(client.get("/shop/channels/key=paris").0, 404);
        server.kill();
    }

    // A command that cannot create its files names the reason in the last line.
    let new = disk.path().join("new");
    let said = run(&new, &["project", "create", "other"]).failed();
    assert!(said.lines().last().unwrap().contains("disk is full"), "{said}");

    fs::remove_file(disk.path().join("ballast")).unwrap();
    let server = ServerUnderTest::start(&data);
    assert_eq!(server.client().post("/shop/channels", &json!({"key": "other"})).0, 201);
}

/// Returns incompressible text of this length.
fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'0' + (state >> 32) as u8 % 75)
    };
    (0..bytes).map(|_| next()).map(|letter| if letter == '\\' { '-' } else { letter }).collect()
}

#[test]
fn a_disk_that_the_server_itself_filled_has_room_again_after_deletions() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("SKIPPED: no small disk can be mounted here, which takes the rights of root");
        return;
    };
    let server = ServerUnderTest::start(&disk.path().join("data"));
    let client = server.client();
    let create = |number: u64| {
        let description = json!({"en": noise(number, 100_000)});
        client.post("/shop/channels", &json!({"key": format!("c{number}"), "description": description})).0
    };
    let mut created = 0;
    let mut refused = 0;
    while refused < 5 {
        match create(created + refused) {
            201 => created += 1,
            503 => refused += 1,
            status => panic!("{status}"),
        }
        assert!(created < 1_000, "the disk does not get full");
    }
    let (status, ready) = server.nobody().get("/health/ready");
    assert_eq!((status, &ready["without"]), (200, &json!(["writes"])), "{ready}");
    for number in 0..created / 2 {
        assert_eq!(client.delete(&format!("/shop/channels/key=c{number}?version=1")).0, 200, "{number}");
    }
    wait_until(|| create(10_000) == 201);
    for number in 20_000..20_000 + created / 8 {
        assert_eq!(create(number), 201, "{number}");
    }
}
