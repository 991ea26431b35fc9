//! Several servers behind a load balancer, over one database, while servers, database and connections fail in turn: no
//! acknowledged write is lost, and none is made twice.
//!
//! `cargo xtask faults` runs 200 rounds, the test command a few. A failed round prints the seed of its faults;
//! `KONTOR_FAULTS_SEED` repeats them.

use crate::cluster::{SERVERS, TestCluster, create_resource, last_log_lines, serve};
use crate::harness::{ApiCaller, StopGuard};
use crate::linearizable::{CallResult, ClientCall, check};
use crate::relay::TcpRelay;
use kontor_json::{Value, json};
use kontor_postgres::{Database, DatabaseOptions};
use kontor_storage::Storage as _;
use kontor_tests_postgres::PostgresServer as Postgres;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Number of rounds in the test command.
const ROUNDS: usize = 4;
/// Number of clients that write and read in each round.
const CALLERS: usize = 6;
/// Number of documents that they write and read.
const REGISTERS: usize = 3;
/// The initial name of each document.
const FIRST_NAME: &str = "first";
/// Number of responses between two faults.
const ANSWERS: usize = 40;
/// The longest time without any successful response, whatever fails.
const TIMEOUT: Duration = Duration::from_secs(90);
/// Number of clients that buy at the same time, of pieces in stock, and of carts that may use a discount code.
const BUYERS: usize = 64;
const PIECES: usize = 100;
const CODE_MAX: usize = 30;
/// How long a server is paused. The long pause exceeds the database's timeout for its locks.
const STOPPED_MS: std::ops::Range<u64> = 200..1_500;
const STOPPED_LONG: Duration = Duration::from_secs(7);

/// An injected fault.
#[derive(Debug, Clone, Copy)]
enum ClusterFault {
    /// A server is killed and started again.
    Server,
    /// The database is killed and started again.
    Database,
    /// A server is paused for a while, and keeps its locks and connections.
    Standstill,
    /// All connections to the database are closed while they are in use.
    Connections,
}

const FAULTS: [ClusterFault; 4] =
    [ClusterFault::Server, ClusterFault::Connections, ClusterFault::Database, ClusterFault::Standstill];

/// Servers behind a load balancer that connect to the database through a relay.
struct FaultyCluster {
    several: TestCluster,
    balancer: TcpRelay,
    wire: TcpRelay,
    url: String,
    random: StdRng,
    seed: u64,
}

impl FaultyCluster {
    fn start() -> Self {
        let database = Postgres::start().unwrap();
        let wire = TcpRelay::start(vec![database.address()]);
        let url = format!("postgres://kontor@{}/postgres", wire.address());
        let several = TestCluster::over(database, &url);
        let balancer =
            TcpRelay::start(several.servers.iter().map(crate::harness::ServerUnderTest::address).collect());
        let seed = std::env::var("KONTOR_FAULTS_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(rand::random);
        Self { several, balancer, wire, url, random: StdRng::seed_from_u64(seed), seed }
    }

    /// Returns a caller with a token that sends requests to the load balancer.
    fn caller(&self) -> ApiCaller {
        self.several.servers[0].client().at_address(self.balancer.address())
    }

    /// Injects a fault and recovers from it.
    fn inject(&mut self, fault: ClusterFault, is_long: bool) {
        let at = self.random.random_range(0..SERVERS);
        match fault {
            ClusterFault::Server => {
                self.several.servers[at].kill();
                let server = serve(&self.several.folders[at], &self.url);
                self.balancer.set_target(at, server.address());
                self.several.servers[at] = server;
            }
            ClusterFault::Database => {
                self.several.database.kill().unwrap();
                self.several.database.run().unwrap();
            }
            ClusterFault::Standstill => {
                let stopped = Duration::from_millis(self.random.random_range(STOPPED_MS));
                self.several.servers[at].signal("STOP");
                sleep(if is_long { STOPPED_LONG } else { stopped });
                self.several.servers[at].signal("CONT");
            }
            ClusterFault::Connections => self.wire.cut(),
        }
    }
}

/// Returns the number of rounds.
pub(crate) fn rounds() -> usize {
    std::env::var("KONTOR_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// Waits for this many more responses.
#[track_caller]
fn wait_for_responses(answers: &AtomicUsize, more: usize, cluster: &FaultyCluster) {
    let (before, began) = (answers.load(Ordering::Relaxed), Instant::now());
    while answers.load(Ordering::Relaxed) < before + more {
        if began.elapsed() > TIMEOUT {
            let logs: Vec<String> = cluster.several.folders.iter().map(last_log_lines).collect();
            panic!("nobody is answered any more:\n{}", logs.join("\n\n"));
        }
        sleep(Duration::from_millis(5));
    }
}

/// State that the clients of a test share.
struct RelayState<'a> {
    clock: Instant,
    registers: &'a [String],
    answers: AtomicUsize,
    is_over: AtomicBool,
}

/// The observations of one client.
#[derive(Default)]
struct ClientHistory {
    /// Its calls, with the index of the document.
    history: Vec<(usize, ClientCall)>,
    /// The keys of the documents that it created.
    created: Vec<String>,
}

/// Returns the version and the name in a response.
fn version_and_name(reply: &Value) -> (u64, String) {
    (reply["version"].as_u64().unwrap(), reply["name"]["en"].as_str().unwrap().to_owned())
}

impl RelayState<'_> {
    fn now(&self) -> u64 {
        self.clock.elapsed().as_micros() as u64
    }

    /// Counts a response. Returns false for status 503.
    fn count_response(&self, status: u16, reply: &Value) -> bool {
        assert!([200, 201, 409, 503].contains(&status), "{status} {reply}");
        if status != 503 {
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        status != 503
    }

    /// Reads and writes until the test is over.
    fn call(&self, client: &ApiCaller, caller: usize) -> ClientHistory {
        let mut seen = ClientHistory::default();
        let mut versions = vec![1; self.registers.len()];
        for number in 0.. {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            let at = (caller + number) % self.registers.len();
            if number % 3 < 2
                && let Some(ask) = self.read(client, at)
            {
                versions[at] = ask.version();
                seen.history.push((at, ask));
            }
            let ask = self.write(client, at, versions[at], format!("{caller}-{number}"));
            versions[at] = versions[at].max(ask.ended.map_or(0, |_| ask.version()));
            seen.history.push((at, ask));
            if number % 4 == 0 {
                let key = format!("c{caller}-{number}");
                let draft = json!({"key": key, "type": "ProductState"});
                if let Some((status, response)) = client.try_post("/shop/states", &draft)
                    && self.count_response(status, &response)
                {
                    assert_eq!(status, 201, "{response}");
                    seen.created.push(key);
                }
            }
        }
        seen
    }

    fn read(&self, client: &ApiCaller, at: usize) -> Option<ClientCall> {
        let began = self.now();
        let (status, response) = client.try_get(&format!("/shop/states/{}", self.registers[at]))?;
        if !self.count_response(status, &response) {
            return None;
        }
        let (version, name) = version_and_name(&response);
        Some(ClientCall { began, ended: Some(self.now()), saw: CallResult::Read(version, name) })
    }

    fn write(&self, client: &ApiCaller, at: usize, version: u64, name: String) -> ClientCall {
        let update = json!({"version": version, "actions": [{"action": "setName", "name": {"en": name}}]});
        let began = self.now();
        let outcome = client.try_post(&format!("/shop/states/{}", self.registers[at]), &update);
        let unknown = ClientCall { began, ended: None, saw: CallResult::Wrote(version + 1, name) };
        let Some((status, response)) = outcome else { return unknown };
        if !self.count_response(status, &response) {
            return unknown;
        }
        let saw = match status {
            409 => CallResult::Refused(response["errors"][0]["currentVersion"].as_u64().unwrap()),
            _ => {
                let (version, name) = version_and_name(&response);
                CallResult::Wrote(version, name)
            }
        };
        ClientCall { began, ended: Some(self.now()), saw }
    }
}

/// Moves a category between two parents repeatedly, so that there is always background work for its descendants.
fn move_category_repeatedly(client: &ApiCaller, shared: &RelayState<'_>) {
    for parent in ["left", "right"].into_iter().cycle() {
        if shared.is_over.load(Ordering::Relaxed) {
            break;
        }
        let Some((200, found)) = client.try_get("/shop/categories/key=moved") else { continue };
        let action = json!({"action": "changeParent", "parent": {"typeId": "category", "key": parent}});
        let update = json!({"version": found["version"], "actions": [action]});
        let Some((status, response)) = client.try_post("/shop/categories/key=moved", &update) else {
            continue;
        };
        shared.count_response(status, &response);
        sleep(Duration::from_millis(50));
    }
}

/// Creates a tree of categories: two parents, one category that moves between them, and its children.
fn create_category_tree(client: &ApiCaller) {
    let category = |key: &str, parent: Option<&str>| {
        let mut draft = json!({"key": key, "name": {"en": key}, "slug": {"en": key}});
        if let Some(parent) = parent {
            draft["parent"] = json!({"typeId": "category", "key": parent});
        }
        create_resource(client, "categories", &draft);
    };
    category("left", None);
    category("right", None);
    category("moved", Some("left"));
    for number in 0..5 {
        category(&format!("below{number}"), Some("moved"));
    }
}

/// Waits until the ancestors of all descendants are up to date.
fn wait_for_ancestors(client: &ApiCaller) {
    let began = Instant::now();
    loop {
        let get = |key: &str| client.try_get(&format!("/shop/categories/key={key}")).map(|(_, found)| found);
        let moved = get("moved").unwrap();
        let parents = [moved["parent"]["id"].clone(), moved["id"].clone()];
        let is_right = |found: &Value| {
            found["ancestors"].as_array().is_some_and(|found| found.iter().map(|one| &one["id"]).eq(&parents))
        };
        if (0..5).all(|number| get(&format!("below{number}")).is_some_and(|found| is_right(&found))) {
            return;
        }
        assert!(began.elapsed() < TIMEOUT, "what is below a Category does not know where it is");
        sleep(Duration::from_millis(50));
    }
}

/// Asserts that the change log has no gaps, and no document's version decreases in it.
fn assert_no_gaps(url: &str) {
    let database = Database::open(url.parse::<DatabaseOptions>().unwrap()).unwrap();
    let storage = database.storage("shop").unwrap();
    let last = storage.last_seq().unwrap();
    let (mut seq, mut versions) = (0, HashMap::new());
    while seq < last {
        for change in storage.changes(seq, 1_000).unwrap() {
            assert_eq!(change.seq, seq + 1, "the log has a gap");
            seq = change.seq;
            let before = versions.insert((change.kind.clone(), change.id.clone()), change.version);
            assert!(before.is_none_or(|before| before <= change.version), "{change:?} after {before:?}");
        }
    }
}

#[test]
fn acknowledged_writes_survive_all_faults() {
    let mut cluster = FaultyCluster::start();
    let seed = cluster.seed;
    let client = cluster.caller();
    create_category_tree(&client);
    let register = |number: usize| {
        let name = json!({"en": FIRST_NAME});
        create_resource(
            &client,
            "states",
            &json!({"key": format!("r{number}"), "type": "ProductState", "name": name}),
        )
    };
    let registers: Vec<String> =
        (0..REGISTERS).map(|number| register(number)["id"].as_str().unwrap().to_owned()).collect();
    let shared = RelayState {
        clock: Instant::now(),
        registers: &registers,
        answers: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let seen: Vec<ClientHistory> = scope(|scope| {
        let (shared, client) = (&shared, &client);
        let callers: Vec<_> =
            (0..CALLERS).map(|caller| scope.spawn(move || shared.call(client, caller))).collect();
        scope.spawn(|| move_category_repeatedly(client, shared));
        let ended = StopGuard(&shared.is_over);
        for round in 0..rounds() {
            wait_for_responses(&shared.answers, ANSWERS, &cluster);
            let fault = FAULTS[round % FAULTS.len()];
            eprintln!("round {round}, after {:?}: {fault:?}", shared.clock.elapsed());
            cluster.inject(fault, round % 40 == 39);
        }
        wait_for_responses(&shared.answers, ANSWERS, &cluster);
        drop(ended);
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    for (at, _) in registers.iter().enumerate() {
        let calls = seen.iter().flat_map(|seen| &seen.history).filter(|(of, _)| *of == at);
        let history: Vec<ClientCall> = calls.map(|(_, call)| call.clone()).collect();
        if let Err(problem) = check(&history, FIRST_NAME) {
            panic!("with KONTOR_FAULTS_SEED={seed}: {problem}");
        }
    }
    let created: Vec<&String> = seen.iter().flat_map(|seen| &seen.created).collect();
    assert!(!created.is_empty());
    for key in created {
        let (status, found) = client.get(&format!("/shop/states/key={key}"));
        assert_eq!((status, &found["version"]), (200, &json!(1)), "{key}, with KONTOR_FAULTS_SEED={seed}");
    }
    wait_for_ancestors(&client);
    assert_no_gaps(&cluster.several.database.url());
}

/// Creates a product with inventory, and a discount code of limited use.
fn create_stock(client: &ApiCaller) {
    create_resource(
        client,
        "product-types",
        &json!({"key": "any", "name": "Any", "description": "Anything"}),
    );
    let price = json!({"value": {"currencyCode": "EUR", "centAmount": 1_000}});
    let product = json!({
        "key": "piece", "productType": {"key": "any"}, "name": {"en": "Piece"}, "slug": {"en": "piece"},
        "masterVariant": {"sku": "piece", "prices": [price]}, "publish": true,
    });
    create_resource(client, "products", &product);
    create_resource(client, "inventory", &json!({"sku": "piece", "quantityOnStock": PIECES}));
    let discount = json!({
        "key": "tenth", "name": {"en": "Tenth"}, "value": {"type": "relative", "permyriad": 1_000},
        "cartPredicate": "1=1", "target": {"type": "lineItems", "predicate": "1=1"}, "sortOrder": "0.5",
        "requiresDiscountCode": true,
    });
    create_resource(client, "cart-discounts", &discount);
    let code = json!({
        "code": "TENTH", "cartDiscounts": [{"typeId": "cart-discount", "key": "tenth"}],
        "maxApplications": CODE_MAX, "isActive": true,
    });
    create_resource(client, "discount-codes", &code);
}

/// Orders until the stock is empty. Returns the number of acknowledged orders.
fn buy(client: &ApiCaller, answers: &AtomicUsize) -> usize {
    let (mut bought, mut codes) = (0, vec!["TENTH"]);
    let began = Instant::now();
    while began.elapsed() < TIMEOUT {
        let draft = json!({
            "currency": "EUR", "taxMode": "Disabled", "inventoryMode": "ReserveOnOrder", "discountCodes": codes,
            "shippingAddress": {"country": "DE"}, "lineItems": [{"sku": "piece", "quantity": 1}],
        });
        let Some((status, cart)) = client.try_post("/shop/carts", &draft) else { continue };
        match (status, cart["errors"][0]["code"].as_str()) {
            (201, _) => {}
            (_, Some("DiscountCodeNonApplicable")) => {
                codes.clear();
                continue;
            }
            (503, _) => continue,
            _ => panic!("{status} {cart}"),
        }
        answers.fetch_add(1, Ordering::Relaxed);
        let order = json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": cart["version"]});
        let Some((status, response)) = client.try_post("/shop/orders", &order) else { continue };
        match (status, response["errors"][0]["code"].as_str()) {
            (201, _) => bought += 1,
            (400, Some("OutOfStock")) => return bought,
            (_, Some("DiscountCodeNonApplicable")) => codes.clear(),
            (409 | 503, _) => {}
            _ => panic!("{status} {response}"),
        }
    }
    panic!("it is never sold out");
}

#[test]
fn sells_each_piece_once_with_all_faults() {
    let mut cluster = FaultyCluster::start();
    let client = cluster.caller();
    create_stock(&client);
    let (answers, left) = (AtomicUsize::new(0), AtomicUsize::new(BUYERS));
    let bought: usize = scope(|scope| {
        let (client, answers, left) = (&client, &answers, &left);
        let buyers: Vec<_> = (0..BUYERS)
            .map(|_| {
                scope.spawn(move || {
                    let ended = BuyerGuard(left);
                    let bought = buy(&client.clone(), answers);
                    drop(ended);
                    bought
                })
            })
            .collect();
        for fault in FAULTS.into_iter().cycle() {
            let before = answers.load(Ordering::Relaxed);
            while answers.load(Ordering::Relaxed) < before + ANSWERS && left.load(Ordering::Relaxed) > 0 {
                sleep(Duration::from_millis(5));
            }
            if left.load(Ordering::Relaxed) == 0 {
                break;
            }
            cluster.inject(fault, false);
        }
        buyers.into_iter().map(|buyer| buyer.join().unwrap()).sum()
    });
    // Orders may exist without an acknowledgement, but each acknowledged order exists.
    assert!(bought <= PIECES, "{bought}");
    let (_, orders) = client.get("/shop/orders?limit=500");
    let orders = orders["results"].as_array().unwrap();
    assert_eq!(orders.len(), PIECES);
    let with_code = orders
        .iter()
        .filter(|order| order["discountCodes"].as_array().is_some_and(|codes| !codes.is_empty()));
    assert!((1..=CODE_MAX).contains(&with_code.count()));
    let (_, entries) = client.get("/shop/inventory?where=sku=%22piece%22");
    assert_eq!(entries["results"][0]["availableQuantity"], 0, "{entries}");
    assert_no_gaps(&cluster.several.database.url());
}

/// Counts a buyer down when dropped, also after a panic.
struct BuyerGuard<'a>(&'a AtomicUsize);

impl Drop for BuyerGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
