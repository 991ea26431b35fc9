//! Fuzzes the query parser: any `where`, `sort` or `expand` is parsed or refused; a parsed one can be printed and
//! parsed again.
#![no_main]

use kontor_model::Model;
use kontor_query::{Expansions, InputVariables, NameScope, Predicate, QuerySort, evaluate};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::embedded().expect("a test holds that it reads"));
const DOCUMENT: &[u8] =
    br#"{"id":"a","version":1,"key":"b","name":{"en":"c"},"transitions":[{"typeId":"state","id":"d"}]}"#;

fuzz_target!(|text: &str| {
    let kind = MODEL.kind(MODEL.kind_by_path("states").expect("States are served"));
    let scope = NameScope::of_kind(&MODEL, kind);
    if let Ok(predicate) = Predicate::parse(text, "where") {
        let printed = predicate.to_string();
        let again = Predicate::parse(&printed, "where").expect("what is printed can be read");
        assert_eq!(printed, again.to_string());
        if let Ok(condition) = predicate.bind(&scope, &InputVariables::none()) {
            evaluate(&condition, DOCUMENT);
        }
    }
    let _ = QuerySort::parse([text], &scope);
    let _ = Expansions::parse([text]);
});
