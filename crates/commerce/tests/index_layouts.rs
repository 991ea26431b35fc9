//! Tests that opening a project file of an older index layout rebuilds its index rows, also after a restore.
//!
//! In `formats/3.sql` a Product with the slug `book` has rows under a path for each side.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_engine::{Address, INDEX_LAYOUTS, Shop};
use kontor_model::Model;
use kontor_query::{ConditionValue, pair_row};
use kontor_storage::{IndexPage, IndexRange, Sqlite, SqliteOptions, Storage};
use rusqlite::Connection;
use std::sync::Arc;
use tempfile::TempDir;

async fn open(storage: Sqlite) -> Shop {
    let model = Model::embedded().unwrap();
    let behaviours = kontor_commerce::join_behaviours(&model).unwrap();
    Shop::open("shop", "shop", Arc::new(model), Arc::new(behaviours), Arc::new(storage)).await.unwrap()
}

fn found(storage: &dyn Storage, path: &str, row: &str) -> usize {
    storage.find_indexed("product", path, &IndexRange::equal(row), &IndexPage::default()).unwrap().len()
}

fn revision(shop: &Shop) -> i64 {
    let kind = shop.model().kind_by_path("products").unwrap();
    shop.must_get(kind, &Address::Key("book")).unwrap().revision
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_an_earlier_release_have_the_rows_of_this_one() {
    let folder = TempDir::new().unwrap();
    let (path, backup) = (folder.path().join("shop.sqlite"), folder.path().join("backup.sqlite"));
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/3.sql")).unwrap();
    let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let slug = pair_row("en", None, &ConditionValue::text("book"));
    let before = "masterData.current.slug";
    assert_eq!(found(&storage, before, &slug), 1);
    let of_type = |storage: &dyn Storage| {
        storage
            .find_unique("product-type", "key", "book")
            .unwrap()
            .map(|id| storage.get("product-type", &id).unwrap().unwrap().revision)
    };
    let of_type_before = of_type(&storage);
    storage.backup(&backup).unwrap();

    let shop = open(storage).await;
    assert_eq!(found(&**shop.storage(), "ProductData.slug", &slug), 1);
    assert_eq!(found(&**shop.storage(), before, &slug), 0);
    assert!(of_type(&**shop.storage()) > of_type_before, "kinds of all sorts may be indexed otherwise");
    let revision_of_open = revision(&shop);
    drop(shop);
    let shop = open(Sqlite::open(&path, SqliteOptions::default()).unwrap()).await;
    assert_eq!(revision(&shop), revision_of_open, "written once");

    shop.storage().restore(&backup).unwrap();
    assert_eq!(found(&**shop.storage(), "ProductData.slug", &slug), 0);
    shop.reload().unwrap();
    assert_eq!(found(&**shop.storage(), "ProductData.slug", &slug), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_reindexing_continues() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("shop.sqlite");
    Connection::open(&path).unwrap().execute_batch(include_str!("formats/3.sql")).unwrap();
    let open_file = || Sqlite::open(&path, SqliteOptions::default()).unwrap();
    let shop = open(open_file()).await;
    let before = revision(&shop);
    let storage = shop.storage();
    let layouts = storage.setting(INDEX_LAYOUTS).unwrap().unwrap();
    let of_products = layouts.lines().find(|line| line.starts_with("product ")).unwrap();
    assert_eq!(storage.setting("index layouts so far").unwrap(), None);
    let others = layouts.lines().filter(|line| *line != of_products).collect::<Vec<_>>().join("\n");
    // As a kill leaves it behind the last Product, and before the first.
    storage.set_setting(INDEX_LAYOUTS, Some(&others)).unwrap();
    storage.set_setting("index layouts so far", Some(&format!("{of_products} ffffffff"))).unwrap();
    drop(shop);
    let shop = open(open_file()).await;
    assert_eq!(revision(&shop), before, "written already");
    let storage = shop.storage();
    assert_eq!(storage.setting(INDEX_LAYOUTS).unwrap().as_ref(), Some(&layouts));
    storage.set_setting(INDEX_LAYOUTS, Some(&others)).unwrap();
    storage.set_setting("index layouts so far", Some(&format!("{of_products} 0"))).unwrap();
    drop(shop);
    assert!(revision(&open(open_file()).await) > before);
}
