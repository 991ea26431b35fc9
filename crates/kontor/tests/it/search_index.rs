//! A search index recovers by itself from kills and from the loss of its folder.

use crate::harness::{ApiCaller, ServerUnderTest, folder, serve, wait_until};
use kontor_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const ROUNDS: usize = 4;
const WRITERS: usize = 4;
/// Number of acknowledged writes per round before the server is killed.
const WRITES: usize = 60;

pub(crate) fn activate(client: &ApiCaller) {
    let (_, project) = client.get("/shop");
    let action = json!({"action": "changeCustomerSearchStatus", "status": "Activated"});
    let (status, response) =
        client.post("/shop", &json!({"version": project["version"], "actions": [action]}));
    assert_eq!(status, 200, "{response}");
}

fn customer(client: &ApiCaller, key: &str) -> Option<(u16, Value)> {
    let draft =
        json!({"key": key, "email": format!("{key}@example.com"), "authenticationMode": "ExternalAuth"});
    client.try_post("/shop/customers", &draft)
}

/// Returns how many customers a search finds; `None` while there is no index.
fn found_customers(client: &ApiCaller, query: &Value) -> Option<u64> {
    let (status, response) = client.post("/shop/customers/search", query);
    assert!(status == 200 || response["errors"][0]["code"] == "SearchNotReady", "{response}");
    response["total"].as_u64()
}

#[test]
fn an_index_catches_up_after_kills_while_it_is_written() {
    let data = folder();
    let written = AtomicUsize::new(0);
    for round in 0..ROUNDS {
        let mut server = ServerUnderTest::start(data.path());
        let client = server.client();
        if round == 0 {
            activate(&client);
        }
        let in_round = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (client, written, in_round) = (client.clone(), &written, &in_round);
                scope.spawn(move || {
                    for number in 0.. {
                        let Some((status, made)) =
                            customer(&client, &format!("r{round}-w{writer}-n{number}"))
                        else {
                            return;
                        };
                        assert_eq!(status, 201, "{made}");
                        written.fetch_add(1, Ordering::SeqCst);
                        in_round.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            wait_until(|| in_round.load(Ordering::SeqCst) >= WRITES);
            server.kill();
        });
    }
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let there_are = client.total("/shop/customers");
    assert!(there_are >= written.load(Ordering::SeqCst) as u64);
    wait_until(|| found_customers(&client, &json!({"limit": 1})) == Some(there_are));
    let first = json!({"query": {"prefix": {"field": "key", "value": "r0-w0-"}}, "limit": 1});
    assert!(found_customers(&client, &first).unwrap() > 0);
}

#[test]
fn rebuilds_a_missing_or_damaged_index() {
    let data = folder();
    let mut server = ServerUnderTest::start(data.path());
    let client = server.client();
    activate(&client);
    for number in 0..20 {
        customer(&client, &format!("c{number}")).unwrap();
    }
    let all = json!({"limit": 1});
    wait_until(|| found_customers(&client, &all) == Some(20));
    server.kill();

    std::fs::remove_dir_all(data.path().join("search")).unwrap();
    let mut server = ServerUnderTest::start(data.path());
    let client = server.client();
    wait_until(|| found_customers(&client, &all) == Some(20));
    server.kill();

    // Every file is cut in half, to imitate a damaged disk.
    let mut folders = vec![data.path().join("search")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            }
        }
    }
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    wait_until(|| found_customers(&client, &all) == Some(20));
    let one = json!({"query": {"exact": {"field": "email", "value": "c7@example.com"}}});
    assert_eq!(found_customers(&client, &one), Some(1));
}

/// Number of customers whose index is built in several chunks.
const MANY: usize = 3_000;

/// Creates many customers in parallel, with this prefix before their numbers.
fn customers(client: &ApiCaller, project: &str, letters: &str, count: usize) {
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let client = client.clone();
            scope.spawn(move || {
                for number in (writer..count).step_by(WRITERS) {
                    let draft = json!({
                        "key": format!("{letters}{number}"), "email": format!("{letters}{number}@example.com"),
                        "authenticationMode": "ExternalAuth",
                    });
                    let (status, made) = client.post(&format!("/{project}/customers"), &draft);
                    assert_eq!(status, 201, "{made}");
                }
            });
        }
    });
}

#[test]
fn builds_an_index_with_kills() {
    let data = folder();
    let mut server = ServerUnderTest::start(data.path());
    let client = server.client();
    customers(&client, "shop", "c", MANY);
    activate(&client);
    // Killed at once, and then each time a part of the index is built.
    server.kill();
    for round in 1..ROUNDS {
        let mut server = ServerUnderTest::start(data.path());
        let client = server.client();
        wait_until(|| {
            let (_, status) = client.get("/shop/customers/search/indexing-status");
            status["status"] == "Ready" || status["states"]["indexed"].as_u64() >= Some(1)
        });
        if round + 1 == ROUNDS {
            wait_until(|| found_customers(&client, &json!({"limit": 1})) == Some(MANY as u64));
            let last = json!({"query": {"exact": {"field": "key", "value": format!("c{}", MANY - 1)}}});
            assert_eq!(found_customers(&client, &last), Some(1));
        }
        server.kill();
    }
}

#[test]
fn no_project_waits_until_the_index_of_another_is_built() {
    let data = folder();
    let mut command = serve(data.path());
    command.arg("--test-controls");
    let server = ServerUnderTest::start_with(command, std::process::Stdio::null());
    let large = server.client();
    let project = json!({"key": "small", "clientId": "other", "clientSecret": "secret"});
    let (status, made) = server.nobody().post("/_test/projects", &project);
    assert!(status < 300, "{made}");
    let small = server.caller("other", "secret");
    customers(&large, "shop", "c", 2 * MANY);
    customers(&small, "small", "c", 1);
    let turn_on = |client: &ApiCaller, project: &str| {
        let (_, now) = client.get(&format!("/{project}"));
        let action = json!({"action": "changeCustomerSearchStatus", "status": "Activated"});
        let change = json!({"version": now["version"], "actions": [action]});
        let (status, response) = client.post(&format!("/{project}"), &change);
        assert_eq!(status, 200, "{response}");
    };
    turn_on(&large, "shop");
    turn_on(&small, "small");
    // The large index began before the small one, and is not ready when the small one is.
    wait_until(|| {
        let is_large_ready = large.post("/shop/customers/search", &json!({"limit": 1})).0 == 200;
        let is_small_ready = small.post("/small/customers/search", &json!({"limit": 1})).0 == 200;
        assert!(is_small_ready || !is_large_ready, "the small project waited for the large one");
        is_small_ready
    });
    wait_until(|| found_customers(&large, &json!({"limit": 1})) == Some(2 * MANY as u64));
}

#[test]
fn logs_slow_searches() {
    let data = folder();
    let path = data.path().with_extension("log");
    let mut command = serve(data.path());
    command.args(["--slow-search-ms", "0"]);
    let server = ServerUnderTest::start_with(command, std::fs::File::create(&path).unwrap().into());
    let client = server.client();
    activate(&client);
    let query = json!({"query": {"exact": {"field": "email", "value": "nobody@example.com"}}});
    wait_until(|| found_customers(&client, &query).is_some());
    let log = std::fs::read_to_string(&path).unwrap();
    let line = log.lines().find(|line| line.contains("a slow search")).unwrap();
    for part in ["customers", "email", "finding ", "total"] {
        assert!(line.contains(part), "{line} has no {part}");
    }
    assert!(!log.contains("nobody@example.com"), "{log}");
    std::fs::remove_file(&path).unwrap();
}
