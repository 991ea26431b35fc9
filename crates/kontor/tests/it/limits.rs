//! How many documents of a kind a project may have.

use crate::harness::{Server, folder};
use kontor_json::json;
use kontor_storage::{Commit, Put, Sqlite, SqliteOptions, Storage};

/// Of Customer Groups as of Categories.
const LIMIT: u64 = 10_000;

#[test]
fn a_project_has_at_most_10000_customer_groups_and_categories() {
    let data = folder();
    let server = Server::start(data.path());
    let client = server.client();
    let group = |name: &str| client.post("/shop/customer-groups", &json!({"groupName": name}));
    let category =
        |slug: &str| client.post("/shop/categories", &json!({"name": {"en": slug}, "slug": {"en": slug}}));
    let (_, first_group) = group("first");
    let (_, first_category) = category("first");
    assert!(server.terminate().success());

    // The others are written past the server: it is about the count.
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

    let server = Server::start(data.path());
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
        // One that goes makes room for one.
        let path_of_first = format!("{path}/{}?version=1", first["id"].as_str().unwrap());
        assert_eq!(client.delete(&path_of_first).0, 200);
        assert_eq!(add(3).0, 201);
        assert_eq!(add(4).0, 400);
    }
}
