//! Several servers over one database, of which the one that does the background work gets no requests: it sees what
//! clients change on other servers, and takes over the work of servers that crash.

use crate::cluster::create_resource;
use crate::fake_server::FakeServer;
use crate::harness::{ApiCaller, ServerUnderTest, basic, folder, kontor, wait_until};
use kontor_json::{Value, json};
use kontor_tests_postgres::PostgresServer as Postgres;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;

/// Number of concurrent logins: more than passwords are verified at once.
const LOGINS: usize = 16;
/// Number of import requests, and of categories in each.
const REQUESTS: usize = 5;
const RESOURCES: usize = 20;

/// Two servers over a database. The first one started is the keeper of the project, and gets no requests.
struct KeeperAndOther {
    keeper: ServerUnderTest,
    other: ServerUnderTest,
    _folders: [TempDir; 2],
    database: Postgres,
}

impl KeeperAndOther {
    fn start() -> Self {
        let database = Postgres::start().unwrap();
        let url = database.url();
        let folders = [folder(), folder()];
        let keeper = serve(&folders[0], &url);
        let process = keeper_of_shop(&url);
        let other = serve(&folders[1], &url);
        let servers = Self { keeper, other, _folders: folders, database };
        if keeper_of_shop(&url) == process {
            return servers;
        }
        // On a busy machine the first server could not renew its lease meanwhile.
        drop(servers);
        Self::start()
    }
}

/// Returns the name of the process that does the background work of the project.
fn keeper_of_shop(url: &str) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let sql = "SELECT process FROM kontor.keepers WHERE project = 'shop'";
        client.query_one(sql, &[]).await.unwrap().get(0)
    })
}

fn serve(data: &TempDir, url: &str) -> ServerUnderTest {
    let mut command = kontor(data.path());
    command.args(["serve", "--project", "shop", "--client-id", "id", "--client-secret", "secret"]);
    command.args(["--database-url", url, "--test-controls"]);
    command.args(["--allow-private-destinations", "--accept-unreachable-destinations"]);
    ServerUnderTest::start_with(command, Stdio::null())
}

fn subscribe(client: &ApiCaller, url: &str) -> Value {
    let destination = json!({"type": "HTTP", "url": url, "secret": "some-long-secret"});
    let changes = json!([{"resourceTypeId": "customer-group"}]);
    create_resource(client, "subscriptions", &json!({"destination": destination, "changes": changes}))
}

fn create_group(client: &ApiCaller, name: &str) {
    create_resource(client, "customer-groups", &json!({"groupName": name}));
}

/// Returns how many notifications of a created Customer Group a path got: a new Subscription gets one about itself, too.
fn count_created(peer: &FakeServer, path: &str) -> usize {
    let is_group = |body: &Value| {
        body["notificationType"] == "ResourceCreated" && body["resource"]["typeId"] == "customer-group"
    };
    peer.received(path).iter().filter(|(_, body)| is_group(body)).count()
}

#[test]
fn an_idle_keeper_delivers_to_the_subscriptions_of_other_servers() {
    let servers = KeeperAndOther::start();
    let client = servers.other.client();
    let peer = FakeServer::start(|_, _| (200, String::new()));
    let subscription = subscribe(&client, &format!("{}/first", peer.url));
    create_group(&client, "one");
    wait_until(|| count_created(&peer, "/first") == 1);
    // The next notification goes to the new destination.
    let destination =
        json!({"type": "HTTP", "url": format!("{}/second", peer.url), "secret": "some-long-secret"});
    let path = format!("/shop/subscriptions/{}", subscription["id"].as_str().unwrap());
    let (_, subscription) = client.get(&path);
    let action = json!({"action": "changeDestination", "destination": destination});
    let (status, body) =
        client.post(&path, &json!({"version": subscription["version"], "actions": [action]}));
    assert_eq!(status, 200, "{body}");
    create_group(&client, "two");
    wait_until(|| count_created(&peer, "/second") == 1);
    assert_eq!(count_created(&peer, "/first"), 1);
}

#[test]
fn a_new_keeper_delivers_what_a_crashed_server_has_queued() {
    let KeeperAndOther { keeper: mut crashing, other, _folders, database } = KeeperAndOther::start();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let client = crashing.client();
    let subscription = subscribe(&client, &format!("http://{address}/all"));
    for name in ["one", "two", "three"] {
        create_group(&client, name);
    }
    let path = format!("/shop/subscriptions/{}", subscription["id"].as_str().unwrap());
    wait_until(|| client.get(&path).1["status"] == "TemporaryError");
    crashing.kill();
    // The other server becomes the keeper, and its first deliveries fail.
    std::thread::sleep(Duration::from_secs(10));
    let peer = FakeServer::start_at(&address, |_, _| (200, String::new()));
    wait_until(|| count_created(&peer, "/all") == 3);
    drop((other, database));
}

#[test]
fn imports_survive_the_crash_of_the_server_that_accepted_them() {
    let mut servers = KeeperAndOther::start();
    let client = servers.other.client();
    assert_eq!(client.post("/import/shop/import-containers", &json!({"key": "all"})).0, 201);
    for request in 0..REQUESTS {
        let category = |number: usize| {
            let key = format!("category-{request}-{number}");
            // It does not exist yet, so no operation is finished before the crash.
            let parent = json!({"typeId": "category", "key": "root"});
            json!({"key": key, "name": {"en": "A"}, "slug": {"en": key}, "parent": parent})
        };
        let resources: Vec<Value> = (0..RESOURCES).map(category).collect();
        let body = json!({"type": "category", "resources": resources});
        let (status, response) = client.post("/import/shop/categories/import-containers/all", &body);
        assert_eq!(status, 201, "{response}");
    }
    servers.other.kill();

    let client = servers.keeper.with_token(client.token());
    let root = json!({"key": "root", "name": {"en": "Root"}, "slug": {"en": "root"}});
    assert_eq!(client.post("/shop/categories", &root).0, 201);
    let total = (REQUESTS * RESOURCES) as u64;
    let summary = || client.get("/import/shop/import-containers/all/import-summaries").1;
    wait_until(|| summary()["states"]["imported"] == total);
    assert_eq!(client.total("/shop/categories"), total + 1);
}

/// Creates a customer and returns the path of a login.
fn customer(client: &ApiCaller) -> (String, String) {
    let draft = json!({"email": "maria@example.com", "password": "first"});
    let created = create_resource(client, "customers", &draft);
    let id = created["customer"]["id"].as_str().unwrap().to_owned();
    let login = "/oauth/shop/customers/token?grant_type=password&username=maria@example.com&password=first";
    (id, login.to_owned())
}

fn login(server: &ServerUnderTest, path: &str) -> Option<String> {
    let (status, token) = server.with_authorization(&basic("id", "secret")).post(path, &json!({}));
    assert!(status == 200 || token["error"] == "invalid_customer_account_credentials", "{status} {token}");
    token["access_token"].as_str().map(str::to_owned)
}

#[test]
fn no_login_with_an_old_password_outlives_its_reset_on_another_server() {
    let servers = KeeperAndOther::start();
    let client = servers.other.client();
    let (_, path) = customer(&client);
    let email = json!({"email": "maria@example.com"});
    let (status, token) = client.post("/shop/customers/password-token", &email);
    assert_eq!(status, 200, "{token}");
    let granted: Vec<Option<String>> = std::thread::scope(|scope| {
        let logins: Vec<_> = (0..LOGINS).map(|_| scope.spawn(|| login(&servers.keeper, &path))).collect();
        let body = json!({"tokenValue": token["value"], "newPassword": "second"});
        let (status, response) = client.post("/shop/customers/password/reset", &body);
        assert_eq!(status, 200, "{response}");
        logins.into_iter().map(|login| login.join().unwrap()).collect()
    });
    for token in granted.iter().flatten() {
        assert_eq!(servers.other.with_token(token).get("/shop/me").0, 401);
    }
    assert!(granted.iter().any(Option::is_none), "the reset ran after all logins");
    assert_eq!(login(&servers.keeper, &path), None);
}

#[test]
fn revokes_the_tokens_of_a_server_that_crashes_during_a_reset() {
    let mut servers = KeeperAndOther::start();
    let client = servers.other.client();
    let (id, path) = customer(&client);
    let session = login(&servers.other, &path).unwrap();
    let mine = servers.keeper.with_token(&session);
    assert_eq!(mine.get("/shop/me").0, 200);
    let email = json!({"email": "maria@example.com"});
    let (_, token) = client.post("/shop/customers/password-token", &email);
    let url = servers.database.url();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (lock, connection) = runtime.block_on(tokio_postgres::connect(&url, tokio_postgres::NoTls)).unwrap();
    runtime.spawn(connection);
    // Tokens can be read but not revoked.
    runtime.block_on(lock.batch_execute("BEGIN; LOCK TABLE kontor.refresh_tokens IN SHARE MODE")).unwrap();
    let reset = client.clone();
    let body = json!({"tokenValue": token["value"], "newPassword": "second"});
    std::thread::spawn(move || drop(reset.try_post("/shop/customers/password/reset", &body)));
    wait_until(|| client.get(&format!("/shop/customers/{id}")).1["version"] == 2);
    servers.other.kill();
    runtime.block_on(lock.batch_execute("ROLLBACK")).unwrap();
    wait_until(|| mine.get("/shop/me").0 == 401);
}

#[test]
fn the_last_use_of_a_client_is_known_on_all_servers() {
    let servers = KeeperAndOther::start();
    let client = servers.other.client();
    let draft = json!({"name": "Another", "scope": "manage_project:shop"});
    let made = create_resource(&client, "api-clients", &draft);
    let path = format!("/shop/api-clients/{}", made["id"].as_str().unwrap());
    assert_eq!(client.get(&path).1.get("lastUsedAt"), None);
    servers.keeper.caller(made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
    assert!(client.get(&path).1["lastUsedAt"].is_string());
}

#[test]
fn a_server_without_searches_turns_off_no_search_of_others() {
    const DAYS_20: u64 = 20 * 24 * 3600;
    let servers = KeeperAndOther::start();
    let client = servers.keeper.client();
    let (_, project) = client.get("/shop");
    let action =
        json!({"action": "changeProductSearchIndexingEnabled", "enabled": true, "mode": "ProductsSearch"});
    let (status, response) =
        client.post("/shop", &json!({"version": project["version"], "actions": [action]}));
    assert_eq!(status, 200, "{response}");
    let advance = |server: &ServerUnderTest| {
        let (status, response) =
            server.nobody().post("/_test/projects/shop/clock", &json!({"advanceSeconds": DAYS_20}));
        assert_eq!(status, 200, "{response}");
    };
    advance(&servers.keeper);
    // Tokens expire by the clock of the project.
    let client = servers.keeper.client();
    wait_until(|| client.post("/shop/products/search", &json!({})).0 == 200);
    // The time of the search is stored in the background.
    std::thread::sleep(Duration::from_secs(1));
    advance(&servers.other);
    advance(&servers.other);
    assert_eq!(client.get("/shop").1["searchIndexing"]["productsSearch"]["status"], "Activated");
    let other = servers.other.client();
    wait_until(|| other.post("/shop/products/search", &json!({})).0 == 200);
}
