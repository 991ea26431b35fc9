//! Derived fields: all dependents of a change are updated, however many there are and whatever is written
//! concurrently, and no work item remains.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod project;

use kontor_engine::{
    Address, Behaviour, Behaviours, Caller, ChangeFilter, DeleteOptions, Dependents, Derivation,
    DerivationSources, DeriveOutcome, Document, ListRequest, Shop,
};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::KindId;
use kontor_storage::{ScanDirection, Sqlite, SqliteOptions};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// A tree: each node has the label of its root, and each leaf that of its node.
const MODEL: &str = r#"
type Node @resource(path: "nodes", typeId: "node") {
  parent: Node
  label: String
  remark: String
}
input NodeDraft { parent: NodeResourceIdentifier label: String }
type NodeActions @actions(of: "Node") {
  setLabel(label: String): Node @set
  setRemark(remark: String): Node @set
}
type Leaf @resource(path: "leaves", typeId: "leaf") {
  parent: Node
  label: String
}
input LeafDraft { parent: NodeResourceIdentifier label: String }
"#;

/// Nodes and leaves have the label of their parent.
const FOLLOWING_THE_PARENT: &[Derivation] = &[Derivation {
    name: "label",
    source: "Node",
    dependents: Dependents::ReferringAt { path: "parent.id", when: ChangeFilter::Fields(&["label"]) },
    derive: follow_parent,
}];

struct Node;

impl Behaviour for Node {
    fn resource(&self) -> &'static str {
        "Node"
    }

    fn derivations(&self) -> &'static [Derivation] {
        FOLLOWING_THE_PARENT
    }
}

struct Leaf;

impl Behaviour for Leaf {
    fn resource(&self) -> &'static str {
        "Leaf"
    }

    fn derivations(&self) -> &'static [Derivation] {
        FOLLOWING_THE_PARENT
    }
}

fn follow_parent(child: &mut Document, sources: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    let parent = child["parent"]["id"].as_str().unwrap_or_default().to_owned();
    let Some(parent) = sources.document("node", &parent)? else { return Ok(DeriveOutcome::Delete) };
    child.insert("label", parent.get("label").cloned().unwrap_or_default());
    Ok(DeriveOutcome::Keep)
}

struct Tree {
    runtime: Runtime,
    shop: Arc<Shop>,
    nodes: KindId,
    leaves: KindId,
}

impl Tree {
    fn open() -> Self {
        let model = project::model_with(MODEL);
        let behaviours = Behaviours::join(&model, vec![Box::new(Node), Box::new(Leaf)], &[], &[]).unwrap();
        let [nodes, leaves] = ["nodes", "leaves"].map(|path| model.kind_by_path(path).unwrap());
        let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_time().build().unwrap();
        let opened = Shop::open("tree", "tree", Arc::new(model), Arc::new(behaviours), storage);
        let shop = Arc::new(runtime.block_on(opened).unwrap());
        Self { runtime, shop, nodes, leaves }
    }

    fn create(&self, parent: Option<&str>) -> String {
        self.create_of(self.nodes, parent)
    }

    fn create_of(&self, kind: KindId, parent: Option<&str>) -> String {
        let mut draft = json!({"label": "old"});
        if let Some(id) = parent {
            draft["parent"] = json!({"typeId": "node", "id": id});
        }
        let written = self.runtime.block_on(self.shop.create(kind, draft, &Caller::default())).unwrap();
        let node: Value = kontor_json::from_slice(&written.body).unwrap();
        node["id"].as_str().unwrap().to_owned()
    }

    fn act(&self, id: &str, action: Value) -> ApiResult<()> {
        let body = json!({"version": self.node(id)["version"], "actions": [action]});
        self.runtime
            .block_on(self.shop.update(self.nodes, &Address::Id(id), body, &Caller::default()))
            .map(drop)
    }

    fn node(&self, id: &str) -> Value {
        self.document(self.nodes, id)
    }

    fn document(&self, kind: KindId, id: &str) -> Value {
        let stored = self.shop.must_get(kind, &Address::Id(id)).unwrap();
        kontor_json::from_slice(&stored.body).unwrap()
    }

    fn work_items(&self) -> usize {
        let mut items = 0;
        let mut visit = |_: kontor_storage::StoredDocumentRef<'_>| {
            items += 1;
            ControlFlow::Continue(())
        };
        self.shop.storage().scan("derivation", ScanDirection::Ascending, None, &mut visit).unwrap();
        items
    }
}

#[test]
fn writes_no_items_for_kinds_without_documents() {
    let tree = Tree::open();
    let root = tree.create(None);
    tree.act(&root, json!({"action": "setLabel", "label": "alone"})).unwrap();
    assert_eq!(tree.work_items(), 1, "there are nodes and no leaves");
    tree.shop.settle().unwrap();

    let leaf = tree.create_of(tree.leaves, Some(&root));
    tree.act(&root, json!({"action": "setLabel", "label": "new"})).unwrap();
    assert_eq!(tree.work_items(), 2);
    tree.shop.settle().unwrap();
    assert_eq!(tree.document(tree.leaves, &leaf)["label"], "new");
}

#[test]
fn writes_a_dependent_once_for_concurrent_changes() {
    const CHANGES: usize = 200;
    /// The minimum time between two rounds. A few start earlier, when due items are looked up once a second.
    const PERIOD_MS: usize = 3;
    let tree = Tree::open();
    let root = tree.create(None);
    let child = tree.create(Some(&root));
    let started = Instant::now();
    let following = tree.runtime.spawn(Arc::clone(&tree.shop).run_derivations());
    for number in 0..CHANGES {
        tree.act(&root, json!({"action": "setLabel", "label": number.to_string()})).unwrap();
    }
    let last = json!((CHANGES - 1).to_string());
    while tree.node(&child)["label"] != last {
        assert!(started.elapsed() < Duration::from_secs(60), "the child does not follow");
        std::thread::sleep(Duration::from_millis(1));
    }
    following.abort();
    let changes = tree.shop.storage().changes(0, 10_000).unwrap();
    let of_child = changes.iter().filter(|change| change.kind == "node" && change.id == child).count();
    let rounds_at_most = 3 + usize::try_from(started.elapsed().as_millis()).unwrap() * 21 / (20 * PERIOD_MS);
    assert!(of_child <= 1 + rounds_at_most, "{of_child} writes in {:?}", started.elapsed());
}

#[test]
fn updates_all_descendants_despite_concurrent_writes() {
    const CHILDREN: usize = 300;
    let tree = Tree::open();
    let root = tree.create(None);
    let children: Vec<String> = (0..CHILDREN).map(|_| tree.create(Some(&root))).collect();
    let leaves: Vec<String> = children.iter().take(5).map(|child| tree.create(Some(child))).collect();
    assert_eq!(tree.work_items(), 0, "what is new has nobody below it");

    tree.act(&root, json!({"action": "setLabel", "label": "new"})).unwrap();
    assert_eq!(tree.work_items(), 1);
    let item = tree.shop.storage().get("derivation", &format!("Node.label:{root}")).unwrap().unwrap();
    let expected = json!({"derivation": "Node.label", "id": root});
    assert_eq!(
        kontor_json::from_slice::<Value>(&item.body).unwrap(),
        expected,
        "it has the name, not a position"
    );
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for count in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let remark = json!({"action": "setRemark", "remark": count.to_string()});
                // A derived write in between does not change the version.
                tree.act(&children[count % 3], remark).unwrap();
            }
        });
        tree.shop.settle().unwrap();
        stop.store(true, Ordering::Relaxed);
    });
    for id in children.iter().chain(&leaves) {
        assert_eq!(tree.node(id)["label"], "new");
    }
    assert_eq!(tree.node(&children[CHILDREN - 1])["version"], 1, "derived writes raise no version");
    assert_eq!(tree.work_items(), 0);
}

#[test]
fn deletes_dependents_of_a_deleted_document() {
    let tree = Tree::open();
    let root = tree.create(None);
    let child = tree.create(Some(&root));
    for _ in 0..200 {
        tree.create(Some(&child));
    }
    tree.runtime
        .block_on(tree.shop.delete(
            tree.nodes,
            &Address::Id(&root),
            DeleteOptions { version: Some(1), erase: false },
            &Caller::default(),
        ))
        .unwrap();
    tree.shop.settle().unwrap();
    let all = ListRequest { limit: 1, with_total: true, ..ListRequest::default() };
    assert_eq!(tree.shop.list(tree.nodes, &all).unwrap().total, Some(0));
    assert_eq!(tree.work_items(), 0);
}
