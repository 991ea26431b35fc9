use super::*;
use crate::test_fields::TestFields;
use crate::{Leaf, LeafTest, SearchValue};
use kontor_errors::Code;
use kontor_json::json;
use proptest::prelude::*;
use std::ops::Bound;

fn query(json: Json) -> ApiResult<SearchQuery> {
    read_query(&json, "query", &TestFields::new(), &RequestSpelling::default())
}

fn test_of(json: Json) -> LeafTest {
    match query(json) {
        Ok(SearchQuery::Leaf(Leaf { test, .. })) => test,
        other => panic!("no leaf: {other:?}"),
    }
}

/// Returns the code and the message of the error for a query.
fn refusal(json: Json) -> (Code, String) {
    match query(json.clone()) {
        Ok(query) => panic!("{json} was read: {query:?}"),
        Err(error) => (error.code(), error.body()["errors"][0].to_string()),
    }
}

#[track_caller]
fn assert_refused(json: Json, code: Code, words: &[&str]) {
    let (found, message) = refusal(json);
    assert_eq!(found, code, "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message}");
    }
}

fn category(id: &str) -> Json {
    json!({"exact": {"field": "categories", "value": id}})
}

fn store() -> Json {
    json!({"exact": {"field": "stores", "value": "s"}})
}

fn currency() -> Json {
    json!({"exact": {"field": "variants.prices.currencyCode", "value": "EUR"}})
}

#[test]
fn every_simple_expression() {
    assert_eq!(
        test_of(json!({"exact": {"field": "key", "value": "a", "caseInsensitive": true}})),
        LeafTest::Exact { values: vec![SearchValue::Text("a".into())], case_insensitive: true }
    );
    assert_eq!(
        test_of(json!({"exact": {"field": "variants.id", "values": [1, "2"]}})),
        LeafTest::Exact {
            values: vec![SearchValue::Text("1".into()), SearchValue::Text("2".into())],
            case_insensitive: false
        }
    );
    assert_eq!(
        test_of(json!({"exact": {"field": "variants.isOnStock", "value": true}})),
        LeafTest::Exact { values: vec![SearchValue::Boolean(true)], case_insensitive: false }
    );
    assert_eq!(test_of(json!({"exists": {"field": "key"}})), LeafTest::Exists);
    assert_eq!(
        test_of(json!({"fullText": {"field": "name", "language": "en", "value": "shoe"}})),
        LeafTest::FullText { text: "shoe".into(), all: true }
    );
    assert_eq!(
        test_of(
            json!({"fullTextPrefix": {"field": "name", "language": "de-DE", "value": "sch", "mustMatch": "any"}})
        ),
        LeafTest::FullTextPrefix { text: "sch".into(), all: false }
    );
    assert_eq!(
        test_of(
            json!({"fuzzy": {"field": "variants.attributes.color", "fieldType": "text", "value": "rde", "level": 2}})
        ),
        LeafTest::Fuzzy { text: "rde".into(), level: 2, all: true }
    );
    assert_eq!(
        test_of(json!({"prefix": {"field": "key", "value": "a"}})),
        LeafTest::Prefix { text: "a".into(), case_insensitive: false }
    );
    assert_eq!(
        test_of(json!({"wildcard": {"field": "key", "value": "a*", "caseInsensitive": true}})),
        LeafTest::Wildcard { pattern: "a*".into(), case_insensitive: true }
    );
}

#[test]
fn ranges_are_read_by_the_kind_of_the_field() {
    let range = |mut body: Json, field: &str| {
        body["field"] = json!(field);
        test_of(json!({"range": body}))
    };
    let long = |value| SearchValue::Long(value);
    assert_eq!(
        range(json!({"gte": 1, "lt": 5.0}), "variants.stock"),
        LeafTest::Range((Bound::Included(long(1)), Bound::Excluded(long(5))))
    );
    assert_eq!(
        range(json!({"gt": 1.5, "lte": 4.5}), "variants.stock"),
        LeafTest::Range((Bound::Included(long(2)), Bound::Included(long(4))))
    );
    assert_eq!(
        range(json!({"gt": 1.5}), "rating"),
        LeafTest::Range((Bound::Excluded(SearchValue::Double(1.5)), Bound::Unbounded))
    );
    assert_eq!(
        range(json!({"gte": "2024-01-31", "lte": "2024-01-31T01:00:00+01:00"}), "createdAt"),
        LeafTest::Range((
            Bound::Included(SearchValue::Time(1_706_659_200_000)),
            Bound::Included(SearchValue::Time(1_706_659_200_000))
        ))
    );
    let opens =
        json!({"range": {"field": "variants.attributes.opens", "fieldType": "time", "lt": "9:30:00"}});
    assert!(query(opens).is_err());
    let opens = json!({"range": {"field": "variants.attributes.opens", "fieldType": "time", "lt": "09:30"}});
    assert_eq!(
        test_of(opens),
        LeafTest::Range((Bound::Unbounded, Bound::Excluded(SearchValue::Text("09:30:00.000".into()))))
    );
}

#[test]
fn a_range_without_room_finds_nothing() {
    for body in [json!({"gt": 5, "lt": 4}), json!({"gte": 5, "lt": 5}), json!({"gt": 5, "lte": 5})] {
        let mut body = body;
        body["field"] = json!("variants.stock");
        assert_eq!(test_of(json!({"range": body})), LeafTest::Never);
    }
}

#[test]
fn a_language_of_another_project_finds_nothing() {
    assert_eq!(test_of(json!({"exact": {"field": "name", "language": "fr", "value": "a"}})), LeafTest::Never);
    assert_eq!(test_of(json!({"exists": {"field": "name", "language": "de"}})), LeafTest::Never);
}

#[test]
fn a_localized_field_exists_in_any_language() {
    let Ok(SearchQuery::Or(parts)) = query(json!({"exists": {"field": "name"}})) else { panic!() };
    assert_eq!(parts.len(), 2);
}

#[test]
fn bad_shapes_are_bad_json() {
    let bad = Code::InvalidJsonInput;
    assert_refused(json!([]), bad, &["query", "expected an object"]);
    assert_refused(json!({}), bad, &["query", "expected an expression with one of and, or"]);
    assert_refused(json!({"and": [], "or": []}), bad, &["query", "expected an expression"]);
    assert_refused(json!({"and": [{"like": {}}]}), bad, &["query.and[0].like", "unknown expression"]);
    assert_refused(json!({"and": {}}), bad, &["query.and", "expected a list"]);
    assert_refused(json!({"exact": {"value": "a"}}), bad, &["query.exact.field", "a value is required"]);
    assert_refused(json!({"exact": {"field": "key"}}), bad, &["query.exact.value", "a value is required"]);
    assert_refused(
        json!({"exact": {"field": 5, "value": "a"}}),
        bad,
        &["query.exact.field", "expected a string"],
    );
    assert_refused(json!({"range": {"field": "rating"}}), bad, &["query.range", "gte, gt, lte, lt"]);
    assert_refused(json!({"fuzzy": {"field": "all", "value": "a"}}), bad, &["query.fuzzy.level"]);
    assert_refused(
        json!({"prefix": {"field": "key", "value": "a", "caseInsensitive": 1}}),
        bad,
        &["caseInsensitive"],
    );
    assert_refused(
        json!({"fullText": {"field": "all", "value": "a", "mustMatch": "some"}}),
        bad,
        &["query.fullText.mustMatch", "one of all, any", "some"],
    );
    assert_refused(
        json!({"exact": {"field": "variants.attributes.color", "fieldType": "colour", "value": "a"}}),
        bad,
        &["query.exact.fieldType", "colour", "set_text"],
    );
}

#[test]
fn rejects_impossible_queries_as_invalid_input() {
    let bad = Code::InvalidInput;
    assert_refused(
        json!({"exact": {"field": "nome", "value": "a"}}),
        bad,
        &["query.exact.field", "nome", "unknown"],
    );
    assert_refused(
        json!({"exact": {"field": "name", "value": "a"}}),
        bad,
        &["query.exact", "language is required", "en, de-DE"],
    );
    let color = "variants.attributes.color";
    assert_refused(
        json!({"exact": {"field": color, "value": "a"}}),
        bad,
        &["query.exact.fieldType", color, "required"],
    );
    assert_refused(
        json!({"exact": {"field": color, "fieldType": "number", "value": 1}}),
        bad,
        &["query.exact.fieldType", "not of the type number", "expected text"],
    );
    assert_refused(
        json!({"exact": {"field": "variants.stock", "value": "many"}}),
        bad,
        &["query.exact.value", "a whole number", "many"],
    );
    assert_refused(json!({"exact": {"field": "variants.stock", "value": 1.5}}), bad, &["a whole number"]);
    assert_refused(
        json!({"exact": {"field": "variants.isOnStock", "value": "true"}}),
        bad,
        &["true or false"],
    );
    assert_refused(json!({"exact": {"field": "createdAt", "value": "yesterday"}}), bad, &["a date"]);
    assert_refused(json!({"exact": {"field": "key", "value": {}}}), bad, &["a string"]);
    assert_refused(
        json!({"exact": {"field": "key", "value": "a", "values": ["a"]}}),
        bad,
        &["exclude each other"],
    );
    assert_refused(json!({"exact": {"field": "key", "values": []}}), bad, &["query.exact.values"]);
    assert_refused(
        json!({"range": {"field": "rating", "gt": 1, "gte": 1}}),
        bad,
        &["gte and gt exclude each other"],
    );
    assert_refused(
        json!({"range": {"field": "key", "gt": "a"}}),
        bad,
        &["cannot be used in range", "exact, prefix, wildcard, exists"],
    );
    assert_refused(json!({"fullText": {"field": "key", "value": "a"}}), bad, &["cannot be used in fullText"]);
    assert_refused(json!({"wildcard": {"field": "all", "value": "a"}}), bad, &["cannot be used in wildcard"]);
    assert_refused(
        json!({"fuzzy": {"field": "all", "value": "a", "level": 3}}),
        bad,
        &["query.fuzzy.level", "0, 1 or 2"],
    );
    assert_refused(
        json!({"exact": {"field": "key", "value": "a", "boost": -1}}),
        bad,
        &["query.exact.boost"],
    );
}

#[test]
fn at_most_50_expressions_count() {
    let many = |count: usize| json!({"and": vec![category("c"); count]});
    assert!(query(many(49)).is_ok());
    assert_refused(many(50), Code::InvalidInput, &["query.and[49]", "at most 50 expressions"]);
    let mut deep = category("c");
    for _ in 0..49 {
        deep = json!({"not": [deep]});
    }
    assert!(query(deep.clone()).is_ok());
    assert_refused(json!({"or": [deep]}), Code::InvalidInput, &["at most 50 expressions"]);
}

#[test]
fn a_value_has_at_most_256_characters() {
    assert!(query(category(&"ä".repeat(256))).is_ok());
    assert_refused(
        category(&"ä".repeat(257)),
        Code::InvalidInput,
        &["query.exact.value", "256 characters", "257"],
    );
    assert_refused(
        json!({"wildcard": {"field": "key", "value": "*".repeat(5000)}}),
        Code::InvalidInput,
        &["query.wildcard.value"],
    );
}

#[test]
fn levels_rules_1_and_2_simple_expressions_go_together() {
    assert!(query(json!({"and": [category("a"), category("b")]})).is_ok());
    // The combination that the documentation recommends.
    let selection = json!({"exact": {"field": "productSelections", "value": "p"}});
    assert!(query(json!({"and": [store(), selection, category("a"), currency()]})).is_ok());
    assert!(query(json!({"or": [store(), category("a"), currency()]})).is_ok());
}

#[test]
fn levels_rules_3_and_4_a_single_level_may_be_as_low_or_lower() {
    let multi = json!({"or": [category("a"), currency()]});
    assert!(query(json!({"and": [multi, category("b")]})).is_ok());
    assert!(query(json!({"and": [multi, store()]})).is_ok());
    let single = json!({"or": [category("a"), category("b")]});
    assert!(query(json!({"and": [multi, single]})).is_ok());
}

#[test]
fn levels_rules_5_and_6_a_higher_single_level_is_refused() {
    let multi = json!({"or": [category("a"), currency()]});
    let words = [
        "query.and: ",
        "query.and[0]",
        "query.and[2]",
        "several levels",
        "price",
        "currencyCode",
        "categories",
    ];
    assert_refused(json!({"and": [multi, category("b"), currency()]}), Code::InvalidInput, &words);
    let multi = json!({"and": [store(), category("a")]});
    assert_refused(
        json!({"or": [multi, category("b")]}),
        Code::InvalidInput,
        &["query.or[0]", "query.or[1]", "context"],
    );
}

#[test]
fn levels_rule_7_two_multi_levels_are_refused() {
    let multi = json!({"or": [category("a"), currency()]});
    let words = ["query.not[0].and: ", "query.not[0].and[0]", "query.not[0].and[1]"];
    assert_refused(json!({"not": [{"and": [multi, multi]}]}), Code::InvalidInput, &words);
}

fn any_json() -> impl Strategy<Value = Json> {
    let word = prop_oneof![
        Just("and"),
        Just("or"),
        Just("not"),
        Just("filter"),
        Just("exact"),
        Just("exists"),
        Just("fullText"),
        Just("fuzzy"),
        Just("range"),
        Just("wildcard"),
        Just("field"),
        Just("value"),
        Just("values"),
        Just("gte"),
        Just("lt"),
        Just("level"),
        Just("language"),
        Just("boost"),
        Just("fieldType"),
        Just("mustMatch"),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        prop_oneof![
            Just("key"),
            Just("name"),
            Just("en"),
            Just("createdAt"),
            Just("rating"),
            Just("variants.stock"),
            Just("text"),
            Just("variants.prices.centAmount"),
            Just("variants.attributes.opens"),
            Just("time"),
            Just("-009999-01-01"),
            Just("9999-12-31T23:59:59.999999999-25:00"),
            Just("24:00:00"),
        ]
        .prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 80, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            proptest::collection::vec((word.clone(), inner), 0..5).prop_map(|members| Json::Object(
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_json_makes_it_panic(json in any_json()) {
        if let Err(error) = query(json.clone()) {
            prop_assert_eq!(error.status(), 400);
        }
        let shape = crate::SearchShape::Storefront { entries: "products", children: "variants", mark: "mark" };
        let body = json!({"query": json, "sort": [json], "facets": [{"distinct": json}, {"ranges": json}]});
        for sent in [&json, &body] {
            let Some(sent) = sent.as_object() else { continue };
            let _ = crate::read(sent, shape, &RequestSpelling::default(), &TestFields::new());
            let spelling = RequestSpelling { range_kinds: &["long"], ..RequestSpelling::default() };
            let _ = crate::read(sent, shape, &spelling, &TestFields::new());
        }
    }
}
