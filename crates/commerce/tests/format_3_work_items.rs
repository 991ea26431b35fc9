//! Tests that work items of project files of format 3, which store positions of derivations, are still executed.
//!
//! In `formats/3.sql` a Product Discount of 10 % waits for June 2026 and its end in September, and a Category with one
//! child has moved from `top` to `other`.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_engine::{Address, Shop};
use kontor_json::{Value, json};
use kontor_model::Model;
use kontor_storage::{ScanDirection, Sqlite, SqliteOptions, Storage};
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

fn file_of_format_3(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("shop.sqlite");
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/3.sql")).unwrap();
    path
}

async fn open(storage: Arc<Sqlite>) -> Shop {
    let model = Model::embedded().unwrap();
    let behaviours = kontor_commerce::join_behaviours(&model).unwrap();
    Shop::open("shop", "shop", Arc::new(model), Arc::new(behaviours), storage).await.unwrap()
}

/// The document with a key.
fn document(shop: &Shop, path: &str, key: &str) -> Value {
    let kind = shop.model().kind_by_path(path).unwrap();
    kontor_json::from_slice(&shop.must_get(kind, &Address::Key(key)).unwrap().body).unwrap()
}

/// Cent amounts of the discounted prices of the Product and of the Standalone Price.
fn discounted(shop: &Shop) -> [Value; 2] {
    let product = document(shop, "products", "book");
    let price = document(shop, "standalone-prices", "book");
    let of = |price: &Value| price["discounted"]["value"]["centAmount"].clone();
    [of(&product["masterData"]["current"]["masterVariant"]["prices"][0]), of(&price)]
}

fn count(shop: &Shop, kind: &str) -> usize {
    let mut count = 0;
    let mut visit = |_: kontor_storage::StoredDocumentRef<'_>| {
        count += 1;
        ControlFlow::Continue(())
    };
    shop.storage().scan(kind, ScanDirection::Ascending, None, &mut visit).unwrap();
    count
}

/// Whether all work items of the summer are done.
fn is_done(shop: &Shop) {
    assert_eq!((count(shop, "derivation-later"), count(shop, "derivation") > 0), (4, true));
    shop.clock.set("2026-05-01T00:00:00Z".parse().unwrap());
    shop.settle().unwrap();
    let [other, middle] = ["other", "middle"].map(|key| document(shop, "categories", key)["id"].clone());
    let above = json!([{"typeId": "category", "id": other}, {"typeId": "category", "id": middle}]);
    assert_eq!(document(shop, "categories", "bottom")["ancestors"], above);
    assert_eq!(discounted(shop), [Value::Null, Value::Null], "it does not count yet");

    shop.clock.set("2026-07-01T00:00:00Z".parse().unwrap());
    shop.settle().unwrap();
    assert_eq!(discounted(shop), [json!(900), json!(1800)], "its time has come");
    assert_eq!(count(shop, "derivation-later"), 2, "what waits for its end");

    shop.clock.set("2026-10-01T00:00:00Z".parse().unwrap());
    shop.settle().unwrap();
    assert_eq!(discounted(shop), [Value::Null, Value::Null], "its time is over");
    assert_eq!((count(shop, "derivation-later"), count(shop, "derivation")), (0, 0));
}

#[tokio::test]
async fn the_work_of_a_file_of_format_3_is_done() {
    let folder = TempDir::new().unwrap();
    let storage = Sqlite::open(&file_of_format_3(&folder), SqliteOptions::default()).unwrap();
    is_done(&open(Arc::new(storage)).await);
}

#[tokio::test]
async fn the_work_of_a_backup_of_format_3_is_done() {
    let folder = TempDir::new().unwrap();
    let backup = file_of_format_3(&folder);
    let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
    let shop = open(Arc::clone(&storage)).await;
    storage.restore(&backup).unwrap();
    shop.reload().unwrap();
    is_done(&shop);
}
