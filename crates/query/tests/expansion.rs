//! Reference expansion: which references are expanded, and how often documents are loaded.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.

mod shop_model;

use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value as Json, json};
use kontor_query::limits::EXPANDED_REFERENCES_MAX;
use kontor_query::{ExpansionTarget, Expansions, FetchedDocument, NameScope};
use shop_model::{model, shelf};

fn reference(id: &str) -> Json {
    json!({"typeId": "shelf", "id": id})
}

fn expanded(id: &str, document: Json) -> Json {
    json!({"typeId": "shelf", "id": id, "obj": document})
}

/// The shelves that exist: `c` is on `b`, which is on `a`.
fn stored(target: &ExpansionTarget) -> Option<Json> {
    match (target.type_id.as_str(), target.id.as_str()) {
        ("shelf", "a") => Some(json!({"id": "a"})),
        ("shelf", "b") => Some(json!({"id": "b", "parent": reference("a")})),
        ("shelf", "c") => Some(json!({"id": "c", "parent": reference("b")})),
        _ => None,
    }
}

fn fetched_document(document: Json) -> FetchedDocument {
    let bytes = document.to_string().len();
    FetchedDocument { document, bytes }
}

/// Expands `document`; returns the result, and the ids of each load.
fn expand(paths: &[&str], document: Json) -> (Json, Vec<Vec<String>>) {
    let expansions = Expansions::parse(paths.iter().copied()).unwrap();
    let mut documents = [document];
    let mut requested = Vec::new();
    expansions
        .apply(
            &mut documents,
            |targets| {
                requested.push(targets.iter().map(|target| target.id.clone()).collect());
                let fetched = targets.iter().map(stored);
                Ok(fetched.map(|document| document.map(fetched_document)).collect())
            },
            &mut |_| Ok(()),
        )
        .unwrap();
    let [document] = documents;
    (document, requested)
}

#[test]
fn adds_the_target_to_a_reference() {
    let (document, requested) =
        expand(&["parent"], json!({"parent": reference("b"), "owner": reference("c")}));
    let b = json!({"id": "b", "parent": reference("a")});
    assert_eq!(document, json!({"parent": expanded("b", b), "owner": reference("c")}));
    assert_eq!(requested, [["b"]]);
}

#[test]
fn continues_a_path_in_an_expanded_target() {
    let (document, requested) = expand(&["parent.parent", "parent"], json!({"parent": reference("c")}));
    let b = json!({"id": "b", "parent": reference("a")});
    let c = json!({"id": "c", "parent": expanded("b", b)});
    assert_eq!(document, json!({"parent": expanded("c", c)}));
    assert_eq!(requested, [["c"], ["b"]], "one question a level");
}

#[test]
fn selects_all_list_elements_or_one_by_position() {
    let lists = || json!({"ancestors": [reference("a"), reference("b")], "deep": [[{"x": reference("a")}]]});
    let a = || expanded("a", json!({"id": "a"}));
    let b = || expanded("b", json!({"id": "b", "parent": reference("a")}));
    assert_eq!(expand(&["ancestors[*]"], lists()).0["ancestors"], json!([a(), b()]));
    assert_eq!(expand(&["ancestors[1]"], lists()).0["ancestors"], json!([reference("a"), b()]));
    assert_eq!(expand(&["ancestors[7]"], lists()).0, lists());
    assert_eq!(expand(&["deep[*][0].x"], lists()).0["deep"], json!([[{"x": a()}]]));
    assert_eq!(expand(&["ancestors"], lists()).0, lists(), "a list itself is no reference");
}

#[test]
fn loads_a_target_once_and_leaves_missing_ones() {
    let document =
        json!({"parent": reference("x"), "owner": reference("x"), "list": [reference("x"), reference("a")]});
    let (after, requested) = expand(&["parent", "owner.parent", "list[*]"], document.clone());
    assert_eq!(after["parent"], document["parent"]);
    assert_eq!(after["list"], json!([reference("x"), expanded("a", json!({"id": "a"}))]));
    assert_eq!(requested, [["a", "x"]]);
}

#[test]
fn a_path_that_leads_nowhere_changes_nothing() {
    let document = json!({"parent": reference("a"), "size": 5, "name": {"en": "x"}, "tags": ["a"]});
    for path in ["foo", "size", "size.foo", "name.en.x", "tags[*]", "tags[*].x", "parent[*]"] {
        assert_eq!(expand(&[path], document.clone()).0, document, "{path}");
    }
}

#[test]
fn rejects_invalid_paths() {
    for (text, part) in [
        ("", "Unexpected end of input, expected a field name (line 1, column 1)"),
        ("a..b", "Invalid input '.', expected a field name (line 1, column 3)"),
        ("a[b]", "Invalid input '[', expected '[*]' or '[' index ']' (line 1, column 2)"),
        ("a[*", "Invalid input '[', expected '[*]' or '[' index ']' (line 1, column 2)"),
        ("a[]", "expected '[*]' or '[' index ']'"),
        ("a b", "expected '.', '[*]' or end of input (line 1, column 2)"),
    ] {
        let error = Expansions::parse([text]).unwrap_err();
        assert_eq!((error.status(), error.code().name()), (400, "InvalidInput"));
        assert!(error.message().starts_with("Malformed parameter: expand: "), "{error}");
        assert!(error.message().contains(part), "{text}: {error}");
    }
    let deep = ["a"; 17].join(".");
    assert!(Expansions::parse([deep.as_str()]).unwrap_err().message().contains("at most 16 names"));
    assert!(Expansions::parse(["a"; 65]).unwrap_err().message().contains("At most 64"));
}

#[test]
fn stops_expanding_when_the_response_is_refused() {
    let shelf = json!({"list": [reference("a"), reference("a"), reference("a")]});
    let expansions = Expansions::parse(["list[*]"]).unwrap();
    let mut grown = Vec::new();
    let mut grow = |bytes: usize| -> ApiResult<()> {
        grown.push(bytes);
        if grown.len() < 2 { Ok(()) } else { Err(ApiError::invalid_input("as much as it may")) }
    };
    let fetch = |targets: &[ExpansionTarget]| -> ApiResult<Vec<Option<FetchedDocument>>> {
        Ok(targets.iter().map(|_| Some(fetched_document(json!({"id": "a"})))).collect())
    };
    let error = expansions.apply(&mut [shelf], fetch, &mut grow).unwrap_err();
    assert_eq!((error.message(), grown), ("as much as it may", vec![10, 10]));
}

#[test]
fn limits_the_number_of_expanded_references() {
    // Every shelf has ten neighbours, so each further step makes the response ten times larger.
    let neighbours: Vec<Json> = (0..10).map(|id| reference(&id.to_string())).collect();
    let shelf = json!({"list": neighbours});
    let expansions = Expansions::parse(["list[*].list[*].list[*].list[*].list[*].list[*]"]).unwrap();
    let error = expansions
        .apply(
            &mut [shelf.clone()],
            |targets| Ok(vec![Some(fetched_document(shelf.clone())); targets.len()]),
            &mut |_| Ok(()),
        )
        .unwrap_err();
    assert_eq!(error.status(), 400);
    assert!(error.message().contains(&EXPANDED_REFERENCES_MAX.to_string()));
}

#[test]
fn reports_unknown_names() {
    let scope = NameScope::of_kind(model(), shelf(model()));
    let unknown = |path: &str| Expansions::parse([path]).unwrap().unknown_names(&scope);
    for path in
        ["parent.parent", "ancestors[*].parent", "custom.fields.any[*]", "owner.any", "books[*].title"]
    {
        assert!(unknown(path).is_empty(), "{path}: {:?}", unknown(path));
    }
    assert_eq!(unknown("foo.bar"), ["foo"]);
    assert_eq!(unknown("ancestors[*].father"), ["ancestors.father"]);
}
