//! Finds the list element that an action works on.

use super::{argument_place, field_at};
use crate::action_context::VerbContext;
use crate::document::{self, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{ElementSelector, ObjectId, Shape};

/// Returns the object shape of the list's elements, and the index of the element that the arguments identify.
pub(super) fn find_element(
    target: &Document,
    object: ObjectId,
    list: &[String],
    by: &[String],
    context: &VerbContext<'_, '_>,
) -> ApiResult<(ObjectId, usize)> {
    let field = field_at(context.rules, object, list)?;
    let Shape::Object(element) = field.shape.element() else {
        return Err(ApiError::bug("a list in which an action finds an element has none that are objects"));
    };
    let mut given = by.iter().filter_map(|name| Some((name, context.arguments.get(name)?)));
    let Some((argument, wanted)) = given.next() else {
        return Err(ApiError::invalid_json(format!(
            "{}: one of {} is required",
            context.place,
            by.join(", ")
        )));
    };
    let name = ElementSelector::field_of(argument);
    let index = document::list(target, list).iter().position(|item| item.get(name) == Some(wanted));
    index.map(|index| (*element, index)).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{}: {} has no element with {name} {wanted}.",
            argument_place(context, argument),
            list.join(".")
        ))
    })
}

/// Returns the element at an index that [`find_element`] returned.
pub(super) fn element_at<'a>(
    target: &'a mut Document,
    list: &[String],
    index: usize,
) -> ApiResult<&'a mut Document> {
    match list_mut(target, list)?.get_mut(index) {
        Some(Value::Object(element)) => Ok(element),
        _ => Err(ApiError::bug("the element that an action found is no object")),
    }
}

/// Returns the list at a path, and creates it if there is none.
pub(super) fn list_mut<'a>(target: &'a mut Document, path: &[String]) -> ApiResult<&'a mut Vec<Value>> {
    let Some((last, parents)) = path.split_last() else {
        return Err(ApiError::bug("a verb of the model has no path to its list"));
    };
    let mut at = target;
    for name in parents {
        let inner = at.entry(name.as_str()).or_insert_with(|| Value::Object(Document::new()));
        at = inner.as_object_mut().ok_or_else(|| ApiError::bug(format!("{name} is stored and no object")))?;
    }
    let list = at.entry(last.as_str()).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut().ok_or_else(|| ApiError::bug(format!("{last} is stored and no list")))
}
