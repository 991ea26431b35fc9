//! Tests access rights across references: follows every reference of every resource type as a caller that may read the
//! one type and not the other.

#![allow(clippy::unwrap_used)] // All of this file is a test, its helpers included.

use kontor_engine::{
    AccessScope, DocumentOwner, ListRequest, ReferenceAccess, ReferenceScope, ResponseMeter, Shop,
    ViewOptions,
};
use kontor_json::{Value, json};
use kontor_model::{KindId, Model, ObjectId, ReferenceKinds, Shape};
use kontor_storage::{Commit, Put, Sqlite, SqliteOptions, Storage};
use std::sync::Arc;

/// A token that allows to view all documents of one kind, or of none.
struct SingleKindRights(Option<KindId>);

impl ReferenceAccess for SingleKindRights {
    fn may_view(&self, kind: KindId, whose: DocumentOwner<'_>) -> bool {
        whose == DocumentOwner::Anyone && self.0 == Some(kind)
    }
}

/// A token that allows to view everything.
struct AllKindsRights;

impl ReferenceAccess for AllKindsRights {
    fn may_view(&self, _kind: KindId, _whose: DocumentOwner<'_>) -> bool {
        true
    }
}

/// The maximum depth at which references in a document are followed.
const DEPTH_MAX: usize = 4;

/// A reference field: its path in a document, and the kind of its target.
struct ReferencePair {
    from: KindId,
    /// The field names from the document on, each with whether it is a list.
    path: Vec<(String, bool)>,
    to: KindId,
}

impl ReferencePair {
    /// As `expand` names it.
    fn expand(&self) -> String {
        let names = self
            .path
            .iter()
            .map(|(name, is_list)| if *is_list { format!("{name}[*]") } else { name.clone() });
        names.collect::<Vec<_>>().join(".")
    }

    /// A document with one reference in it.
    fn document(&self, type_id: &str, id: &str) -> Value {
        let reference = json!({"typeId": type_id, "id": id});
        let mut document = self.path.iter().rev().fold(
            reference,
            |inner, (name, is_list)| json!({name.as_str(): if *is_list { json!([inner]) } else { inner }}),
        );
        document["id"] = json!("from");
        document["version"] = json!(1);
        document
    }

    fn found<'d>(&self, document: &'d Value) -> &'d Value {
        self.path
            .iter()
            .fold(document, |value, (name, is_list)| if *is_list { &value[name][0] } else { &value[name] })
    }
}

fn references(
    model: &Model,
    object: ObjectId,
    path: &[(String, bool)],
    found: &mut Vec<(Vec<(String, bool)>, ReferenceKinds)>,
) {
    for field in &model.object(object).fields {
        let mut path = path.to_vec();
        path.push((field.name.clone(), field.shape.is_list()));
        match field.shape.element() {
            Shape::Reference(targets) => found.push((path, targets.clone())),
            Shape::Object(inner) if path.len() < DEPTH_MAX => references(model, *inner, &path, found),
            _ => {}
        }
    }
}

fn pairs(model: &Model) -> Vec<ReferencePair> {
    let mut pairs = Vec::new();
    for (from, kind) in model.kinds().filter(|(_, kind)| kind.is_served && kind.projection.is_none()) {
        let mut found = Vec::new();
        references(model, kind.object, &[], &mut found);
        for (path, targets) in found {
            let all = match targets {
                ReferenceKinds::Kinds(kinds) => kinds,
                ReferenceKinds::Any => model.kinds().map(|(to, _)| to).collect(),
            };
            let served = all
                .into_iter()
                .filter(|to| model.kind(*to).is_served && model.kind(*to).external_store.is_none());
            pairs.extend(served.map(|to| ReferencePair { from, path: path.clone(), to }));
        }
    }
    pairs
}

#[tokio::test]
async fn expansion_never_shows_unreadable_kinds() {
    let model = Arc::new(Model::embedded().unwrap());
    let behaviours = kontor_commerce::join_behaviours(&model).unwrap();
    let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
    let shop =
        Shop::open("shop", "shop", Arc::clone(&model), Arc::new(behaviours), Arc::clone(&storage) as _)
            .await
            .unwrap();
    let pairs = pairs(&model);
    assert!(pairs.len() > 100, "{}", pairs.len());
    for (_, kind) in model.kinds() {
        let body = json!({"id": "to", "version": 1, "email": "maria@example.com"}).to_string().into();
        let put = Put { kind: kind.type_id.clone(), id: "to".into(), version: 1, body, ..Put::default() };
        storage.commit(Commit::new().put(put)).await.unwrap();
    }
    // Only the kind of the document may be read; all kinds may; a caller without an owner.
    let only = |kind: KindId| ReferenceScope::for_client(Arc::new(SingleKindRights(Some(kind))));
    let all = ReferenceScope::for_client(Arc::new(AllKindsRights));
    let mut wrong = Vec::new();
    for pair in &pairs {
        let entry = model.kind(pair.to);
        let document = pair.document(&entry.type_id, "to");
        let show = |references: Option<&ReferenceScope>| {
            let body = document.to_string().into();
            let meter = ResponseMeter::default();
            let shown = shop
                .render(pair.from, body, &[pair.expand()], &AccessScope::default(), references, &meter)
                .unwrap();
            let shown: Value = kontor_json::from_slice(&shown).unwrap();
            pair.found(&shown).get("obj").is_some()
        };
        let is_right = show(None)
            && show(Some(&all))
            && show(Some(&only(pair.from))) == (pair.from == pair.to || entry.is_open);
        if !is_right {
            wrong.push(format!("{} expand={}", model.kind(pair.from).name, pair.expand()));
        }
    }
    assert!(wrong.is_empty(), "{} of {} pairs:\n{}", wrong.len(), pairs.len(), wrong.join("\n"));
}

#[tokio::test]
async fn lists_and_searches_show_no_more_than_single_documents_do() {
    let model = Arc::new(Model::embedded().unwrap());
    let behaviours = kontor_commerce::join_behaviours(&model).unwrap();
    let storage = Arc::new(Sqlite::in_memory(SqliteOptions::default()).unwrap());
    let shop =
        Shop::open("shop", "shop", Arc::clone(&model), Arc::new(behaviours), Arc::clone(&storage) as _)
            .await
            .unwrap();
    let put = |kind: &str, id: &str, body: Value| {
        let body = body.to_string().into();
        Put { kind: kind.into(), id: id.into(), version: 1, body, ..Put::default() }
    };
    let customer =
        put("customer", "maria", json!({"id": "maria", "version": 1, "email": "maria@example.com"}));
    let reference = json!({"typeId": "customer", "id": "maria"});
    let review = put("review", "review", json!({"id": "review", "version": 1, "customer": reference}));
    storage.commit(Commit::new().put(customer).put(review)).await.unwrap();
    let reviews = model.kind_by_path("reviews").unwrap();
    let hidden = Arc::new(ReferenceScope::for_client(Arc::new(SingleKindRights(None))));
    for (references, is_shown) in [(None, true), (Some(hidden), false)] {
        let view_options = ViewOptions { references, ..ViewOptions::default() };
        let expand = vec!["customer".to_owned()];
        let request = ListRequest {
            expand: expand.clone(),
            view_options: view_options.clone(),
            limit: 1,
            ..ListRequest::default()
        };
        let listed = shop.list(reviews, &request).unwrap().into_body();
        assert_eq!(String::from_utf8_lossy(&listed).contains("maria@example.com"), is_shown);
        let found = shop
            .render_many(reviews, &["review"], &view_options, &expand, &ResponseMeter::default())
            .unwrap();
        let found = found[0].as_ref().unwrap();
        assert_eq!(String::from_utf8_lossy(found).contains("maria@example.com"), is_shown);
    }
}
