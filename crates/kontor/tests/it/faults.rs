//! Several servers behind a load balancer, over one database, while servers, database and connections fail in turn: no
//! acknowledged write is lost, and none is made twice.
//!
//! `cargo xtask faults` runs 200 rounds, the test command a few. A failed round prints the seed of its faults;
//! `KONTOR_FAULTS_SEED` repeats them.

use crate::cluster::{SERVERS, Several, last_words, made, serve};
use crate::harness::{Caller, Over};
use crate::linearizable::{Call, Saw, check};
use crate::relay::Relay;
use kontor_json::{Value, json};
use kontor_postgres::{Database, DatabaseOptions};
use kontor_storage::Storage as _;
use kontor_tests_postgres::Server as Postgres;
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
const PATIENCE: Duration = Duration::from_secs(90);
/// Number of clients that buy at the same time, of pieces in stock, and of carts that may use a discount code.
const BUYERS: usize = 64;
const PIECES: usize = 100;
const CODE_MAX: usize = 30;
/// How long a server is paused. The long pause exceeds the database's timeout for its locks.
const STOPPED_MS: std::ops::Range<u64> = 200..1_500;
const STOPPED_LONG: Duration = Duration::from_secs(7);

/// An injected fault.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// A server is killed and started again.
    Server,
    /// The database is killed and started again.
    Database,
    /// A server is paused for a while, and keeps its locks and connections.
    Standstill,
    /// All connections to the database are closed while they are in use.
    Connections,
}

const FAULTS: [Fault; 4] = [Fault::Server, Fault::Connections, Fault::Database, Fault::Standstill];

/// Servers behind a load balancer that connect to the database through a relay.
struct Cluster {
    several: Several,
    balancer: Relay,
    wire: Relay,
    url: String,
    random: StdRng,
    seed: u64,
}

impl Cluster {
    fn start() -> Self {
        let database = Postgres::start().unwrap();
        let wire = Relay::start(vec![database.address()]);
        let url = format!("postgres://kontor@{}/postgres", wire.address());
        let several = Several::over(database, &url);
        let balancer = Relay::start(several.servers.iter().map(crate::harness::Server::address).collect());
        let seed = std::env::var("KONTOR_FAULTS_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(rand::random);
        Self { several, balancer, wire, url, random: StdRng::seed_from_u64(seed), seed }
    }

    /// Returns a caller with a token that sends requests to the load balancer.
    fn caller(&self) -> Caller {
        self.several.servers[0].client().towards(self.balancer.address())
    }

    /// Injects a fault and recovers from it.
    fn suffer(&mut self, fault: Fault, is_long: bool) {
        let at = self.random.random_range(0..SERVERS);
        match fault {
            Fault::Server => {
                self.several.servers[at].kill();
                let server = serve(&self.several.folders[at], &self.url);
                self.balancer.set_target(at, server.address());
                self.several.servers[at] = server;
            }
            Fault::Database => {
                self.several.database.kill().unwrap();
                self.several.database.run().unwrap();
            }
            Fault::Standstill => {
                let stopped = Duration::from_millis(self.random.random_range(STOPPED_MS));
                self.several.servers[at].signal("STOP");
                sleep(if is_long { STOPPED_LONG } else { stopped });
                self.several.servers[at].signal("CONT");
            }
            Fault::Connections => self.wire.cut(),
        }
    }
}

/// Returns the number of rounds.
pub(crate) fn rounds() -> usize {
    std::env::var("KONTOR_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// Waits for this many more responses.
#[track_caller]
fn until_answered(answers: &AtomicUsize, more: usize, cluster: &Cluster) {
    let (before, began) = (answers.load(Ordering::Relaxed), Instant::now());
    while answers.load(Ordering::Relaxed) < before + more {
        if began.elapsed() > PATIENCE {
            let logs: Vec<String> = cluster.several.folders.iter().map(last_words).collect();
            panic!("nobody is answered any more:\n{}", logs.join("\n\n"));
        }
        sleep(Duration::from_millis(5));
    }
}

/// State that the clients of a test share.
struct Shared<'a> {
    clock: Instant,
    registers: &'a [String],
    answers: AtomicUsize,
    is_over: AtomicBool,
}

/// The observations of one client.
#[derive(Default)]
struct Seen {
    /// Its calls, with the index of the document.
    history: Vec<(usize, Call)>,
    /// The keys of the documents that it created.
    created: Vec<String>,
}

/// Returns the version and the name in a response.
fn version_and_name(answer: &Value) -> (u64, String) {
    (answer["version"].as_u64().unwrap(), answer["name"]["en"].as_str().unwrap().to_owned())
}

impl Shared<'_> {
    fn now(&self) -> u64 {
        self.clock.elapsed().as_micros() as u64
    }

    /// Counts a response. Returns false for status 503.
    fn is_answered(&self, status: u16, answer: &Value) -> bool {
        assert!([200, 201, 409, 503].contains(&status), "{status} {answer}");
        if status != 503 {
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        status != 503
    }

    /// Reads and writes until the test is over.
    fn call(&self, client: &Caller, caller: usize) -> Seen {
        let mut seen = Seen::default();
        let mut versions = vec![1; self.registers.len()];
        for number in 0.. {
            if self.is_over.load(Ordering::Relaxed) {
                break;
            }
            let at = (caller + number) % self.registers.len();
            if number % 3 < 2
                && let Some(call) = self.read(client, at)
            {
                versions[at] = call.version();
                seen.history.push((at, call));
            }
            let call = self.write(client, at, versions[at], format!("{caller}-{number}"));
            versions[at] = versions[at].max(call.ended.map_or(0, |_| call.version()));
            seen.history.push((at, call));
            if number % 4 == 0 {
                let key = format!("c{caller}-{number}");
                let draft = json!({"key": key, "type": "ProductState"});
                if let Some((status, answer)) = client.try_post("/shop/states", &draft)
                    && self.is_answered(status, &answer)
                {
                    assert_eq!(status, 201, "{answer}");
                    seen.created.push(key);
                }
            }
        }
        seen
    }

    fn read(&self, client: &Caller, at: usize) -> Option<Call> {
        let began = self.now();
        let (status, answer) = client.try_get(&format!("/shop/states/{}", self.registers[at]))?;
        if !self.is_answered(status, &answer) {
            return None;
        }
        let (version, name) = version_and_name(&answer);
        Some(Call { began, ended: Some(self.now()), saw: Saw::Read(version, name) })
    }

    fn write(&self, client: &Caller, at: usize, version: u64, name: String) -> Call {
        let update = json!({"version": version, "actions": [{"action": "setName", "name": {"en": name}}]});
        let began = self.now();
        let answered = client.try_post(&format!("/shop/states/{}", self.registers[at]), &update);
        let unknown = Call { began, ended: None, saw: Saw::Wrote(version + 1, name) };
        let Some((status, answer)) = answered else { return unknown };
        if !self.is_answered(status, &answer) {
            return unknown;
        }
        let saw = match status {
            409 => Saw::Refused(answer["errors"][0]["currentVersion"].as_u64().unwrap()),
            _ => {
                let (version, name) = version_and_name(&answer);
                Saw::Wrote(version, name)
            }
        };
        Call { began, ended: Some(self.now()), saw }
    }
}

/// Moves a category between two parents repeatedly, so that there is always background work for its descendants.
fn move_about(client: &Caller, shared: &Shared<'_>) {
    for parent in ["left", "right"].into_iter().cycle() {
        if shared.is_over.load(Ordering::Relaxed) {
            break;
        }
        let Some((200, found)) = client.try_get("/shop/categories/key=moved") else { continue };
        let action = json!({"action": "changeParent", "parent": {"typeId": "category", "key": parent}});
        let update = json!({"version": found["version"], "actions": [action]});
        let Some((status, answer)) = client.try_post("/shop/categories/key=moved", &update) else { continue };
        shared.is_answered(status, &answer);
        sleep(Duration::from_millis(50));
    }
}

/// Creates a tree of categories: two parents, one category that moves between them, and its children.
fn plant(client: &Caller) {
    let category = |key: &str, parent: Option<&str>| {
        let mut draft = json!({"key": key, "name": {"en": key}, "slug": {"en": key}});
        if let Some(parent) = parent {
            draft["parent"] = json!({"typeId": "category", "key": parent});
        }
        made(client, "categories", &draft);
    };
    category("left", None);
    category("right", None);
    category("moved", Some("left"));
    for number in 0..5 {
        category(&format!("below{number}"), Some("moved"));
    }
}

/// Waits until the ancestors of all descendants are up to date.
fn must_be_brought_up_to_date(client: &Caller) {
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
        assert!(began.elapsed() < PATIENCE, "what is below a Category does not know where it is");
        sleep(Duration::from_millis(50));
    }
}

/// Asserts that the change log has no gaps, and no document's version decreases in it.
fn must_be_without_gaps(url: &str) {
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
fn what_was_answered_is_so_whatever_goes_down() {
    let mut cluster = Cluster::start();
    let seed = cluster.seed;
    let client = cluster.caller();
    plant(&client);
    let register = |number: usize| {
        let name = json!({"en": FIRST_NAME});
        made(&client, "states", &json!({"key": format!("r{number}"), "type": "ProductState", "name": name}))
    };
    let registers: Vec<String> =
        (0..REGISTERS).map(|number| register(number)["id"].as_str().unwrap().to_owned()).collect();
    let shared = Shared {
        clock: Instant::now(),
        registers: &registers,
        answers: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let seen: Vec<Seen> = scope(|scope| {
        let (shared, client) = (&shared, &client);
        let callers: Vec<_> =
            (0..CALLERS).map(|caller| scope.spawn(move || shared.call(client, caller))).collect();
        scope.spawn(|| move_about(client, shared));
        let ended = Over(&shared.is_over);
        for round in 0..rounds() {
            until_answered(&shared.answers, ANSWERS, &cluster);
            let fault = FAULTS[round % FAULTS.len()];
            eprintln!("round {round}, after {:?}: {fault:?}", shared.clock.elapsed());
            cluster.suffer(fault, round % 40 == 39);
        }
        until_answered(&shared.answers, ANSWERS, &cluster);
        drop(ended);
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    for (at, _) in registers.iter().enumerate() {
        let calls = seen.iter().flat_map(|seen| &seen.history).filter(|(of, _)| *of == at);
        let history: Vec<Call> = calls.map(|(_, call)| call.clone()).collect();
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
    must_be_brought_up_to_date(&client);
    must_be_without_gaps(&cluster.several.database.url());
}

/// Creates a product with inventory, and a discount code of limited use.
fn stock(client: &Caller) {
    made(client, "product-types", &json!({"key": "any", "name": "Any", "description": "Anything"}));
    let price = json!({"value": {"currencyCode": "EUR", "centAmount": 1_000}});
    let product = json!({
        "key": "piece", "productType": {"key": "any"}, "name": {"en": "Piece"}, "slug": {"en": "piece"},
        "masterVariant": {"sku": "piece", "prices": [price]}, "publish": true,
    });
    made(client, "products", &product);
    made(client, "inventory", &json!({"sku": "piece", "quantityOnStock": PIECES}));
    let discount = json!({
        "key": "tenth", "name": {"en": "Tenth"}, "value": {"type": "relative", "permyriad": 1_000},
        "cartPredicate": "1=1", "target": {"type": "lineItems", "predicate": "1=1"}, "sortOrder": "0.5",
        "requiresDiscountCode": true,
    });
    made(client, "cart-discounts", &discount);
    let code = json!({
        "code": "TENTH", "cartDiscounts": [{"typeId": "cart-discount", "key": "tenth"}],
        "maxApplications": CODE_MAX, "isActive": true,
    });
    made(client, "discount-codes", &code);
}

/// Orders until the stock is empty. Returns the number of acknowledged orders.
fn buy(client: &Caller, answers: &AtomicUsize) -> usize {
    let (mut bought, mut codes) = (0, vec!["TENTH"]);
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
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
        let Some((status, answer)) = client.try_post("/shop/orders", &order) else { continue };
        match (status, answer["errors"][0]["code"].as_str()) {
            (201, _) => bought += 1,
            (400, Some("OutOfStock")) => return bought,
            (_, Some("DiscountCodeNonApplicable")) => codes.clear(),
            (409 | 503, _) => {}
            _ => panic!("{status} {answer}"),
        }
    }
    panic!("it is never sold out");
}

#[test]
fn each_piece_is_sold_once_whatever_goes_down() {
    let mut cluster = Cluster::start();
    let client = cluster.caller();
    stock(&client);
    let (answers, left) = (AtomicUsize::new(0), AtomicUsize::new(BUYERS));
    let bought: usize = scope(|scope| {
        let (client, answers, left) = (&client, &answers, &left);
        let buyers: Vec<_> = (0..BUYERS)
            .map(|_| {
                scope.spawn(move || {
                    let ended = Left(left);
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
            cluster.suffer(fault, false);
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
    must_be_without_gaps(&cluster.several.database.url());
}

/// Counts a buyer down when dropped, also after a panic.
struct Left<'a>(&'a AtomicUsize);

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
