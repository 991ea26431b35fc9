//! A shop on a storage that counts its calls.

use kontor_engine::{AccessScope, Address, Caller, DeleteOptions, Principal, Shop};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::{KindId, Model};
use kontor_storage::{CountingStorage, StorageCalls};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) struct CountedShop {
    shop: Shop,
    storage: Arc<CountingStorage>,
    caller: Caller,
    rows: RefCell<String>,
}

impl CountedShop {
    pub(crate) async fn open() -> Self {
        let model = Arc::new(Model::embedded().unwrap());
        let behaviours = kontor_commerce::join_behaviours(&model).unwrap();
        let storage = Arc::new(CountingStorage::in_memory().unwrap());
        let shop = Shop::open("shop", "shop", model, Arc::new(behaviours), storage.clone()).await.unwrap();
        let counted = Self { shop, storage, caller: Caller::default(), rows: RefCell::default() };
        counted.set(json!({"action": "changeCurrencies", "currencies": ["EUR"]})).await;
        counted.set(json!({"action": "changeLanguages", "languages": ["en"]})).await;
        let messages = json!({"enabled": true, "deleteDaysAfterCreation": 15});
        counted
            .set(json!({"action": "changeMessagesConfiguration", "messagesConfiguration": messages}))
            .await;
        counted
    }

    /// Changes the project, uncounted.
    pub(crate) async fn set(&self, action: Value) {
        let kind = self.shop.model().kind_by_type_id("project").unwrap();
        let body = json!({"version": self.shop.project()["version"], "actions": [action]});
        self.shop.update(kind, &Address::Only, body, &Caller::default()).await.unwrap();
    }

    /// Creates a document without counting.
    pub(crate) async fn make(&self, path: &str, draft: Value) {
        self.shop.create(self.kind(path), draft, &Caller::default()).await.unwrap();
    }

    pub(crate) fn document(&self, path: &str, key: &str) -> Value {
        let stored = self.shop.must_get(self.kind(path), &Address::Key(key)).unwrap();
        kontor_json::from_slice(&stored.body).unwrap()
    }

    pub(crate) async fn creates(&self, what: &str, path: &str, draft: Value) {
        let create = self.shop.create(self.kind(path), draft, &self.caller);
        self.count(&format!("create {what}"), create).await;
    }

    /// Does an action or several.
    pub(crate) async fn updates(&self, what: &str, path: &str, key: &str, actions: Value) {
        let actions = if actions.is_array() { actions } else { json!([actions]) };
        let body = json!({"version": self.document(path, key)["version"], "actions": actions});
        let address = Address::Key(key);
        let update = self.shop.update(self.kind(path), &address, body, &self.caller);
        self.count(&format!("update {what}"), update).await;
    }

    pub(crate) async fn deletes(&self, what: &str, path: &str, key: &str) {
        let address = Address::Key(key);
        let deletion = DeleteOptions { version: self.document(path, key)["version"].as_i64(), erase: false };
        let delete = self.shop.delete(self.kind(path), &address, deletion, &self.caller);
        self.count(&format!("delete {what}"), delete).await;
    }

    pub(crate) async fn serves(&self, what: &str, kind: &str, endpoint: &str, input: Value) -> Value {
        let model = Arc::clone(self.shop.model());
        let (id, kind) = model.kinds().find(|(_, entry)| entry.name == kind).unwrap();
        let endpoint = kind.endpoints.iter().find(|other| other.name == endpoint).unwrap();
        let serve = self.shop.call_endpoint(id, endpoint, input, &self.caller);
        let served = self.count(&format!("serve {what}"), serve).await;
        kontor_json::from_slice(&served.body).unwrap()
    }

    pub(crate) async fn updates_in_bulk(&self, what: &str, path: &str, body: Value) {
        let update = self.shop.update_in_bulk(self.kind(path), &body, false, &self.caller);
        let response = self.count(&format!("update in bulk {what}"), update).await;
        assert_eq!(response["failureCount"], 0, "{response}");
    }

    /// Signs up as a caller without an account.
    pub(crate) async fn signs_up(&self, what: &str, draft: Value) {
        let bounds = AccessScope { mine: Some(Principal::Nobody), ..AccessScope::default() };
        let caller = Caller { bounds, ..Caller::default() };
        let create = self.shop.create(self.kind("customers"), draft, &caller);
        self.count(&format!("create {what}"), create).await;
    }

    /// Runs the background work after a change, and counts it; the change itself is not counted.
    pub(crate) async fn follows(&self, what: &str, path: &str, key: &str, action: Value) {
        self.shop.settle().unwrap();
        let body = json!({"version": self.document(path, key)["version"], "actions": [action]});
        self.shop.update(self.kind(path), &Address::Key(key), body, &self.caller).await.unwrap();
        self.storage.take_calls();
        self.shop.settle().unwrap();
        let mut calls = self.storage.take_calls();
        // Background work looks for expired and due documents now and then, independent of the operation.
        let by_time = |read: &str| read.ends_with(" at $ends") || read.ends_with(" at $due");
        calls.reads.retain(|read| !by_time(read) && read != "message at createdAt");
        self.note(&format!("follow {what}"), calls);
    }

    fn kind(&self, path: &str) -> KindId {
        self.shop.model().kind_by_path(path).unwrap()
    }

    /// Waits for the background work of everything before, then runs an operation and counts its calls.
    async fn count<T>(&self, what: &str, operation: impl Future<Output = ApiResult<T>>) -> T {
        self.shop.settle().unwrap();
        self.storage.take_calls();
        let done = operation.await.unwrap();
        self.note(what, self.storage.take_calls());
        done
    }

    /// Adds a row with the calls of an operation.
    fn note(&self, what: &str, calls: StorageCalls) {
        let mut rows = self.rows.borrow_mut();
        writeln!(rows, "{what}: {} and {}", calls.reads.len(), calls.commits).unwrap();
        for read in calls.reads {
            writeln!(rows, "    {read}").unwrap();
        }
    }

    pub(crate) fn table(&self) -> String {
        format!(
            "# Operations, each with its batches of reads and its commits, and with what each batch reads.\n\n{}",
            self.rows.borrow()
        )
    }
}
