//! The console: its pages with their headers, requests of other sites, and projects elsewhere.

use crate::console_browser::{Browser, RunningCommand, operator, start_new_server};
use crate::harness::{ServerUnderTest, folder, kontor, serve, wait_until};
use kontor_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn pages_have_the_headers_that_keep_other_code_out() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let browser = Browser::new(&server.url);
    let redirect = browser.get("/console");
    assert_eq!((redirect.status, redirect.header("location")), (308, "/console/"));
    for path in [
        "/console/",
        "/console/shop/orders/a.b",
        "/console/../etc/passwd",
        "/console/%2e%2e/%2e%2e/system.db",
    ] {
        let page = browser.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        assert!(page.text.starts_with("<!"), "{path}: {}", page.text);
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert_eq!(page.header("access-control-allow-origin"), "");
        assert_eq!(page.header("cache-control"), "no-cache");
    }
    let tag = browser.get("/console/").header("etag").to_owned();
    assert_eq!(browser.send("GET", "/console/", &[("If-None-Match", &tag)], None).status, 304);
    assert_eq!(
        browser.send("GET", "/console/", &[("Accept-Encoding", "gzip")], None).header("content-encoding"),
        "gzip"
    );
    assert_eq!(browser.get("/console/assets/none.js").status, 404);
    assert_eq!(browser.get("/console/api/none").status, 401);
    assert_eq!(browser.send("POST", "/console/", &[], Some(&json!({}))).status, 405);

    let model = browser.get("/console/model.json");
    let kinds = model.body["kinds"].as_array().unwrap();
    assert!(kinds.len() > 45 && model.header("etag").starts_with("W/"), "{}", kinds.len());
    let tag = model.header("etag").to_owned();
    assert_eq!(browser.send("GET", "/console/model.json", &[("If-None-Match", &tag)], None).status, 304);
}

#[test]
fn the_console_can_be_switched_off() {
    let data = folder();
    let (mut process, url, lines) = start_new_server(data.path(), &["--no-console"]);
    let browser = Browser::new(&url);
    for path in ["/console", "/console/", "/console/config.json", "/console/api/session"] {
        assert_eq!(browser.get(path).status, 404, "{path}");
    }
    assert_eq!(browser.call("POST", "sign-in", json!({})).status, 404);
    process.kill();
    assert_eq!(lines.lines().count(), 0, "no link is printed");
}

#[test]
fn requests_of_other_sites_are_refused() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    operator(data.path(), "ann@example.com", "administrator");
    let browser = Browser::sign_in(&server.url, "ann@example.com");
    let post = |headers: &[(&str, &str)]| {
        browser.send("POST", "/console/api/token", headers, Some(&json!({"project": "shop"}))).status
    };
    assert_eq!(post(&[]), 403);
    assert_eq!(post(&[("X-Kontor-Console", "1")]), 200);
    for foreign in [("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")]
    {
        assert_eq!(post(&[("X-Kontor-Console", "1"), foreign]), 403, "{foreign:?}");
    }
    let form = [("X-Kontor-Console", "1"), ("Content-Type", "text/plain")];
    assert_eq!(browser.send("POST", "/console/api/sign-out", &form, None).status, 400);
    let preflight = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")];
    let response = browser.send("OPTIONS", "/console/api/token", &preflight, None);
    assert_eq!(response.header("access-control-allow-origin"), "");
}

#[test]
fn a_project_elsewhere_is_reached_through_its_client_and_nothing_else() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let mut command = kontor(data.path());
    command.env_remove("KONTOR_DATA");
    let arguments = ["console", "--project", "shop", "--client-id", "id", "--listen", "127.0.0.1:0"];
    command.args(arguments).args(["--url", &server.url]).env("KONTOR_CLIENT_SECRET", "secret");
    let mut process = RunningCommand(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap().strip_prefix("kontor listening on ").unwrap().to_owned();
    let line = lines.next().unwrap().unwrap();
    let token = line.rsplit_once("#link=").unwrap().1;

    let mut browser = Browser::new(&url);
    let config = browser.get("/console/config.json").body;
    assert_eq!((&config["mode"], &config["apiBase"]), (&json!("remote"), &json!("/upstream")));
    assert!(browser.get("/console/shop/orders").text.starts_with("<!"));
    assert!(browser.get("/console/model.json").body["kinds"].is_array());
    assert_eq!(browser.get("/console/api/session").status, 401);
    assert_eq!(browser.get("/upstream/shop/states").status, 401);
    let response = browser.call("POST", "sign-in-link", json!({"token": token}));
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(response.body["projects"][0]["key"], "shop");
    let scopes = response.body["projects"][0]["scopes"].as_array().unwrap();
    assert!(scopes.contains(&json!("manage_project")), "{scopes:?}");
    browser.cookie = response.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_eq!(browser.call("POST", "sign-in-link", json!({"token": token})).status, 401, "it works once");
    let issued = browser.call("POST", "token", json!({"project": "shop"})).body;
    let bearer = format!("Bearer {}", issued["accessToken"].as_str().unwrap());
    let authorized = [("Authorization", bearer.as_str())];
    let states = browser.send("GET", "/upstream/shop/states?limit=2", &authorized, None);
    assert_eq!((states.status, &states.body["limit"]), (200, &json!(2)), "{}", states.text);
    let draft = json!({"key": "a", "type": "LineItemState"});
    let created = browser.send("POST", "/upstream/shop/states", &authorized, Some(&draft));
    assert_eq!(
        (created.status, &created.body["createdBy"]),
        (201, &json!({"clientId": "id"})),
        "{}",
        created.text
    );
    let refused = browser.send("GET", "/upstream/other/states", &authorized, None);
    let message = &refused.body["message"];
    assert_eq!((refused.status, message), (404, &json!("URI not found: /other/states")), "as the API says");
    for path in ["/upstream/%2e%2e/health", "/upstream//health", "/other", "/upstream"] {
        assert_eq!(browser.send("GET", path, &authorized, None).status, 404, "{path}");
    }
    let foreign = [("Authorization", bearer.as_str()), ("Host", "evil.example")];
    assert_eq!(browser.send("GET", "/upstream/shop/states", &foreign, None).status, 403);
    assert_eq!(server.with_token(bearer.strip_prefix("Bearer ").unwrap()).get("/shop/states").0, 401);

    assert_eq!(browser.call("POST", "sign-out", json!({})).status, 204);
    assert_eq!(browser.send("GET", "/upstream/shop/states", &authorized, None).status, 401);
    process.kill();
}

#[test]
fn developers_see_the_last_deliveries_and_requests() {
    let data = folder();
    let mut command = serve(data.path());
    command.args(["--accept-unreachable-destinations", "--allow-private-destinations"]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    operator(data.path(), "dev@example.com", "developer");
    operator(data.path(), "max@example.com", "support");
    let dev = Browser::sign_in(&server.url, "dev@example.com");
    let token = server.with_token(&dev.token("shop"));
    let draft = json!({
        "key": "hook",
        "destination": {"type": "HTTP", "url": "http://127.0.0.1:9/none"},
        "changes": [{"resourceTypeId": "zone"}],
    });
    let (status, subscription) = token.post("/shop/subscriptions", &draft);
    assert_eq!(status, 201, "{subscription}");
    assert_eq!(token.post("/shop/zones", &json!({"key": "north", "name": "North"})).0, 201);
    let path = format!("/shop/kontor/deliveries?subscription={}", subscription["id"].as_str().unwrap());
    let deliveries = || token.get(&path).1["results"].clone();
    wait_until(|| deliveries()[0]["resource"]["typeId"] == "zone");
    let delivery = &deliveries()[0];
    assert_eq!((&delivery["status"], &delivery["error"]), (&json!("failed"), &json!("it cannot be reached")));
    assert!(delivery["requestBody"].as_str().unwrap().contains("ResourceCreated"), "{delivery}");
    assert_eq!(dev.get("/console/api/status?project=shop").body["deliveries"]["waiting"], 1);

    // Changes of operators are in the log of requests, what they look at is not.
    assert_eq!(token.get("/shop/zones").0, 200);
    assert_eq!(token.get("/shop/zones/key=none").0, 404);
    let requests = token.get("/shop/kontor/requests?path=/zones").1["results"].clone();
    let shown: Vec<_> = requests
        .as_array()
        .unwrap()
        .iter()
        .map(|request| (&request["status"], &request["operator"]))
        .collect();
    let by = json!("dev@example.com");
    assert_eq!(shown, [(&json!(404), &by), (&json!(201), &by)], "{requests}");

    let max = Browser::sign_in(&server.url, "max@example.com");
    let max = server.with_token(&max.token("shop"));
    assert_eq!((max.get(&path).0, max.get("/shop/kontor/requests").0), (403, 403));
}
