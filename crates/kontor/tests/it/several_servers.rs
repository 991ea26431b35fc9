//! Several servers over one database: a response of one server holds on all of them.

use crate::cluster::{SERVERS, TestCluster, create_resource, serve};
use crate::harness::{
    ApiCaller, CommandResult, ServerUnderTest, basic, drafts, fixture, folder, kontor, run, text,
};
use kontor_json::{Value, json};
use kontor_tests_postgres::{PASSWORD, PostgresServer as Postgres};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of clients that buy at the same time.
const CALLERS: usize = 64;
/// Number of pieces in stock.
const PIECES: usize = 100;

#[test]
fn a_response_holds_on_all_servers() {
    let several = TestCluster::start();
    let callers = several.callers();
    for round in 0..20 {
        let (writer, reader) = (&callers[round % SERVERS], &callers[(round + 1) % SERVERS]);
        let state =
            create_resource(writer, "states", &json!({"key": format!("s{round}"), "type": "ProductState"}));
        let (status, found) = reader.get(&format!("/shop/states/key=s{round}"));
        assert_eq!((status, &found), (200, &state));
        // Servers cache the settings of the project in memory.
        let (_, project) = writer.get("/shop");
        let action = json!({"action": "changeName", "name": format!("Shop {round}")});
        let (status, response) =
            writer.post("/shop", &json!({"version": project["version"], "actions": [action]}));
        assert_eq!(status, 200, "{response}");
        assert_eq!(reader.get("/shop").1["name"], format!("Shop {round}"));
    }
    // Clients and tokens are cached, too.
    let draft = json!({"name": "Another", "scope": "manage_project:shop"});
    let client = create_resource(&callers[0], "api-clients", &draft);
    let (id, secret) = (client["id"].as_str().unwrap(), client["secret"].as_str().unwrap());
    let another = several.servers[1].caller(id, secret);
    let on_third = several.servers[2].with_token(another.token());
    assert_eq!(on_third.get("/shop").0, 200);
    assert_eq!(callers[0].delete(&format!("/shop/api-clients/{id}")).0, 200);
    assert_eq!(on_third.get("/shop").0, 401);
}

#[test]
fn a_restored_snapshot_holds_on_all_servers() {
    let database = Postgres::start().unwrap();
    let folders = [folder(), folder()];
    let servers = folders.each_ref().map(|data| {
        let mut command = kontor(data.path());
        command.args(["serve", "--test-controls", "--project", "shop", "--database-url", &database.url()]);
        command.args(["--client-id", "id", "--client-secret", "secret"]);
        ServerUnderTest::start_with(command, Stdio::null())
    });
    let [first, second] = servers.each_ref().map(ServerUnderTest::client);
    let (status, kept) = servers[0].nobody().post("/_test/projects/shop/snapshot", &json!({}));
    assert_eq!(status, 201, "{kept}");
    let (_, project) = second.get("/shop");
    let action = json!({"action": "changeName", "name": "Changed"});
    let (status, response) =
        second.post("/shop", &json!({"version": project["version"], "actions": [action]}));
    assert_eq!(status, 200, "{response}");
    assert_eq!(second.get("/shop").1["name"], "Changed");
    // A restore adds no entry to the change log, and leaves its position unchanged.
    let (status, response) = servers[0].nobody().post("/_test/projects/shop/restore", &kept);
    assert_eq!(status, 200, "{response}");
    for client in [&first, &second] {
        assert_eq!(client.get("/shop").1["name"], project["name"]);
    }
}

/// Creates a cart with one piece.
fn cart(client: &ApiCaller) -> Value {
    let draft = json!({
        "currency": "EUR", "taxMode": "Disabled", "inventoryMode": "ReserveOnOrder",
        "shippingAddress": {"country": "DE"}, "lineItems": [{"sku": "piece", "quantity": 1}],
    });
    create_resource(client, "carts", &draft)
}

#[test]
fn sells_each_piece_once_on_several_servers() {
    let several = TestCluster::start();
    let callers = several.callers();
    create_resource(
        &callers[0],
        "product-types",
        &json!({"key": "any", "name": "Any", "description": "Anything"}),
    );
    let price = json!({"value": {"currencyCode": "EUR", "centAmount": 1_000}});
    let product = json!({
        "key": "piece", "productType": {"key": "any"}, "name": {"en": "Piece"}, "slug": {"en": "piece"},
        "masterVariant": {"sku": "piece", "prices": [price]}, "publish": true,
    });
    create_resource(&callers[1], "products", &product);
    create_resource(&callers[2], "inventory", &json!({"sku": "piece", "quantityOnStock": PIECES}));
    let sold = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..CALLERS {
            let (client, sold) = (&callers[number % SERVERS], &sold);
            scope.spawn(move || {
                loop {
                    let cart = cart(client);
                    let cart =
                        json!({"cart": {"typeId": "cart", "id": cart["id"]}, "version": cart["version"]});
                    let (status, response) = client.post("/shop/orders", &cart);
                    match status {
                        201 => sold.fetch_add(1, Ordering::Relaxed),
                        400 => {
                            assert_eq!(response["errors"][0]["code"], "OutOfStock", "{response}");
                            return;
                        }
                        // Conflicts with other clients happened too often.
                        409 | 503 => continue,
                        _ => panic!("{status} {response}"),
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
fn a_database_restart_loses_no_acknowledged_change() {
    let mut several = TestCluster::start();
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
                            let (status, response) = client.post("/shop/states", &draft);
                            assert!([201, 503].contains(&status), "{status} {response}");
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
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    for number in 0..30 {
        create_resource(&client, "states", &json!({"key": format!("s{number}"), "type": "ProductState"}));
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
    create_resource(&client, "states", &json!({"key": "later", "type": "ProductState"}));
    let (_, version) = client.delete("/shop/states/key=later?version=1");
    assert_eq!(version["key"], "later");
    run(other.path(), &["backup", text(&second)]).ok();
    drop(server);
    // Commands also work without a server.
    let listed = CommandResult::of(
        kontor(other.path()).args(["project", "list", "--database-url", &url]).output().unwrap(),
    );
    assert!(listed.ok().contains("shop"));

    run(back.path(), &["restore", text(&second)]).ok();
    assert_eq!(drafts(back.path(), "shop"), before);
    let server = ServerUnderTest::start(back.path());
    assert_eq!(server.with_token(&token).get("/shop/states/key=s29").0, 200);
}

/// Sends requests to all servers at the same time. Returns how many got the status 200.
fn count_accepted(
    servers: &[ServerUnderTest],
    ask: impl Fn(&ServerUnderTest, usize) -> (u16, Value) + Sync,
) -> usize {
    std::thread::scope(|scope| {
        let requested: Vec<_> = (0..CALLERS / 8)
            .map(|number| {
                let (server, ask) = (&servers[number % SERVERS], &ask);
                scope.spawn(move || ask(server, number))
            })
            .collect();
        let statuses = requested.into_iter().map(|requested| {
            let (status, response) = requested.join().unwrap();
            assert!([200, 400, 404, 409].contains(&status), "{status} {response}");
            status
        });
        statuses.filter(|status| *status == 200).count()
    })
}

#[test]
fn single_use_tokens_work_on_one_server_only() {
    let several = TestCluster::start();
    let callers = several.callers();
    let servers = &several.servers;
    let by_client = |server: &ServerUnderTest, path: &str| {
        server.with_authorization(&basic("id", "secret")).post(&format!("/oauth/{path}"), &json!({}))
    };
    // An anonymous id has one session.
    let anonymous = "shop/anonymous/token?grant_type=client_credentials&anonymous_id=somebody";
    assert_eq!(count_accepted(servers, |server, _| by_client(server, anonymous)), 1);
    // A password token can be used once, and revokes all sessions on all servers.
    let draft = json!({"email": "maria@example.com", "password": "first"});
    create_resource(&callers[0], "customers", &draft);
    let sign_in = "shop/customers/token?grant_type=password&username=maria@example.com&password=first";
    let (status, session) = by_client(&servers[1], sign_in);
    assert_eq!(status, 200, "{session}");
    let mine = servers[2].with_token(session["access_token"].as_str().unwrap());
    assert_eq!(mine.get("/shop/me").0, 200);
    let (_, token) =
        callers[0].post("/shop/customers/password-token", &json!({"email": "maria@example.com"}));
    let redeem = |server: &ServerUnderTest, number: usize| {
        let body = json!({"tokenValue": token["value"], "newPassword": format!("password-{number}")});
        server.with_token(callers[0].token()).post("/shop/customers/password/reset", &body)
    };
    assert_eq!(count_accepted(servers, redeem), 1);
    assert_eq!(mine.get("/shop/me").0, 401);
    // A token that is revoked on one server is invalid on all.
    let (_, granted) = by_client(&servers[0], "token?grant_type=client_credentials");
    let granted = granted["access_token"].as_str().unwrap();
    let on_third = servers[2].with_token(granted);
    assert_eq!(on_third.get("/shop").0, 200);
    let revoke = format!("token/revoke?token={granted}&token_type_hint=access_token");
    assert_eq!(by_client(&servers[1], &revoke).0, 200);
    assert_eq!(on_third.get("/shop").0, 401);
}

#[test]
fn connects_with_tls_and_a_password() {
    let certificate = fixture("localhost.pem");
    let postgres = Postgres::start_encrypted(&certificate, &fixture("localhost.key.pem")).unwrap();
    let port = postgres.address().port();
    let url = |password: &str, parameters: &str| {
        format!("postgres://kontor:{password}@localhost:{port}/postgres?{parameters}")
    };
    let trusted = format!("sslmode=verify-full&sslrootcert={}", certificate.display());
    let data = folder();
    let server = serve(&data, &url(PASSWORD, &trusted));
    create_resource(&server.client(), "states", &json!({"key": "open", "type": "ProductState"}));
    drop(server);
    let list = |url: String| run(data.path(), &["project", "list", "--database-url", &url]);
    assert!(list(url(PASSWORD, &trusted)).ok().contains("shop"));
    // An untrusted certificate, no encryption, a wrong password: each fails, without a fallback.
    for refused in
        [url(PASSWORD, "sslmode=require"), url(PASSWORD, "sslmode=disable"), url("guessed", &trusted)]
    {
        let said = list(refused).failed();
        assert!(said.contains("cannot be used") && !said.contains(PASSWORD), "{said}");
    }
}
