use super::*;
use crate::test_fields::TestFields;
use crate::{BucketOrder, CountedNodes, FacetKind, FacetScope, SearchValue, SortBy, SortMode};
use kontor_errors::Code;
use kontor_json::{Value as Json, json};

const PRODUCTS: SearchShape<'_> =
    SearchShape::Storefront { entries: "products", children: "variants", mark: "markMatchingVariants" };
const UNITS: SearchShape<'_> = SearchShape::BackOffice;

fn read_as(body: &Json, shape: SearchShape<'_>) -> ApiResult<IndexRequest> {
    read(body.as_object().unwrap(), shape, &RequestSpelling::default(), &TestFields::new())
}

fn request(body: Json) -> IndexRequest {
    read_as(&body, PRODUCTS).unwrap_or_else(|error| panic!("{body}: {}", error.body()))
}

#[track_caller]
fn refused_as(body: Json, shape: SearchShape<'_>, code: Code, words: &[&str]) {
    let Err(error) = read_as(&body, shape) else { panic!("{body} was read") };
    let message = error.body()["errors"][0].to_string();
    assert_eq!(error.code(), code, "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message}");
    }
}

#[track_caller]
fn assert_refused(body: Json, words: &[&str]) {
    refused_as(body, PRODUCTS, Code::InvalidInput, words);
}

#[track_caller]
fn malformed(body: Json, words: &[&str]) {
    refused_as(body, PRODUCTS, Code::InvalidJsonInput, words);
}

#[test]
fn an_empty_request_returns_the_first_twenty() {
    let request = request(json!({}));
    assert_eq!((request.offset, request.limit, request.mark_matching), (0, 20, false));
    assert!(request.query.is_none() && request.sort.is_empty() && request.facets.is_empty());
}

#[test]
fn the_window_ends_at_ten_thousand() {
    for (offset, limit) in [(9_900, 100), (9_990, 10), (10_000, 0)] {
        let request = request(json!({"offset": offset, "limit": limit}));
        assert_eq!((request.offset, request.limit), (offset, limit));
    }
    for body in [
        json!({"offset": 9_990}),
        json!({"offset": 9_901, "limit": 100}),
        json!({"offset": 10_001, "limit": 0}),
        json!({"offset": i64::MAX}),
    ] {
        assert_refused(body, &["cannot fetch more than the first 10000 results"]);
    }
}

#[test]
fn limits_are_those_of_the_kind() {
    assert_refused(json!({"limit": 101}), &["limit", "from 0 to 100", "101"]);
    assert_refused(json!({"offset": -1}), &["offset", "-1"]);
    malformed(json!({"limit": "ten"}), &["limit", "a whole number", "ten"]);
    refused_as(json!({"limit": 0}), UNITS, Code::InvalidInput, &["limit", "from 1 to 100"]);
    refused_as(
        json!({"offset": 9_901, "limit": 1}),
        UNITS,
        Code::InvalidInput,
        &["offset", "from 0 to 9900"],
    );
}

#[test]
fn hits_requests_need_a_query_and_have_shorter_pages() {
    let query = json!({"exists": {"field": "key"}});
    let body = json!({"query": query, "sort": [{"field": "key"}]});
    let request = read_as(&body, SearchShape::Hits).unwrap();
    assert_eq!((request.limit, request.offset, request.sort[0].descending), (10, 0, false));
    let request = read_as(&json!({"query": query, "limit": 0, "offset": 10_000}), SearchShape::Hits).unwrap();
    assert_eq!((request.limit, request.offset), (0, 10_000));
    refused_as(json!({"limit": 5}), SearchShape::Hits, Code::InvalidJsonInput, &["query", "required"]);
    let far = json!({"query": query, "offset": 10_001});
    refused_as(far, SearchShape::Hits, Code::InvalidInput, &["offset", "from 0 to 10000"]);
}

#[test]
fn ignores_properties_of_other_shapes() {
    let body = json!({"facets": 5, "postFilter": 5, "markMatchingVariants": 5});
    assert_eq!(read_as(&body, UNITS), read_as(&json!({}), UNITS));
}

#[test]
fn sorts() {
    let request = request(json!({"sort": [
        {"field": "score", "order": "desc"},
        {"field": "name", "language": "en", "order": "asc"},
        {"field": "variants.prices.centAmount", "order": "asc", "mode": "min",
         "filter": {"and": [{"exact": {"field": "variants.prices.currencyCode", "value": "EUR"}},
                            {"exact": {"field": "variants.sku", "value": "a"}}]}},
    ]}));
    let [score, name, price] = request.sort.as_slice() else { panic!() };
    assert_eq!((&score.by, score.descending), (&SortBy::Score, true));
    assert!(matches!(&name.by, SortBy::Field(field) if field.language.as_deref() == Some("en")));
    assert_eq!(price.mode, Some(SortMode::Min));
    assert!(price.filter.is_some());
}

#[test]
fn bad_sorts() {
    malformed(json!({"sort": {}}), &["sort", "expected a list"]);
    malformed(json!({"sort": [{"field": "key"}]}), &["sort[0].order", "required"]);
    malformed(json!({"sort": [{"field": "key", "order": "up"}]}), &["sort[0].order", "one of asc, desc"]);
    assert_refused(json!({"sort": [{"field": "kee", "order": "asc"}]}), &["sort[0].field", "kee"]);
    assert_refused(
        json!({"sort": [{"field": "name", "order": "asc"}]}),
        &["sort[0]", "language is required"],
    );
    assert_refused(
        json!({"sort": [{"field": "key", "order": "asc", "mode": "avg"}]}),
        &["sort[0].mode", "numbers"],
    );
    let store = json!({"exact": {"field": "stores", "value": "s"}});
    let words = ["sort[0].filter", "context level"];
    assert_refused(json!({"sort": [{"field": "key", "order": "asc", "filter": store}]}), &words);
    assert_refused(
        json!({"sort": [{"field": "key", "order": "asc", "filter": {"and": [store, {"exists": {"field": "key"}}]}}]}),
        &words,
    );
    assert_refused(
        json!({"sort": [{"field": "stores", "order": "asc", "filter": {"exists": {"field": "key"}}}]}),
        &words,
    );
}

#[test]
fn facets() {
    let request = request(json!({"facets": [
        {"count": {"name": "n", "level": "variants"}},
        {"distinct": {"name": "colors", "scope": "all", "field": "variants.attributes.color", "fieldType": "text",
            "level": "variants", "filter": {"exists": {"field": "key"}}, "includes": ["red"],
            "sort": {"by": "key", "order": "asc"}, "limit": 200, "missing": "none"}},
        {"ranges": {"name": "prices", "field": "variants.prices.centAmount", "count": "products",
            "ranges": [{"to": 100}, {"from": 100, "to": 200.5}, {"from": 201, "key": "dear"}, {}]}},
        {"ranges": {"name": "dates", "field": "createdAt", "ranges": [{"from": "2024-01-01T00:00:00.000Z"}]}},
        {"stats": {"name": "s", "field": "rating"}},
    ]}));
    let [count, distinct, ranges, dates, stats] = request.facets.as_slice() else { panic!() };
    assert_eq!(
        (count.counted, count.scope, &count.kind),
        (CountedNodes::Children, FacetScope::Query, &FacetKind::Count)
    );
    assert_eq!((distinct.counted, distinct.scope), (CountedNodes::Children, FacetScope::All));
    assert!(distinct.filter.is_some());
    let FacetKind::Distinct { includes, order, descending, limit, missing, .. } = &distinct.kind else {
        panic!()
    };
    assert_eq!(includes.as_deref(), Some(["red".to_owned()].as_slice()));
    assert_eq!(
        (*order, *descending, *limit, missing.as_deref()),
        (BucketOrder::Key, false, 200, Some("none"))
    );
    let FacetKind::Ranges { ranges, .. } = &ranges.kind else { panic!() };
    let keys: Vec<_> = ranges.iter().map(|range| range.key.as_str()).collect();
    assert_eq!(keys, ["*-100", "100-200.5", "dear", "*-*"]);
    assert_eq!(ranges[1].to, Some(SearchValue::Long(201)));
    let FacetKind::Ranges { ranges, .. } = &dates.kind else { panic!() };
    assert_eq!(ranges[0].key, "2024-01-01T00:00:00.000Z-*");
    assert!(matches!(stats.kind, FacetKind::Stats { .. }));
}

#[test]
fn a_distinct_facet_shows_the_ten_fullest_buckets() {
    let request = request(json!({"facets": [{"distinct": {"name": "n", "field": "key"}}]}));
    let FacetKind::Distinct { order, descending, limit, .. } = &request.facets[0].kind else { panic!() };
    assert_eq!((*order, *descending, *limit), (BucketOrder::Count, true, 10));
}

#[test]
fn bad_facets() {
    let facet = |facet: Json| json!({"facets": [facet]});
    malformed(facet(json!({})), &["facets[0]", "count, distinct, ranges, stats"]);
    malformed(facet(json!({"histogram": {}})), &["facets[0].histogram", "unknown facet"]);
    malformed(facet(json!({"count": {}})), &["facets[0].count.name", "required"]);
    malformed(
        facet(json!({"count": {"name": "n", "scope": "some"}})),
        &["facets[0].count.scope", "query, all"],
    );
    malformed(facet(json!({"count": {"name": "n", "level": "prices"}})), &["products, variants"]);
    malformed(
        facet(json!({"ranges": {"name": "n", "field": "rating"}})),
        &["facets[0].ranges.ranges", "required"],
    );
    assert_refused(
        facet(json!({"distinct": {"name": "n", "field": "key", "limit": 201}})),
        &["limit", "from 0 to 200"],
    );
    assert_refused(
        facet(json!({"distinct": {"name": "n", "field": "key", "level": "products", "count": "variants"}})),
        &["level and count"],
    );
    assert_refused(
        facet(json!({"distinct": {"name": "n", "field": "variants.attributes.color"}})),
        &["fieldType"],
    );
    assert_refused(
        facet(
            json!({"distinct": {"name": "n", "field": "key", "filter": {"exact": {"field": "x", "value": 1}}}}),
        ),
        &["facets[0].distinct.filter.exact.field"],
    );
    assert_refused(
        facet(json!({"stats": {"name": "n", "field": "key"}})),
        &["facets[0].stats.field", "numbers"],
    );
    assert_refused(
        facet(json!({"ranges": {"name": "n", "field": "rating", "ranges": [{"from": 2, "to": 1}]}})),
        &["ranges[0]", "beyond"],
    );
    assert_refused(
        facet(json!({"ranges": {"name": "n", "field": "rating", "ranges": vec![json!({}); 1001]}})),
        &["at most 1000"],
    );
    assert_refused(json!({"facets": vec![json!({"count": {"name": "n"}}); 101]}), &["at most 100 facets"]);
}

#[test]
fn facets_know_that_their_field_holds_days() {
    let of = |field_type: &str| {
        let facet = json!({"name": "f", "field": "variants.attributes.opens", "fieldType": field_type});
        request(json!({"facets": [{"distinct": facet}]})).facets[0].holds_days
    };
    assert!(!of("time"));
    let day = json!({"name": "f", "field": "createdAt", "fieldType": "date"});
    assert!(request(json!({"facets": [{"stats": day}]})).facets[0].holds_days);
}

#[test]
fn accepts_the_spelling_of_graphql() {
    let spelling = RequestSpelling { range_kinds: &["long", "date"], count_scope: FacetScope::All };
    let read = |sent: Json| read(sent.as_object().unwrap(), PRODUCTS, &spelling, &TestFields::new());
    let sent = json!({"limit": null, "query": {"and": [
        {"range": {"long": {"field": "variants.stock", "gte": 1, "lt": null}, "date": null}, "exact": null}]}});
    let plain = json!({"query": {"and": [{"range": {"field": "variants.stock", "gte": 1}}]}});
    assert_eq!(read(sent).unwrap(), request(plain));
    let sent = json!({"facets": [
        {"ranges": {"name": "r", "field": "variants.stock", "ranges": {"long": [{"from": 1}]}}}, {"count": {"name": "c"}}]});
    let plain = json!({"facets": [
        {"ranges": {"name": "r", "field": "variants.stock", "ranges": [{"from": 1}]}}, {"count": {"name": "c", "scope": "all"}}]});
    assert_eq!(read(sent).unwrap(), request(plain));
    for range in [json!({}), json!({"long": {}, "date": {}}), json!({"float": {}})] {
        let refused = read(json!({"query": {"range": range}})).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidInput);
    }
}
