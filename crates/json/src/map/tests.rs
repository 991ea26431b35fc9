//! Lookup of members by name, and their order after changes.

use super::*;
use crate::json;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum MapOperation {
    Insert(String, u8),
    Remove(String),
    Keep(u8),
    Put(String, u8),
}

fn steps() -> impl Strategy<Value = Vec<MapOperation>> {
    let name = || (0..150u8).prop_map(|number| number.to_string());
    let step = prop_oneof![
        6 => (name(), any::<u8>()).prop_map(|(name, value)| MapOperation::Insert(name, value)),
        2 => name().prop_map(MapOperation::Remove),
        2 => (name(), any::<u8>()).prop_map(|(name, value)| MapOperation::Put(name, value)),
        1 => (0..250u8).prop_map(MapOperation::Keep),
    ];
    prop::collection::vec(step, 0..400)
}

proptest! {
    #[test]
    fn members_are_found_among_few_and_many(steps in steps()) {
        let (mut map, mut plain) = (Map::new(), BTreeMap::new());
        for step in steps {
            match step {
                MapOperation::Insert(name, value) => {
                    let before = map.insert(name.clone(), value.into());
                    prop_assert_eq!(before, plain.insert(name, Value::from(value)));
                }
                MapOperation::Remove(name) => prop_assert_eq!(map.shift_remove(&name), plain.remove(&name)),
                MapOperation::Keep(most) => {
                    map.retain(|_, value| *value != Value::from(most));
                    plain.retain(|_, value| *value != Value::from(most));
                }
                MapOperation::Put(name, value) => {
                    let there = map.entry(name.as_str()).or_insert(value.into()).clone();
                    prop_assert_eq!(&there, plain.entry(name).or_insert(value.into()));
                }
            }
            prop_assert_eq!(map.len(), plain.len());
        }
        for number in 0..150u8 {
            let name = number.to_string();
            prop_assert_eq!(map.get(&name), plain.get(&name));
        }
        let backwards: Map = plain.into_iter().rev().collect();
        prop_assert_eq!(map, backwards);
    }
}

#[test]
fn keeps_insertion_order() {
    let mut map: Map = ["c", "a", "b"].map(|name| (name.to_owned(), Value::Null)).into();
    map.insert("a", 1.into());
    map.shift_insert(0, "b", 2.into());
    assert_eq!(Value::Object(map).to_string(), r#"{"b":2,"c":null,"a":1}"#);
}

#[test]
fn equality_ignores_the_order_of_members() {
    let one = json!({"a": 1, "b": [{"c": "x", "d": null}], "e": {"f": true, "g": 2.5}});
    let cases = [
        (one.clone(), true),
        (json!({"e": {"g": 2.5, "f": true}, "b": [{"d": null, "c": "x"}], "a": 1}), true),
        (json!({"a": 1, "b": [{"c": "x", "d": null}], "e": {"f": true, "g": 3.5}}), false),
        (json!({"e": {"f": true, "g": 2.5}, "a": 2, "b": [{"c": "x", "d": null}]}), false),
        (json!({"a": 1, "b": [{"c": "x", "d": null}], "e": {"f": true, "h": 2.5}}), false),
        (json!({"a": 1, "b": [{"c": "x"}], "e": {"f": true, "g": 2.5}}), false),
        (json!({"a": 1, "b": [], "e": {"f": true, "g": 2.5}}), false),
        (json!({"a": 1, "e": {"f": true, "g": 2.5}}), false),
    ];
    for (other, expected) in cases {
        assert_eq!(one == other, expected, "{other}");
        assert_eq!(other == one, expected, "{other}");
    }
}

#[test]
fn writes_an_equal_value_as_it_was_inserted() {
    let before = json!({"object": {"a": 1, "b": [{"c": 2, "d": 3}]}, "zero": 0.0});
    let put = json!({"object": {"a": 1, "b": [{"d": 3, "c": 2}]}, "zero": -0.0});
    assert_eq!(before, put);
    let Value::Object(mut map) = before else { unreachable!() };
    map.extend(put.as_object().unwrap().clone());
    assert_eq!(Value::Object(map).to_string(), put.to_string());
}

#[test]
fn finds_members_after_removals() {
    let name = |number: usize| number.to_string();
    let mut map: Map = (0..200).map(|number| (name(number), number.into())).collect();
    for taken in (0..200).step_by(3) {
        assert_eq!(map.remove(&name(taken)), Some(taken.into()));
        for number in 0..200 {
            let is_gone = number % 3 == 0 && number <= taken;
            assert_eq!(map.get(&name(number)), (!is_gone).then(|| number.into()).as_ref());
        }
    }
    assert!(map.keys().map(|name| name.parse::<usize>().unwrap()).is_sorted());
}
