//! Changes of several documents in one commit: each is settled, gets a version and has messages, and either all of
//! them are written or none.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod project;

use kontor_engine::document::text;
use kontor_engine::{
    ActionContext, ActionHandler, Address, Behaviour, Behaviours, Caller, Document, Effects, Put, Rules, Shop,
};
use kontor_errors::{ApiResult, Code};
use kontor_json::{Value, json};
use kontor_storage::{Commit, ScanDirection, Sqlite, SqliteOptions};
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Cards on which books are lent. The label of a book is its borrower.
const MODEL: &str = r#"
type Card @resource(path: "cards", typeId: "card") {
  owner: String
}
input CardDraft { owner: String }
type CardActions @actions(of: "Card") {
  setOwner(owner: String): Card @set @emits(messages: ["CardOwnerSet"])
  lend(books: [BookResourceIdentifier!]!): Card
}
type CardOwnerSet @message(of: "card") { owner: String }
type Book @resource(path: "books", typeId: "book") {
  reader: String
  label: String @derived
}
input BookDraft { reader: String }
type BookLent @message(of: "book") { reader: String }
"#;

struct Card;

impl Behaviour for Card {
    fn resource(&self) -> &'static str {
        "Card"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("lend", lend)]
    }
}

fn lend(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let books = context.rules.model.kind_by_type_id("book").unwrap();
    for book in arguments["books"].as_array().unwrap() {
        let mut book = (*context.rules.find(books, book["id"].as_str().unwrap())?.unwrap()).clone();
        book.insert("reader", context.document["owner"].clone());
        context.effects.change(books, book);
    }
    Ok(())
}

struct Book;

impl Behaviour for Book {
    fn resource(&self) -> &'static str {
        "Book"
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let label = format!("lent to {}", text(after, &["reader"]).unwrap_or("nobody"));
        after.insert("label", label.into());
        Ok(())
    }

    fn messages_of_change(&self, _before: &Document, after: &Document) -> Vec<(&'static str, Document)> {
        let reader = after.get("reader").map(|reader| ("reader".to_owned(), reader.clone()));
        vec![("BookLent", reader.into_iter().collect())]
    }
}

struct Library {
    runtime: Runtime,
    shop: Arc<Shop>,
}

impl Library {
    fn open() -> Self {
        let model = project::model_with(MODEL);
        let behaviours = Behaviours::join(&model, vec![Box::new(Card), Box::new(Book)], &[], &[]).unwrap();
        let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let opened = Shop::open("library", "library", Arc::new(model), Arc::new(behaviours), storage);
        let shop = runtime.block_on(opened).unwrap().into_shared();
        Self { runtime, shop }
    }

    fn create(&self, path: &str, draft: Value) -> Value {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        let written = self.runtime.block_on(self.shop.create(kind, draft, &Caller::default())).unwrap();
        kontor_json::from_slice(&written.body).unwrap()
    }

    fn read(&self, path: &str, document: &Value) -> Value {
        let kind = self.shop.model().kind_by_path(path).unwrap();
        let stored = self.shop.must_get(kind, &Address::Id(document["id"].as_str().unwrap())).unwrap();
        kontor_json::from_slice(&stored.body).unwrap()
    }

    fn act(&self, card: &Value, actions: Value) -> ApiResult<()> {
        let kind = self.shop.model().kind_by_path("cards").unwrap();
        let address = Address::Id(card["id"].as_str().unwrap());
        let actions = actions.as_array().unwrap().clone();
        let caller = Caller::default();
        self.runtime.block_on(self.shop.update_any_version(kind, &address, actions, &caller)).map(drop)
    }

    /// Makes the project store messages for queries.
    fn keep_messages(&self) {
        let mut project = (*self.shop.project()).clone();
        project.insert("messages", json!({"enabled": true}));
        let body = Value::Object(project).to_string().into();
        let put = Put { kind: "project".into(), id: "library".into(), version: 2, body, ..Put::default() };
        self.runtime.block_on(self.shop.storage().commit(Commit::new().put(put))).unwrap();
        self.shop.reload().unwrap();
    }

    /// Returns type, number, version of the resource, and reader or owner, of each stored message.
    fn messages(&self) -> Vec<[Value; 4]> {
        let mut messages = Vec::new();
        let mut visit = |stored: kontor_storage::StoredDocumentRef<'_>| {
            let message: Value = kontor_json::from_slice(stored.body).unwrap();
            let who = message.get("reader").or(message.get("owner")).cloned().unwrap_or_default();
            let [of, number, version] =
                ["type", "sequenceNumber", "resourceVersion"].map(|name| message[name].clone());
            messages.push([of, number, version, who]);
            ControlFlow::Continue(())
        };
        self.shop.storage().scan("message", ScanDirection::Ascending, None, &mut visit).unwrap();
        messages.sort_by_key(|message| message[0].to_string());
        messages
    }
}

#[test]
fn settles_companions_and_emits_their_messages() {
    let library = Library::open();
    library.keep_messages();
    let card = library.create("cards", json!({"owner": "Ada"}));
    let books = [library.create("books", json!({})), library.create("books", json!({}))];
    let lent: Vec<Value> = books.iter().map(|book| json!({"typeId": "book", "id": book["id"]})).collect();
    library.act(&card, json!([{"action": "lend", "books": lent}])).unwrap();
    for book in &books {
        let after = library.read("books", book);
        assert_eq!(after["version"], 2);
        assert_eq!(after["label"], "lent to Ada");
    }
    let message_fields = [json!("BookLent"), json!(1), json!(2), json!("Ada")];
    assert_eq!(library.messages(), [message_fields.clone(), message_fields]);
    assert_eq!(library.read("cards", &card)["version"], 2);
}

#[test]
fn keeps_the_version_of_unchanged_companions() {
    let library = Library::open();
    let card = library.create("cards", json!({"owner": "Ada"}));
    let book = library.create("books", json!({"reader": "Ada"}));
    let lent = json!([{"typeId": "book", "id": book["id"]}]);
    library.act(&card, json!([{"action": "lend", "books": lent}])).unwrap();
    assert_eq!(library.read("books", &book), book);
}

#[test]
fn refuses_to_change_a_document_twice() {
    let library = Library::open();
    let card = library.create("cards", json!({"owner": "Ada"}));
    let book = library.create("books", json!({}));
    let reference = json!({"typeId": "book", "id": book["id"]});
    let twice = json!([{"action": "lend", "books": [reference, reference]}]);
    assert_eq!(library.act(&card, twice).unwrap_err().code(), Code::General);
    assert_eq!((library.read("books", &book), library.read("cards", &card)), (book, card));
}

#[test]
fn counts_messages_before_they_are_stored() {
    let library = Library::open();
    let card = library.create("cards", json!({}));
    library.act(&card, json!([{"action": "setOwner", "owner": "Ada"}])).unwrap();
    library
        .act(&card, json!([{"action": "setOwner", "owner": "Bo"}, {"action": "setOwner", "owner": "Cy"}]))
        .unwrap();
    assert!(library.messages().is_empty());
    library.keep_messages();
    library.act(&card, json!([{"action": "setOwner", "owner": "Di"}])).unwrap();
    assert_eq!(library.messages(), [[json!("CardOwnerSet"), json!(4), json!(4), json!("Di")]]);
}

#[test]
fn updates_memory_after_a_dropped_request() {
    let library = Library::open();
    let kind = library.shop.model().kind_by_type_id("project").unwrap();
    let _entered = library.runtime.enter();
    for name in ["a", "b", "c", "d"] {
        let (caller, actions) = (Caller::default(), vec![json!({"action": "changeName", "name": name})]);
        {
            // Polled once, which submits the commit, and then dropped.
            let change = library.shop.update_any_version(kind, &Address::Only, actions, &caller);
            let _ = pin!(change).as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
        let given_up = Instant::now() + Duration::from_secs(20);
        while library.shop.project()["name"] != name {
            assert!(Instant::now() < given_up, "the settings are still those before {name}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
