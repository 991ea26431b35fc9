//! Evaluation of conditions on documents.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.

use kontor_json::{Value as EvaluableJson, json};
use kontor_query::{
    Condition, ConditionValue, ExactNumber, GeoCircle, Range, ValueCheck, evaluate, evaluate_change,
    evaluate_value,
};
use proptest::prelude::*;

/// Evaluates over raw bytes and over the parsed document, and asserts that both agree.
fn holds(condition: &Condition, document: &EvaluableJson) -> bool {
    let raw = evaluate(condition, document.to_string().as_bytes());
    assert_eq!(raw, evaluate_value(condition, document), "{condition:?} on {document}");
    let pretty = kontor_json::to_vec_pretty(document).unwrap();
    assert_eq!(raw, evaluate(condition, &pretty), "{condition:?} on pretty {document}");
    raw
}

fn equals(value: impl Into<EvaluableJson>) -> ValueCheck {
    ValueCheck::Equals(match value.into() {
        EvaluableJson::String(text) => ConditionValue::text(&text),
        EvaluableJson::Bool(boolean) => ConditionValue::Boolean(boolean),
        EvaluableJson::Number(number) => {
            ConditionValue::Number(ExactNumber::parse(&number.to_string()).unwrap())
        }
        other => panic!("{other}"),
    })
}

#[test]
fn a_check_of_something_missing_is_false_and_its_negation_true() {
    let is_peter = Condition::check("name", equals("Peter"));
    assert!(holds(&is_peter, &json!({"name": "Peter"})));
    for document in [json!({}), json!({"name": null}), json!({"name": "Paul"}), json!({"name": 5})] {
        assert!(!holds(&is_peter, &document));
        assert!(holds(&Condition::not(is_peter.clone()), &document));
    }
}

#[test]
fn parentheses_need_an_object() {
    let elsewhere = Condition::not(Condition::check("city", equals("Berlin")));
    let condition = Condition::nested("address", elsewhere);
    assert!(holds(&condition, &json!({"address": {"city": "Hamburg"}})));
    assert!(holds(&condition, &json!({"address": {}})));
    assert!(!holds(&condition, &json!({"address": {"city": "Berlin"}})));
    assert!(!holds(&condition, &json!({})));
}

#[test]
fn conditions_on_a_list_must_hold_within_one_element() {
    let above =
        Condition::check("zip", ValueCheck::Range(Range::Greater, ConditionValue::Number(10_000.into())));
    let below =
        Condition::check("zip", ValueCheck::Range(Range::Less, ConditionValue::Number(20_000.into())));
    let condition = Condition::element("cities", Condition::all(vec![above, below]));
    assert!(holds(&condition, &json!({"cities": [{"zip": 1}, {"zip": 15_000}]})));
    assert!(!holds(&condition, &json!({"cities": [{"zip": 9_000}, {"zip": 25_000}]})));
    assert!(!holds(&condition, &json!({"cities": []})));
    assert!(!holds(&condition, &json!({})));
}

#[test]
fn not_defined_empty_and_not_empty_are_three_things() {
    let defined = Condition::check("roles", ValueCheck::Defined);
    let empty = Condition::check("roles", ValueCheck::Empty(true));
    let filled = Condition::check("roles", ValueCheck::Empty(false));
    let of =
        |document: EvaluableJson| [&defined, &empty, &filled].map(|condition| holds(condition, &document));
    assert_eq!(of(json!({})), [false, false, false]);
    assert_eq!(of(json!({"roles": null})), [false, false, false]);
    assert_eq!(of(json!({"roles": []})), [true, true, false]);
    assert_eq!(of(json!({"roles": ["Return"]})), [true, false, true]);
}

#[test]
fn contains_all_needs_every_value() {
    let values = |texts: &[&str]| texts.iter().map(|text| ConditionValue::text(text)).collect::<Vec<_>>();
    let all = Condition::check("tags", ValueCheck::ContainsAll(values(&["a", "b"]).into()));
    let any = Condition::check("tags", ValueCheck::any_value_of(values(&["b", "a"])));
    let of = |document: EvaluableJson| [&all, &any].map(|condition| holds(condition, &document));
    assert_eq!(of(json!({"tags": ["c", "b", "a"]})), [true, true]);
    assert_eq!(of(json!({"tags": ["a"]})), [false, true]);
    assert_eq!(of(json!({"tags": ["c"]})), [false, false]);
    assert_eq!(of(json!({})), [false, false]);
}

#[test]
fn texts_are_compared_after_their_escapes_are_read() {
    let condition = Condition::check("na\"me", equals("a\"\n😀"));
    assert!(holds(&condition, &json!({"na\"me": "a\"\n😀"})));
    let ignoring_case = Condition::check("email", ValueCheck::TextIgnoringCase("a@ä.de".into()));
    assert!(holds(&ignoring_case, &json!({"email": "A@Ä.de"})));
    assert!(!holds(&ignoring_case, &json!({"email": "b@ä.de"})));
}

#[test]
fn a_circle_is_round_and_measured_in_metres() {
    // The Brandenburg Gate; the Reichstag is some 300 m to the north.
    let within = |radius_m| {
        let circle = GeoCircle { longitude: 13.37770, latitude: 52.51627, radius_m };
        Condition::check("geoLocation", ValueCheck::WithinCircle(circle))
    };
    let reichstag = json!({"geoLocation": {"type": "Point", "coordinates": [13.3762, 52.5186]}});
    assert!(!holds(&within(250.0), &reichstag));
    assert!(holds(&within(300.0), &reichstag));
    let paris = json!({"geoLocation": {"type": "Point", "coordinates": [2.3522, 48.8566]}});
    assert!(!holds(&within(850_000.0), &paris) && holds(&within(900_000.0), &paris));
    assert!(!holds(&within(1e9), &json!({"geoLocation": {"coordinates": ["a"]}})));
    assert!(!holds(&within(1e9), &json!({})));
}

#[test]
fn has_changed_compares_with_the_document_before() {
    let changed = Condition::Changed { path: vec!["address".into(), "city".into()] };
    let berlin = json!({"address": {"city": "Berlin"}});
    let hamburg = json!({"address": {"city": "Hamburg"}});
    assert_eq!(evaluate_change(&changed, Some(&berlin), &hamburg), Ok(true));
    assert_eq!(evaluate_change(&changed, Some(&berlin), &berlin), Ok(false));
    assert_eq!(evaluate_change(&changed, Some(&berlin), &json!({})), Ok(true));
    assert_eq!(evaluate_change(&changed, None, &berlin), Ok(true));
    assert_eq!(evaluate_change(&changed, None, &json!({})), Ok(false));
}

#[test]
fn bytes_that_are_no_json_match_nothing_and_do_no_harm() {
    let condition = Condition::element("a", Condition::check("b", equals(1)));
    for bytes in
        ["", "{", r#"{"a"#, r#"{"a":["#, r#"{"a":[{"b":1"#, "null", "[]", "\u{feff}{}", r#"{"a":[{"b":"}"#]
    {
        evaluate(&condition, bytes.as_bytes());
        evaluate(&Condition::check("a", equals("\"")), bytes.as_bytes());
    }
    assert!(!evaluate(&condition, &[0xff, 0xfe]));
}

fn field() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "ä\"", ""]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = EvaluableJson> {
    prop_oneof![
        Just(EvaluableJson::Null),
        any::<bool>().prop_map(EvaluableJson::from),
        (-3i64..3).prop_map(EvaluableJson::from),
        any::<i64>().prop_map(EvaluableJson::from),
        prop::sample::select(vec![-1.0, -0.5, 0.5, 1.0, 2.5, 1e300]).prop_map(EvaluableJson::from),
        "[abA\\\\\"ä\n]{0,2}".prop_map(EvaluableJson::from),
    ]
}

fn document() -> impl Strategy<Value = EvaluableJson> {
    scalar().prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(EvaluableJson::from),
            prop::collection::btree_map(field(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn value() -> impl Strategy<Value = ConditionValue> {
    scalar().prop_filter_map("a value", |scalar| match scalar {
        EvaluableJson::Bool(boolean) => Some(ConditionValue::Boolean(boolean)),
        EvaluableJson::Number(number) => ExactNumber::parse(&number.to_string()).map(ConditionValue::Number),
        EvaluableJson::String(text) => Some(ConditionValue::text(&text)),
        _ => None,
    })
}

fn check() -> impl Strategy<Value = ValueCheck> {
    let range =
        prop::sample::select(vec![Range::Less, Range::LessOrEqual, Range::Greater, Range::GreaterOrEqual]);
    prop_oneof![
        value().prop_map(ValueCheck::Equals),
        prop::collection::vec(value(), 0..4).prop_map(ValueCheck::any_value_of),
        (range, value()).prop_map(|(range, value)| ValueCheck::Range(range, value)),
        "[ab]{0,2}".prop_map(|text| ValueCheck::TextIgnoringCase(text.into())),
        Just(ValueCheck::Defined),
        any::<bool>().prop_map(ValueCheck::Empty),
        prop::collection::vec(value(), 1..3).prop_map(|values| ValueCheck::ContainsAll(values.into())),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    let path = || prop::collection::vec(field().prop_map(String::into_boxed_str), 0..3);
    let leaf = (path(), check()).prop_map(|(path, check)| Condition::Check { path, check });
    leaf.prop_recursive(4, 20, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Condition::all),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Condition::any),
            inner.clone().prop_map(Condition::not),
            (path(), inner.clone())
                .prop_map(|(path, inner)| Condition::Nested { path, condition: Box::new(inner) }),
            (path(), inner).prop_map(|(path, inner)| Condition::Element { path, condition: Box::new(inner) }),
        ]
    })
}

proptest! {
    #[test]
    fn raw_bytes_and_parsed_documents_evaluate_equally(condition in condition(), document in document()) {
        holds(&condition, &document);
    }

    #[test]
    fn no_bytes_make_evaluation_panic(condition in condition(), text in r#"[{}\[\]:,"\\abu0-9.eä -]{0,40}"#) {
        evaluate(&condition, text.as_bytes());
    }

    #[test]
    fn a_document_that_breaks_off_does_no_harm(condition in condition(), document in document(), cut in 0.0..1.0) {
        let bytes = document.to_string().into_bytes();
        evaluate(&condition, &bytes[..(bytes.len() as f64 * cut) as usize]);
    }

    #[test]
    fn joining_paths_changes_no_result(inner in condition(), document in document()) {
        let joined = Condition::nested("a", inner.clone());
        let plain = Condition::Nested { path: vec!["a".into()], condition: Box::new(inner) };
        prop_assert_eq!(holds(&joined, &document), holds(&plain, &document));
    }
}
