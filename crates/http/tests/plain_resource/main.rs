//! Adding a resource takes one file of the model, and adding a plain action one line of it: the examples of
//! `CONTRIBUTING.md`, added to the model unchanged, are served by REST and GraphQL, with everything that clients expect
//! of a resource. So are the files in this folder: each is a resource, and an action in Rust is a line of it and a
//! function in the Rust file of the same name.

#![allow(clippy::unwrap_used)] // What cannot be had fails the test.

mod rack;

use axum::http::{Request, StatusCode};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use kontor_auth::{AuthService, ClientDraft, SystemDurability, every_scope};
use kontor_engine::{Shops, StorageProvider};
use kontor_errors::ApiResult;
use kontor_http::{Options, PublicServer, Server};
use kontor_images::Images;
use kontor_imports::Imports;
use kontor_indexing::{IndexMemory, Searches};
use kontor_json::{Value, json};
use kontor_model::{Model, ModelFile};
use kontor_storage::{Sqlite, SqliteOptions, Storage};
use metrics_exporter_prometheus::PrometheusBuilder;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

const GUIDE: &str = include_str!("../../../../CONTRIBUTING.md");
const PROJECT: &str = "shop";

/// Returns the example of a section of the guide.
fn example(section: &str) -> &'static str {
    let section = GUIDE.split(&format!("## {section}\n")).nth(1).unwrap();
    section.split("```graphql\n").nth(1).unwrap().split("```").next().unwrap()
}

/// Returns the model file of the guide, with an action that is also from there.
fn shelf() -> String {
    let action = example("Add an action").lines().find(|line| line.contains("setColor")).unwrap();
    let shelf = example("Add a resource")
        .replace("  name: LocalizedString\n", "  name: LocalizedString\n  color: String\n");
    let end = shelf.trim_end().strip_suffix('}').unwrap();
    format!("{end}{}\n}}\n", action.replace("Zone", "Shelf"))
}

/// Returns the model files of this folder: names and texts.
fn model_files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plain_resource");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let models = files.filter(|path| path.extension().is_some_and(|ext| ext == "graphql"));
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    models.map(named).collect()
}

struct InMemoryStorages;

impl StorageProvider for InMemoryStorages {
    fn open(&self, key: &str) -> ApiResult<Arc<dyn Storage>> {
        self.open_or_create(key)
    }

    fn open_or_create(&self, _key: &str) -> ApiResult<Arc<dyn Storage>> {
        Ok(Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap()))
    }

    fn remove(&self, _key: &str) -> ApiResult<()> {
        Ok(())
    }
}

/// A server whose model has these files, and a token for it.
struct TestServer {
    public: PublicServer,
    model: Arc<Model>,
    token: String,
    /// The folder of clients and tokens.
    _folder: TempDir,
}

impl TestServer {
    async fn open() -> Self {
        let mut files = model_files();
        files.push(("shelf.graphql".to_owned(), shelf()));
        let further = files.iter().map(|(name, text)| ModelFile { name: name.clone(), text }).collect();
        let model = Model::embedded_with(further).unwrap_or_else(|problems| panic!("{problems}"));
        let behaviours = kontor_commerce::join_behaviours_with(&model, vec![Box::new(rack::Rack)]).unwrap();
        let model = Arc::new(model);
        let folder = tempfile::tempdir().unwrap();
        let auth = AuthService::open(&folder.path().join("system"), SystemDurability::InMemory).unwrap();
        let shops =
            Arc::new(Shops::new(Arc::clone(&model), Arc::new(behaviours), Box::new(InMemoryStorages)));
        shops.create(PROJECT, PROJECT).await.unwrap();
        auth.create_project(PROJECT, PROJECT, 0).await.unwrap();
        let draft = ClientDraft {
            name: "admin".to_owned(),
            scope: every_scope(PROJECT),
            id: Some("client".to_owned()),
            secret: Some("secret".to_owned().into()),
            ..ClientDraft::default()
        };
        auth.create_client(PROJECT, draft, 0).await.unwrap();
        let searches = Arc::new(Searches::new(Vec::new(), Arc::new(IndexMemory::default())));
        let metrics = PrometheusBuilder::new().build_recorder().handle();
        let imports = Arc::<Imports>::default();
        let (auth, images) = (Arc::new(auth), Images::in_memory());
        let server =
            Server::new(shops, auth, searches, images, imports, metrics, Options::default()).unwrap();
        let mut server = Self {
            public: PublicServer::new(Arc::new(server)),
            model,
            token: String::new(),
            _folder: folder,
        };
        // `client:secret`.
        let basic = "Basic Y2xpZW50OnNlY3JldA==".to_owned();
        let form = ("application/x-www-form-urlencoded", "grant_type=client_credentials".to_owned());
        let (status, response) = server.send("POST", "/oauth/token", &basic, form).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        server.token = format!("Bearer {}", response["access_token"].as_str().unwrap());
        server
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        authorization: &str,
        (content_type, body): (&str, String),
    ) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header("authorization", authorization);
        let request =
            request.header("content-type", content_type).body(Full::new(Bytes::from(body))).unwrap();
        let response = self.public.respond(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, kontor_json::from_slice(&body).unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, response) =
            self.send("GET", path, &self.token, ("application/json", String::new())).await;
        assert_eq!(status, StatusCode::OK, "{path}: {response}");
        response
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        self.send("POST", path, &self.token, ("application/json", body.to_string())).await
    }
}

#[tokio::test]
async fn a_plain_resource_is_one_file_of_the_model() {
    let server = TestServer::open().await;
    let draft = json!({"key": "top", "name": {"en": "Top"}});
    let (status, shelf) = server.post("/shop/shelves", draft.clone()).await;
    assert_eq!(status, StatusCode::CREATED, "{shelf}");
    assert_eq!(shelf["version"], 1);
    assert_eq!(server.get("/shop/shelves/key=top").await, shelf);

    // Duplicate keys, missing targets, wrong shapes and unknown actions give the documented errors.
    let (status, refused) = server.post("/shop/shelves", draft).await;
    assert_eq!((status, &refused["errors"][0]["code"]), (StatusCode::BAD_REQUEST, &json!("DuplicateField")));
    let misfit = json!({"key": "low", "channel": {"typeId": "channel", "key": "nowhere"}});
    let (_, refused) = server.post("/shop/shelves", misfit).await;
    assert_eq!(refused["errors"][0]["code"], "ReferencedResourceNotFound", "{refused}");
    let (_, refused) = server.post("/shop/shelves", json!({"key": 7})).await;
    assert_eq!(refused["errors"][0]["code"], "InvalidJsonInput", "{refused}");

    // An action is one line of the model.
    let update = json!({"version": 1, "actions": [{"action": "setColor", "color": "red"}]});
    let (status, shelf) = server.post("/shop/shelves/key=top", update.clone()).await;
    assert_eq!((status, &shelf["color"], &shelf["version"]), (StatusCode::OK, &json!("red"), &json!(2)));
    let (status, _) = server.post("/shop/shelves/key=top", update).await;
    assert_eq!(status, StatusCode::CONFLICT);

    // Predicates and sorting.
    let found = server.get("/shop/shelves?where=color%3D%22red%22&sort=name.en%20desc").await;
    assert_eq!((&found["total"], &found["results"][0]), (&json!(1), &shelf));

    // GraphQL has it by its naming conventions, and the OpenAPI document has its paths.
    let query = "{ shelves { results { name(locale: \"en\") color channelRef { id } } } }";
    let (_, response) = server.post("/shop/graphql", json!({"query": query})).await;
    let expected = json!({"name": "Top", "color": "red", "channelRef": null});
    assert_eq!(response["data"]["shelves"]["results"], json!([expected]), "{response}");
    let mutation = "mutation { updateShelf(key: \"top\", version: 2, actions: [{ setName: { name: [] } }]) { version } }";
    let (_, response) = server.post("/shop/graphql", json!({"query": mutation})).await;
    assert_eq!(response["data"]["updateShelf"]["version"], 3, "{response}");
    let described = server.get("/openapi.json").await;
    assert!(described["paths"]["/{projectKey}/shelves/key={key}"]["post"].is_object());

    // A Channel that is referenced cannot be deleted.
    let (_, channel) = server.post("/shop/channels", json!({"key": "store"})).await;
    let used = json!({"key": "used", "channel": {"typeId": "channel", "key": "store"}});
    assert_eq!(server.post("/shop/shelves", used).await.0, StatusCode::CREATED);
    let path = "/shop/channels/key=store?version=1";
    let (status, refused) = server.send("DELETE", path, &server.token, ("", String::new())).await;
    assert_eq!(
        (status, &refused["errors"][0]["code"]),
        (StatusCode::BAD_REQUEST, &json!("ReferenceExists")),
        "{channel}"
    );
    let expanded = server.get("/shop/shelves/key=used?expand=channel").await;
    assert_eq!(expanded["channel"]["obj"], channel);
}

/// Each model file of this folder is a resource whose drafts need only a key, and whose actions need no arguments.
#[tokio::test]
async fn serves_each_model_file_of_this_folder_with_its_actions() {
    let server = TestServer::open().await;
    for (file, _) in model_files() {
        let type_id = file.strip_suffix(".graphql").unwrap();
        let kind = server.model.kind(server.model.kind_by_type_id(type_id).unwrap());
        let path = format!("/shop/{}", kind.path);
        let (status, mut document) = server.post(&path, json!({"key": "one"})).await;
        assert_eq!(status, StatusCode::CREATED, "{file}: {document}");
        let path = format!("{path}/key=one");
        for action in &kind.actions {
            let update = json!({"version": document["version"], "actions": [{"action": action.name}]});
            let (status, updated) = server.post(&path, update).await;
            assert_eq!(status, StatusCode::OK, "{file}: {updated}");
            assert_ne!(updated["version"], document["version"], "{file}: {} changes something", action.name);
            document = updated;
        }
        assert_eq!(server.get(&path).await, document);
    }
}
