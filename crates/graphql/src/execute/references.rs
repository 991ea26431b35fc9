//! References in a stored value, and the documents that they lead to.

use super::found::Found;
use super::load::{Target, Wanted, references_at};
use super::subject::Subject;
use crate::json::Json;
use kontor_json::{Map, Value};
use kontor_model::Model;
use std::rc::Rc;

/// Returns the reference, or the references, at a path.
pub(super) fn reference<'d>(value: &'d Json<'d>, path: &[String]) -> Found<'d> {
    let whole = |found: &'d Json<'d>| match found {
        Json::List(elements) => Found::Many(elements.iter().map(Subject::Json).collect()),
        one => Found::One(Subject::Json(one)),
    };
    if let [field] = path {
        return value.get(field).map_or(Found::Nothing, whole);
    }
    match at_path(value, path).as_deref() {
        None | Some([]) => Found::Nothing,
        Some([one]) if !is_through_list(value, path) => whole(one),
        Some(many) => Found::Many(many.iter().map(|element| Subject::Json(element)).collect()),
    }
}

/// Returns the documents to load for the reference, or the list of references, at a path.
pub(super) fn target<'d>(value: &'d Json<'d>, path: &[String], model: &Model) -> Found<'d> {
    let whole = |found: &Json<'_>| match found {
        Json::List(elements) => Found::Later(Wanted::Documents(
            elements.iter().filter_map(|one| Target::of(one, model)).collect(),
        )),
        one => match Target::of(one, model) {
            Some(target) => Found::Later(Wanted::Document(target)),
            None => Found::Nothing,
        },
    };
    if let [field] = path {
        return value.get(field).map_or(Found::Nothing, whole);
    }
    match at_path(value, path).as_deref() {
        Some([one]) => whole(one),
        _ => Found::Nothing,
    }
}

/// Returns the targets of the references at each path of the argument `expand`.
pub(super) fn referenced<'d>(value: &Json<'_>, arguments: &Map, model: &Model) -> Found<'d> {
    let Some(Value::Array(paths)) = arguments.get("expand") else { return Found::Nothing };
    let found = paths.iter().filter_map(Value::as_str).map(|path| {
        let steps: Vec<&str> = path.split('.').map(|step| step.trim_end_matches("[*]")).collect();
        let mut targets = Vec::new();
        references_at(value, &steps, model, &mut targets);
        Subject::Referenced(Rc::new((path.to_owned(), targets)))
    });
    Found::Many(found.collect())
}

/// Returns the values at a path, through lists; `None` if a field on the way is absent.
fn at_path<'d>(value: &'d Json<'d>, path: &[String]) -> Option<Vec<&'d Json<'d>>> {
    let Some((first, rest)) = path.split_first() else { return Some(vec![value]) };
    match value.get(first)? {
        Json::List(elements) if !rest.is_empty() => {
            Some(elements.iter().filter_map(|element| at_path(element, rest)).flatten().collect())
        }
        inner => at_path(inner, rest),
    }
}

fn is_through_list(value: &Json<'_>, path: &[String]) -> bool {
    path.first().and_then(|first| value.get(first)).is_some_and(|inner| inner.as_list().is_some())
}
