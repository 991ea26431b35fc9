//! Requests that the Import API has accepted are processed even after a kill.

use crate::harness::{ServerUnderTest, folder, wait_until};
use kontor_json::{Value, json};

/// Number of categories per request.
const RESOURCES: usize = 20;
/// Number of requests before the server is killed.
const REQUESTS: usize = 10;

#[test]
fn processes_accepted_requests_after_a_kill() {
    let data = folder();
    let mut server = ServerUnderTest::start(data.path());
    let client = server.client();
    assert_eq!(client.post("/import/shop/import-containers", &json!({"key": "all"})).0, 201);
    let path = "/import/shop/categories/import-containers/all";
    // The parent of each category is the next one of its request; the parent of the last one is missing.
    for request in 0..REQUESTS {
        let resources: Vec<Value> =
            (0..RESOURCES).map(|index| category(request * RESOURCES + index)).collect();
        let (status, response) = client.post(path, &json!({"type": "category", "resources": resources}));
        assert_eq!(status, 201, "{response}");
    }
    server.kill();

    let server = ServerUnderTest::start(data.path());
    let client = server.client();
    let summary = || client.get("/import/shop/import-containers/all/import-summaries").1;
    let total = (REQUESTS * RESOURCES) as u64;
    wait_until(|| summary()["states"]["unresolved"] == total);
    let root = json!({"key": "root", "name": {"en": "Root"}, "slug": {"en": "root"}});
    assert_eq!(client.post("/shop/categories", &root).0, 201);
    wait_until(|| summary()["states"]["imported"] == total);
    assert_eq!(client.total("/shop/categories"), total + 1);
}

fn key(index: usize) -> String {
    format!("category-{index}")
}

fn category(index: usize) -> Value {
    let is_last = (index + 1).is_multiple_of(RESOURCES);
    let parent = if is_last { "root".to_owned() } else { key(index + 1) };
    let parent = json!({"typeId": "category", "key": parent});
    json!({"key": key(index), "name": {"en": "A"}, "slug": {"en": key(index)}, "parent": parent})
}
