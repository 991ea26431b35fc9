use super::*;
use crate::{
    Bucket, BucketOrder, CountedNodes, EntryNode, Facet, FacetKind, FacetRange, FacetResult, FacetScope,
    FieldKind, FieldLevel, HitSort, Leaf, LeafTest, NodeValue, SearchField, SearchValue, SortBy, SortMode,
    Stats,
};
use std::ops::Bound;

fn field(name: &str) -> SearchField {
    let (level, kind) = match name {
        "name" => (FieldLevel::Root, FieldKind::Text),
        "key" => (FieldLevel::Root, FieldKind::Keyword),
        "sku" | "color" => (FieldLevel::Child, FieldKind::Keyword),
        "stock" => (FieldLevel::Child, FieldKind::Long),
        "currency" => (FieldLevel::Grandchild, FieldKind::Keyword),
        _ => (FieldLevel::Grandchild, FieldKind::Long),
    };
    SearchField { name: name.into(), language: (name == "name").then(|| "en".into()), level, kind }
}

fn text(name: &str, value: &str) -> NodeValue {
    NodeValue { field: field(name), value: SearchValue::Text(value.into()) }
}

fn long(name: &str, value: i64) -> NodeValue {
    NodeValue { field: field(name), value: SearchValue::Long(value) }
}

fn price(currency: &str, amount: i64) -> EntryNode {
    EntryNode { values: vec![text("currency", currency), long("amount", amount)], ..EntryNode::default() }
}

fn variant(sku: &str, color: &str, prices: Vec<EntryNode>) -> EntryNode {
    EntryNode { label: sku.into(), values: vec![text("sku", sku), text("color", color)], children: prices }
}

fn entry(id: &str, name: &str, children: Vec<EntryNode>) -> SearchEntry {
    SearchEntry {
        id: id.into(),
        root: EntryNode { label: String::new(), values: vec![text("name", name), text("key", id)], children },
    }
}

/// Two shoes and a hat. One shoe is red for 10 EUR or 30 USD and blue for 30 EUR; the hat has no variant.
fn shop() -> ReferenceIndex {
    let index = ReferenceIndex::new();
    let shoe = entry(
        "a",
        "Running shoes",
        vec![
            variant("a1", "red", vec![price("EUR", 10), price("USD", 30)]),
            variant("a2", "blue", vec![price("EUR", 30)]),
        ],
    );
    let other = entry(
        "b",
        "A shoe",
        vec![variant("b1", "red", vec![price("EUR", 20)]), variant("b2", "red", vec![])],
    );
    let put = vec![shoe, other, entry("c", "Hat", vec![])];
    index.apply(IndexBatch { put, ..IndexBatch::default() }).unwrap();
    index
}

fn leaf(name: &str, test: LeafTest) -> SearchQuery {
    SearchQuery::Leaf(Leaf { field: field(name), boost: 1.0, test })
}

fn is(name: &str, value: &str) -> SearchQuery {
    leaf(name, LeafTest::Exact { values: vec![SearchValue::Text(value.into())], case_insensitive: false })
}

fn least(name: &str, value: i64) -> SearchQuery {
    leaf(name, LeafTest::Range((Bound::Included(SearchValue::Long(value)), Bound::Unbounded)))
}

fn index_request(query: SearchQuery) -> IndexRequest {
    IndexRequest { query: Some(query), limit: 10, mark_matching: true, ..IndexRequest::default() }
}

fn ids(request: &IndexRequest) -> Vec<String> {
    shop().search(request).unwrap().hits.into_iter().map(|hit| hit.id).collect()
}

fn found_ids(query: SearchQuery) -> Vec<String> {
    ids(&index_request(query))
}

fn labels(query: SearchQuery) -> Vec<(bool, Vec<String>)> {
    let hits = shop().search(&index_request(query)).unwrap().hits.into_iter();
    hits.filter_map(|hit| hit.matching).map(|matching| (matching.all, matching.labels)).collect()
}

fn one_facet(facet: Facet, query: Option<SearchQuery>) -> FacetResult {
    let request = IndexRequest { query, facets: vec![facet], ..IndexRequest::default() };
    shop().search(&request).unwrap().facets.remove(0).result
}

fn facet(kind: FacetKind) -> Facet {
    Facet {
        name: "f".into(),
        scope: FacetScope::Query,
        filter: None,
        counted: CountedNodes::Entries,
        kind,
        holds_days: false,
    }
}

fn distinct(name: &str) -> FacetKind {
    FacetKind::Distinct {
        field: field(name),
        includes: None,
        order: BucketOrder::Count,
        descending: true,
        limit: 10,
        missing: None,
    }
}

fn buckets(counts: &[(&str, u64)]) -> FacetResult {
    FacetResult::Buckets(
        counts.iter().map(|(key, count)| Bucket { key: (*key).into(), count: *count }).collect(),
    )
}

#[test]
fn conditions_of_one_level_hold_of_the_same_node() {
    assert_eq!(found_ids(SearchQuery::And(vec![is("currency", "USD"), least("amount", 30)])), ["a"]);
    assert_eq!(found_ids(SearchQuery::And(vec![is("currency", "EUR"), least("amount", 20)])), ["a", "b"]);
    assert!(
        found_ids(SearchQuery::And(vec![
            is("currency", "USD"),
            leaf("amount", LeafTest::Range((Bound::Unbounded, Bound::Excluded(SearchValue::Long(20)))))
        ]))
        .is_empty()
    );
    // The nesting does not matter.
    let nested = SearchQuery::And(vec![
        SearchQuery::Filter(vec![is("color", "red")]),
        SearchQuery::Or(vec![least("amount", 30), is("color", "green")]),
    ]);
    assert_eq!(found_ids(nested), ["a"]);
}

#[test]
fn not_is_about_all_nodes_of_an_entry() {
    assert_eq!(found_ids(SearchQuery::Not(vec![is("color", "blue")])), ["b", "c"]);
    assert_eq!(
        found_ids(SearchQuery::And(vec![is("color", "red"), SearchQuery::Not(vec![is("color", "blue")])])),
        ["b"]
    );
    assert_eq!(
        found_ids(SearchQuery::Not(vec![SearchQuery::And(vec![is("currency", "USD"), is("color", "blue")])])),
        ["a", "b", "c"]
    );
}

#[test]
fn returns_the_matching_children() {
    assert_eq!(labels(is("color", "blue")), [(false, vec!["a2".to_owned()])]);
    assert_eq!(
        labels(SearchQuery::And(vec![is("key", "a"), least("amount", 30)])),
        [(false, vec!["a1".to_owned(), "a2".to_owned()])]
    );
    assert_eq!(labels(is("key", "a")), [(true, vec![])]);
    assert_eq!(
        labels(SearchQuery::Or(vec![is("key", "b"), is("color", "blue")])),
        [(false, vec!["a2".to_owned()]), (false, vec!["b1".to_owned(), "b2".to_owned()])]
    );
}

#[test]
fn words_are_found_in_all_their_forms() {
    let full_text = |text: &str, all| leaf("name", LeafTest::FullText { text: text.into(), all });
    assert_eq!(found_ids(full_text("run shoe", true)), ["a"]);
    assert_eq!(found_ids(full_text("run shoe", false)), ["a", "b"]);
    assert!(found_ids(full_text("…", true)).is_empty());
    assert_eq!(
        found_ids(leaf("name", LeafTest::FullTextPrefix { text: "shoe runni".into(), all: true })),
        ["a"]
    );
    assert!(
        found_ids(leaf("name", LeafTest::FullTextPrefix { text: "runni shoe".into(), all: true })).is_empty()
    );
    assert_eq!(
        found_ids(leaf("name", LeafTest::Fuzzy { text: "shose".into(), level: 1, all: true })),
        ["a", "b"]
    );
}

#[test]
fn the_post_filter_comes_after_the_facets() {
    let request = IndexRequest {
        query: Some(is("color", "red")),
        post_filter: Some(is("color", "blue")),
        facets: vec![facet(distinct("color"))],
        limit: 10,
        ..IndexRequest::default()
    };
    let response = shop().search(&request).unwrap();
    assert_eq!((response.total, response.hits.len()), (1, 1));
    assert_eq!(response.facets[0].result, buckets(&[("red", 2), ("blue", 1)]));
}

#[test]
fn sorts_take_the_values_that_a_filter_leaves() {
    let sorted = |descending, mode, filter| {
        let sort = HitSort { by: SortBy::Field(field("amount")), descending, mode, filter };
        ids(&IndexRequest { sort: vec![sort], limit: 10, ..IndexRequest::default() })
    };
    assert_eq!(sorted(false, None, None), ["a", "b", "c"]);
    assert_eq!(sorted(false, Some(SortMode::Max), None), ["b", "a", "c"]);
    assert_eq!(sorted(true, Some(SortMode::Min), None), ["b", "a", "c"]);
    assert_eq!(sorted(true, None, Some(is("currency", "USD"))), ["a", "b", "c"]);
    assert_eq!(sorted(false, Some(SortMode::Sum), None), ["b", "a", "c"]);
}

#[test]
fn pages() {
    let request = IndexRequest { offset: 1, limit: 1, ..IndexRequest::default() };
    let response = shop().search(&request).unwrap();
    assert_eq!((response.total, response.hits.len(), response.hits[0].id.as_str()), (3, 1, "b"));
}

#[test]
fn facets_count_entries_or_children() {
    let count = |counted, query| one_facet(Facet { counted, ..facet(FacetKind::Count) }, query);
    assert_eq!(count(CountedNodes::Entries, None), FacetResult::Count(3));
    assert_eq!(count(CountedNodes::Children, None), FacetResult::Count(4));
    assert_eq!(count(CountedNodes::Children, Some(is("color", "red"))), FacetResult::Count(3));
    let colors = |counted| one_facet(Facet { counted, ..facet(distinct("color")) }, Some(is("color", "red")));
    assert_eq!(colors(CountedNodes::Entries), buckets(&[("red", 2), ("blue", 1)]));
    assert_eq!(colors(CountedNodes::Children), buckets(&[("red", 3)]));
    let all = Facet { scope: FacetScope::All, counted: CountedNodes::Children, ..facet(distinct("color")) };
    assert_eq!(one_facet(all, Some(is("key", "c"))), buckets(&[("red", 3), ("blue", 1)]));
}

#[test]
fn distinct_facets_keep_limit_and_sequence() {
    let kind = |includes: Option<&str>, order, limit, missing: Option<&str>| FacetKind::Distinct {
        field: field("color"),
        includes: includes.map(|key| vec![key.into()]),
        order,
        descending: false,
        limit,
        missing: missing.map(Into::into),
    };
    let shown = |kind| one_facet(facet(kind), None);
    assert_eq!(
        shown(kind(None, BucketOrder::Key, 10, Some("?"))),
        buckets(&[("blue", 1), ("red", 2), ("?", 1)])
    );
    assert_eq!(shown(kind(None, BucketOrder::Count, 2, Some("?"))), buckets(&[("?", 1), ("blue", 1)]));
    assert_eq!(shown(kind(Some("red"), BucketOrder::Key, 10, Some("red"))), buckets(&[("red", 3)]));
}

#[test]
fn ranges_and_figures_count_what_a_filter_leaves() {
    let range = |key: &str, from: Option<i64>, to: Option<i64>| FacetRange {
        key: key.into(),
        from: from.map(SearchValue::Long),
        to: to.map(SearchValue::Long),
    };
    let ranges =
        vec![range("*-20", None, Some(20)), range("20-*", Some(20), None), range("none", Some(50), Some(60))];
    let kind = FacetKind::Ranges { field: field("amount"), ranges };
    let in_euro = |kind| Facet { filter: Some(is("currency", "EUR")), ..facet(kind) };
    assert_eq!(one_facet(in_euro(kind), None), buckets(&[("*-20", 1), ("20-*", 2), ("none", 0)]));
    let stats = FacetResult::Stats(Stats {
        count: 3,
        min: Some(SearchValue::Long(10)),
        max: Some(SearchValue::Long(30)),
        mean: Some(20.0),
        sum: Some(60.0),
    });
    assert_eq!(one_facet(in_euro(FacetKind::Stats { field: field("amount") }), None), stats);
    assert_eq!(
        one_facet(facet(FacetKind::Stats { field: field("stock") }), None),
        FacetResult::Stats(Stats::default())
    );
}

#[test]
fn batches_replace_and_delete() {
    let index = shop();
    let put = vec![entry("a", "Sock", vec![])];
    index
        .apply(IndexBatch {
            put,
            delete: vec!["b".into(), "x".into()],
            position: IndexPosition { seq: 7, ..IndexPosition::default() },
            ..IndexBatch::default()
        })
        .unwrap();
    assert_eq!((index.len().unwrap(), index.position().map(|position| position.seq)), (2, Some(7)));
    assert_eq!(index.search(&index_request(is("color", "red"))).unwrap().total, 0);
}
