//! Custom fields follow their Types at every place of the model, without Rust of a kind.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod project;

use kontor_engine::{Address, Behaviours, Caller, Shop};
use kontor_json::{Value, json};
use kontor_model::KindId;
use kontor_storage::{Commit, Put, ScanDirection, Sqlite, SqliteOptions};
use std::ops::ControlFlow;
use std::sync::Arc;

const MODEL: &str = r#"
scalar CustomFields scalar CustomFieldsDraft
type Type @resource(path: "types", typeId: "type") {
  resourceTypeIds: [String!]!
  fieldDefinitions: [Json!]!
}
input TypeDraft { resourceTypeIds: [String!]! fieldDefinitions: [Json!]! }
type TypeActions @actions(of: "Type") {
  setFieldDefinitions(fieldDefinitions: [Json!]!): Type @set
}
type Leaf { custom: CustomFields @custom(of: "leaf") }
input LeafDraft { custom: CustomFieldsDraft }
type Node @resource(path: "nodes", typeId: "node") {
  note: String
  custom: CustomFields @custom(of: "node")
  leaves: [Leaf!]
}
input NodeDraft { note: String custom: CustomFieldsDraft leaves: [LeafDraft!] }
"#;

struct Trees {
    shop: Shop,
    types: KindId,
    nodes: KindId,
}

impl Trees {
    async fn open() -> Self {
        let model = project::model_with(MODEL);
        let behaviours = Behaviours::join(&model, Vec::new(), &[], &[]).unwrap();
        let [types, nodes] = ["types", "nodes"].map(|path| model.kind_by_path(path).unwrap());
        let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        let shop =
            Shop::open("trees", "trees", Arc::new(model), Arc::new(behaviours), storage).await.unwrap();
        Self { shop, types, nodes }
    }

    async fn create(&self, kind: KindId, draft: Value) -> String {
        let written = self.shop.create(kind, draft, &Caller::default()).await.unwrap();
        let created: Value = kontor_json::from_slice(&written.body).unwrap();
        created["id"].as_str().unwrap().to_owned()
    }

    /// Creates a Type that defines these fields.
    async fn create_type(&self, fields: &[&str]) -> String {
        let draft = json!({"resourceTypeIds": ["node", "leaf"], "fieldDefinitions": defined(fields)});
        self.create(self.types, draft).await
    }

    async fn define(&self, id: &str, fields: &[&str]) {
        let action = json!({"action": "setFieldDefinitions", "fieldDefinitions": defined(fields)});
        let body = json!({"version": 1, "actions": [action]});
        self.shop.update(self.types, &Address::Id(id), body, &Caller::default()).await.unwrap();
    }

    fn node(&self, id: &str) -> Value {
        kontor_json::from_slice(&self.shop.must_get(self.nodes, &Address::Id(id)).unwrap().body).unwrap()
    }

    fn work_items(&self) -> Vec<String> {
        let mut items = Vec::new();
        let mut visit = |stored: kontor_storage::StoredDocumentRef<'_>| {
            items.push(stored.id.to_owned());
            ControlFlow::Continue(())
        };
        self.shop.storage().scan("derivation", ScanDirection::Ascending, None, &mut visit).unwrap();
        items
    }
}

fn defined(fields: &[&str]) -> Vec<Value> {
    fields.iter().map(|name| json!({"name": name, "type": {"name": "String"}})).collect()
}

/// Returns custom fields in their sent and stored form.
fn custom(type_id: &str, fields: Value) -> Value {
    json!({"type": {"typeId": "type", "id": type_id}, "fields": fields})
}

#[tokio::test]
async fn removes_undefined_values_everywhere() {
    let trees = Trees::open().await;
    let extra = trees.create_type(&["note", "size"]).await;
    let other = trees.create_type(&["note"]).await;
    let given = json!({"note": "x", "size": "s"});
    let leaves =
        json!([{"custom": custom(&extra, given.clone())}, {"custom": custom(&other, json!({"note": "y"}))}]);
    let both = json!({"note": "no custom field", "custom": custom(&extra, given), "leaves": leaves});
    let both = trees.create(trees.nodes, both).await;
    let leaf = json!({"leaves": [{"custom": custom(&extra, json!({"note": "z"}))}]});
    let leaf = trees.create(trees.nodes, leaf).await;

    trees.define(&extra, &["size"]).await;
    assert_eq!(
        trees.work_items(),
        [format!("Node.custom-fields:{extra}")],
        "one, however many places there are"
    );
    trees.shop.settle().unwrap();

    let node = trees.node(&both);
    assert_eq!(node["note"], "no custom field");
    assert_eq!(node["custom"], custom(&extra, json!({"size": "s"})));
    assert_eq!(node["leaves"][0]["custom"], custom(&extra, json!({"size": "s"})));
    assert_eq!(node["leaves"][1]["custom"], custom(&other, json!({"note": "y"})));
    assert_eq!(trees.node(&leaf)["leaves"][0]["custom"], custom(&extra, json!({})));
    assert_eq!(node["version"], 1, "derived writes raise no version");
    assert_eq!(trees.work_items(), Vec::<String>::new());
}

/// Earlier releases wrote an item for each place, named after it.
#[tokio::test]
async fn processes_items_named_after_a_place() {
    let trees = Trees::open().await;
    let extra = trees.create_type(&["note"]).await;
    let node = json!({"leaves": [{"custom": custom(&extra, json!({"note": "x"}))}]});
    let node = trees.create(trees.nodes, node).await;
    // A file of that release has the changed Type and the item, but not yet the changed node.
    trees.define(&extra, &[]).await;
    let now = format!("Node.custom-fields:{extra}");
    let then = "Node.leaves.custom.type.id";
    let put = Put {
        kind: "derivation".into(),
        id: format!("{then}:{extra}"),
        version: 1,
        body: json!({"derivation": then, "id": extra}).to_string().into(),
        ..Put::default()
    };
    trees.shop.storage().commit_blocking(Commit::new().delete("derivation", now).put(put)).unwrap();
    trees.shop.settle().unwrap();
    assert_eq!(trees.node(&node)["leaves"][0]["custom"], custom(&extra, json!({})));
    assert_eq!(trees.work_items(), Vec::<String>::new());
}
