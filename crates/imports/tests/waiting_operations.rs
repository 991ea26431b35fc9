//! Waiting operations continue even if the change log no longer has the entry: on another server of a
//! database, or after many changes.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_engine::{Address, BackgroundService as _, Caller, Shop};
use kontor_imports::{ImportApiRequest, ImportPage, Imports};
use kontor_json::{Value, json};
use kontor_model::{ImportOperation, Model};
use kontor_storage::{Error, Sqlite, SqliteOptions, Storage as _};
use std::sync::Arc;

/// The number of entries that the change log keeps.
const KEPT: u64 = 8;

struct Fixture {
    imports: Imports,
    shop: Arc<Shop>,
    storage: Arc<Sqlite>,
}

impl Fixture {
    /// A shop whose import worker runs only in [`Fixture::settle`].
    async fn new() -> Self {
        let model = Arc::new(Model::embedded().unwrap());
        let behaviours = kontor_commerce::join_behaviours(&model).unwrap();
        let options = SqliteOptions { changes_kept: KEPT, ..SqliteOptions::default() };
        let storage = Arc::new(Sqlite::in_memory(options).unwrap());
        let opened = Shop::open("shop", "shop", model, Arc::new(behaviours), Arc::clone(&storage) as _);
        let shop = Arc::new(opened.await.unwrap());
        let imports = Imports::default();
        imports.start(&shop).abort();
        Self { imports, shop, storage }
    }

    async fn ask(&self, operation: ImportOperation, name: &str, body: Value) -> Value {
        let requested = ImportApiRequest {
            operation,
            name,
            page: ImportPage::default(),
            body,
            caller: Caller::default(),
        };
        self.imports.respond(&self.shop, requested).await.unwrap().body
    }

    async fn import_category(&self, resource: Value) {
        let imports = self.shop.model().imports();
        let position = imports.iter().position(|import| import.type_name == "category").unwrap();
        let body = json!({"type": "category", "resources": [resource]});
        self.ask(ImportOperation::Request(position), "all", body).await;
    }

    async fn settle(&self) {
        self.imports.settle(&self.shop).await.unwrap();
    }

    /// Returns the state of the only operation.
    async fn state(&self) -> Value {
        let page = self.ask(ImportOperation::Operations, "all", Value::Null).await;
        page["results"][0]["state"].clone()
    }

    async fn create(&self, path: &str, draft: Value) {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        self.shop.create(kind, draft, &Caller::default()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wakes_waiting_operations_when_the_log_is_truncated() {
    let fixture = Fixture::new().await;
    fixture.ask(ImportOperation::CreateContainer, "", json!({"key": "all"})).await;
    let parent = json!({"typeId": "category", "key": "hats"});
    let child = json!({"key": "caps", "name": {"en": "Caps"}, "slug": {"en": "caps"}, "parent": parent});
    fixture.import_category(child).await;
    fixture.settle().await;
    assert_eq!(fixture.state().await, "unresolved");
    let seen = fixture.storage.last_seq().unwrap();

    let draft = json!({"key": "hats", "name": {"en": "Hats"}, "slug": {"en": "hats"}});
    fixture.create("categories", draft).await;
    for number in 0..4 * KEPT {
        fixture.create("zones", json!({"name": format!("Zone {number}")})).await;
    }
    assert!(matches!(fixture.storage.changes(seen, 1), Err(Error::Behind { .. })));

    fixture.settle().await;
    assert_eq!(fixture.state().await, "imported");
    let categories = fixture.shop.model().kind_by_path("categories").unwrap();
    fixture.shop.must_get(categories, &Address::Key("caps")).unwrap();
}
