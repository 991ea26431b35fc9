//! Versions: they rise by one with each update that changes something, and concurrent updates are never lost.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod project;

use kontor_engine::{Address, Behaviours, Caller, Shop, WrittenDocument};
use kontor_errors::{ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::KindId;
use kontor_storage::{Sqlite, SqliteOptions};
use proptest::prelude::*;
use std::sync::Arc;
use tokio::runtime::Runtime;

const MODEL: &str = r#"
type Shelf @resource(path: "shelves", typeId: "shelf") {
  key: String @unique
  label: String
  books: [String!]!
}
input ShelfDraft { key: String label: String books: [String!] }
type ShelfActions @actions(of: "Shelf") {
  setLabel(label: String): Shelf @set
  changeKey(key: String!): Shelf @set(same: REFUSE)
  addBook(book: String!): Shelf @append(to: "books")
  removeBook(book: String!): Shelf @remove(from: "books")
}
"#;

struct Library {
    runtime: Runtime,
    shop: Arc<Shop>,
    shelves: KindId,
}

impl Library {
    fn open() -> Self {
        let model = project::model_with(MODEL);
        let behaviours = Behaviours::join(&model, Vec::new(), &[], &[]).unwrap();
        let shelves = model.kind_by_path("shelves").unwrap();
        let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let opened = Shop::open("library", "library", Arc::new(model), Arc::new(behaviours), storage);
        let shop = Arc::new(runtime.block_on(opened).unwrap());
        Self { runtime, shop, shelves }
    }

    fn create(&self) -> Value {
        let draft = json!({"books": ["a"]});
        let written = self.runtime.block_on(self.shop.create(self.shelves, draft, &Caller::default()));
        value(&written.unwrap())
    }

    fn update(&self, id: &str, version: i64, actions: &[Value]) -> ApiResult<Value> {
        let body = json!({"version": version, "actions": actions});
        let address = Address::Id(id);
        self.runtime
            .block_on(self.shop.update(self.shelves, &address, body, &Caller::default()))
            .map(|written| value(&written))
    }

    fn stored(&self, id: &str) -> Value {
        let stored = self.shop.must_get(self.shelves, &Address::Id(id)).unwrap();
        kontor_json::from_slice(&stored.body).unwrap()
    }
}

fn value(written: &WrittenDocument) -> Value {
    kontor_json::from_slice(&written.body).unwrap()
}

/// The fields that actions change.
fn content(document: &Value) -> [&Value; 3] {
    [&document["key"], &document["label"], &document["books"]]
}

fn action() -> impl Strategy<Value = Value> {
    let word = "[abc]";
    prop_oneof![
        word.prop_map(|label| json!({"action": "setLabel", "label": label})),
        Just(json!({"action": "setLabel"})),
        word.prop_map(|key| json!({"action": "changeKey", "key": key})),
        word.prop_map(|book| json!({"action": "addBook", "book": book})),
        word.prop_map(|book| json!({"action": "removeBook", "book": book})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn raises_the_version_only_for_changes(
        requests in prop::collection::vec(prop::collection::vec(action(), 1..4), 1..12)
    ) {
        let library = Library::open();
        let mut known = library.create();
        let id = known["id"].as_str().unwrap().to_owned();
        for actions in requests {
            let version = known["version"].as_i64().unwrap();
            match library.update(&id, version, &actions) {
                Ok(response) => {
                    let changed = content(&response) != content(&known);
                    prop_assert_eq!(response["version"].as_i64().unwrap(), version + i64::from(changed));
                    prop_assert_eq!(&library.stored(&id), &response);
                    known = response;
                }
                Err(error) => {
                    prop_assert_eq!(error.code(), Code::InvalidOperation);
                    prop_assert_eq!(&library.stored(&id), &known, "a refused request changes nothing");
                }
            }
            // A caller with an older version gets the current version in the error.
            let stale = library.update(&id, version - 1, &[json!({"action": "setLabel", "label": "z"})]);
            let error = stale.unwrap_err();
            prop_assert_eq!(error.code(), Code::ConcurrentModification);
            prop_assert_eq!(&error.body()["errors"][0]["currentVersion"], &known["version"]);
        }
    }
}

#[test]
fn lets_one_of_concurrent_updates_win() {
    let library = Library::open();
    let id = library.create()["id"].as_str().unwrap().to_owned();
    let callers = 16;
    let rounds = 20;
    let threads: Vec<_> = (0..callers)
        .map(|caller| {
            let (shop, id, kind) = (Arc::clone(&library.shop), id.clone(), library.shelves);
            library.runtime.spawn(async move {
                let mut won = 0;
                for round in 0..rounds {
                    loop {
                        let stored = shop.must_get(kind, &Address::Id(&id)).unwrap();
                        let book = format!("{caller}-{round}");
                        let body = json!({"version": stored.version, "actions": [{"action": "addBook", "book": book}]});
                        match shop.update(kind, &Address::Id(&id), body, &Caller::default()).await {
                            Ok(_) => break,
                            Err(error) => assert_eq!(error.code(), Code::ConcurrentModification),
                        }
                    }
                    won += 1;
                }
                won
            })
        })
        .collect();
    let won: i64 = threads.into_iter().map(|thread| library.runtime.block_on(thread).unwrap()).sum();
    let stored = library.stored(&id);
    assert_eq!(won, callers * rounds);
    assert_eq!(stored["version"].as_i64(), Some(1 + won));
    assert_eq!(stored["books"].as_array().map(Vec::len), Some(1 + usize::try_from(won).unwrap()));
}

#[test]
fn gives_a_key_to_one_document_only() {
    let library = Library::open();
    let attempts: Vec<_> = (0..32)
        .map(|_| {
            let (shop, kind) = (Arc::clone(&library.shop), library.shelves);
            library.runtime.spawn(async move {
                shop.create(kind, json!({"key": "one"}), &Caller::default())
                    .await
                    .map_err(|error| error.code())
            })
        })
        .collect();
    let responses: Vec<_> =
        attempts.into_iter().map(|attempt| library.runtime.block_on(attempt).unwrap()).collect();
    assert_eq!(responses.iter().filter(|response| response.is_ok()).count(), 1);
    assert!(
        responses
            .iter()
            .flat_map(|response| response.as_ref().err())
            .all(|code| *code == Code::DuplicateField)
    );
}
