//! Fuzzes the parser of stored documents: it gives the result of the usual parser for any text, or both refuse it;
//! and the document is serialized like one parsed in the usual way, whether or not something in it changed. Request
//! bodies are parsed alike.
#![no_main]

use kontor_json::{Map, Value, from_slice, parse, read, write};
use libfuzzer_sys::fuzz_target;

fn written(document: Map) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&Value::Object(document), &mut bytes);
    bytes
}

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(parse(bytes).ok(), from_slice::<Value>(bytes).ok());
    let usual = from_slice::<Map>(bytes).ok();
    let quick = read(&bytes.to_vec().into()).ok();
    assert_eq!(quick, usual);
    let (Some(mut quick), Some(mut usual)) = (quick, usual) else { return };
    // An unchanged document is serialized as its original text, so compare the content and not the bytes.
    let again: Map = from_slice(&written(quick.clone())).expect("what was read is written as JSON");
    assert_eq!(again, usual);
    let kept = quick.clone();
    for document in [&mut quick, &mut usual] {
        for (_, value) in document.iter_mut() {
            change(value);
        }
    }
    assert_eq!(quick, usual);
    let changed: Map = from_slice(&written(quick)).expect("what was changed is written as JSON");
    assert_eq!(changed, usual);
    let again: Map = from_slice(&written(kept)).expect("what was shared is written as JSON");
    assert_eq!(again, from_slice::<Map>(bytes).expect("it was read before"));
});

/// Changes the innermost first value.
fn change(value: &mut Value) {
    match value {
        Value::Object(members) if !members.is_empty() => members.values_mut().take(1).for_each(change),
        Value::Array(elements) if !elements.is_empty() => elements.iter_mut().take(1).for_each(change),
        other => *other = Value::from("changed"),
    }
}
