//! The embedded index by examples: written entries are found, survive a restart, and are never partly visible.

#![allow(clippy::unwrap_used)] // Its functions are tests too.

use kontor_search::{
    BucketOrder, CountedNodes, EmbeddedIndex, EntryNode, Facet, FacetKind, FacetResult, FacetScope,
    FieldKind, FieldLevel, Hit, HitSort, IndexBatch, IndexPosition, IndexRequest, Leaf, LeafTest, NodeValue,
    SearchEntry, SearchField, SearchIndex, SearchQuery, SearchValue, SortBy,
};
use std::ops::Bound;

fn field(name: &str, language: Option<&str>, level: FieldLevel, kind: FieldKind) -> SearchField {
    SearchField { name: name.into(), language: language.map(Into::into), level, kind }
}

fn name() -> SearchField {
    field("name", Some("en"), FieldLevel::Root, FieldKind::Text)
}

fn category() -> SearchField {
    field("categories", None, FieldLevel::Root, FieldKind::Keyword)
}

fn color() -> SearchField {
    field("variants.attributes.color", None, FieldLevel::Child, FieldKind::Keyword)
}

fn cents() -> SearchField {
    field("variants.prices.centAmount", None, FieldLevel::Grandchild, FieldKind::Long)
}

fn country() -> SearchField {
    field("variants.prices.country", None, FieldLevel::Grandchild, FieldKind::Keyword)
}

fn text(field: SearchField, text: &str) -> NodeValue {
    NodeValue { field, value: SearchValue::Text(text.into()) }
}

fn price(amount: i64, in_country: &str) -> EntryNode {
    let cents = NodeValue { field: cents(), value: SearchValue::Long(amount) };
    EntryNode { values: vec![cents, text(country(), in_country)], ..EntryNode::default() }
}

fn variant(label: &str, of_color: &str, prices: Vec<EntryNode>) -> EntryNode {
    EntryNode { label: label.into(), values: vec![text(color(), of_color)], children: prices }
}

fn product(id: &str, called: &str, of_category: &str, variants: Vec<EntryNode>) -> SearchEntry {
    let values = vec![text(name(), called), text(category(), of_category)];
    SearchEntry { id: id.into(), root: EntryNode { label: String::new(), values, children: variants } }
}

/// Two shoes and a hat. The red shoe is cheap in Germany, the blue one in France.
fn shop() -> Vec<SearchEntry> {
    vec![
        product(
            "p1",
            "Running shoe",
            "shoes",
            vec![
                variant("1", "red", vec![price(500, "DE"), price(900, "FR")]),
                variant("2", "blue", vec![price(900, "DE"), price(500, "FR")]),
            ],
        ),
        product(
            "p2",
            "Shoe for long long walks in the hills",
            "shoes",
            vec![variant("1", "red", vec![price(700, "DE")]), variant("2", "red", vec![])],
        ),
        product("p3", "Hat", "hats", vec![]),
    ]
}

fn leaf(field: SearchField, test: LeafTest) -> SearchQuery {
    SearchQuery::Leaf(Leaf { field, boost: 1.0, test })
}

fn is(field: SearchField, value: &str) -> SearchQuery {
    leaf(field, LeafTest::Exact { values: vec![SearchValue::Text(value.into())], case_insensitive: false })
}

fn says(value: &str) -> SearchQuery {
    leaf(name(), LeafTest::FullText { text: value.into(), all: true })
}

fn below(amount: i64) -> SearchQuery {
    leaf(cents(), LeafTest::Range((Bound::Unbounded, Bound::Excluded(SearchValue::Long(amount)))))
}

fn position(seq: u64) -> IndexPosition {
    IndexPosition { epoch: 1, seq, generation: 7, is_complete: true }
}

fn batch(put: Vec<SearchEntry>, seq: u64) -> IndexBatch {
    IndexBatch { put, position: position(seq), ..IndexBatch::default() }
}

fn index() -> EmbeddedIndex {
    let index = EmbeddedIndex::in_memory().unwrap();
    index.apply(batch(shop(), 1)).unwrap();
    index
}

fn ask(query: SearchQuery) -> IndexRequest {
    IndexRequest { query: Some(query), limit: 20, ..IndexRequest::default() }
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.id.as_str()).collect()
}

/// Asserts which entries a query finds, in order.
#[track_caller]
fn finds(index: &EmbeddedIndex, query: SearchQuery, expected: &[&str]) {
    let response = index.search(&ask(query)).unwrap();
    assert_eq!(ids(&response.hits), expected);
    assert_eq!(response.total, expected.len() as u64);
}

#[test]
fn conditions_on_prices_hold_of_one_price_of_one_variant() {
    let index = index();
    finds(&index, SearchQuery::And(vec![is(country(), "DE"), below(600)]), &["p1"]);
    finds(&index, SearchQuery::And(vec![is(country(), "FR"), below(600), is(color(), "blue")]), &["p1"]);
    finds(&index, SearchQuery::And(vec![is(country(), "FR"), below(600), is(color(), "red")]), &[]);
    finds(&index, SearchQuery::And(vec![is(category(), "shoes"), below(800)]), &["p1", "p2"]);
    finds(&index, SearchQuery::Or(vec![is(category(), "hats"), below(600)]), &["p1", "p3"]);
    finds(&index, SearchQuery::Not(vec![below(600)]), &["p2", "p3"]);
    let either = SearchQuery::Or(vec![is(color(), "blue"), below(600)]);
    finds(&index, SearchQuery::And(vec![either, is(country(), "DE")]), &["p1"]);
}

#[test]
fn words_are_found_in_all_their_forms_and_short_texts_fit_better() {
    let index = index();
    finds(&index, says("shoes"), &["p1", "p2"]);
    finds(&index, says("SHOES run"), &["p1"]);
    let fuzzy = LeafTest::Fuzzy { text: "runing".into(), level: 1, all: true };
    finds(&index, leaf(name(), fuzzy), &["p1"]);
    let beginning = LeafTest::FullTextPrefix { text: "shoe wal".into(), all: true };
    finds(&index, leaf(name(), beginning), &["p2"]);
    let wildcard = |pattern: &str| LeafTest::Wildcard { pattern: pattern.into(), case_insensitive: true };
    finds(&index, leaf(name(), wildcard("*SHOE*")), &["p1", "p2"]);
    finds(&index, leaf(name(), wildcard(&"*".repeat(5000))), &["p1", "p2", "p3"]);
    let prefix = LeafTest::Prefix { text: "Run".into(), case_insensitive: false };
    finds(&index, leaf(name(), prefix), &["p1"]);
    finds(&index, leaf(name(), LeafTest::Never), &[]);
}

#[test]
fn hits_contain_the_matching_children() {
    let index = index();
    let matching = |query| {
        let request = IndexRequest { mark_matching: true, ..ask(query) };
        let hits = index.search(&request).unwrap().hits;
        hits.into_iter().map(|hit| hit.matching.unwrap()).map(|of| (of.all, of.labels)).collect::<Vec<_>>()
    };
    assert_eq!(matching(is(category(), "hats")), [(true, vec![])]);
    let two = SearchQuery::And(vec![is(country(), "FR"), below(600)]);
    assert_eq!(matching(two), [(false, vec!["2".to_owned()])]);
}

#[test]
fn facets_count_before_the_post_filter() {
    let index = index();
    let facet = |field: SearchField, counted, scope| Facet {
        name: "facet".into(),
        scope,
        filter: None,
        counted,
        holds_days: false,
        kind: FacetKind::Distinct {
            field,
            includes: None,
            order: BucketOrder::Count,
            descending: true,
            limit: 10,
            missing: Some("none".into()),
        },
    };
    let request = IndexRequest {
        facets: vec![
            facet(color(), CountedNodes::Entries, FacetScope::All),
            facet(color(), CountedNodes::Children, FacetScope::Query),
        ],
        post_filter: Some(is(color(), "blue")),
        ..ask(is(category(), "shoes"))
    };
    let response = index.search(&request).unwrap();
    assert_eq!(ids(&response.hits), ["p1"]);
    let buckets = |at: usize| match &response.facets[at].result {
        FacetResult::Buckets(buckets) => {
            buckets.iter().map(|bucket| (bucket.key.as_str(), bucket.count)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(buckets(0), [("red", 2), ("blue", 1), ("none", 1)]);
    assert_eq!(buckets(1), [("red", 3), ("blue", 1)]);
}

#[test]
fn the_sequence_goes_by_the_prices_that_count() {
    let index = index();
    let sorted = |filter, descending| {
        let sort = vec![HitSort { by: SortBy::Field(cents()), descending, mode: None, filter }];
        let response = index.search(&IndexRequest { sort, limit: 20, ..IndexRequest::default() }).unwrap();
        response.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
    };
    assert_eq!(sorted(None, false), ["p1", "p2", "p3"]);
    assert_eq!(sorted(Some(is(color(), "blue")), true), ["p1", "p2", "p3"]);
    let in_germany_in_red = SearchQuery::And(vec![is(country(), "DE"), is(color(), "red")]);
    assert_eq!(sorted(Some(in_germany_in_red), true), ["p2", "p1", "p3"]);
}

#[test]
fn replaces_an_entry_of_the_same_id() {
    let index = index();
    let hat = product("p3", "Cap", "hats", vec![variant("1", "green", vec![])]);
    index.apply(batch(vec![hat], 2)).unwrap();
    finds(&index, says("hat"), &[]);
    finds(&index, is(color(), "green"), &["p3"]);
    assert_eq!(index.len().unwrap(), 3);
    let gone = IndexBatch { delete: vec!["p1".into(), "unknown".into()], ..batch(Vec::new(), 3) };
    index.apply(gone).unwrap();
    finds(&index, is(color(), "red"), &["p2"]);
    assert_eq!(index.len().unwrap(), 2);
    assert_eq!(index.position(), Some(position(3)));
}

#[test]
fn pages_span_segments() {
    let index = EmbeddedIndex::in_memory().unwrap();
    for seq in 0..5 {
        let put =
            (0..20).map(|at| product(&format!("{:03}", at * 5 + seq), "Shoe", "shoes", vec![])).collect();
        index.apply(batch(put, seq)).unwrap();
    }
    let mut read = Vec::new();
    for offset in (0..100).step_by(7) {
        let response = index.search(&IndexRequest { offset, limit: 7, ..ask(says("shoe")) }).unwrap();
        assert_eq!(response.total, 100);
        read.extend(response.hits.into_iter().map(|hit| hit.id));
    }
    assert_eq!(read, (0..100).map(|id| format!("{id:03}")).collect::<Vec<_>>());
}

#[test]
fn applied_batches_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = EmbeddedIndex::open(&path).unwrap();
    assert_eq!(index.position(), None);
    index.apply(batch(shop(), 4)).unwrap();
    drop(index);
    let index = EmbeddedIndex::open(&path).unwrap();
    assert_eq!(index.position(), Some(position(4)));
    finds(&index, says("hat"), &["p3"]);
    index.apply(IndexBatch { delete: vec!["p3".into()], ..batch(Vec::new(), 5) }).unwrap();
    finds(&index, says("hat"), &[]);
}

/// Several threads write the parts: the nodes of an entry stay together, and the index is complete with the last part.
#[test]
fn a_build_is_complete_with_its_last_batch() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = EmbeddedIndex::open(&path).unwrap();
    let products: Vec<SearchEntry> = (0..600)
        .map(|number| {
            let prices = vec![price(number, "DE"), price(number + 1_000, "FR")];
            let variants = vec![variant("1", "red", prices), variant("2", "blue", vec![])];
            product(&format!("p{number}"), "Shoe", &format!("c{number}"), variants)
        })
        .collect();
    for part in products.chunks(100).take(5) {
        let position = IndexPosition { is_complete: false, ..position(3) };
        index.build(IndexBatch { put: part.to_vec(), position, ..IndexBatch::default() }).unwrap();
    }
    assert_eq!(index.position(), None);
    index.build(batch(products[500..].to_vec(), 3)).unwrap();
    let check = |index: &EmbeddedIndex| {
        assert_eq!((index.position(), index.len().unwrap()), (Some(position(3)), 600));
        for number in 0..600 {
            let amount = |amount| {
                leaf(
                    cents(),
                    LeafTest::Exact { values: vec![SearchValue::Long(amount)], case_insensitive: false },
                )
            };
            let id = format!("p{number}");
            finds(
                index,
                SearchQuery::And(vec![is(country(), "DE"), is(color(), "red"), amount(number)]),
                &[&id],
            );
            finds(index, SearchQuery::And(vec![is(country(), "FR"), amount(number)]), &[]);
            finds(
                index,
                SearchQuery::And(vec![is(category(), &format!("c{number}")), is(color(), "blue")]),
                &[&id],
            );
        }
    };
    check(&index);
    drop(index);
    check(&EmbeddedIndex::open(&path).unwrap());
}

#[test]
fn replaces_a_damaged_index_by_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let file_names = |path: &std::path::Path| {
        let files = std::fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> = files.filter(|file| !file.ends_with(".lock")).collect();
        files.sort();
        files
    };
    for damage in 0..3 {
        let path = folder.path().join(format!("{damage}"));
        EmbeddedIndex::open(&path).unwrap().apply(batch(shop(), 4)).unwrap();
        let files = file_names(&path);
        assert!(files.len() > 3, "{files:?}");
        for at in 0..files.len() {
            EmbeddedIndex::open(&path).unwrap().apply(batch(shop(), 4)).unwrap();
            let files = file_names(&path);
            let Some(file) = files.get(at) else { continue };
            let bytes = std::fs::read(file).unwrap();
            match damage {
                0 => std::fs::remove_file(file).unwrap(),
                1 => std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap(),
                _ => std::fs::write(file, vec![0xA5; bytes.len()]).unwrap(),
            }
            let index = EmbeddedIndex::open(&path).unwrap();
            if index.position().is_some() {
                finds(&index, says("hat"), &["p3"]);
            }
            index.apply(batch(shop(), 6)).unwrap();
            finds(&index, says("hat"), &["p3"]);
        }
    }
}

/// Pages over several segments equal those of one segment, at any offset and in any order.
#[test]
fn deep_pages_join_to_the_full_result() {
    let index = EmbeddedIndex::in_memory().unwrap();
    for part in 0..7 {
        let put = (0..60).filter(|number| number * number % 7 == part || number % 7 == part);
        let put = put.map(|number| {
            let called = ["Hat", "Shoe", "Old shoe", "Coat"][number * 31 % 4];
            let mut entry = product(&format!("p{:03}", number * 37 % 60), called, "all", vec![]);
            if number % 5 == 0 {
                entry.root.values.remove(0);
            }
            entry
        });
        index.apply(batch(put.collect(), part as u64 + 1)).unwrap();
    }
    let by = |field: Option<SearchField>, descending| {
        vec![HitSort { by: field.map_or(SortBy::Score, SortBy::Field), descending, mode: None, filter: None }]
    };
    let sorts = [Vec::new(), by(None, false), by(Some(name()), false), by(Some(name()), true)];
    for sort in sorts {
        for query in [None, Some(says("shoe")), Some(SearchQuery::Not(vec![is(category(), "none")]))] {
            let page = |offset, limit| {
                let request = IndexRequest {
                    query: query.clone(),
                    sort: sort.clone(),
                    offset,
                    limit,
                    ..IndexRequest::default()
                };
                index.search(&request).unwrap()
            };
            let whole = page(0, 100);
            assert!(whole.total > 10 && whole.hits.len() as u64 == whole.total);
            for offset in 0..=whole.hits.len() {
                let expected: Vec<&str> = ids(&whole.hits).into_iter().skip(offset).take(3).collect();
                assert_eq!(ids(&page(offset, 3).hits), expected, "{query:?} {sort:?} {offset}");
            }
        }
    }
}

/// A page is read from the order by price once it is cached: all hits with the price of the last one are
/// ordered by the next criterion.
#[test]
fn sorts_ties_of_a_cached_order_by_the_next_criterion() {
    let index = EmbeddedIndex::in_memory().unwrap();
    let amount = |number: i64| number % 4 * 100;
    let entry = |number: i64| {
        let prices = vec![price(amount(number), "DE"), price(900 - number, "FR")];
        let of_category = format!("c{:02}", number * 7 % 40);
        product(&format!("p{number:02}"), "Hat", &of_category, vec![variant("1", "red", prices)])
    };
    index.apply(batch((0..40).map(entry).collect(), 1)).unwrap();
    let gone = IndexBatch { delete: vec!["p04".into(), "p13".into()], ..batch(Vec::new(), 2) };
    index.apply(gone).unwrap();

    let mut expected: Vec<i64> = (0..40).filter(|number| ![4, 13].contains(number)).collect();
    expected.sort_by_key(|number| (amount(*number), -(number * 7 % 40)));
    let expected: Vec<String> = expected.into_iter().map(|number| format!("p{number:02}")).collect();
    let by = |field, descending, filter| HitSort { by: SortBy::Field(field), descending, mode: None, filter };
    for offset in 0..expected.len() {
        // Prices in Germany; the repeated request is cached.
        let query = SearchQuery::And(vec![is(country(), "DE"), below(1_000)]);
        let sort = vec![by(cents(), false, Some(is(country(), "DE"))), by(category(), true, None)];
        let request = IndexRequest { query: Some(query), sort, offset, limit: 2, ..IndexRequest::default() };
        let response = index.search(&request).unwrap();
        assert_eq!(response.total, 38);
        let page: Vec<&str> = expected.iter().skip(offset).take(2).map(String::as_str).collect();
        assert_eq!(ids(&response.hits), page, "{offset}");
    }
}

/// Without a query, all entries match with the same score.
#[test]
fn matches_everything_without_a_query() {
    let hits = index().search(&IndexRequest { limit: 20, ..IndexRequest::default() }).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.score).collect::<Vec<_>>(), [1.0, 1.0, 1.0]);
}

#[test]
fn repeated_requests_count_prices_once() {
    let stock = || field("variants.stock", None, FieldLevel::Child, FieldKind::Long);
    let products = (0..100).map(|number| {
        let mut only = variant("1", "red", vec![price(100, "DE"), price(200, "FR")]);
        only.values.push(NodeValue { field: stock(), value: SearchValue::Long(number) });
        product(&format!("p{number}"), "shoe", &format!("c{number}"), vec![only])
    });
    let index = EmbeddedIndex::in_memory().unwrap();
    index.apply(batch(products.collect(), 1)).unwrap();
    let on_stock = leaf(stock(), LeafTest::Range((Bound::Included(SearchValue::Long(1)), Bound::Unbounded)));
    let facet = Facet {
        name: "facet".into(),
        scope: FacetScope::Query,
        filter: Some(on_stock),
        counted: CountedNodes::Entries,
        holds_days: false,
        kind: FacetKind::Stats { field: cents() },
    };
    let request = IndexRequest { facets: vec![facet], ..ask(is(category(), "c7")) };
    // Repeated requests use the cache of the first one.
    for requested in 0..3 {
        let response = index.search(&request).unwrap();
        let FacetResult::Stats(stats) = &response.facets[0].result else { panic!("{response:?}") };
        assert_eq!((stats.count, stats.sum), (2, Some(300.0)), "{requested}");
    }
}
