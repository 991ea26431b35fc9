//! Running projects stop when they are removed.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod project;

use futures_util::future::BoxFuture;
use kontor_engine::{BackgroundService, Behaviours, Shop, Shops, StorageProvider};
use kontor_errors::ApiResult;
use kontor_storage::{Sqlite, SqliteOptions, Storage};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

struct InMemory;

impl StorageProvider for InMemory {
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        self.open_or_create(key)
    }

    fn open_or_create(&self, _key: &str) -> ApiResult<Arc<dyn Storage>> {
        Ok(Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap()))
    }

    fn remove(&self, key: &str) -> ApiResult<()> {
        panic!("{key} is removed by somebody else")
    }
}

/// Records the keys of removed projects.
#[derive(Default)]
struct Forgetting(Mutex<Vec<String>>);

impl BackgroundService for Forgetting {
    fn start(&self, _shop: &Arc<Shop>) -> JoinHandle<()> {
        tokio::spawn(std::future::pending())
    }

    fn delete_data(&self, key: &str) {
        self.0.lock().unwrap().push(key.to_owned());
    }

    fn settle<'a>(&'a self, _shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async { Ok(()) })
    }
}

#[test]
fn stops_projects_removed_by_another_process() {
    let model = project::model_with("");
    let behaviours = Behaviours::join(&model, Vec::new(), &[], &[]).unwrap();
    let forgetting = Arc::new(Forgetting::default());
    let attendant: Arc<dyn BackgroundService> = Arc::<Forgetting>::clone(&forgetting);
    let shops = Shops::new(Arc::new(model), Arc::new(behaviours), Box::new(InMemory))
        .with_background_service(attendant);
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        for key in ["stays", "goes"] {
            shops.create(key, key).await.unwrap();
        }
        shops.stop_unless(|key| key == "stays", Duration::from_secs(3600)).await;
        assert_eq!(shops.keys().len(), 2, "one that is being made is not there yet");
        shops.stop_unless(|key| key == "stays", Duration::ZERO).await;
    });
    assert_eq!(shops.keys(), ["stays"]);
    assert_eq!(*forgetting.0.lock().unwrap(), ["goes"]);
}
