//! Both parsers return the same as that of `serde_json`, in whatever order members are accessed (property tests).

use super::*;
use crate::{json, write};
use proptest::prelude::*;
use serde::Deserialize;

fn to_text(document: &Map) -> String {
    let mut bytes = Vec::new();
    write(&Value::Object(document.clone()), &mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..8).prop_map(Value::from_iter),
        ]
    })
}

fn documents() -> impl Strategy<Value = Map> {
    prop::collection::vec((".{0,6}", values()), 0..8).prop_map(|members| members.into_iter().collect())
}

/// JSON as other programs may write it: with spaces, escapes, other forms of numbers, and a name that occurs twice.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "-0",
        "1.50",
        "1e3",
        "-2E-1",
        "18446744073709551616",
        "\"\"",
        "\"ä\"",
        r#""\u0061\n""#,
        "{ }",
        "[]",
    ]);
    let name = prop::sample::select(vec!["a", "b", "c", "d", "", "\\u0061", "\\\"", "ä"]);
    let space = prop::sample::select(vec!["", "", "", " ", "\n\t"]);
    leaf.prop_map(str::to_owned).prop_recursive(6, 60, 6, move |inner| {
        let member = (name.clone(), inner.clone(), space.clone());
        let member =
            member.prop_map(|(name, value, space)| format!("{space}\"{name}\"{space}:{space}{value}{space}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|elements| format!("[{}]", elements.join(", "))),
            prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// Collects the JSON pointers of everything in a value.
fn pointers(value: &Value, to: &str, found: &mut Vec<String>) {
    found.push(to.to_owned());
    match value {
        Value::Array(elements) => {
            elements
                .iter()
                .enumerate()
                .for_each(|(place, inner)| pointers(inner, &format!("{to}/{place}"), found));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, inner)| pointers(inner, &format!("{to}/{name}"), found));
        }
        _ => {}
    }
}

fn hash(value: &Value) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #[test]
    fn reads_the_same_as_serde_json_in_any_access_order(text in texts()) {
        let text = format!("{{\"in\": [{text}, {{\"odd\": \"\\n\", \"in\": {text}}}], \"too\":{text}}}");
        let usual = Value::Object(crate::from_str(&text).unwrap());
        let text = Bytes::from(text);
        let quick = Value::Object(read(&text).unwrap());
        let other: serde_json::Value = crate::from_value(quick.clone()).unwrap();
        prop_assert_eq!(other, serde_json::from_slice::<serde_json::Value>(&text).unwrap());
        let mut all = Vec::new();
        pointers(&usual, "", &mut all);
        let look = |pointer: &String| assert_eq!(quick.pointer(pointer), usual.pointer(pointer), "{pointer}");
        std::thread::scope(|scope| {
            scope.spawn(|| all.iter().rev().for_each(look));
            all.iter().for_each(look);
        });
        prop_assert_eq!(hash(&quick), hash(&usual));
        prop_assert_eq!(format!("{quick:?}"), format!("{usual:?}"));
        prop_assert_eq!(crate::from_str::<Value>(&quick.to_string()).unwrap(), usual.clone());
        for untouched in [false, true] {
            let mut again = Value::Object(read(&text).unwrap());
            prop_assert!(untouched || again == usual);
            // Each change parses the objects on its path, and nothing else.
            let mut changed = usual.clone();
            for document in [&mut again, &mut changed] {
                all.iter().rev().step_by(3).filter(|pointer| !pointer.is_empty()).for_each(|pointer| {
                    *document.pointer_mut(pointer).unwrap() = json!({"new": 1});
                });
            }
            prop_assert_eq!(crate::from_str::<Value>(&again.to_string()).unwrap(), changed);
        }
    }

    #[test]
    fn reads_and_writes_what_the_usual_parser_does(document in documents()) {
        let text = Bytes::from(serde_json::to_vec(&document).unwrap());
        let usual: Map = serde_json::from_slice(&text).unwrap();
        let quick = read(&text).unwrap();
        let other: serde_json::Value = crate::from_value(Value::Object(quick.clone())).unwrap();
        prop_assert_eq!(other, serde_json::from_slice::<serde_json::Value>(&text).unwrap());
        prop_assert_eq!(&quick, &usual);
        prop_assert_eq!(to_text(&quick), to_text(&usual));
        prop_assert_eq!(to_text(&usual), String::from_utf8(text.to_vec()).unwrap());
    }

    #[test]
    fn leaves_out_the_unused_object(document in documents(), left_out in documents()) {
        let mut whole = document.clone();
        let mut inner = document.clone();
        inner.insert("out", Value::Object(left_out));
        whole.insert("in", Value::Object(inner));
        let text = Bytes::from(serde_json::to_vec(&whole).unwrap());
        let read = read_without(&["in", "out"], &text).unwrap();
        whole.insert("in", Value::Object(document));
        prop_assert_eq!(&read, &whole);
        prop_assert_eq!(to_text(&read), to_text(&whole));
    }

    #[test]
    fn writes_changed_documents(document in documents(), value in values(), place in any::<prop::sample::Index>()) {
        let text = Bytes::from(serde_json::to_vec(&document).unwrap());
        let (mut quick, mut usual) = (read(&text).unwrap(), document.clone());
        let kept = quick.clone();
        for changed in [&mut quick, &mut usual] {
            let names: Vec<String> = changed.keys().map(ToString::to_string).collect();
            let Some(name) = (!names.is_empty()).then(|| &names[place.index(names.len())]) else { continue };
            match &mut changed[name] {
                Value::Object(inner) => drop(inner.insert("changed", value.clone())),
                Value::Array(inner) => inner.push(value.clone()),
                other => *other = value.clone(),
            }
        }
        prop_assert_eq!(to_text(&quick), to_text(&usual));
        prop_assert_eq!(to_text(&kept), to_text(&document));
    }

    #[test]
    fn shares_equal_objects_until_one_changes(side in documents(), value in values()) {
        let sides = json!({"one": &side, "other": &side, "less": value});
        let text = Bytes::from(sides.to_string());
        let mut quick = read(&text).unwrap();
        prop_assert_eq!(&Value::Object(quick.clone()), &sides);
        prop_assert_eq!(parse(&text).unwrap(), sides);
        quick["other"]["changed"] = value.clone();
        let mut changed = side.clone();
        changed.insert("changed", value.clone());
        let expected = json!({"one": side, "other": changed, "less": value});
        prop_assert_eq!(to_text(&quick), expected.to_string());
    }

    #[test]
    fn parses_any_text_like_serde_json(text in "[\\[\\]{}\",:0-9a-z.\\\\ -]{0,24}") {
        let text = format!("{{\"a\":{text}}}");
        let usual = serde_json::from_str::<Map>(&text).ok();
        let parsed = parse(text.as_bytes()).ok();
        prop_assert_eq!(parsed, usual.clone().map(Value::Object));
        // `read` requires JSON: of another text its result means nothing, but it must not panic.
        let stored = read(&Bytes::from(text)).ok();
        if usual.is_some() {
            prop_assert_eq!(stored, usual);
        }
    }

    #[test]
    fn a_view_does_not_depend_on_earlier_access(document in documents(), text in texts()) {
        let text = format!("{{\"in\":{},\"a\":{{\"b\": {text}}}}}", Value::Object(document));
        let text = Bytes::from(text);
        let usual: serde_json::Value = serde_json::from_slice(&text).unwrap();
        for (name, inner) in read(&text).unwrap() {
            let again: serde_json::Value = crate::from_value(inner).unwrap();
            prop_assert_eq!(&again, &usual[name.as_str()]);
        }
    }
}

#[test]
fn rejects_non_objects_and_reads_deep_ones() {
    for text in ["", "[]", "{", "{\"a\":1}}", "{\"a\":01}", "{\"a\":\u{1}}", "{\"a\" 1}"] {
        assert!(read(&Bytes::from(text)).is_err(), "{text}");
    }
    for depth in [DEPTH_MAX, DEPTH_MAX + 1, 126, 127, 128, 10_000] {
        let deep = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert_eq!(read(&Bytes::from(deep.clone())).ok(), crate::from_str(&deep).ok(), "{depth}");
    }
}

#[test]
fn the_last_of_two_equal_names_counts() {
    let long = "x".repeat(100);
    let many: String = (0..100).map(|number| format!("\"{number}\":0,")).collect();
    for text in [
        r#"{"a":1,"b":2,"a":3}"#.to_owned(),
        r#"{"a":1,"\u0061":3}"#.to_owned(),
        format!(r#"{{{many}"a":1,"7":3}}"#),
    ] {
        let usual: Map = crate::from_str(&text).unwrap();
        let document = read(&Bytes::from(text)).unwrap();
        assert_eq!(document, usual);
        assert_eq!(to_text(&document), to_text(&usual));
    }
    let inside = format!(r#"{{"in":[{{"a":1,"long":"{long}","a":3}}]}}"#);
    let usual: Map = crate::from_str(&inside).unwrap();
    assert_eq!(read(&Bytes::from(inside)).unwrap(), usual);
}

#[test]
fn does_not_parse_unused_objects() {
    let money = json!({"type": "centPrecision", "centAmount": 100, "list": [{"a": 1.50}]});
    let text = Bytes::from(json!({"price": money, "odd": {"a": "\n", "in": money}}).to_string());
    let is_unread = |document: &Map| {
        [&document["price"], &document["odd"]["in"]]
            .map(|of| of.as_object().unwrap().unparsed_text().is_some())
    };
    let mut document = read(&text).unwrap();
    let same = read(&text).unwrap();
    assert_eq!(document.insert("price", money.clone()), Some(money.clone()));
    assert_eq!(document["odd"].as_object_mut().unwrap().insert("in", money.clone()), Some(money));
    document["odd"]["new"] = json!(1);
    let view = SampleView::deserialize(&document["price"]).unwrap();
    assert_eq!((view.r#type, view.cent_amount), ("centPrecision", 100));
    assert!(to_text(&document).contains("1.5"));
    assert_eq!(is_unread(&document), [true, true]);
    assert_ne!(document, same, "which looks into what differs alone");
    assert_eq!(is_unread(&document), [true, true]);
    let price = document["price"].as_object_mut().unwrap();
    assert_eq!((price["centAmount"].as_i64(), price["list"][0]["a"].as_f64()), (Some(100), Some(1.5)));
    assert!(price.contains_key("type") && !price.contains_key("none") && !price.is_empty());
    assert_eq!(
        (price.text_at("type"), price.text_at("list"), price.text_at("none")),
        (Some("centPrecision"), None, None)
    );
    assert!(price.has_value("list") && !price.has_value("none"));
    assert!(price.shift_remove("none").is_none() && price.get_mut("none").is_none());
    assert_eq!(price.insert("centAmount", json!(100)), Some(json!(100)));
    assert_eq!(is_unread(&document), [true, true], "for a few members not all are read");
    document["price"]["centAmount"] = json!(200);
    assert_eq!(is_unread(&document), [false, true]);
    assert!(to_text(&document).contains("200"));
}

#[test]
fn every_change_drops_the_text() {
    let long = "x".repeat(100);
    let text = Bytes::from(json!({"in": {"a": 1, "b": [{"c": 2}], "long": long}}).to_string());
    let ways: [fn(&mut Map); 16] = [
        |inner| drop(inner.insert("a", json!(9))),
        |inner| drop(inner.insert("new", json!(9))),
        |inner| drop(inner.shift_insert(0, "long", json!(9))),
        |inner| drop(inner.shift_remove("a")),
        |inner| inner.retain(|name, _| name == "a"),
        |inner| inner.clear(),
        |inner| inner.append(&mut Map::from([("new".to_owned(), json!(9))])),
        |inner| inner["b"][0]["c"] = json!(9),
        |inner| inner["b"][0]["new"]["newer"] = json!(9),
        |inner| *inner.get_mut("a").unwrap() = json!(9),
        |inner| *inner.entry("a").or_insert(json!(8)) = json!(9),
        |inner| *inner.entry("a").and_modify(|value| *value = json!(9)).or_insert(json!(8)) = json!(7),
        |inner| inner.iter_mut().for_each(|(_, value)| *value = json!(9)),
        |inner| inner.values_mut().for_each(|value| drop(value.take())),
        |inner| *inner["b"].pointer_mut("/0/c").unwrap() = json!(9),
        |inner| inner["b"].as_array_mut().unwrap()[0].as_object_mut().unwrap().clear(),
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let usual: Map = crate::from_slice(&text).unwrap();
        for is_shared in [false, true] {
            let (mut quick, mut usual) = (read(&text).unwrap(), usual.clone());
            let shared = is_shared.then(|| quick.clone());
            way(quick["in"].as_object_mut().unwrap());
            way(usual["in"].as_object_mut().unwrap());
            assert_eq!(to_text(&quick), to_text(&usual), "{number}");
            assert_ne!(to_text(&quick).as_bytes(), text, "{number}");
            assert!(shared.is_none_or(|shared| to_text(&shared).as_bytes() == text), "{number}");
        }
    }
}

#[test]
fn a_clone_and_its_original_change_apart() {
    let long = "x".repeat(100);
    let text = Bytes::from(json!({"a": {"b": [{"c": 1, "long": long}]}, "d": 2}).to_string());
    let before = read(&text).unwrap();
    let mut after = before.clone();
    after["a"]["b"][0]["c"] = json!(3);
    assert_eq!(to_text(&before).as_bytes(), text);
    assert!(to_text(&after).contains("\"c\":3"));
}

/// A view of a part of an object, with borrowed strings.
#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SampleView<'d> {
    r#type: &'d str,
    cent_amount: i64,
    rate: Option<f64>,
    #[serde(default, borrow)]
    kinds: Vec<SampleKind<'d>>,
    inner: Option<Box<SampleView<'d>>>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
enum SampleKind<'d> {
    Plain,
    Named(&'d str),
    Sized { size: i64 },
}

#[test]
fn a_view_borrows_strings_of_unparsed_objects() {
    for (name, escape) in [("name", "plain"), (r#"n\\\"a"#, r#"with \"escapes\" and { braces }"#)] {
        let inner = r#"{"type" : "inner", "centAmount": -7, "rate": 0.19}"#;
        let money = format!(
            r#"{{"skipped": [{{"{name}": "{escape}"}}, [1, -2.5e3, true, null], "{escape}"], "type":"centPrecision","centAmount":12345678901234567,
                "rate":null,"kinds":["plain",{{"named":"it"}},{{"sized":{{"size":3}}}}],"empty":{{}},"inner": {inner} ,"last":false}}"#
        );
        let text = Bytes::from(format!(r#"{{"money": {money}}}"#));
        let usual = crate::from_str::<Value>(&money).unwrap();
        let document = read(&text).unwrap();
        let expected = SampleView::deserialize(&usual).unwrap();
        assert_eq!(SampleView::deserialize(&document["money"]).unwrap(), expected);
        assert_eq!(
            expected.kinds,
            [SampleKind::Plain, SampleKind::Named("it"), SampleKind::Sized { size: 3 }]
        );
        assert_eq!(document["money"], usual);
        assert_eq!(SampleView::deserialize(&document["money"]).unwrap(), expected);
    }
}

#[test]
fn panics_on_access_to_a_damaged_object() {
    let text = Bytes::from_static(br#"{"id":"a-1","whole":{"a":1},"damaged":{"type":"b","centAmount":1x}}"#);
    let document = read(&text).unwrap();
    assert_eq!(document["whole"]["a"], json!(1));
    assert!(SampleView::deserialize(&document["damaged"]).is_err());
    let panicked = std::panic::catch_unwind(|| document["damaged"].get("type").is_some()).unwrap_err();
    let message = panicked.downcast_ref::<String>().unwrap();
    assert!(message.starts_with("the stored document with id a-1 is damaged behind byte 38: "), "{message}");
}

#[test]
fn many_equal_members_in_a_row_are_read_one_at_a_time() {
    const MEMBERS: usize = 100_000;
    let same = json!({"long": "x".repeat(SHARED_BYTES_MIN)});
    let row: Map = (0..MEMBERS).map(|number| (number.to_string(), same.clone())).collect();
    let text = Bytes::from(json!({"in": row}).to_string());
    let document = read(&text).unwrap();
    assert_eq!(document["in"][&(MEMBERS - 1).to_string()], same);
}
