//! Parses update actions: their arguments become an object, and the paths of their verb are checked.

use super::directives::{DirectiveRule, DirectiveUse, Directives};
use super::names::{DeclaredNames, object_name};
use super::{ModelReader, fields, ownership, staged};
use crate::Model;
use crate::action::{Action, ElementSelector, Upload, Verb};
use crate::id::{KindId, ObjectId};
use crate::shape::{Object, Shape};
use apollo_compiler::ast::{FieldDefinition, ObjectTypeDefinition};

pub(super) const ON_ACTION: &[DirectiveRule] = &[
    DirectiveRule { name: "set", arguments: &["in", "same", "empty"] },
    DirectiveRule { name: "append", arguments: &["to", "same"] },
    DirectiveRule { name: "remove", arguments: &["from", "by", "same", "empty"] },
    DirectiveRule { name: "arrange", arguments: &["list", "by"] },
    DirectiveRule { name: "customType", arguments: &["in"] },
    DirectiveRule { name: "customField", arguments: &["in"] },
    DirectiveRule { name: "element", arguments: &["of", "by"] },
    DirectiveRule { name: "emits", arguments: &["messages"] },
    DirectiveRule { name: "background", arguments: &[] },
    DirectiveRule { name: "endsTokens", arguments: &[] },
    DirectiveRule { name: "upload", arguments: &["path", "by", "default"] },
    DirectiveRule { name: "needs", arguments: &["permission"] },
    DirectiveRule { name: "beta", arguments: &[] },
    DirectiveRule { name: "deprecated", arguments: &[] },
];
const VERBS: &[&str] = &["set", "append", "remove", "arrange", "customType", "customField"];

pub(super) fn define(
    declared: &ObjectTypeDefinition,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) {
    let Some(directive) = declared.directives.get("actions") else { return };
    let of = directive.specified_argument_by_name("of").and_then(|value| value.as_str()).unwrap_or_default();
    let mine = ownership::kind_of_mine(of, model);
    let set = staged::position(of, model);
    let of_set = set.map(|set| staged::kind_of(set, model));
    let Some(kind) = names.kind(of).or(mine).or(of_set) else {
        reader.problem(declared.name.location(), format!("@actions(of: …) names no resource: '{of}'"));
        return;
    };
    let bulk = directive.specified_argument_by_name("bulk").and_then(|value| value.as_list());
    let bulk: Vec<String> =
        bulk.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    if let Some(unknown) =
        bulk.iter().find(|name| declared.fields.iter().all(|field| field.name != name.as_str()))
    {
        reader.problem(directive.location(), format!("bulk: '{unknown}' is no action here"));
    }
    if let Some(set) = set {
        for field in &declared.fields {
            let action = read(field, kind, of, names, model, reader);
            staged::add(set, action, model);
        }
        return;
    }
    model.kinds[kind.index()].bulk = bulk;
    for field in &declared.fields {
        let action = read(field, kind, of, names, model, reader);
        let entry = &mut model.kinds[kind.index()];
        match &mut entry.mine {
            Some(own) if mine.is_some() => own.actions.push(action),
            _ => entry.actions.push(action),
        }
    }
}

fn read(
    field: &FieldDefinition,
    kind: KindId,
    of: &str,
    names: &DeclaredNames,
    model: &mut Model,
    reader: &mut ModelReader,
) -> Action {
    let directives = Directives::read(&field.directives, ON_ACTION, reader);
    let mut verbs = VERBS.iter().filter_map(|verb| Some((*verb, directives.get(verb)?)));
    let verb = verbs.next();
    if let Some((other, given)) = verbs.next() {
        reader.problem(given.location(), format!("@{other}: an action has one verb"));
    }
    let name = field.name.to_string();
    let mut arguments = Object::new(object_name(of, &name), String::new(), true);
    arguments.doc = fields::doc(field.description.as_ref());
    for argument in fields::of_input(&field.arguments, names, reader) {
        arguments.push(argument);
    }
    let emits = super::names::read_message_names(&directives, names, reader);
    let element = directives
        .get("element")
        .map(|given| ElementSelector { of: path(given.text("of", reader)), by: given.texts("by", reader) });
    let upload = directives.get("upload").map(|given| Upload {
        path: given.text("path", reader).unwrap_or_default(),
        by: given.texts("by", reader).iter().map(|by| parameter_and_argument(by)).collect(),
        default: path(given.text("default", reader)),
    });
    let read_verb = verb.map(|(name, given)| verb_of(name, given, reader));
    if let Some((_, given)) = verb {
        let root = model.kinds[kind.index()].object;
        check_paths(&read_verb, element.as_ref(), root, &arguments, given, model, reader);
    }
    let id = model.add_object(arguments);
    Action {
        doc: fields::doc(field.description.as_ref()),
        arguments: id,
        refuses_same: has_argument_value(verb, "same", "REFUSE", reader),
        removes_empty: has_argument_value(verb, "empty", "REMOVE", reader),
        refuses_empty: has_argument_value(verb, "empty", "REFUSE", reader),
        verb: read_verb,
        element,
        emits,
        in_background: directives.contains("background"),
        ends_tokens: directives.contains("endsTokens"),
        upload,
        needs: directives.get("needs").map(|given| ownership::permissions(given, "permission", reader)),
        beta: directives.contains("beta"),
        deprecated: directives.contains("deprecated"),
        name,
    }
}

/// Whether an argument of the verb has this value. Reports unknown values.
fn has_argument_value(
    verb: Option<(&str, DirectiveUse<'_>)>,
    argument: &str,
    value: &str,
    reader: &mut ModelReader,
) -> bool {
    let Some((_, given)) = verb else { return false };
    let text = given.text(argument, reader);
    if let Some(text) = &text
        && !["REFUSE", "REMOVE", "APPEND"].contains(&text.as_str())
    {
        reader.problem(given.location(), format!("'{argument}' is REFUSE, REMOVE or APPEND"));
    }
    text.as_deref() == Some(value)
}

fn path(text: Option<String>) -> Vec<String> {
    text.map(|text| text.split('.').map(str::to_owned).collect()).unwrap_or_default()
}

fn verb_of(name: &str, directive: DirectiveUse<'_>, reader: &mut ModelReader) -> Verb {
    match name {
        "set" => Verb::Set { within: path(directive.text("in", reader)) },
        "append" => Verb::Append {
            to: path(directive.text("to", reader)),
            again: directive.text("same", reader).as_deref() == Some("APPEND"),
        },
        "remove" => {
            Verb::Remove { from: path(directive.text("from", reader)), by: directive.texts("by", reader) }
        }
        "arrange" => Verb::Arrange {
            list: path(directive.text("list", reader)),
            by: directive.text("by", reader).unwrap_or_else(|| "id".to_owned()),
        },
        "customType" => Verb::CustomType { within: path(directive.text("in", reader)) },
        _ => Verb::CustomField { within: path(directive.text("in", reader)) },
    }
}

/// Reports paths of a verb that do not exist in the resource.
fn check_paths(
    verb: &Option<Verb>,
    element: Option<&ElementSelector>,
    root: ObjectId,
    arguments: &Object,
    directive: DirectiveUse<'_>,
    model: &Model,
    reader: &mut ModelReader,
) {
    let mut at = root;
    if let Some(element) = element {
        match resolve(model, root, &element.of).map(|shape| shape.element().clone()) {
            Some(Shape::Object(object)) => at = object,
            _ => {
                reader.problem(
                    directive.location(),
                    format!("@element(of: …): no list of objects at {:?}", element.of),
                );
                return;
            }
        }
    }
    let missing = match verb {
        Some(Verb::Set { within }) => arguments
            .fields
            .iter()
            .filter(|field| element.is_none_or(|element| !element.by.contains(&field.name)))
            .map(|field| {
                within.iter().cloned().chain(field.stored_path().into_iter().map(str::to_owned)).collect()
            })
            .find(|path: &Vec<String>| resolve(model, at, path).is_none()),
        Some(
            Verb::Append { to: path, .. }
            | Verb::Remove { from: path, .. }
            | Verb::Arrange { list: path, .. }
            | Verb::CustomType { within: path }
            | Verb::CustomField { within: path },
        ) => Some(path.clone()).filter(|path| resolve(model, at, path).is_none()),
        None => None,
    };
    if let Some(path) = missing {
        reader.problem(directive.location(), format!("the resource has no field {}", path.join(".")));
    }
}

/// Returns the shape at a path of names, through objects.
fn resolve<'a>(model: &'a Model, object: ObjectId, path: &[String]) -> Option<&'a Shape> {
    let (first, rest) = path.split_first()?;
    let field = model.object(object).field(first)?;
    match (&field.shape, rest) {
        (shape, []) => Some(shape),
        (Shape::Object(inner), rest) => resolve(model, *inner, rest),
        _ => None,
    }
}

/// Parses `parameter: argument`, e.g. `variant: variantId`, or one name for both.
fn parameter_and_argument(by: &str) -> (String, String) {
    let (parameter, argument) = by.split_once(':').unwrap_or((by, by));
    (parameter.trim().to_owned(), argument.trim().to_owned())
}
