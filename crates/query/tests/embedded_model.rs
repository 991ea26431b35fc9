//! Predicates and sorting on every kind of the built-in model.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use kontor_model::Model;
use kontor_query::{AccessPath, IndexedPaths, InputVariables, NameScope, QuerySort, bind_all, plan};

#[test]
fn only_stored_or_referenced_fields_can_be_queried() {
    let model = Model::embedded().unwrap_or_else(|problems| panic!("{problems}"));
    for (_, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
        let scope = NameScope::of_kind(&model, kind);
        for field in &model.object(kind.object).fields {
            let predicate = format!("{} is defined", field.name);
            let bound = bind_all([predicate.as_str()], &scope, &InputVariables::none());
            let is_asked = !field.spliced || field.from.is_some();
            assert_eq!(bound.is_ok(), is_asked, "{}: {predicate}: {bound:?}", kind.name);
        }
    }
}

#[test]
fn every_kind_with_an_id_is_found_and_sorted_by_it() {
    let model = Model::embedded().unwrap_or_else(|problems| panic!("{problems}"));
    for (_, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
        if model.object(kind.object).field("id").is_none() {
            continue;
        }
        let scope = NameScope::of_kind(&model, kind);
        let condition = bind_all([r#"id = "x""#], &scope, &InputVariables::none()).unwrap();
        let access = plan(condition, &IndexedPaths::of_kind(&model, kind)).access;
        assert_eq!(access, AccessPath::Ids(vec!["x".into()]), "{}", kind.name);
        QuerySort::parse(["id desc"], &scope).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
    }
}
