//! From the sent shape to the stored shape: identifiers become references, drafts become elements.
//!
//! Values have passed [`kontor_model::Validator`]. Fields go by name; what the input does not have is
//! generated, or an empty list where the document must have one, or absent.

use crate::custom;
use crate::document::Document;
use crate::place::join;
use crate::rules::Rules;
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::{Field, ObjectId, Shape};

/// Converts an object as sent into one as stored. What `@to` stores further inside makes the objects on the way.
pub fn object(
    input: ObjectId,
    output: ObjectId,
    mut given: Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    filled(input, &mut Vec::new(), output, &mut given, place, rules)
}

/// The object at the path `within` of what an input becomes.
fn filled<'m>(
    input: ObjectId,
    within: &mut Vec<&'m str>,
    output: ObjectId,
    given: &mut Document,
    place: &str,
    rules: &Rules<'m>,
) -> ApiResult<Document> {
    let (from, to) = (rules.model.object(input), rules.model.object(output));
    let mut stored = Document::new();
    for field in &to.fields {
        within.push(&field.name);
        // What is secret is for the behaviour to keep; it never gets into a document by its name.
        let visible = || from.fields.iter().filter(|sent| !sent.secret);
        let sent = visible().find(|sent| is_at(sent, within));
        let value = sent.and_then(|sent| given.shift_remove(&sent.name));
        let value = match (sent, value, &field.shape) {
            (Some(sent), Some(given), _) => {
                Some(value_of(&sent.shape, field, given, &join(place, &sent.name), rules)?)
            }
            (None, _, Shape::Object(inner)) if visible().any(|sent| is_inside(sent, within)) => {
                Some(Value::Object(filled(input, within, *inner, given, place, rules)?))
            }
            _ if field.generated => Some(json!(rules.new_id())),
            _ if field.required && field.shape.is_list() => Some(json!([])),
            _ => None,
        };
        within.pop();
        if let Some(value) = value {
            stored.insert(field.name.clone(), value);
        }
    }
    if let Some(name) = &to.complete {
        let mut value = Value::Object(stored);
        rules.behaviours.complete(name, &mut value, place, rules)?;
        stored = match value {
            Value::Object(stored) => stored,
            _ => Document::new(),
        };
    }
    debug_assert!(
        stored.keys().all(|name| to.field(name).is_some()),
        "{place}: {} has {:?}",
        to.name,
        stored.keys()
    );
    Ok(stored)
}

/// True for a field that is stored at this path.
fn is_at(sent: &Field, path: &[&str]) -> bool {
    match &sent.to {
        Some(to) => to == path,
        None => path == [sent.name.as_str()],
    }
}

/// True for a field that is stored somewhere below this path.
fn is_inside(sent: &Field, path: &[&str]) -> bool {
    sent.to.as_ref().is_some_and(|to| to.len() > path.len() && to.iter().zip(path).all(|(a, b)| a == b))
}

/// Converts one value to the shape of the field that will hold it.
pub fn value_of(
    input: &Shape,
    field: &Field,
    given: Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    convert(input, &field.shape, field.custom.as_deref(), given, place, rules)
}

/// Converts an element for a list field.
pub fn element_of(
    input: &Shape,
    list: &Field,
    given: Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    convert(input, list.shape.element(), list.custom.as_deref(), given, place, rules)
}

/// Looks up the identifiers in the arguments of an action that Rust handles; nothing else changes.
pub(crate) fn resolve_identifiers(shape: &Shape, given: Value, rules: &Rules<'_>) -> ApiResult<Value> {
    match (shape, given) {
        (Shape::Identifier(_), Value::Object(identifier)) => {
            let target = rules.resolve(&identifier)?;
            Ok(json!({"typeId": rules.model.kind(target.kind).type_id, "id": target.id}))
        }
        (Shape::List(inner), Value::Array(items)) => items
            .into_iter()
            .map(|item| resolve_identifiers(inner, item, rules))
            .collect::<ApiResult<_>>()
            .map(Value::Array),
        (_, given) => Ok(given),
    }
}

fn convert(
    input: &Shape,
    output: &Shape,
    custom_for: Option<&str>,
    given: Value,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    match (input, output, given) {
        (Shape::List(input), Shape::List(output), Value::Array(items)) => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| {
                convert(input, output, custom_for, item, &format!("{place}[{index}]"), rules)
            })
            .collect::<ApiResult<_>>()
            .map(Value::Array),
        (Shape::Map(input), Shape::Map(output), Value::Object(entries)) => entries
            .into_iter()
            .map(|(name, entry)| {
                let place = join(place, &name);
                Ok((name, convert(input, output, custom_for, entry, &place, rules)?))
            })
            .collect::<ApiResult<_>>()
            .map(Value::Object),
        (Shape::Identifier(_) | Shape::Reference(_), Shape::Reference(_), Value::Object(identifier)) => {
            let target = rules.resolve(&identifier)?;
            Ok(json!({"typeId": rules.model.kind(target.kind).type_id, "id": target.id}))
        }
        (Shape::Identifier(_), Shape::KeyReference(_), Value::Object(identifier)) => {
            let target = rules.resolve(&identifier)?;
            let key = target.document.get("key").cloned().unwrap_or_default();
            Ok(json!({"typeId": rules.model.kind(target.kind).type_id, "key": key}))
        }
        (Shape::CustomFieldsDraft, Shape::CustomFields, Value::Object(draft)) => {
            custom::from_draft(draft, custom_for.unwrap_or_default(), place, rules)
        }
        (Shape::Object(input), Shape::Object(output), Value::Object(given)) => {
            object(*input, *output, given, place, rules).map(Value::Object)
        }
        (Shape::Object(input), Shape::Union(union), Value::Object(mut given)) => {
            // An input that is only one of the members, such as Money where TypedMoney is stored.
            let union = rules.model.union(*union);
            let tag = given.get(&union.by).and_then(Value::as_str).map(str::to_owned);
            let member =
                tag.as_deref().and_then(|tag| union.member(tag)).or(union.members.first().map(|(_, id)| *id));
            match member {
                Some(member) => {
                    tagged(&mut given, &union.by, rules.model.object(member).tag.as_deref());
                    object(*input, member, given, place, rules).map(Value::Object)
                }
                None => Ok(Value::Object(given)),
            }
        }
        (Shape::Union(from), Shape::Union(to), given) if from == to && is_kept_as_sent(*from, rules) => {
            Ok(given)
        }
        (Shape::Union(from), Shape::Union(to), Value::Object(given)) => {
            union(*from, *to, given, place, rules).map(Value::Object)
        }
        (_, _, given) => Ok(given),
    }
}

/// True for values that nothing is made of before they are made use of.
fn is_kept_as_sent(union: kontor_model::UnionId, rules: &Rules<'_>) -> bool {
    rules.model.union(union).is_kept_as_sent
}

fn union(
    from: kontor_model::UnionId,
    to: kontor_model::UnionId,
    mut given: Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let (from, to) = (rules.model.union(from), rules.model.union(to));
    let tag = given.get(&from.by).and_then(Value::as_str).or(from.default.as_deref()).map(str::to_owned);
    let members = tag.as_deref().and_then(|tag| Some((tag, from.member(tag)?, to.member(tag)?)));
    let Some((tag, input, output)) = members else { return Ok(given) };
    tagged(&mut given, &to.by, Some(tag));
    let mut stored = object(input, output, given, place, rules)?;
    if !stored.contains_key(&to.by) {
        // Members need not repeat the field that tells them apart.
        stored.shift_insert(0, to.by.clone(), json!(tag));
    }
    Ok(stored)
}

fn tagged(given: &mut Document, by: &str, tag: Option<&str>) {
    if let Some(tag) = tag {
        given.insert(by.to_owned(), json!(tag));
    }
}
