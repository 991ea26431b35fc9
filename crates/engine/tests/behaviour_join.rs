//! Derivations and indexes are joined with the model: unknown names are reported at start, and no two
//! derivations have the same name.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

mod project;

use kontor_engine::{
    Behaviour, Behaviours, ChangeFilter, DEFERRED_PATHS, Dependents, Derivation, DerivationSources,
    DeriveOutcome, Document, Hop, IndexProperty, IndexTuning,
};
use kontor_errors::ApiResult;
use kontor_model::Model;

const MODEL: &str = r#"
type Node @resource(path: "nodes", typeId: "node") {
  parent: Node
  label: String
  since: DateTime
}
input NodeDraft { parent: NodeResourceIdentifier label: String }
type NodeActions @actions(of: "Node") {
  setLabel(label: String): Node @set
}
"#;

struct Node(&'static [Derivation]);

impl Behaviour for Node {
    fn resource(&self) -> &'static str {
        "Node"
    }

    fn derivations(&self) -> &'static [Derivation] {
        self.0
    }
}

const fn named(name: &'static str, dependents: Dependents) -> Derivation {
    Derivation { name, source: "Node", dependents, derive: stays }
}

fn stays(_: &mut Document, _: &dyn DerivationSources) -> ApiResult<DeriveOutcome> {
    Ok(DeriveOutcome::Keep)
}

fn nothing(_: &Document) -> Vec<String> {
    Vec::new()
}

/// Returns the problems of derivations, one per line.
fn problems(derivations: &'static [Derivation]) -> String {
    let model = project::model_with(MODEL);
    let joined = Behaviours::join(&model, vec![Box::new(Node(derivations))], &[], &[]);
    joined.err().unwrap_or_default().join("\n")
}

#[test]
fn joins_derivations_that_the_model_knows() {
    const GOOD: &[Derivation] = &[
        named("label", Dependents::ReferringAt { path: "parent.id", when: ChangeFilter::Fields(&["label"]) }),
        named("parent", Dependents::ReferredAt { path: &["parent", "id"], when: &["parent"] }),
        named("all", Dependents::All { when: &["since"], at: &["since"], epoch: Some("node-epoch") }),
    ];
    assert_eq!(problems(GOOD), "");
}

#[test]
fn refuses_duplicate_names() {
    const TWICE: &[Derivation] = &[
        named("label", Dependents::ReferringAt { path: "parent.id", when: ChangeFilter::Fields(&["label"]) }),
        named("label", Dependents::ReferredAt { path: &["parent", "id"], when: &["label"] }),
    ];
    assert_eq!(problems(TWICE), "derivation Node.label: there are two of this name");
}

#[test]
fn reports_unknown_names() {
    const HOPS: &[Hop] = &[Hop { kind: "Tree", at: "root.id" }, Hop { kind: "Node", at: "label" }];
    const STRANGE: &[Derivation] = &[
        Derivation {
            source: "Tree",
            ..named("source", Dependents::ReferringAt { path: "x", when: ChangeFilter::Fields(&[]) })
        },
        named("referring", Dependents::ReferringAt { path: "label", when: ChangeFilter::Fields(&["color"]) }),
        named("referred", Dependents::ReferredAt { path: &["parent", "key"], when: &[] }),
        named(
            "sharing",
            Dependents::Sharing { value: &["color"], paths: &["parent.id", "color"], when: &[] },
        ),
        named(
            "holding",
            Dependents::Holding { path: "color", values: nothing, when: ChangeFilter::Fields(&["size"]) },
        ),
        named(
            "through",
            Dependents::Through {
                hops: HOPS,
                values: nothing,
                path: "parent.id",
                when: ChangeFilter::Fields(&[]),
            },
        ),
        named(
            "nowhere",
            Dependents::Through {
                hops: &[],
                values: nothing,
                path: "parent.id",
                when: ChangeFilter::Fields(&[]),
            },
        ),
        named("all", Dependents::All { when: &["color"], at: &["label"], epoch: Some("node") }),
    ];
    let expected = "\
derivation Node.source: the source Tree is no kind of the model
derivation Node.referring: Node has no index at label
derivation Node.referring: Node has no field color
derivation Node.referred: Node has no field parent.key
derivation Node.sharing: Node has no field color
derivation Node.sharing: Node has no index at color
derivation Node.holding: Node has no index at color
derivation Node.holding: Node has no field size
derivation Node.through: the hop Tree is no kind of the model
derivation Node.through: Node has no index at label
derivation Node.nowhere: it goes through no hop
derivation Node.all: Node has no field color
derivation Node.all: Node has no time label
derivation Node.all: the epoch node is a kind of the model, which the API shows";
    assert_eq!(problems(STRANGE), expected);
}

#[test]
fn reports_unknown_indexes() {
    const fn row(kind: &'static str, path: &'static str, is: IndexProperty) -> IndexTuning {
        IndexTuning { kind, path, is }
    }
    const NAMED: IndexProperty = IndexProperty::Named { name: "name", value: "value" };
    const TABLE: &[IndexTuning] = &[
        row("Node", "parent.id", IndexProperty::Selective),
        row("Tree", "root.id", IndexProperty::Selective),
        row("Node", "label", IndexProperty::Selective),
        row("Node", "label", NAMED),
    ];
    let model = project::model_with(MODEL);
    let problems = Behaviours::join(&model, Vec::new(), &[], TABLE).err().unwrap_or_default();
    let expected = [
        "index Tree.root.id: the model has no such resource",
        "index Node.label: the model has no index there",
        "index Node.label: the model has no such names with values there",
    ];
    assert_eq!(problems, expected);
}

#[test]
fn defers_only_rows_of_indexes() {
    let model = Model::embedded().unwrap();
    for path in DEFERRED_PATHS {
        let is_indexed = |indexed: &Vec<String>| indexed.join(".") == path;
        assert!(model.kinds().any(|(_, kind)| kind.indexed.iter().any(is_indexed)), "{path}");
    }
}
