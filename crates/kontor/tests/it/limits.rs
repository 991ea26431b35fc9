//! Limits of the number of documents of a resource type in a project.

use crate::harness::{ServerUnderTest, folder, run, serve};
use kontor_json::json;
use kontor_storage::{Commit, Put, Sqlite, SqliteOptions, Storage};
use std::process::Stdio;

/// The limit of customer groups and of categories.
const LIMIT: u64 = 10_000;

#[test]
fn a_project_has_at_most_10000_customer_groups_and_categories() {
    let data = folder();
    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let group = |name: &str| client.post("/shop/customer-groups", &json!({"groupName": name}));
    let category =
        |slug: &str| client.post("/shop/categories", &json!({"name": {"en": slug}, "slug": {"en": slug}}));
    let (_, first_group) = group("first");
    let (_, first_category) = category("first");
    assert!(server.terminate().success());

    // Writes the other documents directly into the file; only their number matters.
    let file = Sqlite::open(&data.path().join("projects/shop.db"), SqliteOptions::default()).unwrap();
    for kind in ["customer-group", "category"] {
        let puts = (1..LIMIT - 1).map(|number| Put {
            kind: kind.into(),
            id: format!("018f3c2e-0000-7000-8000-{number:012}"),
            version: 1,
            body: "{}".into(),
            ..Put::default()
        });
        file.commit_blocking(puts.fold(Commit::new(), Commit::put)).unwrap();
    }
    drop(file);

    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    for (path, draft, first) in [
        ("/shop/customer-groups", &["groupName"][..], &first_group),
        ("/shop/categories", &["name", "slug"][..], &first_category),
    ] {
        let add = |number: u64| {
            let (name, mut body) = (format!("added-{number}"), json!({}));
            for field in draft {
                body[field] = if draft.len() == 1 { json!(name) } else { json!({"en": name}) };
            }
            client.post(path, &body)
        };
        let (status, last) = add(1);
        assert_eq!(status, 201, "the limit itself is allowed: {last}");
        let (status, refused) = add(2);
        assert_eq!(status, 400, "{refused}");
        assert_eq!(refused["errors"][0]["code"], "MaxResourceLimitExceeded", "{refused}");
        // Deleting one document allows one more.
        let path_of_first = format!("{path}/{}?version=1", first["id"].as_str().unwrap());
        assert_eq!(client.delete(&path_of_first).0, 200);
        assert_eq!(add(3).0, 201);
        assert_eq!(add(4).0, 400);
    }
}

#[test]
fn the_operator_can_change_limits() {
    const RAISED: u64 = 101;
    let data = folder();
    let mut command = serve(data.path());
    command.args(["--limit", &format!("zones={RAISED},tax-category=1")]);
    let server = ServerUnderTest::start_with(command, Stdio::null());
    let client = server.client();
    for number in 1..=RAISED {
        let (status, zone) = client.post("/shop/zones", &json!({"name": format!("zone {number}")}));
        assert_eq!(status, 201, "{zone}");
    }
    let tax_category = |name: &str| json!({"name": name, "rates": []});
    assert_eq!(client.post("/shop/tax-categories", &tax_category("Books")).0, 201);
    for (path, draft) in
        [("/shop/zones", json!({"name": "one more"})), ("/shop/tax-categories", tax_category("Food"))]
    {
        let (status, refused) = client.post(path, &draft);
        assert_eq!(status, 400, "{refused}");
        assert_eq!(refused["errors"][0]["code"], "MaxResourceLimitExceeded", "{refused}");
    }
    let requested =
        json!({"query": "{ limits { zones { total { limit current } } productType { total { limit } } } }"});
    let message_fields = json!({"zones": {"total": {"limit": RAISED, "current": RAISED}}, "productType": {"total": {"limit": 1000}}});
    assert_eq!(client.post("/shop/graphql", &requested).1["data"]["limits"], message_fields);
    assert!(server.terminate().success());

    // A command without a running server has its own limits.
    let file = data.path().join("zones.json");
    std::fs::write(&file, r#"[{"key": "one-more", "name": "one more"}]"#).unwrap();
    let file = file.to_str().unwrap();
    let refused = run(data.path(), &["import", "--project", "shop", file]).failed();
    assert!(refused.contains("MaxResourceLimitExceeded"), "{refused}");
    let limit = format!("zones={}", RAISED + 1);
    run(data.path(), &["import", "--project", "shop", "--limit", &limit, file]).ok();
    let refused = run(data.path(), &["import", "--project", "shop", "--limit", "products=5", file]).failed();
    assert!(refused.contains("cannot be used here"), "{refused}");
}
