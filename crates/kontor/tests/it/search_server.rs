//! Search indexes on an OpenSearch server: several servers share them, and only searches fail while it is down.
//!
//! Without Java these tests are skipped, with a message.

use crate::faults::rounds;
use crate::harness::{self, ApiCaller, ServerUnderTest, StopGuard, folder, wait_until};
use crate::search_index::activate;
use kontor_json::{Value, json};
use kontor_tests_opensearch::OpenSearchServer as OpenSearch;
use kontor_tests_postgres::PostgresServer as Postgres;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::scope;
use std::time::{Duration, Instant};

/// The time limit for a search to fail.
const AT_ONCE: Duration = Duration::from_secs(3);

/// The same limit under load, while other servers fail too.
const AT_ONCE_UNDER_LOAD: Duration = Duration::from_secs(15);
/// One in so many rounds of faults is a round of this test, because its rounds take several times as long.
const ROUNDS_OF: usize = 10;
/// Number of customers that are created between two faults.
const BETWEEN: usize = 10;

fn serve(data: &Path, search_url: &str, more: &[&str]) -> ServerUnderTest {
    let mut command = harness::serve(data);
    command.args(["--search-url", search_url]).args(more);
    ServerUnderTest::start_with(command, Stdio::null())
}

fn customers(client: &ApiCaller, keys: impl Iterator<Item = String>) {
    for key in keys {
        let draft =
            json!({"key": key, "email": format!("{key}@example.com"), "authenticationMode": "ExternalAuth"});
        let (status, response) = client.post("/shop/customers", &draft);
        assert_eq!(status, 201, "{response}");
    }
}

fn search(client: &ApiCaller) -> (u16, Value) {
    client.post("/shop/customers/search", &json!({"limit": 1}))
}

/// Returns how many customers a search finds; `None` if it fails.
fn found_customers(client: &ApiCaller) -> Option<u64> {
    search(client).1["total"].as_u64()
}

/// Returns the names of the indexes on the search server.
fn indexes(server: &OpenSearch) -> Vec<String> {
    let listed =
        ureq::get(format!("{}/_alias", server.url())).call().unwrap().body_mut().read_to_string().unwrap();
    let listed: Value = kontor_json::from_str(&listed).unwrap();
    listed
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| name.starts_with("kontor~"))
        .map(ToString::to_string)
        .collect()
}

#[test]
fn only_searches_fail_without_a_search_server() {
    let Some(mut search_server) = OpenSearch::start().unwrap() else { return };
    let data = folder();
    let mut server = serve(data.path(), &search_server.url(), &[]);
    let client = server.client();
    activate(&client);
    customers(&client, (0..5).map(|number| format!("before-{number}")));
    wait_until(|| found_customers(&client) == Some(5));
    let index = indexes(&search_server);

    search_server.kill();
    wait_until(|| search(&client).0 == 503);
    let requested = Instant::now();
    let (status, response) = search(&client);
    assert_eq!((status, &response["errors"][0]["code"]), (503, &json!("OverCapacity")));
    assert!(requested.elapsed() < AT_ONCE, "{:?}", requested.elapsed());
    let (status, health) = server.nobody().get("/health/ready");
    assert_eq!((status, &health["without"]), (200, &json!(["search"])), "{health}");
    customers(&client, (0..5).map(|number| format!("meanwhile-{number}")));
    assert_eq!(client.total("/shop/customers"), 10);

    search_server.run().unwrap();
    wait_until(|| found_customers(&client) == Some(10));
    assert_eq!(indexes(&search_server), index, "it was not built again");
    assert_eq!(server.nobody().get("/health/ready").1, json!({"status": "ready"}));

    // It is not rebuilt after a restart either, without or with a search server.
    server.kill();
    customers_after_restart(&mut search_server, data.path(), &index);
}

fn customers_after_restart(search_server: &mut OpenSearch, data: &Path, index: &[String]) {
    search_server.kill();
    let server = serve(data, &search_server.url(), &[]);
    let client = server.client();
    wait_until(|| search(&client).0 == 503);
    customers(&client, std::iter::once("alone".to_owned()));
    search_server.run().unwrap();
    wait_until(|| found_customers(&client) == Some(11));
    assert_eq!(indexes(search_server), index, "it was not built again");
    // A deleted index is rebuilt.
    ureq::delete(format!("{}/{}", search_server.url(), index[0])).call().unwrap();
    wait_until(|| found_customers(&client) == Some(11) && indexes(search_server) != index);
}

#[test]
fn servers_share_an_index_and_one_of_them_writes() {
    let Some(search_server) = OpenSearch::start().unwrap() else { return };
    let database = Postgres::start().unwrap();
    let folders = [folder(), folder()];
    let start = |data: &Path| serve(data, &search_server.url(), &["--database-url", &database.url()]);
    let [mut one, mut two] = [start(folders[0].path()), start(folders[1].path())];
    let callers = [one.client(), two.client()];
    activate(&callers[0]);
    for (number, caller) in callers.iter().enumerate() {
        customers(caller, (0..5).map(|key| format!("of-{number}-{key}")));
    }
    wait_until(|| callers.iter().all(|caller| found_customers(caller) == Some(10)));
    assert_eq!(indexes(&search_server).len(), 1);
    // Whichever of them writes the index: the other one takes over.
    one.kill();
    customers(&callers[1], std::iter::once("two-alone".to_owned()));
    wait_until(|| found_customers(&callers[1]) == Some(11));
    let one = start(folders[0].path());
    wait_until(|| found_customers(&one.client()) == Some(11));
    two.kill();
    let client = one.client();
    customers(&client, std::iter::once("one-alone".to_owned()));
    wait_until(|| found_customers(&client) == Some(12));
    assert_eq!(indexes(&search_server).len(), 1);
}

/// In each round the search server and one of two servers fail and recover, while the other one searches and writes.
#[test]
fn search_server_faults_lose_no_documents() {
    let Some(mut search_server) = OpenSearch::start().unwrap() else { return };
    let database = Postgres::start().unwrap();
    let (folders, url) = ([folder(), folder()], search_server.url());
    let start = |at: usize| serve(folders[at].path(), &url, &["--database-url", &database.url()]);
    let mut servers = [start(0), start(1)];
    activate(&servers[0].client());
    let made = AtomicUsize::new(0);
    for round in 0..rounds().div_ceil(ROUNDS_OF) {
        let (stays, goes) = (round % 2, (round + 1) % 2);
        wait_until(|| servers.iter().all(|server| found_customers(&server.client()).is_some()));
        let (caller, over) = (servers[stays].client(), AtomicBool::new(false));
        scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    let number = made.load(Ordering::SeqCst);
                    customers(&caller, std::iter::once(format!("c{number}")));
                    made.store(number + 1, Ordering::SeqCst);
                }
            });
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    let requested = Instant::now();
                    let (status, response) = search(&caller);
                    assert!(requested.elapsed() < AT_ONCE_UNDER_LOAD, "{:?}", requested.elapsed());
                    assert!(status == 200 || status == 503, "{response}");
                    // One more customer may exist whose creation is not acknowledged yet.
                    let most = made.load(Ordering::SeqCst) as u64 + 1;
                    assert!(
                        response["total"].as_u64().is_none_or(|total| total <= most),
                        "{response} of {most}"
                    );
                }
            });
            let _over = StopGuard(&over);
            let more = || {
                let before = made.load(Ordering::SeqCst);
                wait_until(|| made.load(Ordering::SeqCst) >= before + BETWEEN);
            };
            more();
            search_server.kill();
            more();
            servers[goes].kill();
            more();
            search_server.run().unwrap();
            servers[goes] = start(goes);
            more();
        });
        let all = made.load(Ordering::SeqCst) as u64;
        wait_until(|| servers.iter().all(|server| found_customers(&server.client()) == Some(all)));
        assert_eq!(indexes(&search_server).len(), 1, "round {round}");
    }
}
