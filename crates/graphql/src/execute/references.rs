//! References in a stored value, and the documents that they lead to.

use super::document_loader::{ReferenceTarget, ValueDependency, references_at};
use super::field_value::FieldValue;
use super::object_source::ObjectSource;
use crate::borrowed_json::BorrowedJson;
use kontor_json::{Map, Value};
use kontor_model::Model;
use std::rc::Rc;

/// Returns the reference, or the references, at a path.
pub(super) fn reference_at<'d>(value: &'d BorrowedJson<'d>, path: &[String]) -> FieldValue<'d> {
    let whole = |found: &'d BorrowedJson<'d>| match found {
        BorrowedJson::List(elements) => FieldValue::Many(elements.iter().map(ObjectSource::Json).collect()),
        one => FieldValue::One(ObjectSource::Json(one)),
    };
    if let [field] = path {
        return value.get(field).map_or(FieldValue::Nothing, whole);
    }
    match at_path(value, path).as_deref() {
        None | Some([]) => FieldValue::Nothing,
        Some([one]) if !is_through_list(value, path) => whole(one),
        Some(many) => FieldValue::Many(many.iter().map(|element| ObjectSource::Json(element)).collect()),
    }
}

/// Returns the documents to load for the reference, or the list of references, at a path.
pub(super) fn target<'d>(value: &'d BorrowedJson<'d>, path: &[String], model: &Model) -> FieldValue<'d> {
    let whole = |found: &BorrowedJson<'_>| match found {
        BorrowedJson::List(elements) => FieldValue::Later(ValueDependency::Documents(
            elements.iter().filter_map(|one| ReferenceTarget::from_reference(one, model)).collect(),
        )),
        one => match ReferenceTarget::from_reference(one, model) {
            Some(target) => FieldValue::Later(ValueDependency::Document(target)),
            None => FieldValue::Nothing,
        },
    };
    if let [field] = path {
        return value.get(field).map_or(FieldValue::Nothing, whole);
    }
    match at_path(value, path).as_deref() {
        Some([one]) => whole(one),
        _ => FieldValue::Nothing,
    }
}

/// Returns the targets of the references at each path of the argument `expand`.
pub(super) fn referenced_targets<'d>(
    value: &BorrowedJson<'_>,
    arguments: &Map,
    model: &Model,
) -> FieldValue<'d> {
    let Some(Value::Array(paths)) = arguments.get("expand") else { return FieldValue::Nothing };
    let found = paths.iter().filter_map(Value::as_str).map(|path| {
        let steps: Vec<&str> = path.split('.').map(|step| step.trim_end_matches("[*]")).collect();
        let mut targets = Vec::new();
        references_at(value, &steps, model, &mut targets);
        ObjectSource::Referenced(Rc::new((path.to_owned(), targets)))
    });
    FieldValue::Many(found.collect())
}

/// Returns the values at a path, through lists; `None` if a field on the way is absent.
fn at_path<'d>(value: &'d BorrowedJson<'d>, path: &[String]) -> Option<Vec<&'d BorrowedJson<'d>>> {
    let Some((first, rest)) = path.split_first() else { return Some(vec![value]) };
    match value.get(first)? {
        BorrowedJson::List(elements) if !rest.is_empty() => {
            Some(elements.iter().filter_map(|element| at_path(element, rest)).flatten().collect())
        }
        inner => at_path(inner, rest),
    }
}

fn is_through_list(value: &BorrowedJson<'_>, path: &[String]) -> bool {
    path.first().and_then(|first| value.get(first)).is_some_and(|inner| inner.as_list().is_some())
}
