//! `kontor project` and `kontor client`: creating, listing, rotating and removing.

use crate::harness::{ServerUnderTest, basic, folder, run};
use kontor_json::json;

#[test]
fn projects_are_created_listed_and_removed() {
    let data = folder();
    assert!(run(data.path(), &["project", "list"]).failed().contains("is no data folder"));
    run(data.path(), &["project", "create", "shop", "--name", "The shop"]).ok();
    run(data.path(), &["project", "create", "other"]).ok();
    assert!(run(data.path(), &["project", "create", "shop"]).failed().contains("DuplicateField"));
    assert!(run(data.path(), &["project", "create", "No Key"]).failed().contains("InvalidField"));
    let listed = run(data.path(), &["project", "list"]).ok();
    let keys: Vec<&str> = listed.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(keys, ["key", "other", "shop"], "names of the columns stand first");
    assert!(listed.contains("\tThe shop"));
    let json = run(data.path(), &["project", "list", "--json"]).ok();
    let json: kontor_json::Value = kontor_json::from_str(&json).unwrap();
    assert_eq!((&json[0]["key"], &json[1]["name"]), (&json!("other"), &json!("The shop")));
    assert!(run(data.path(), &["project", "remove", "shop"]).failed().contains("--yes"));
    assert!(data.path().join("projects/shop.db").exists());
    run(data.path(), &["project", "remove", "shop", "--yes"]).ok();
    assert!(!data.path().join("projects/shop.db").exists());
    assert!(run(data.path(), &["project", "remove", "shop", "--yes"]).failed().contains("shop"));
}

#[test]
fn the_first_client_of_a_project_works() {
    let data = folder();
    run(data.path(), &["project", "create", "shop"]).ok();
    let created = run(data.path(), &["client", "create", "--project", "shop"]).ok();
    let line =
        |name: &str| created.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
    assert!(line("scope:").contains("manage_project:shop"));
    let server = ServerUnderTest::start(data.path());
    let caller = server.caller(&line("id:"), &line("secret:"));
    assert_eq!(caller.post("/shop/zones", &json!({"name": "Here"})).0, 201);
}

#[test]
fn clients_are_made_and_removed_while_the_server_runs() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let created = [
        "client",
        "create",
        "--project",
        "shop",
        "--id",
        "reader",
        "--secret",
        "s",
        "--scope",
        "view_states",
    ];
    let out = run(data.path(), &created).ok();
    assert!(out.contains("view_states:shop") && !out.contains("manage_project"), "{out}");
    let reader = server.caller("reader", "s");
    assert_eq!(reader.get("/shop/states").0, 200);
    assert_eq!(reader.get("/shop/zones").0, 403);
    let listed = run(data.path(), &["client", "list", "--project", "shop"]).ok();
    assert!(listed.contains("reader\t") && !listed.contains("secret"), "{listed}");
    run(data.path(), &["client", "remove", "--project", "shop", "reader"]).ok();
    assert_eq!(reader.get("/shop/states").0, 401);
    assert!(run(data.path(), &["client", "create", "--project", "nowhere"]).failed().contains("nowhere"));
}

#[test]
fn sets_token_lifetimes_of_a_client() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let of =
        |arguments: &[&str]| run(data.path(), &[&["client"], arguments, &["--project", "shop"]].concat());
    let lifetimes = ["--access-token-validity-seconds", "3600", "--refresh-token-validity-seconds", "60"];
    let days = ["--delete-days-after-creation", "30", "--id", "kiosk", "--secret", "hush"];
    let created = of(&[&["create", "--name", "A\tkiosk"], &lifetimes[..], &days[..]].concat()).ok();
    assert!(created.contains("secret: hush\n") && created.contains("seconds): 3600\n"), "{created}");

    // The line of the client in the list, before and after its use. The secret is shown only once.
    let line = || {
        let listed = of(&["list"]).ok();
        assert!(!listed.contains("hush"), "{listed}");
        listed.lines().find(|line| line.starts_with("kiosk\t")).unwrap().to_owned()
    };
    let columns = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let before = columns(&line());
    assert_eq!((&*before[2], &*before[3], &*before[4], &*before[5]), ("A kiosk", "-", "3600", "60"));
    assert!(before[6].ends_with('Z'), "{before:?}");
    let client = server.with_authorization(&basic("kiosk", "hush"));
    let (_, session) = client.post("/oauth/shop/anonymous/token?grant_type=client_credentials", &json!({}));
    assert_eq!(session["expires_in"], 3600, "{session}");
    let today = columns(&line())[3].clone();
    assert_eq!((today.len(), &today[..2]), ("2026-01-01".len(), "20"));

    // Its tokens end with it.
    let access = server.with_token(session["access_token"].as_str().unwrap());
    assert_eq!(access.get("/shop/states").0, 200);
    of(&["delete", "kiosk"]).ok();
    assert_eq!(access.get("/shop/states").0, 401);
    let refresh = session["refresh_token"].as_str().unwrap();
    let again = format!("/oauth/token?grant_type=refresh_token&refresh_token={refresh}");
    assert_eq!(client.post(&again, &json!({})).0, 401);
    assert!(of(&["delete", "kiosk"]).failed().contains("ResourceNotFound"));

    // The allowed ranges are those of the API.
    assert!(of(&["create", "--access-token-validity-seconds", "3599"]).failed().contains("InvalidField"));
    assert!(of(&["create", "--refresh-token-validity-seconds", "29"]).failed().contains("InvalidField"));
    assert!(of(&["create", "--delete-days-after-creation", "0"]).failed().contains("InvalidField"));
    assert!(of(&["create", "--scope", "see_states"]).failed().contains("InvalidField"));
}

#[test]
fn rotates_a_client_secret() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let token = server.client().token().to_owned();
    let rotated = run(data.path(), &["client", "rotate", "--project", "shop", "id"]).ok();
    let secret = rotated.lines().find_map(|line| line.strip_prefix("secret:")).unwrap().trim().to_owned();
    let old = server.with_authorization(&basic("id", "secret"));
    assert_eq!(old.post("/oauth/token?grant_type=client_credentials", &json!({})).0, 401);
    assert_eq!(server.caller("id", &secret).get("/shop").0, 200);
    assert_eq!(server.with_token(&token).get("/shop").0, 200, "what it has stays valid");
    drop(server);
    let said = crate::harness::CommandResult::of(
        crate::harness::serve(data.path()).args(["--listen", "127.0.0.1:0"]).output().unwrap(),
    );
    let said = said.failed();
    assert!(
        said.contains("another secret than --client-secret") && said.contains("kontor client rotate"),
        "{said}"
    );
    run(data.path(), &["client", "rotate", "--project", "shop", "id", "--secret", "secret"]).ok();
    let server = ServerUnderTest::start(data.path());
    assert_eq!(server.client().get("/shop").0, 200);
    assert!(
        run(data.path(), &["client", "rotate", "--project", "shop", "nobody"]).failed().contains("nobody")
    );
}

#[test]
fn explains_misspelt_arguments() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    for command in ["create", "list"] {
        let said = run(data.path(), &["client", command, "--project", "shpo"]).failed();
        assert!(said.contains("there is no project 'shpo'") && said.contains("shop"), "{said}");
    }
    let said = run(data.path(), &["--log", "inof", "project", "list"]).failed();
    assert!(said.contains("'inof' is not a level"), "{said}");
    let (taken, other) = (server.url.trim_start_matches("http://"), folder());
    let said = run(other.path(), &["serve", "--listen", taken]).failed();
    assert!(said.contains(taken) && said.contains("another port with --listen"), "{said}");
}
