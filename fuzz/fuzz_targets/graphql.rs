//! Fuzzes the GraphQL handler: every query gets a JSON response, within the limits and without an internal error.
//!
//! The program contains SQLite twice, once for each half: `ASAN_OPTIONS=detect_odr_violation=0`.
#![no_main]

use kontor_engine::{AccessScope, Caller, Shop, SlowRequestLimiter};
use kontor_errors::ApiResult;
use kontor_graphql::{DocumentReach, ExternalKindStore, FieldOperation, AccessControl, GraphQl, GraphQlContext};
use kontor_indexing::{IndexMemory, Searches};
use kontor_json::{Value, json};
use kontor_model::{KindId, Model};
use kontor_search_service::SearchService;
use kontor_storage::{Sqlite, SqliteOptions};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};
use tokio::runtime::Runtime;

struct Fixture {
    face: Arc<GraphQl>,
    shop: Arc<Shop>,
    runtime: Runtime,
}

/// An access check that permits every caller everything.
struct Open;

impl AccessControl for Open {
    fn authorize(&self, _: &Shop, _: KindId, _: &DocumentReach, _: FieldOperation) -> ApiResult<AccessScope> {
        Ok(AccessScope::default())
    }
    fn holder(&self, _: KindId) -> Option<Arc<dyn ExternalKindStore>> {
        None
    }
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let model = Arc::new(Model::embedded().expect("a test holds that it reads"));
    let joined = kontor_commerce::join_behaviours(&model).expect("a test holds that they join");
    let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).expect("there is room"));
    let searches = Searches::new(Vec::new(), Arc::new(IndexMemory::default()));
    let search_service = Arc::new(SearchService::new(Arc::clone(&model), Arc::new(searches)));
    let face = Arc::new(
        GraphQl::new(&model, search_service, SlowRequestLimiter::default()).expect("a test holds that it derives"),
    );
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("there are threads");
    let shop =
        runtime.block_on(Shop::open("shop", "shop", model, Arc::new(joined), storage)).expect("it opens");
    Fixture { face, shop: Arc::new(shop), runtime }
});

fuzz_target!(|text: &str| {
    // `piClient` fields are resolved by the authorization service, which this target does not start.
    if text.contains("piClient") {
        return;
    }
    let Fixture { face, shop, runtime } = &*FIXTURE;
    let asking = GraphQlContext {
        shop: Arc::clone(shop),
        access_control: Arc::new(Open),
        caller: Caller::default(),
        languages: Vec::new(),
    };
    let body = json!({"query": text, "variables": {"id": "a", "limit": 3, "texts": ["b"], "none": null}})
        .to_string();
    let answer = runtime.block_on(face.respond(body.as_bytes(), asking));
    assert!(matches!(answer.status, 200 | 400), "{}", answer.status);
    let told: Value = kontor_json::from_slice(&answer.body).expect("answers are JSON");
    let errors = told["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    assert!(!errors.iter().any(|error| error["extensions"]["code"] == "General"), "{told}");
});
