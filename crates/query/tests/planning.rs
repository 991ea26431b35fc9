//! The index chosen for each predicate, and that its result equals that of a scan.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test fails by panicking.

mod shop_model;

use kontor_json::{Value as EvaluableJson, json};
use kontor_model::PairIndex;
use kontor_query::{
    AccessPath, Condition, ConditionValue, ExactNumber, IndexLookup, IndexedPaths, InputVariables, NameScope,
    QueryPlan, any_value_row, bind_all, evaluate_value, pair_row, plan,
};
use proptest::prelude::*;
use shop_model::{model, shelf};
use std::ops::Bound;

/// The lists of name-value pairs with index rows.
fn pairs() -> Vec<PairIndex> {
    let fields = Some(("name".to_owned(), "value".to_owned()));
    ["masterVariant", "variants"]
        .map(|list| PairIndex {
            path: vec![list.to_owned(), "attributes".to_owned()],
            rows: "Attribute".to_owned(),
            fields: fields.clone(),
        })
        .to_vec()
}

fn condition(predicate: &str) -> Condition {
    let scope = NameScope::of_kind(model(), shelf(model()));
    bind_all([predicate], &scope, &InputVariables::none())
        .unwrap_or_else(|error| panic!("{predicate}: {error}"))
}

fn planned(predicate: &str) -> QueryPlan {
    plan(condition(predicate), &IndexedPaths::of_kind(model(), shelf(model())).with_pairs(&pairs()))
}

fn path(names: &str) -> Vec<Box<str>> {
    names.split('.').map(Into::into).collect()
}

fn texts(values: &[&str]) -> Vec<ConditionValue> {
    values.iter().map(|text| ConditionValue::text(text)).collect()
}

fn index(names: &str, values: &[&str]) -> AccessPath {
    AccessPath::Index { path: path(names), values: texts(values) }
}

const EVERYTHING: Condition = Condition::Constant(true);

#[test]
fn equality_on_an_indexed_path_is_looked_up_and_not_checked_again() {
    let cases = [
        (r#"id = "s1""#, AccessPath::Ids(vec!["s1".into()])),
        (r#"id in ("s2", "s1")"#, AccessPath::Ids(vec!["s1".into(), "s2".into()])),
        (
            r#"key = "a" or key = "b""#,
            AccessPath::Unique { fields: vec![path("key")], keys: vec![texts(&["a"]), texts(&["b"])] },
        ),
        (
            r#"slug(de-AT = "regal")"#,
            AccessPath::Unique { fields: vec![path("slug.de-AT")], keys: vec![texts(&["regal"])] },
        ),
        (r#"parent(id = "s0")"#, index("parent.id", &["s0"])),
        (r#"ancestors(id in ("s0", "s1"))"#, index("ancestors.id", &["s0", "s1"])),
        (r#"store(key = "main")"#, index("store.key", &["main"])),
        (r#"tags contains any ("b", "a")"#, index("tags", &["a", "b"])),
        (r#"kind = "Wide""#, index("kind", &["Wide"])),
    ];
    for (predicate, access) in cases {
        assert_eq!(planned(predicate), QueryPlan { access, filter: EVERYTHING }, "{predicate}");
    }
}

#[test]
fn leaves_unindexed_conditions_in_the_filter() {
    let cases = [
        (r#"size > 5 and kind = "Wide""#, index("kind", &["Wide"]), condition("size > 5")),
        (
            r#"kind in ("Wide", "Narrow") and tags = "a""#,
            index("tags", &["a"]),
            condition(r#"kind in ("Wide", "Narrow")"#),
        ),
        (
            r#"tags contains all ("a", "b")"#,
            index("tags", &["a"]),
            condition(r#"tags contains all ("a", "b")"#),
        ),
        (
            r#"ancestors(id = "s0" and typeId = "shelf")"#,
            index("ancestors.id", &["s0"]),
            condition(r#"ancestors(id = "s0" and typeId = "shelf")"#),
        ),
    ];
    for (predicate, access, filter) in cases {
        assert_eq!(planned(predicate), QueryPlan { access, filter }, "{predicate}");
    }
}

#[test]
fn a_value_by_its_locale_or_name_is_looked_up() {
    let row = |name, member, value: &str| pair_row(name, member, &ConditionValue::text(value));
    let cases = [
        (r#"title(de-AT = "regal")"#, "Shelf.title", row("de-AT", None, "regal")),
        (
            r#"masterVariant(attributes(name = "color" and value = "red"))"#,
            "Attribute",
            row("color", None, "red"),
        ),
        (
            r#"masterVariant(attributes(value(key = "red") and name = "color"))"#,
            "Attribute",
            row("color", Some("key"), "red"),
        ),
    ];
    for (predicate, path, row) in cases {
        let (name, _) = row.split_once('\0').unwrap();
        let rows = [&*any_value_row(name), row.as_str()];
        let expected = QueryPlan { access: index(path, &rows), filter: condition(predicate) };
        assert_eq!(planned(predicate), expected, "{predicate}");
    }
    // The name of one attribute, the value of another.
    let apart = r#"masterVariant(attributes(name = "a") and attributes(name = "b" and value = "x"))"#;
    let rows = [&*any_value_row("b"), &*row("b", None, "x")];
    assert_eq!(planned(apart).access, index("Attribute", &rows));
}

#[test]
fn looks_up_the_branches_of_an_or_in_their_indexes() {
    let any = |lookups: Vec<(&str, Vec<&str>)>| {
        let lookups = lookups
            .into_iter()
            .map(|(names, values)| IndexLookup { path: path(names), values: texts(&values) });
        AccessPath::AnyOf(lookups.collect())
    };
    let any_color = any_value_row("color");
    let red = pair_row("color", None, &ConditionValue::text("red"));
    let red_key = pair_row("color", Some("key"), &ConditionValue::text("red"));
    let cases = [
        // A condition on the variants includes the master variant.
        (r#"variants(sku = "a")"#, any(vec![("masterVariant.sku", vec!["a"]), ("variants.sku", vec!["a"])])),
        (
            r#"variants(sku = "b" or sku = "a") and kind = "Wide""#,
            any(vec![("masterVariant.sku", vec!["a", "b"]), ("variants.sku", vec!["a", "b"])]),
        ),
        (
            r#"variants(attributes(name = "color" and (value = "red" or value(key = "red"))))"#,
            // The three rows are in one index.
            index("Attribute", &[&any_color, &red, &red_key]),
        ),
    ];
    for (predicate, access) in cases {
        assert_eq!(planned(predicate), QueryPlan { access, filter: condition(predicate) }, "{predicate}");
    }
    assert_eq!(planned(r#"variants(sku = "a") or size = 5"#).access, AccessPath::Scan);
}

#[test]
fn bounds_on_a_single_value_are_looked_up_together() {
    let number = |number: f64| ConditionValue::Number(ExactNumber::from_decimal(number).unwrap());
    assert_eq!(
        planned("weight > 1 and weight <= 2.5 and weight > 0 and open = true"),
        QueryPlan {
            access: AccessPath::IndexRange {
                path: path("weight"),
                from: Bound::Excluded(number(1.0)),
                to: Bound::Included(number(2.5)),
            },
            filter: condition("open = true"),
        }
    );
    // Different tags may meet the two bounds, so only one bound can be looked up.
    assert_eq!(
        planned(r#"tags > "b" and tags < "a""#),
        QueryPlan {
            access: AccessPath::IndexRange {
                path: path("tags"),
                from: Bound::Excluded(ConditionValue::text("b")),
                to: Bound::Unbounded,
            },
            filter: condition(r#"tags < "a""#),
        }
    );
}

#[test]
fn scans_without_a_usable_index() {
    for predicate in [
        "size = 5",
        r#"kind = "Wide" or size = 5"#,
        r#"not(kind = "Wide")"#,
        r#"kind != "Wide""#,
        "kind is defined",
        r#"box(city = "Berlin")"#,
        r#"name(en = "x")"#,
    ] {
        assert_eq!(planned(predicate).access, AccessPath::Scan, "{predicate}");
        assert_eq!(planned(predicate).filter, condition(predicate));
    }
}

#[test]
fn an_index_that_holds_every_document_once_can_sort_them() {
    let paths = IndexedPaths::of_kind(model(), shelf(model()));
    assert!(paths.sorts_all(&path("createdAt")));
    for names in ["weight", "tags", "parent.id", "size"] {
        assert!(!paths.sorts_all(&path(names)), "{names}");
    }
}

/// Returns the values of a document at a path, through objects and lists: its index rows.
fn rows(document: &EvaluableJson, path: &[Box<str>]) -> Vec<ConditionValue> {
    if let EvaluableJson::Array(elements) = document {
        return elements.iter().flat_map(|element| rows(element, path)).collect();
    }
    match (path, document) {
        ([], EvaluableJson::String(text)) => vec![ConditionValue::text(text)],
        ([], EvaluableJson::Bool(boolean)) => vec![ConditionValue::Boolean(*boolean)],
        ([], EvaluableJson::Number(number)) => {
            ExactNumber::parse(&number.to_string()).map(ConditionValue::Number).into_iter().collect()
        }
        ([name, rest @ ..], EvaluableJson::Object(members)) => {
            members.get(&**name).map(|member| rows(member, rest)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Whether the rows of a path, or those of its pairs, contain one of the values.
fn found_by(path: &[Box<str>], wanted: &[ConditionValue], document: &EvaluableJson) -> bool {
    let dotted = path.join(".");
    let all = shelf(model()).pairs.iter().cloned().chain(pairs());
    let meant: Vec<PairIndex> = all.filter(|pairs| pairs.rows == dotted).collect();
    if meant.is_empty() {
        return rows(document, path).iter().any(|row| wanted.contains(row));
    }
    let mut found = meant.iter().flat_map(|pairs| {
        let path: Vec<Box<str>> = pairs.path.iter().map(|step| step.as_str().into()).collect();
        pair_rows(document, &path, pairs)
    });
    found.any(|row| wanted.contains(&ConditionValue::text(&row)))
}

/// Returns the rows of name-value pairs at a path, as the engine writes them.
fn pair_rows(document: &EvaluableJson, path: &[Box<str>], pairs: &PairIndex) -> Vec<String> {
    match (path, document, &pairs.fields) {
        (_, EvaluableJson::Array(elements), _) => {
            elements.iter().flat_map(|element| pair_rows(element, path, pairs)).collect()
        }
        ([name, rest @ ..], EvaluableJson::Object(members), _) => {
            members.get(&**name).map(|member| pair_rows(member, rest, pairs)).unwrap_or_default()
        }
        ([], EvaluableJson::Object(members), None) => {
            members.iter().flat_map(|(name, value)| value_rows(name, value)).collect()
        }
        ([], EvaluableJson::Object(members), Some((name, value))) => {
            members[name].as_str().map(|name| value_rows(name, &members[value])).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn value_rows(name: &str, value: &EvaluableJson) -> Vec<String> {
    let row = |member: Option<&str>, value: &EvaluableJson| -> Vec<String> {
        rows(value, &[]).iter().map(|value| pair_row(name, member, value)).collect()
    };
    match value {
        EvaluableJson::Array(elements) => {
            elements.iter().flat_map(|element| value_rows(name, element)).collect()
        }
        EvaluableJson::Object(members) => {
            members.iter().flat_map(|(member, value)| row(Some(member), value)).collect()
        }
        scalar => row(None, scalar),
    }
}

/// Whether storage would return `document` for `access`.
fn is_found(access: &AccessPath, document: &EvaluableJson) -> bool {
    let has = |path: &[Box<str>], wanted: &[ConditionValue]| {
        rows(document, path).iter().any(|row| wanted.contains(row))
    };
    match access {
        AccessPath::Nothing => false,
        AccessPath::Scan => true,
        AccessPath::Ids(ids) => ids.iter().any(|id| document["id"] == **id),
        AccessPath::Unique { fields, keys } => keys
            .iter()
            .any(|key| fields.iter().zip(key).all(|(path, value)| has(path, std::slice::from_ref(value)))),
        AccessPath::Index { path, values } => found_by(path, values, document),
        AccessPath::AnyOf(lookups) => {
            lookups.iter().any(|lookup| found_by(&lookup.path, &lookup.values, document))
        }
        AccessPath::IndexRange { path, from, to } => rows(document, path).iter().any(|row| {
            let shape = |bound: &Bound<ConditionValue>| match bound {
                Bound::Included(value) | Bound::Excluded(value) => row.as_scalar().compare(value).is_some(),
                Bound::Unbounded => true,
            };
            use std::ops::RangeBounds;
            shape(from) && shape(to) && (from.clone(), to.clone()).contains(row)
        }),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn document() -> impl Strategy<Value = EvaluableJson> {
    let optional = |strategy: BoxedStrategy<EvaluableJson>| prop::option::of(strategy);
    let reference = |by: &'static str| text().prop_map(move |id| json!({"typeId": "shelf", by: id})).boxed();
    let number = prop::sample::select(vec![json!(0), json!(1), json!(1.5), json!(2)]).boxed();
    let fields = (
        text(),
        optional(text().prop_map(EvaluableJson::from).boxed()),
        optional(prop::collection::btree_map(text(), text(), 0..3).prop_map(|map| json!(map)).boxed()),
        optional(number.clone()),
        optional(number),
        optional(prop::collection::vec(text(), 0..3).prop_map(EvaluableJson::from).boxed()),
        optional(reference("id")),
        optional(prop::collection::vec(reference("id"), 0..3).prop_map(EvaluableJson::from).boxed()),
        optional(variant().boxed()),
        optional(prop::collection::vec(variant(), 0..3).prop_map(EvaluableJson::from).boxed()),
        optional(prop::collection::btree_map(text(), text(), 0..3).prop_map(|map| json!(map)).boxed()),
    );
    fields.prop_map(|(id, key, slug, size, weight, tags, parent, ancestors, master, variants, title)| {
        let mut document = json!({"id": id});
        let members = [
            ("key", key),
            ("slug", slug),
            ("size", size),
            ("weight", weight),
            ("tags", tags),
            ("parent", parent),
            ("ancestors", ancestors),
            ("masterVariant", master),
            ("variants", variants),
            ("title", title),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                document[name] = value;
            }
        }
        document
    })
}

/// A variant with attributes of each shape: a text, a number, an object with members, lists of these.
fn variant() -> impl Strategy<Value = EvaluableJson> {
    let plain = || {
        prop_oneof![text().prop_map(EvaluableJson::from), prop::sample::select(vec![json!(1), json!(1.5)])]
    };
    let value = prop_oneof![
        3 => plain(),
        2 => (plain(), plain()).prop_map(|(key, label)| json!({"key": key, "label": label})),
        1 => prop::collection::vec(plain(), 0..3).prop_map(EvaluableJson::from),
        1 => prop::collection::vec(plain().prop_map(|key| json!({"key": key})), 0..3).prop_map(EvaluableJson::from),
    ];
    let attribute = (text(), value).prop_map(|(name, value)| json!({"name": name, "value": value}));
    let attributes = prop::collection::vec(attribute, 0..3);
    (text(), attributes).prop_map(|(sku, attributes)| json!({"sku": sku, "attributes": attributes}))
}

fn predicate() -> impl Strategy<Value = String> {
    let quoted = || prop::sample::select(vec![r#""a""#, r#""b""#, r#""c""#]);
    let number = || prop::sample::select(vec!["0", "1", "1.5", "2"]);
    let comparison = || prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let of_text = || {
        prop_oneof![
            (comparison(), quoted()).prop_map(|(comparison, text)| format!("{comparison} {text}")),
            (quoted(), quoted()).prop_map(|(a, b)| format!("in ({a}, {b})")),
            (quoted(), quoted()).prop_map(|(a, b)| format!("not in ({a}, {b})")),
            Just("is defined".to_owned()),
        ]
    };
    let of_list = prop_oneof![
        of_text(),
        (quoted(), quoted()).prop_map(|(a, b)| format!("contains all ({a}, {b})")),
        (quoted(), quoted()).prop_map(|(a, b)| format!("contains any ({a}, {b})")),
        Just("is empty".to_owned()),
    ];
    let variants = || prop::sample::select(vec!["masterVariant", "variants"]);
    let of_value = || {
        prop_oneof![
            of_text().prop_map(|test| format!("value {test}")),
            (comparison(), number()).prop_map(|(comparison, number)| format!("value {comparison} {number}")),
            of_text().prop_map(|test| format!("value(key {test})")),
        ]
    };
    let of_name = || {
        prop_oneof![
            3 => quoted().prop_map(|name| format!("= {name}")),
            1 => (quoted(), quoted()).prop_map(|(a, b)| format!("in ({a}, {b})")),
        ]
    };
    let of_attribute = prop_oneof![
        (of_name(), of_value()).prop_map(|(name, value)| format!("attributes(name {name} and {value})")),
        (of_name(), of_value(), of_value())
            .prop_map(|(name, one, other)| format!("attributes(name {name} and ({one} or {other}))")),
        (of_name(), of_value(), of_name(), of_value()).prop_map(|(name, value, other, other_value)| {
            format!("attributes((name {name} and {value}) or (name {other} and {other_value}))")
        }),
    ]
    .boxed();
    let leaf = prop_oneof![
        of_text().prop_map(|test| format!("id {test}")),
        of_text().prop_map(|test| format!("key {test}")),
        (text(), of_text()).prop_map(|(locale, test)| format!("slug({locale} {test})")),
        (prop::sample::select(vec!["size", "weight"]), comparison(), number())
            .prop_map(|(name, comparison, number)| format!("{name} {comparison} {number}")),
        of_list.prop_map(|test| format!("tags {test}")),
        of_text().prop_map(|test| format!("parent(id {test})")),
        (of_text(), of_text()).prop_map(|(id, kind)| format!("ancestors(id {id} and id {kind})")),
        of_text().prop_map(|test| format!("ancestors(id {test})")),
        (text(), of_text()).prop_map(|(locale, test)| format!("title({locale} {test})")),
        (variants(), of_text()).prop_map(|(place, test)| format!("{place}(sku {test})")),
        (variants(), of_attribute.clone()).prop_map(|(place, test)| format!("{place}({test})")),
        (variants(), of_attribute.clone(), of_attribute.clone())
            .prop_map(|(place, one, other)| format!("{place}({one} and {other})")),
        (variants(), of_attribute.clone(), of_attribute)
            .prop_map(|(place, one, other)| format!("{place}({one} or {other})")),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 2..4).prop_map(|members| format!("({})", members.join(" and "))),
            1 => prop::collection::vec(inner.clone(), 2..4).prop_map(|members| format!("({})", members.join(" or "))),
            1 => inner.prop_map(|inner| format!("not({inner})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_returns_the_same_as_a_scan(
        predicate in predicate(),
        documents in prop::collection::vec(document(), 1..12),
    ) {
        let condition = condition(&predicate);
        let plan = planned(&predicate);
        for document in &documents {
            let scanned = evaluate_value(&condition, document);
            let looked_up = is_found(&plan.access, document) && evaluate_value(&plan.filter, document);
            prop_assert_eq!(looked_up, scanned, "{}\n{:?}\n{}", predicate, plan, document);
        }
    }
}
