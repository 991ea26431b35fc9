//! Counts reads of the storage: one for each level and kind, whatever the number of references.

#![allow(clippy::unwrap_used)] // What cannot be had fails the test.

mod open;

use kontor_engine::{AccessScope, Caller, Shop, SlowRequestLimiter};
use kontor_errors::{ApiError, ApiResult};
use kontor_graphql::{
    AccessControl, DocumentReach, ExternalKindStore, FieldOperation, GraphQl, GraphQlContext,
};
use kontor_json::{Value, json};
use kontor_model::{KindId, Model};
use kontor_storage::CountingStorage;
use open::{OpenAccessControl, search_service};
use std::sync::Arc;

struct Fixture {
    graphql: Arc<GraphQl>,
    shop: Arc<Shop>,
    storage: Arc<CountingStorage>,
}

impl Fixture {
    async fn new() -> Self {
        let model = Arc::new(Model::embedded().unwrap());
        let joined = kontor_commerce::join_behaviours(&model).unwrap();
        let storage = Arc::new(CountingStorage::in_memory().unwrap());
        let graphql =
            Arc::new(GraphQl::new(&model, search_service(&model), SlowRequestLimiter::default()).unwrap());
        let shop = Shop::open("shop", "shop", model, Arc::new(joined), storage.clone()).await.unwrap();
        Self { graphql, shop: Arc::new(shop), storage }
    }

    fn asking(&self) -> GraphQlContext {
        GraphQlContext {
            shop: Arc::clone(&self.shop),
            access_control: Arc::new(OpenAccessControl),
            caller: Caller::default(),
            languages: Vec::new(),
            ab_test_id: None,
        }
    }

    async fn ask(&self, query: &str, variables: Value) -> Value {
        let body = json!({"query": query, "variables": variables}).to_string();
        let response = self.graphql.respond(body.as_bytes(), self.asking()).await;
        let body: Value = kontor_json::from_slice(&response.body).unwrap();
        assert_eq!(body.get("errors"), None, "{body}");
        body["data"].clone()
    }

    /// Returns the number of reads that a query takes, and its response.
    async fn reads(&self, query: &str, variables: Value) -> (usize, Value) {
        self.storage.take_calls();
        let data = self.ask(query, variables).await;
        (self.storage.take_calls().reads.len(), data)
    }

    /// Creates `chains` chains of Categories, each with a root, its child, and so on.
    async fn categories(&self, chains: usize, length: usize) {
        let create = "mutation($draft: CategoryDraft!) { createCategory(draft: $draft) { id } }";
        for chain in 0..chains {
            for step in 0..length {
                let key = format!("c-{chain}-{step}");
                let text = json!([{"locale": "en", "value": key}]);
                let parent = (step > 0).then(|| json!({"key": format!("c-{chain}-{}", step - 1)}));
                let draft = json!({"key": key, "name": text, "slug": text, "parent": parent});
                self.ask(create, json!({"draft": draft})).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_levels_of_references_take_three_reads_more_than_none() {
    let fixture = Fixture::new().await;
    fixture.categories(25, 4).await;
    let page = |fields: &str| {
        format!(
            "query($limit: Int!) {{ categories(limit: $limit, sort: [\"key desc\"]) {{ results {{ key {fields} }} }} }}"
        )
    };
    let deep = page("parent { key parent { key parent { key } } }");
    let (none, _) = fixture.reads(&page(""), json!({"limit": 100})).await;
    let (few, _) = fixture.reads(&deep, json!({"limit": 10})).await;
    let (many, data) = fixture.reads(&deep, json!({"limit": 100})).await;
    assert_eq!(data["categories"]["results"].as_array().unwrap().len(), 100);
    assert_eq!(data["categories"]["results"][0]["parent"]["parent"]["parent"]["key"], "c-9-0");
    assert_eq!(few, none + 3, "one read a level");
    assert_eq!(many, none + 5, "and one more for a level of more documents than are read at first");
}

#[tokio::test(flavor = "multi_thread")]
async fn references_by_key_are_read_together() {
    let fixture = Fixture::new().await;
    for number in 0..20 {
        let store = json!({"key": format!("s-{number}")});
        fixture
            .ask(
                "mutation($draft: CreateStore!) { createStore(draft: $draft) { id } }",
                json!({"draft": store}),
            )
            .await;
        let stores = json!([store, {"key": format!("s-{}", number / 2)}]);
        let draft = json!({"email": format!("{number}@example.com"), "password": "secret", "stores": stores});
        fixture
            .ask(
                "mutation($draft: CustomerSignUpDraft!) { customerSignUp(draft: $draft) { customer { id } } }",
                json!({"draft": draft}),
            )
            .await;
    }
    let page = |fields: &str| {
        format!("query($limit: Int!) {{ customers(limit: $limit) {{ results {{ email {fields} }} }} }}")
    };
    let deep = page("stores { key }");
    let (none, _) = fixture.reads(&page(""), json!({"limit": 20})).await;
    let (few, _) = fixture.reads(&deep, json!({"limit": 3})).await;
    let (many, data) = fixture.reads(&deep, json!({"limit": 20})).await;
    let last = &data["customers"]["results"][19];
    assert_eq!(last["stores"], json!([{"key": "s-19"}, {"key": "s-9"}]));
    assert_eq!((few, many), (none + 1, none + 1), "one read for all of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn chains_of_references_are_read_together() {
    let fixture = Fixture::new().await;
    let create = "mutation($draft: BusinessUnitDraft!) { createBusinessUnit(draft: $draft) { id } }";
    for chain in 0..5 {
        for level in 0..3 {
            let key = |level: usize| format!("unit-{chain}-{level}");
            let mut draft = json!({"key": key(level), "name": "unit", "unitType": "Company"});
            if level > 0 {
                draft["unitType"] = json!("Division");
                draft["parentUnit"] = json!({"key": key(level - 1)});
            }
            fixture.ask(create, json!({"draft": draft})).await;
        }
    }
    let page = |fields: &str| {
        format!(
            "query($limit: Int!) {{ businessUnits(limit: $limit, sort: [\"key desc\"]) {{ results {{ key {fields} }} }} }}"
        )
    };
    let (none, _) = fixture.reads(&page(""), json!({"limit": 15})).await;
    let (few, _) = fixture.reads(&page("ancestors { key }"), json!({"limit": 3})).await;
    let (many, data) = fixture.reads(&page("ancestors { key }"), json!({"limit": 15})).await;
    let last = &data["businessUnits"]["results"][0];
    assert_eq!(last, &json!({"key": "unit-4-2", "ancestors": [{"key": "unit-4-0"}, {"key": "unit-4-1"}]}));
    assert_eq!((few, many), (none + 2, none + 2), "one read a level");
}

#[tokio::test(flavor = "multi_thread")]
async fn children_of_many_are_one_query() {
    let fixture = Fixture::new().await;
    fixture.categories(10, 2).await;
    let query = "query($limit: Int!) { categories(limit: $limit, sort: [\"key asc\"]) { results { childCount children { key } } } }";
    let (few, _) = fixture.reads(query, json!({"limit": 2})).await;
    let (many, data) = fixture.reads(query, json!({"limit": 20})).await;
    assert_eq!(data["categories"]["results"][0], json!({"childCount": 1, "children": [{"key": "c-0-1"}]}));
    // The index is read once for each parent; the documents are read in one scan, not one by one.
    assert!(many <= few + 18, "{few} reads for 2, {many} for 20");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_root_fields_ask_for_by_id_are_read_together() {
    let fixture = Fixture::new().await;
    fixture.categories(3, 1).await;
    let all = fixture.ask("{ categories { results { id } } }", json!({})).await;
    let id = |index: usize| all["categories"]["results"][index]["id"].as_str().unwrap().to_owned();
    let query = format!(
        "{{ a: category(id: \"{}\") {{ key }} b: category(id: \"{}\") {{ key }} c: category(id: \"{}\") {{ key }} }}",
        id(0),
        id(1),
        id(2)
    );
    let (reads, data) = fixture.reads(&query, json!({})).await;
    assert_eq!(reads, 1, "{data}");
}

/// A gate that fails with a bug.
struct BrokenAccessControl;

impl AccessControl for BrokenAccessControl {
    fn authorize(&self, _: &Shop, _: KindId, _: &DocumentReach, _: FieldOperation) -> ApiResult<AccessScope> {
        Err(ApiError::bug("nobody knows who may"))
    }
    fn holder(&self, _: KindId) -> Option<Arc<dyn ExternalKindStore>> {
        None
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bugs_are_returned_to_the_server_and_not_shown() {
    let fixture = Fixture::new().await;
    let asking = GraphQlContext {
        shop: Arc::clone(&fixture.shop),
        access_control: Arc::new(BrokenAccessControl),
        caller: Caller::default(),
        languages: Vec::new(),
        ab_test_id: None,
    };
    let response = fixture.graphql.respond(br#"{"query": "{ states { total } }"}"#, asking).await;
    let body: Value = kontor_json::from_slice(&response.body).unwrap();
    assert_eq!(body["errors"][0]["extensions"]["code"], "General", "{body}");
    assert!(!body.to_string().contains("nobody knows"), "{body}");
    let [bug] = response.bugs.as_slice() else { panic!("{:?}", response.bugs) };
    assert!(bug.to_string().starts_with("nobody knows who may"), "{bug}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_with_too_many_bytes_ends_with_an_error() {
    const TEXT_BYTES: usize = 1024 * 1024;
    let fixture = Fixture::new().await;
    let create = "mutation($draft: StateDraft!) { createState(draft: $draft) { id } }";
    let name = json!([{"locale": "en", "value": "x".repeat(TEXT_BYTES)}]);
    fixture.ask(create, json!({"draft": {"key": "s", "type": "OrderState", "description": name}})).await;
    let fields: String = (0..100).map(|index| format!("a{index}: description(locale: \"en\") ")).collect();
    let query = json!({"query": format!("{{ state(key: \"s\") {{ {fields} }} }}")}).to_string();
    let response = fixture.graphql.respond(query.as_bytes(), fixture.asking()).await;
    assert!(response.body.len() < 70 * TEXT_BYTES, "{}", response.body.len());
    let body: Value = kontor_json::from_slice(&response.body).unwrap();
    assert_eq!(body["errors"][0]["extensions"]["code"], "QueryComplexityLimitExceeded", "{}", body["errors"]);
}
