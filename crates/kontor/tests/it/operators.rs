//! Operators of the console: how they sign in, what their roles allow, and that changes name them.

use crate::cluster::TestCluster;
use crate::console_browser::{Answer, Browser, PASSWORD, operator, start_new_server};
use crate::harness::{ServerUnderTest, folder, kontor, run};
use kontor_json::{Value, json};
use std::io::BufRead;

#[test]
fn a_new_server_prints_a_link_that_creates_the_first_operator_once() {
    let data = folder();
    let (mut process, url, mut lines) = start_new_server(data.path(), &[]);
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let (before, token) = line.trim().split_once("#link=").unwrap();
    assert!(before.ends_with(&format!("{url}/console/")), "{line}");

    let mut browser = Browser::new(&url);
    assert_eq!(browser.get("/console/config.json").body["setup"], true);
    let link = browser.call("POST", "sign-in-link", json!({"token": token}));
    assert_eq!((link.status, &link.body), (200, &json!({"setup": true})));
    assert_eq!(link.header("set-cookie"), "");
    let draft = |password: &str| json!({"token": token, "email": "Ann@Example.com", "name": "Ann", "password": password});
    assert_eq!(browser.call("POST", "setup", draft("short")).status, 400);
    let response = browser.call("POST", "setup", draft(PASSWORD));
    assert_eq!(response.status, 200, "{}", response.text);
    browser.keep(&response);
    assert_eq!(response.body["operator"]["email"], "ann@example.com");
    assert_eq!(response.body["administrator"], true);
    assert_eq!(response.body["projects"][0]["key"], "shop");
    assert_eq!(browser.get("/console/config.json").body["setup"], false);
    for (call, body) in [("setup", draft(PASSWORD)), ("sign-in-link", json!({"token": token}))] {
        assert_eq!(browser.call("POST", call, body).status, 401, "{call}");
    }
    Browser::sign_in(&url, "ANN@example.com");
    process.kill();

    // With an operator, no link is printed.
    let (mut process, _, lines) = start_new_server(data.path(), &[]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    process.kill();
    assert_eq!(lines.lines().count(), 0);
}

#[test]
fn a_session_is_a_cookie_that_scripts_cannot_read_and_ends_when_signed_out() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "ann@example.com", "administrator");
    let mut browser = Browser::new(&server.url);
    assert_eq!(browser.get("/console/api/session").status, 401);
    let credentials = json!({"email": "ann@example.com", "password": PASSWORD});
    let response = browser.call("POST", "sign-in", credentials.clone());
    let cookie = response.header("set-cookie").to_owned();
    assert!(
        cookie.contains("; Path=/console; ") && cookie.contains("; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    assert!(!cookie.contains("Secure"), "{cookie}");
    browser.keep(&response);
    let session = browser.get("/console/api/session");
    assert_eq!((session.status, session.header("cache-control")), (200, "no-store"));
    assert_eq!(session.body["operator"]["name"], "Ann");
    let secure = [("X-Kontor-Console", "1"), ("X-Forwarded-Proto", "https")];
    let response = browser.send("POST", "/console/api/sign-in", &secure, Some(&credentials));
    assert!(response.header("set-cookie").ends_with("; Secure"));

    let token = browser.token("shop");
    assert_eq!(server.with_token(&token).get("/shop/states").0, 200);
    let elsewhere = Browser::sign_in(&server.url, "ann@example.com");
    let response = browser.call("POST", "sign-out", json!({}));
    assert_eq!(response.status, 204);
    assert!(response.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(browser.get("/console/api/session").status, 401);
    assert_eq!(server.with_token(&token).get("/shop/states").0, 401, "its tokens end too");
    assert_eq!(elsewhere.get("/console/api/session").status, 401, "all sessions end");
}

#[test]
fn wrong_passwords_have_a_rate_limit() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "ann@example.com", "administrator");
    let browser = Browser::new(&server.url);
    let guess = |email: &str| browser.call("POST", "sign-in", json!({"email": email, "password": "wrong"}));
    let responses: Vec<Answer> = (0..60).map(|_| guess("ann@example.com")).collect();
    assert!(responses[..20].iter().all(|response| response.status == 401));
    let limited = responses.iter().find(|response| response.status == 429).unwrap();
    assert_eq!(limited.header("retry-after"), "1");
    let (known, unknown) = (&responses[0], guess("bob@example.com"));
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body), "it does not tell who exists");
}

#[test]
fn a_role_may_do_what_its_scopes_allow() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "max@example.com", "shop:merchandiser");
    operator(data.path(), "ann@example.com", "administrator");
    run(data.path(), &["project", "create", "other"]).ok();
    let max = Browser::sign_in(&server.url, "max@example.com");
    let session = max.get("/console/api/session").body;
    assert_eq!(session["administrator"], false);
    assert_eq!(session["projects"].as_array().unwrap().len(), 1, "{session}");
    assert_eq!(session["projects"][0]["role"], "merchandiser");
    assert_eq!(max.call("POST", "token", json!({"project": "other"})).status, 403);
    assert_eq!(max.call("POST", "token", json!({"project": "none"})).status, 403);
    for call in ["operators", "status?project=other"] {
        assert_eq!(max.get(&format!("/console/api/{call}")).status, 403, "{call}");
    }
    assert_eq!(max.get("/console/api/status?project=shop").body["health"], "ok");
    let token = server.with_token(&max.token("shop"));
    let draft = json!({"name": {"en": "Hats"}, "slug": {"en": "hats"}});
    let (status, category) = token.post("/shop/categories", &draft);
    assert_eq!(status, 201, "{category}");
    // A discount is tried on a temporary Cart, for a Customer if its conditions ask for one.
    let (status, cart) = token.post("/shop/carts", &json!({"currency": "EUR"}));
    assert_eq!(status, 201, "{cart}");
    assert_eq!(token.get("/shop/customers").0, 200);
    assert_eq!(token.post("/shop/customers", &json!({"email": "eve@example.com", "password": "x"})).0, 403);
    assert_eq!(token.get("/shop/payments").0, 403);
    assert_eq!(token.get("/shop/extensions").0, 403);
    assert_eq!(token.get("/other/categories").0, 403);
    assert_eq!(token.post("/shop/api-clients", &json!({"name": "x", "scope": "manage_project:shop"})).0, 403);

    // A change of the role applies at once.
    let ann = Browser::sign_in(&server.url, "ann@example.com");
    let role = json!({"name": "merchandiser", "scopes": ["view_categories"]});
    assert_eq!(ann.call("POST", "roles", role).status, 200);
    assert_eq!(token.get("/shop/categories").0, 401);
    let token = server.with_token(&max.token("shop"));
    assert_eq!((token.get("/shop/categories").0, token.post("/shop/categories", &draft).0), (200, 403));
    assert_eq!(ann.call("DELETE", "roles/merchandiser", json!({})).status, 204);
    let token = server.with_token(&max.token("shop"));
    assert_eq!(token.get("/shop/products").0, 200);
}

#[test]
fn changes_name_the_operator_who_made_them() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "ann@example.com", "administrator");
    let ann = Browser::sign_in(&server.url, "ann@example.com");
    let id = ann.get("/console/api/session").body["operator"]["id"].clone();
    let token = server.with_token(&ann.token("shop"));
    let draft = json!({"name": {"en": "Hats"}, "slug": {"en": "hats"}});
    let (_, category) = token.post("/shop/categories", &draft);
    let by = json!({"isPlatformClient": true, "user": {"typeId": "user", "id": id}});
    assert_eq!((&category["createdBy"], &category["lastModifiedBy"]), (&by, &by), "{category}");
    let (_, records) = token.get("/history/shop/categories");
    let by = &records["results"][0]["modifiedBy"];
    assert_eq!(
        (&by["type"], &by["id"], &by["isPlatformClient"]),
        (&json!("user"), &id, &json!(true)),
        "{records}"
    );
    let query = json!({"query": "{ categories { results { createdBy { isPlatformClient userRef { typeId id } clientId } } } }"});
    let (_, response) = token.post("/shop/graphql", &query);
    let by = &response["data"]["categories"]["results"][0]["createdBy"];
    assert_eq!(by["userRef"], json!({"typeId": "user", "id": id}), "{response}");
    assert_eq!(by["isPlatformClient"], true);
    let found = token
        .total(&format!("/shop/categories?where=createdBy(user(id%3D%22{}%22))&x=", id.as_str().unwrap()));
    assert_eq!(found, 1);

    assert_eq!(server.with_token("none").get("/shop/categories").0, 401);
    let (_, requests) = token.get("/shop/kontor/requests?limit=50");
    let created =
        requests["results"].as_array().unwrap().iter().find(|request| request["status"] == 201).unwrap();
    assert_eq!(
        (&created["operator"], &created["path"]),
        (&json!("ann@example.com"), &json!("/shop/categories"))
    );
    let last = &requests["results"][0];
    assert_eq!(last["status"], 401, "{last}");
    assert!(last["reason"].as_str().unwrap().starts_with("invalid_token"), "{last}");
}

#[test]
fn a_new_password_ends_all_sessions_and_begins_one() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "ann@example.com", "administrator");
    let (mut one, other) =
        (Browser::sign_in(&server.url, "ann@example.com"), Browser::sign_in(&server.url, "ann@example.com"));
    let token = server.with_token(&other.token("shop"));
    let change =
        |current: &str, new: &str| one.call("POST", "password", json!({"current": current, "new": new}));
    assert_eq!(change("wrong", "another password").status, 400);
    assert_eq!(change(PASSWORD, "short").status, 400);
    let changed = change(PASSWORD, "another password");
    assert_eq!(changed.status, 204);
    assert_eq!(one.get("/console/api/session").status, 401, "also the session that changed it");
    assert_eq!(other.get("/console/api/session").status, 401);
    one.keep(&changed);
    assert_eq!(one.get("/console/api/session").status, 200);
    assert_eq!(token.get("/shop/states").0, 401);
    let old = one.call("POST", "sign-in", json!({"email": "ann@example.com", "password": PASSWORD}));
    assert_eq!(old.status, 401);
}

#[test]
fn administrators_invite_operators_by_links() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "ann@example.com", "administrator");
    let ann = Browser::sign_in(&server.url, "ann@example.com");
    let draft =
        json!({"email": "max@example.com", "name": "Max", "roles": [{"project": "shop", "role": "support"}]});
    let created = ann.call("POST", "operators", draft.clone());
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(ann.call("POST", "operators", draft).body["errors"][0]["code"], "DuplicateField");
    let unknown = json!({"email": "x@example.com", "roles": [{"project": "*", "role": "none"}]});
    assert_eq!(ann.call("POST", "operators", unknown).status, 400);
    let link = created.body["link"].as_str().unwrap();
    let token = link.strip_prefix(&format!("{}/console/#link=", server.url)).unwrap();

    let mut max = Browser::new(&server.url);
    let response = max.call("POST", "sign-in-link", json!({"token": token}));
    assert_eq!(response.body["setPassword"], true, "{}", response.text);
    max.keep(&response);
    assert_eq!(max.call("POST", "sign-in-link", json!({"token": token})).status, 401, "it works once");
    let response = max.call("POST", "password", json!({"new": PASSWORD}));
    assert_eq!(response.status, 204);
    max.keep(&response);
    assert_eq!(max.get("/console/api/session").body["setPassword"], false);
    let without = max.call("POST", "password", json!({"new": "yet another one"}));
    assert_eq!(without.status, 400, "from now on the current one is required");

    // The last administrator stays one.
    let id = |email: &str| {
        let all = ann.get("/console/api/operators").body;
        let found = all.as_array().unwrap().iter().find(|one| one["email"] == email).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let own = format!("operators/{}", id("ann@example.com"));
    assert_eq!(ann.call("DELETE", &own, json!({})).status, 400);
    assert_eq!(ann.call("POST", &own, json!({"roles": []})).status, 400);
    let of_max = format!("operators/{}", id("max@example.com"));
    let reset = ann.call("POST", &of_max, json!({"resetPassword": true}));
    assert!(reset.body["link"].is_string(), "{}", reset.text);
    assert_eq!(max.get("/console/api/session").status, 401);
    assert_eq!(ann.call("DELETE", &of_max, json!({})).status, 204);
    assert_eq!(ann.call("DELETE", &of_max, json!({})).status, 404);
}

#[test]
fn commands_manage_operators_with_and_without_a_server() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let created = run(data.path(), &["operator", "create", "ann@example.com"]).ok();
    assert!(
        created.contains("operator 'ann@example.com' created") && created.contains(": /console/#link=kl_"),
        "{created}"
    );
    let again = run(data.path(), &["operator", "create", "Ann@example.com"]).failed();
    assert!(again.contains("DuplicateField"), "{again}");
    run(data.path(), &["operator", "create", "max@example.com", "--role", "shop:support,read-only"]).ok();
    let refused = run(data.path(), &["operator", "create", "x@example.com", "--role", "none"]).failed();
    assert!(refused.contains("administrator, merchandiser, support, developer, read-only"), "{refused}");

    let server = ServerUnderTest::start(data.path());
    let listed = run(data.path(), &["operator", "list"]).ok();
    let max = listed.lines().find(|line| line.starts_with("max@example.com")).unwrap();
    assert!(max.ends_with("\tfalse\tshop:support, read-only"), "{listed}");
    run(data.path(), &["operator", "roles", "max@example.com", "developer"]).ok();
    let listed = run(data.path(), &["operator", "list", "--json"]).ok();
    let listed: Value = kontor_json::from_str(&listed).unwrap();
    assert_eq!(listed[1]["roles"], json!([{"project": "*", "role": "developer"}]));
    let roles = run(data.path(), &["operator", "roles"]).ok();
    assert!(roles.contains("administrator\ttrue\tmanage_project manage_api_clients"), "{roles}");

    let link = run(data.path(), &["operator", "link", "max@example.com"]).ok();
    let token = link.trim().rsplit_once('=').unwrap().1;
    let mut browser = Browser::new(&server.url);
    let response = browser.call("POST", "sign-in-link", json!({"token": token}));
    assert_eq!(response.body["operator"]["email"], "max@example.com", "{}", response.text);
    browser.keep(&response);
    run(data.path(), &["operator", "reset-password", "max@example.com"]).ok();
    assert_eq!(browser.get("/console/api/session").status, 401);
    run(data.path(), &["operator", "remove", "max@example.com"]).ok();
    assert!(
        run(data.path(), &["operator", "remove", "max@example.com"]).failed().contains("max@example.com")
    );
    drop(server);
    assert!(!kontor(data.path()).args(["operator", "link", "max@example.com"]).status().unwrap().success());
}

#[test]
fn operators_are_the_same_on_all_servers_of_a_database() {
    let several = TestCluster::start();
    let url = several.database.url();
    let (one, other) = (&several.servers[0], &several.servers[1]);
    let arguments = ["operator", "create", "ann@example.com", "--password", PASSWORD, "--database-url", &url];
    let created = kontor(several.folders[2].path()).args(arguments).output().unwrap();
    assert!(created.status.success(), "{created:?}");
    let ann = Browser::sign_in(&one.url, "ann@example.com");
    let mut elsewhere = Browser::new(&other.url);
    elsewhere.cookie = ann.cookie.clone();
    assert_eq!(elsewhere.get("/console/api/session").status, 200);
    let token = ann.token("shop");
    assert_eq!(other.with_token(&token).get("/shop/states").0, 200);
    // Roles that are changed on one server apply on all.
    let role = json!({"name": "buyers", "scopes": ["view_products"]});
    assert_eq!(elsewhere.call("POST", "roles", role).status, 200);
    assert_eq!(one.with_token(&token).get("/shop/states").0, 401);
    let roles = ann.get("/console/api/roles").body;
    assert!(roles.as_array().unwrap().iter().any(|role| role["name"] == "buyers"), "{roles}");
    let token = ann.token("shop");
    assert_eq!(other.with_token(&token).get("/shop/states").0, 200);
    assert_eq!(elsewhere.call("POST", "sign-out", json!({})).status, 204);
    assert_eq!(ann.get("/console/api/session").status, 401);
    assert_eq!(one.with_token(&token).get("/shop/states").0, 401);
}
