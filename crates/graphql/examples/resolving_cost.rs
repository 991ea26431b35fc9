//! Measures GraphQL without HTTP: the time of schema derivation, of a storage read and of one query for a State.
//!
//! Run with `cargo run --release -p kontor-graphql --example resolving_cost`.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/open/mod.rs"]
mod open;

use kontor_engine::{Address, Caller, Shop, SlowRequestLimiter};
use kontor_graphql::{GraphQl, GraphQlContext};
use kontor_json::{Value, json};
use kontor_model::Model;
use kontor_storage::{Sqlite, SqliteOptions};
use open::{OpenAccessControl, search_service};
use std::sync::Arc;
use std::time::Instant;

const TIMES: u32 = 50_000;

#[tokio::main]
async fn main() {
    let model = Arc::new(Model::embedded().unwrap());
    let joined = kontor_commerce::join_behaviours(&model).unwrap();
    let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
    let started = Instant::now();
    let graphql =
        Arc::new(GraphQl::new(&model, search_service(&model), SlowRequestLimiter::default()).unwrap());
    println!("schema               {:>9.1?}", started.elapsed());
    let shop =
        Arc::new(Shop::open("shop", "shop", Arc::clone(&model), Arc::new(joined), storage).await.unwrap());
    let kind = model.kind_by_type_id("state").unwrap();
    let draft = json!({"key": "open", "type": "OrderState", "name": {"en": "Open", "de": "Offen"}});
    let written = shop.create(kind, draft, &Caller::default()).await.unwrap();
    let id = kontor_json::from_slice::<Value>(&written.body).unwrap()["id"].as_str().unwrap().to_owned();

    let started = Instant::now();
    for _ in 0..TIMES {
        shop.must_get(kind, &Address::Id(&id)).unwrap();
    }
    println!("read                 {:>9.1?}", started.elapsed() / TIMES);
    let fields =
        "id version key type name(locale: \"en\") nameAllLocales { locale value } initial builtIn createdAt";
    let query = format!("query($id: String!) {{ state(id: $id) {{ {fields} }} }}");
    let body = json!({"query": query, "variables": {"id": id}}).to_string();
    let ask = async |body: &str| {
        let asking = GraphQlContext {
            shop: Arc::clone(&shop),
            access_control: Arc::new(OpenAccessControl),
            caller: Caller::default(),
            languages: Vec::new(),
            ab_test_id: None,
        };
        graphql.respond(body.as_bytes(), asking).await
    };
    let started = Instant::now();
    for _ in 0..TIMES {
        ask(&body).await;
    }
    println!("a State, query kept  {:>9.1?}", started.elapsed() / TIMES);
    let started = Instant::now();
    for index in 0..500 {
        ask(&body.replace("query($id", &format!("query Q{index}($id"))).await;
    }
    println!("a State, query new   {:>9.1?}", started.elapsed() / 500);
    let actions: Vec<Value> = (0..20_000).map(|_| json!({"changeKey": {"key": "a"}})).collect();
    let query =
        "mutation($a: [StateUpdateAction!]!) { updateState(key: \"x\", version: 1, actions: $a) { id } }";
    let body = json!({"query": query, "variables": {"a": actions}}).to_string();
    let started = Instant::now();
    ask(&body).await;
    println!("20,000 actions       {:>9.1?}", started.elapsed());
}
