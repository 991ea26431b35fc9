//! The order of documents.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.

mod shop_model;

use kontor_json::{Value as Json, json};
use kontor_query::{NameScope, QuerySort, TopItems};
use proptest::prelude::*;
use shop_model::{model, shelf};

fn read(texts: &[&str]) -> Result<QuerySort, String> {
    let scope = NameScope::of_kind(model(), shelf(model()));
    QuerySort::parse(texts.iter().copied(), &scope).map_err(|error| {
        assert_eq!((error.status(), error.code().name()), (400, "InvalidInput"));
        error.message().strip_prefix("Malformed parameter: sort: ").unwrap().to_owned()
    })
}

/// Returns the ids of `documents` in the order of `sort`.
fn sorted(sort: &[&str], documents: &[Json]) -> Vec<String> {
    let sort = read(sort).unwrap();
    let mut top = TopItems::new(documents.len());
    for document in documents {
        let key = sort.key(document.to_string().as_bytes());
        assert_eq!(key, sort.key_of_value(document));
        top.push(key, document["id"].as_str().unwrap().to_owned());
    }
    top.into_sorted()
}

fn some_shelves() -> [Json; 4] {
    [
        json!({"id": "a", "size": 2, "name": {"en": "Y"}, "tags": ["b", "d"]}),
        json!({"id": "b", "size": 10, "name": {"de": "X"}, "tags": ["c"], "custom": {"fields": {"rank": 1}}}),
        json!({"id": "c", "name": {"en": "X"}, "tags": []}),
        json!({"id": "d", "size": 2.5, "name": {"en": "x"}, "books": [{"pages": 9}, {"pages": 1}]}),
    ]
}

#[test]
fn numbers_and_texts_sort_by_value_and_what_is_missing_is_below_all() {
    assert_eq!(sorted(&["size"], &some_shelves()), ["c", "a", "d", "b"]);
    assert_eq!(sorted(&["size asc"], &some_shelves()), ["c", "a", "d", "b"]);
    assert_eq!(sorted(&["size DESC"], &some_shelves()), ["b", "d", "a", "c"]);
    assert_eq!(sorted(&["name.en"], &some_shelves()), ["b", "c", "a", "d"]);
    assert_eq!(sorted(&["custom.fields.rank"], &some_shelves()), ["a", "c", "d", "b"]);
    assert_eq!(sorted(&["custom.fields.rank desc"], &some_shelves()), ["b", "a", "c", "d"]);
}

#[test]
fn further_expressions_decide_where_the_first_does_not() {
    let documents = [
        json!({"id": "a", "size": 1, "weight": 1}),
        json!({"id": "b", "size": 1, "weight": 2}),
        json!({"id": "c", "size": 0}),
        json!({"id": "d", "size": 1}),
    ];
    assert_eq!(sorted(&["size", "weight desc"], &documents), ["c", "b", "a", "d"]);
    assert_eq!(sorted(&["size"], &documents), ["c", "a", "b", "d"], "equals keep their sequence");
    assert_eq!(sorted(&[], &documents), ["a", "b", "c", "d"]);
}

#[test]
fn sorts_lists_by_their_smallest_or_largest_element() {
    assert_eq!(sorted(&["tags"], &some_shelves()), ["c", "d", "a", "b"]);
    assert_eq!(sorted(&["tags desc"], &some_shelves()), ["a", "b", "c", "d"]);
    assert_eq!(sorted(&["books.pages"], &some_shelves()), ["a", "b", "c", "d"]);
}

#[test]
fn a_field_that_cannot_be_sorted_by_is_refused_with_those_that_can() {
    assert_eq!(
        read(&["foo"]).unwrap_err(),
        "Invalid query field 'foo' in sort path. Sortable fields are: `ancestors`, `books`, `box`, `builtOn`, \
         `createdAt`, `custom`, `id`, `key`, `kind`, `label`, `masterVariant`, `name`, `open`, `opensAt`, \
         `owner`, `parent`, `place`, `price`, `size`, `slug`, `store`, `tags`, `title`, `value`, `variants`, `version`, \
         `weight`. (line 1, column 1)"
    );
    assert_eq!(
        read(&["parent.key"]).unwrap_err(),
        "Invalid query field 'key' in sort path. Sortable fields are: `id`, `typeId`. (line 1, column 8)"
    );
    assert_eq!(
        read(&["box"]).unwrap_err(),
        "The field 'box' has no single value: sort by one of its fields. Sortable fields are: `city`, `lid`. \
         (line 1, column 1)"
    );
    assert_eq!(
        read(&["size.x"]).unwrap_err(),
        "The field 'size' has no fields to sort by. (line 1, column 6)"
    );
    for (text, part) in [
        ("", "Unexpected end of input, expected a field name (line 1, column 1)"),
        ("size up", "Invalid input 'up', expected '.', asc, desc or end of input (line 1, column 6)"),
        ("size,weight", "Invalid input ',', expected '.', asc, desc or end of input (line 1, column 5)"),
        ("name.", "Unexpected end of input, expected a field name (line 1, column 6)"),
        ("`name", "expected a closing backtick"),
    ] {
        let message = read(&[text]).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
    assert!(read(&["x".repeat(5000).as_str()]).unwrap_err().contains("at most 1024"));
    assert!(read(&["size"; 17]).unwrap_err().contains("at most 16"));
}

fn document() -> impl Strategy<Value = Json> {
    let value = prop_oneof![
        Just(json!(null)),
        (0i64..4).prop_map(Json::from),
        prop::sample::select(vec![0.5, 1.5]).prop_map(Json::from),
    ];
    let text = prop::option::of("[ab]{0,2}");
    (value, text).prop_map(|(size, label)| json!({"size": size, "label": label}))
}

proptest! {
    #[test]
    fn top_items_are_the_first_of_a_full_sort(
        documents in prop::collection::vec(document(), 0..30),
        limit in 0usize..40,
        directions in prop::sample::select(vec![["size", "label"], ["size desc", "label"], ["label desc", "size desc"]]),
    ) {
        let sort = read(&directions).unwrap();
        let mut all: Vec<_> = documents.iter().map(|document| sort.key_of_value(document)).enumerate().collect();
        let mut top = TopItems::new(limit);
        for (index, key) in &all {
            top.push(key.clone(), *index);
        }
        all.sort_by(|(_, a), (_, b)| a.cmp(b));
        let expected: Vec<usize> = all.into_iter().map(|(index, _)| index).take(limit).collect();
        prop_assert_eq!(top.into_sorted(), expected);
    }
}
