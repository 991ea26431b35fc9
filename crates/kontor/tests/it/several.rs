//! Several servers over one database: what one of them answered is so on all of them.

use crate::harness::{Caller, Ran, Server, drafts, folder, kontor, run, text};
use kontor_tests_postgres::Server as Postgres;
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many servers there are.
const SERVERS: usize = 3;
/// How many buy at once.
const CALLERS: usize = 64;
/// How many pieces there are.
const PIECES: usize = 100;

/// Servers over one database, each with a folder of its own.
struct Several {
    servers: Vec<Server>,
    folders: Vec<tempfile::TempDir>,
    database: Postgres,
}

impl Several {
    fn start() -> Self {
        let database = Postgres::start().unwrap();
        let mut several = Several { servers: Vec::new(), folders: Vec::new(), database };
        // Started at once: all of them make the tables, the project and the client.
        std::thread::scope(|scope| {
            let url = several.database.url();
            let started: Vec<_> = (0..SERVERS)
                .map(|_| {
                    let url = url.clone();
                    scope.spawn(move || {
                        let data = folder();
                        (serve(&data, &url), data)
                    })
                })
                .collect();
            for started in started {
                let (server, data) = started.join().unwrap();
                several.servers.push(server);
                several.folders.push(data);
            }
        });
        several
    }

    /// A caller of each server, all with the token that one of them gave.
    fn callers(&self) -> Vec<Caller> {
        let token = self.servers[0].client().token().to_owned();
        self.servers.iter().map(|server| server.with_token(&token)).collect()
    }
}

fn serve(data: &tempfile::TempDir, url: &str) -> Server {
    let mut command = kontor(data.path());
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command.args(["--database-url", url]);
    Server::start_with(command, Stdio::null())
}

fn made(client: &Caller, kind: &str, draft: &Value) -> Value {
    let (status, answer) = client.post(&format!("/shop/{kind}"), draft);
    assert_eq!(status, 201, "{answer}");
    answer
}

#[test]
fn what_one_server_answered_is_so_on_all_of_them() {
    let several = Several::start();
    let callers = several.callers();
    for round in 0..20 {
        let (writer, reader) = (&callers[round % SERVERS], &callers[(round + 1) % SERVERS]);
        let state = made(writer, "states", &json!({"key": format!("s{round}"), "type": "ProductState"}));
        let (status, found) = reader.get(&format!("/shop/states/key=s{round}"));
        assert_eq!((status, &found), (200, &state));
        // Settings of the project stand in memory.
        let (_, project) = writer.get("/shop");
        let action = json!({"action": "changeName", "name": format!("Shop {round}")});
        let (status, answer) =
            writer.post("/shop", &json!({"version": project["version"], "actions": [action]}));
        assert_eq!(status, 200, "{answer}");
        assert_eq!(reader.get("/shop").1["name"], format!("Shop {round}"));
    }
    // Clients and tokens too.
    let draft = json!({"name": "Another", "scope": "manage_project:shop"});
    let client = made(&callers[0], "api-clients", &draft);
    let (id, secret) = (client["id"].as_str().unwrap(), client["secret"].as_str().unwrap());
    let another = several.servers[1].caller(id, secret);
    let on_third = several.servers[2].with_token(another.token());
    assert_eq!(on_third.get("/shop").0, 200);
    assert_eq!(callers[0].delete(&format!("/shop/api-clients/{id}")).0, 200);
    assert_eq!(on_third.get("/shop").0, 401);
}

/// A cart with one piece.
fn cart(client: &Caller) -> Value {
    let draft = json!({
        "currency": "EUR", "taxMode": "Disabled", "inventoryMode": "ReserveOnOrder",
        "shippingAddress": {"country": "DE"}, "lineItems": [{"sku": "piece", "quantity": 1}],
    });
    made(client, "carts", &draft)
}

#[test]
fn many_callers_of_several_servers_sell_each_piece_once() {
    let several = Several::start();
    let callers = several.callers();
    made(&callers[0], "product-types", &json!({"key": "any", "name": "Any", "description": "Anything"}));
    let price = json!({"value": {"currencyCode": "EUR", "centAmount": 1_000}});
    let product = json!({
        "key": "piece", "productType": {"key": "any"}, "name": {"en": "Piece"}, "slug": {"en": "piece"},
        "masterVariant": {"sku": "piece", "prices": [price]}, "publish": true,
    });
    made(&callers[1], "products", &product);
    made(&callers[2], "inventory", &json!({"sku": "piece", "quantityOnStock": PIECES}));
    let sold = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..CALLERS {
            let (client, sold) = (&callers[number % SERVERS], &sold);
            scope.spawn(move || {
                loop {
                    let cart = cart(client);
                    let cart =
                        json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": cart["version"]});
                    let (status, answer) = client.post("/shop/orders", &cart);
                    match status {
                        201 => sold.fetch_add(1, Ordering::Relaxed),
                        400 => {
                            assert_eq!(answer["errors"][0]["code"], "OutOfStock", "{answer}");
                            return;
                        }
                        // Others were in the way too often.
                        409 | 503 => continue,
                        _ => panic!("{status} {answer}"),
                    };
                }
            });
        }
    });
    assert_eq!(sold.load(Ordering::Relaxed), PIECES);
    for client in &callers {
        assert_eq!(client.total("/shop/orders"), PIECES as u64);
        let (_, entries) = client.get("/shop/inventory?where=sku=%22piece%22");
        assert_eq!(entries["results"][0]["availableQuantity"], 0, "{entries}");
    }
}

#[test]
fn a_database_that_goes_down_and_comes_back_costs_no_acknowledged_change() {
    let mut several = Several::start();
    let callers = several.callers();
    let created = AtomicUsize::new(0);
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        std::thread::scope(|scope| {
            let (created, callers) = (&created, &callers);
            let writers: Vec<_> = (0..6)
                .map(|writer| {
                    scope.spawn(move || {
                        let client = &callers[writer % SERVERS];
                        let mut acknowledged = Vec::new();
                        for number in 0..15 {
                            let key = format!("r{round}-{writer}-{number}");
                            let draft = json!({"key": key, "type": "ProductState"});
                            let (status, answer) = client.post("/shop/states", &draft);
                            assert!([201, 503].contains(&status), "{status} {answer}");
                            if status == 201 {
                                acknowledged.push(key);
                            }
                            created.fetch_add(1, Ordering::Relaxed);
                        }
                        acknowledged
                    })
                })
                .collect();
            crate::harness::wait_until(|| created.load(Ordering::Relaxed) > round * 90 + 20);
            several.database.kill().unwrap();
            several.database.run().unwrap();
            acknowledged.extend(writers.into_iter().flat_map(|writer| writer.join().unwrap()));
        });
    }
    crate::harness::wait_until(|| callers[0].get("/shop").0 == 200);
    for key in &acknowledged {
        let (status, state) = callers[1].get(&format!("/shop/states/key={key}"));
        assert_eq!((status, &state["version"]), (200, &json!(1)), "{state}");
    }
    assert!(!acknowledged.is_empty());
}

#[test]
fn a_backup_moves_projects_into_a_database_and_back() {
    let (data, other, back) = (folder(), folder(), folder());
    let (first, second) = (other.path().join("first.tar"), other.path().join("second.tar"));
    let server = Server::start(data.path());
    let client = server.client();
    for number in 0..30 {
        made(&client, "states", &json!({"key": format!("s{number}"), "type": "ProductState"}));
    }
    let token = client.token().to_owned();
    run(data.path(), &["backup", text(&first)]).ok();
    drop(server);
    let before = drafts(data.path(), "shop");

    let postgres = Postgres::start().unwrap();
    let url = postgres.url();
    let into = ["restore", "--database-url", &url, text(&first)];
    assert!(run(other.path(), &into).ok().contains("projects: 1"));
    assert!(run(other.path(), &into).failed().contains("has projects already"));
    let server = serve(&other, &url);
    let client = server.with_token(&token);
    let (status, state) = client.get("/shop/states/key=s7");
    assert_eq!((status, &state["version"]), (200, &json!(1)), "{state}");
    made(&client, "states", &json!({"key": "later", "type": "ProductState"}));
    let (_, version) = client.delete("/shop/states/key=later?version=1");
    assert_eq!(version["key"], "later");
    run(other.path(), &["backup", text(&second)]).ok();
    drop(server);
    // Without a server it is reached too.
    let listed =
        Ran::of(kontor(other.path()).args(["project", "list", "--database-url", &url]).output().unwrap());
    assert!(listed.ok().contains("shop"));

    run(back.path(), &["restore", text(&second)]).ok();
    assert_eq!(drafts(back.path(), "shop"), before);
    let server = Server::start(back.path());
    assert_eq!(server.with_token(&token).get("/shop/states/key=s29").0, 200);
}
