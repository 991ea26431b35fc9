//! Verbs: update actions that the model describes, without Rust of their own.
//!
//! A verb works on the document, or on one element of a list in it. It returns whether it changed something; messages
//! and version are handled the same way for all verbs.

mod custom;
mod element;
mod list;
mod set;

use crate::action_context::VerbContext;
use crate::document::Document;
use crate::message_fields;
use crate::pending_messages::PendingMessage;
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Field, KindId, ObjectId, Shape, Verb};
use std::borrow::Cow;

/// Applies one action to a document.
pub(crate) fn apply_action(
    kind: KindId,
    verb: &Verb,
    document: &mut Document,
    context: &VerbContext<'_, '_>,
    messages: &mut Vec<PendingMessage>,
) -> ApiResult<()> {
    let root = context.rules.model.kind(kind).object;
    // Only messages need the previous document.
    let before = (!context.action.emits.is_empty()).then(|| match context.unchanged {
        Some(stored) => Cow::Borrowed(stored),
        None => Cow::Owned(document.clone()),
    });
    let mut stored = Document::new();
    let changed = match &context.action.element {
        None => apply(verb, root, document, &mut stored, context)?,
        Some(identified) => {
            let (object, index) =
                element::find_element(document, root, &identified.of, &identified.by, context)?;
            let element = element::element_at(document, &identified.of, index)?;
            apply(verb, object, element, &mut stored, context)?
        }
    };
    if !changed {
        return if context.action.refuses_same {
            let names: Vec<&str> = value_arguments(context).map(|field| field.name.as_str()).collect();
            Err(ApiError::no_changes(&names.join(", ")).with_location(context.place))
        } else {
            Ok(())
        };
    }
    let Some(before) = before else { return Ok(()) };
    let element = match &context.action.element {
        Some(identified) => element::find_element(&before, root, &identified.of, &identified.by, context)
            .ok()
            .map(|(_, index)| message_fields::ChangedElement { list: &identified.of, index }),
        None => None,
    };
    message_fields::emit_action_messages(
        kind,
        &before,
        document,
        element.as_ref(),
        &stored,
        context,
        messages,
    )
}

/// Applies a verb to an object of the document. `stored` collects the stored form of the arguments, for
/// messages.
fn apply(
    verb: &Verb,
    object: ObjectId,
    target: &mut Document,
    stored: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    match verb {
        Verb::Set { within } => set::set(object, within, target, stored, context),
        Verb::Append { to, again } => list::append(object, to, *again, target, stored, context),
        Verb::Remove { from, by } => list::remove(object, from, by, target, stored, context),
        Verb::Arrange { list, by } => list::reorder_list(list, by, target, context),
        Verb::CustomType { within } => custom::set_type(object, within, target, context),
        Verb::CustomField { within } => custom::set_field(within, target, context),
    }
}

/// Returns the field at a path of names, through objects.
pub(crate) fn field_at<'a>(rules: &'a Rules<'_>, object: ObjectId, path: &[String]) -> ApiResult<&'a Field> {
    let mut at = object;
    for (index, name) in path.iter().enumerate() {
        let field = rules
            .model
            .object(at)
            .field(name)
            .ok_or_else(|| ApiError::bug(format!("a verb of the model leads to no field: {name}")))?;
        match &field.shape {
            _ if index + 1 == path.len() => return Ok(field),
            Shape::Object(inner) => at = *inner,
            _ => break,
        }
    }
    // The reader of the model has checked every path of every verb.
    Err(ApiError::bug("the path of a verb leads through a value that is no object"))
}

/// Returns the arguments that carry values, without those that identify an element.
pub(crate) fn value_arguments<'a>(context: &'a VerbContext<'_, '_>) -> impl Iterator<Item = &'a Field> {
    let identifying: &[String] = context.action.element.as_ref().map_or(&[], |element| &element.by);
    context
        .rules
        .model
        .object(context.action.arguments)
        .fields
        .iter()
        .filter(move |field| !identifying.contains(&field.name))
}

/// Returns the place of an argument in the body, for errors.
pub(crate) fn argument_place(context: &VerbContext<'_, '_>, name: &str) -> String {
    format!("{}.{name}", context.place)
}
