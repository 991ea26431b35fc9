//! Notifications that wait for an unreachable destination during a move: they arrive in order, and only from the new
//! place.

use crate::fake_server::FakeServer;
use crate::harness::{ApiCaller, ServerUnderTest, folder, kontor, run, serve, text, wait_until};
use kontor_json::{Value, json};
use kontor_tests_postgres::PostgresServer as Postgres;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const GROUPS: usize = 6;
/// How often each group is renamed at each place.
const RENAMES: u64 = 4;
/// The time in which a server notices that its projects have moved.
const KNOWN: Duration = Duration::from_secs(3);
/// Longer than the delay before a server retries a destination after a few failures.
const QUIET: Duration = Duration::from_secs(5);

fn server(mut command: std::process::Command) -> ServerUnderTest {
    command.args(["--allow-private-destinations", "--accept-unreachable-destinations"]);
    ServerUnderTest::start_with(command, Stdio::null())
}

/// Starts a server over a database, without creating a project.
fn over(data: &Path, url: &str) -> ServerUnderTest {
    let mut command = kontor(data);
    command.args(["serve", "--database-url", url]);
    server(command)
}

fn rename_all(admin: &ApiCaller, groups: &[Value], first: u64) {
    for group in groups {
        for version in first..first + RENAMES {
            let path = format!("/shop/customer-groups/{}", group["id"].as_str().unwrap());
            let actions = json!([{"action": "changeName", "name": format!("{} {version}", group["id"])}]);
            let (status, body) = admin.post(&path, &json!({"version": version, "actions": actions}));
            assert_eq!(status, 200, "{body}");
        }
    }
}

#[test]
fn queued_notifications_move_and_arrive_in_order() {
    let (data, other) = (folder(), folder());
    let postgres = Postgres::start().unwrap();
    let url = postgres.url();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let first = server(serve(data.path()));
    let admin = first.client();
    let draft = json!({
        "key": "down", "destination": {"type": "HTTP", "url": format!("http://{address}/all"), "secret": "some-long-secret"},
        "changes": [{"resourceTypeId": "customer-group"}],
    });
    let (status, made) = admin.post("/shop/subscriptions", &draft);
    assert_eq!(status, 201, "{made}");
    let groups: Vec<Value> = (0..GROUPS)
        .map(|number| admin.post("/shop/customer-groups", &json!({"groupName": number.to_string()})).1)
        .collect();
    rename_all(&admin, &groups, 1);
    wait_until(|| admin.get("/shop/subscriptions/key=down").1["status"] == "TemporaryError");

    run(data.path(), &["move", "--to", &url]).ok();
    let second = over(other.path(), &url);
    let there = second.with_token(admin.token());
    rename_all(&there, &groups, 1 + RENAMES);
    assert_eq!(there.get("/shop/subscriptions/key=down").1["status"], "TemporaryError");

    let back = other.path().join("back");
    let alone = other.path().join("nobody-is-here");
    run(&alone, &["move", "--database-url", &url, "--to", text(&back)]).ok();
    // The servers of the two old places still run, and were not notified.
    sleep(KNOWN);
    let late = FakeServer::start_at(&address, |_, _| (200, String::new()));
    sleep(QUIET);
    assert_eq!(late.received("/all").len(), 0, "the places that were left tell nobody anything");

    let third = server(serve(&back));
    let home = third.with_token(admin.token());
    rename_all(&home, &groups, 1 + 2 * RENAMES);
    let versions = |group: &Value| -> Vec<u64> {
        let mine = late
            .received("/all")
            .into_iter()
            .filter(|(_, messages)| messages["resource"]["id"] == group["id"]);
        mine.map(|(_, messages)| messages["version"].as_u64().unwrap()).collect()
    };
    let all: Vec<u64> = (1..=1 + 3 * RENAMES).collect();
    wait_until(|| groups.iter().all(|group| versions(group).len() >= all.len()));
    groups.iter().for_each(|group| assert_eq!(versions(group), all));
    wait_until(|| home.get("/shop/subscriptions/key=down").1["status"] == "Healthy");
    // The secret of the destination has moved, too.
    assert!(late.received("/all").iter().all(|(head, _)| head.contains("x-kontor-signature: sha256=")));
    drop((first, second));
}
